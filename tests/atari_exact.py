"""Compare the Atari emulator with ale-py, frame by frame.

Both play the same random actions, each held for 1 to 8 frames, with resets in mid-game. After each
frame RAM, screen, reward, lives and game over must be equal; the first difference ends the game's
comparison and is printed with the actions that lead there.

    python -m tests.atari_exact --games pong,breakout --frames 10000 --seed 0 --jobs 2
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import ale_py
import numpy as np
from ale_py import roms
from poolkit._core import Emulator

TEN_GAMES = (
    "pong", "breakout", "space_invaders", "seaquest", "qbert",
    "ms_pacman", "enduro", "freeway", "boxing", "montezuma_revenge",
)  # fmt: skip
REFUSED = {"combat", "joust", "maze_craze", "warlords"}  # ALE wants more than one player there
RESET_CHANCE = 1 / 3000  # of a reset in mid-game, per frame


@dataclass(frozen=True)
class Result:
    """What one game's comparison came to; no difference if `difference` is empty."""

    game: str
    frames: int
    episodes: int
    difference: str
    actions: tuple[int, ...]
    """Since the last reset."""


def make_pair(game: str) -> tuple[Emulator, ale_py.ALEInterface]:
    """The game in both emulators, freshly started."""
    path = roms.get_rom_path(game)
    if path is None:
        raise SystemExit(f"ale-py has no ROM for {game!r}")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.setFloat("repeat_action_probability", 0.0)
    ale.setInt("random_seed", 0)
    ale.loadROM(path)
    return Emulator(game, path.read_bytes()), ale


def difference(ours: Emulator, ale: ale_py.ALEInterface, rewards: tuple[int, int]) -> str:
    """What differs between the two, or an empty string."""
    found = []
    if rewards[0] != rewards[1]:
        found.append(f"reward {rewards[0]}, not {rewards[1]}")
    if ours.lives != ale.lives():
        found.append(f"lives {ours.lives}, not {ale.lives()}")
    if ours.game_over != ale.game_over():
        found.append(f"game over {ours.game_over}, not {ale.game_over()}")
    found += arrays_differ("RAM", ours.ram(), ale.getRAM())
    found += arrays_differ("screen", ours.screen(), ale.getScreen())
    return "; ".join(found)


def arrays_differ(name: str, ours: np.ndarray, theirs: np.ndarray) -> list[str]:
    """Where two arrays differ first, in words."""
    if ours.shape != theirs.shape:
        return [f"{name} of shape {ours.shape}, not {theirs.shape}"]
    places = np.argwhere(ours != theirs)
    if len(places) == 0:
        return []
    first = tuple(int(i) for i in places[0])
    return [f"{len(places)} of {name}, first {first}: {ours[first]}, not {theirs[first]}"]


def compare(game: str, frames: int, seed: int) -> Result:
    """Play `frames` frames of the game in both emulators."""
    ours, ale = make_pair(game)
    choose = random.Random(f"{game} {seed}")
    minimal = [action.value for action in ale.getMinimalActionSet()]
    actions: list[int] = []
    episodes = 1
    held = 0
    action = 0
    for frame in range(frames + 1):
        rewards = (0, 0)
        if ale.game_over() or choose.random() < RESET_CHANCE:
            ours.reset()
            ale.reset_game()
            actions.clear()
            episodes += 1
        elif frame > 0:
            if held == 0:
                held = choose.randint(1, 8)
                action = choose.choice(minimal)
            held -= 1
            actions.append(action)
            rewards = (ours.act(action), ale.act(action))
        found = difference(ours, ale, rewards)
        if found:
            return Result(game, frame, episodes, f"frame {frame}: {found}", tuple(actions))
    return Result(game, frames, episodes, "", ())


def compare_all(games: Sequence[str], frames: int, seed: int, jobs: int) -> list[Result]:
    """Compare the games, several at once, and report each when it is done."""
    results = []
    with ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(partial(compare, frames=frames, seed=seed), games):
            verdict = result.difference or "equal"
            print(f"{result.game}: {result.episodes} episodes, {verdict}", flush=True)
            if result.difference:
                print("  actions since the reset:", *result.actions)
            results.append(result)
    return results


def main() -> int:
    """Run the comparison named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default=",".join(TEN_GAMES), help="names of ROMs, or 'all'")
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    known = sorted(set(roms.get_all_rom_ids()) - REFUSED)
    games = known if options.games == "all" else options.games.split(",")
    start = time.monotonic()
    results = compare_all(games, options.frames, options.seed, options.jobs)
    equal = sum(not result.difference for result in results)
    frames = sum(result.frames for result in results)
    print(
        f"{equal} of {len(results)} games equal, {frames} frames, {time.monotonic() - start:.0f} s"
    )
    return 0 if equal == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
