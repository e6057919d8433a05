"""Compare Atari environments with Gymnasium's, pixel for pixel.

Gymnasium's is AtariPreprocessing over ale-py, and FrameStackObservation. Both environments get the
same random actions; after each, observation, reward, end and lives must be equal. What the two
define differently is left out: the start of an episode (there are no no-ops and no FIRE), and the
last observation of a game, where Gymnasium shows older frames if the game ended inside a skip.

    python -m tests.atari_gymnasium --games all --steps 2000 --seed 0 --jobs 2
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import ale_py
import gymnasium as gym
import numpy as np
import poolkit
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation
from numpy.typing import NDArray

from tests.atari_exact import arrays_differ

gym.register_envs(ale_py)
ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

Pixels = NDArray[np.uint8]

# The ten best known, and ten with other televisions, screens and cartridges.
GAMES = (
    "Pong", "Breakout", "SpaceInvaders", "Seaquest", "Qbert",
    "MsPacman", "Enduro", "Freeway", "Boxing", "MontezumaRevenge",
    "AirRaid", "Adventure", "KeystoneKapers", "Jamesbond", "DoubleDunk",
    "ElevatorAction", "Robotank", "Pitfall2", "Carnival", "JourneyEscape",
)  # fmt: skip
FORMATS: dict[str, dict[str, Any]] = {
    "gray": {},
    "colour": {"gray_scale": False},
    "gray, whole screen": {"img_height": None, "img_width": None, "stack_num": 1},
    "colour, whole screen": {
        "img_height": None, "img_width": None, "gray_scale": False, "stack_num": 1
    },
    "gray, 64x64": {"img_height": 64, "img_width": 64, "stack_num": 3},
    "colour, 96x72": {"img_height": 96, "img_width": 72, "gray_scale": False, "stack_num": 2},
    "gray, half the screen": {"img_height": 105, "img_width": 80, "stack_num": 2},
    "colour, larger": {"img_height": 300, "img_width": 200, "gray_scale": False, "stack_num": 1},
}  # fmt: skip


def gymnasiums(
    game: str,
    *,
    frame_skip: int = 4,
    stack_num: int = 4,
    img_height: int | None = 84,
    img_width: int | None = 84,
    gray_scale: bool = True,
    **options: Any,
) -> gym.Env:
    """The environment put together from Gymnasium's parts."""
    env = gym.make(f"ALE/{game}-v5", frameskip=1, **{"repeat_action_probability": 0.0, **options})
    height, width = env.unwrapped.ale.getScreenDims()
    env = AtariPreprocessing(
        env,
        noop_max=0,
        frame_skip=frame_skip,
        screen_size=(img_width or width, img_height or height),
        grayscale_obs=gray_scale,
    )
    return FrameStackObservation(env, stack_num, padding_type="reset")


def ours(game: str, **options: Any) -> poolkit.GymnasiumVectorEnv:
    """The same as one environment of poolkit's."""
    start = {"noop_max": 0, "use_fire_reset": False}
    return poolkit.make(f"{game}-v5", autoreset="disabled", **start, **options)


def difference(
    envs: poolkit.GymnasiumVectorEnv,
    env: gym.Env,
    steps: int,
    seed: int = 0,
    first_reset: Callable[[gym.Env], Pixels] = lambda env: env.reset()[0],
) -> str:
    """Play both with the same actions; where they differ first, or an empty string."""
    envs.single_action_space.seed(seed)
    found = pictures_differ(envs.reset()[0], first_reset(env))
    for step in range(steps):
        if found:
            return f"step {step}: {found}"
        action = envs.single_action_space.sample()
        pictures, rewards, terminations, _, info = envs.step(np.array([action]))
        expected, reward, terminated, _, expected_info = env.step(action)
        ours = (rewards[0], terminations[0], info["lives"][0])
        theirs = (reward, terminated, expected_info["lives"])
        if ours != theirs:
            return f"step {step}: reward, end and lives {ours}, not {theirs}"
        if terminated:
            pictures, expected = envs.reset()[0], env.reset()[0]
        found = pictures_differ(pictures, expected)
    return found


def pictures_differ(pictures: Pixels, expected: Pixels) -> str:
    """Where our batch of one differs from Gymnasium's observation first, in words."""
    if expected.ndim == 4:  # colours come last
        expected = np.moveaxis(expected, 3, 1).reshape(-1, *expected.shape[1:3])
    return "; ".join(arrays_differ("the observation", pictures[0], expected))


def compare(game: str, form: str, steps: int, seed: int) -> str:
    """Compare a game in one of the FORMATS."""
    with ours(game, **FORMATS[form]) as envs:
        return difference(envs, gymnasiums(game, **FORMATS[form]), steps, seed)


def main() -> int:
    """Run the comparison named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default=",".join(GAMES), help="names, or 'all'")
    parser.add_argument("--steps", type=int, default=2000, help="of each game in each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    known = [name for name in poolkit.list_all_envs() if f"ALE/{name}" in gym.registry]
    games = [name.removesuffix("-v5") for name in known]
    if options.games != "all":
        games = options.games.split(",")
    start = time.monotonic()
    tasks = list(itertools.product(games, FORMATS))
    equal = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        columns = zip(*tasks, strict=True)
        more = (itertools.repeat(options.steps), itertools.repeat(options.seed))
        for task, found in zip(tasks, pool.map(compare, *columns, *more), strict=True):
            print(*task, found or "equal", sep=": ", flush=True)
            equal += not found
    seconds = time.monotonic() - start
    print(f"{equal} of {len(tasks)} equal, {len(tasks) * options.steps} steps, {seconds:.0f} s")
    return 0 if equal == len(tasks) else 1


if __name__ == "__main__":
    sys.exit(main())
