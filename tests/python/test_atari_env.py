"""Atari environments are Gymnasium's AtariPreprocessing over ale-py where both define the same."""

from collections.abc import Callable
from typing import Any

import ale_py
import gymnasium as gym
import numpy as np
import poolkit
import pytest
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation
from numpy.typing import NDArray

gym.register_envs(ale_py)
ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

STEPS = 400


def gymnasiums(
    game: str,
    *,
    frame_skip: int = 4,
    stack_num: int = 4,
    img_height: int = 84,
    img_width: int = 84,
    gray_scale: bool = True,
    **options: Any,
) -> gym.Env:
    """The same environment, put together from Gymnasium's parts."""
    env = gym.make(f"ALE/{game}-v5", frameskip=1, **{"repeat_action_probability": 0.0, **options})
    env = AtariPreprocessing(
        env,
        noop_max=0,
        frame_skip=frame_skip,
        screen_size=(img_width, img_height),
        grayscale_obs=gray_scale,
    )
    return FrameStackObservation(env, stack_num, padding_type="reset")


def ours(game: str, **options: Any) -> poolkit.GymnasiumVectorEnv:
    start = {"noop_max": 0, "use_fire_reset": False}
    return poolkit.make(f"{game}-v5", autoreset="disabled", **start, **options)


def channels_first(observation: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if observation.ndim == 3:
        return observation
    stack, height, width, colours = observation.shape
    return np.moveaxis(observation, 3, 1).reshape(stack * colours, height, width)


def play_both(
    envs: poolkit.GymnasiumVectorEnv,
    env: gym.Env,
    reset: Callable[[gym.Env], NDArray[np.uint8]] = lambda env: env.reset()[0],
) -> None:
    """Play both with the same random actions; everything that they show must be equal."""
    random = np.random.default_rng(0)
    env.reset(seed=0)
    np.testing.assert_array_equal(envs.reset()[0][0], channels_first(reset(env)))
    for _ in range(STEPS):
        action = random.integers(envs.single_action_space.n)
        observations, rewards, terminations, _, info = envs.step(np.array([action]))
        expected, reward, terminated, _, expected_info = env.step(action)
        assert rewards[0] == reward
        assert terminations[0] == terminated
        assert info["lives"][0] == expected_info["lives"]
        if terminated:  # Gymnasium then shows older frames
            observations = envs.reset()[0]
            expected = env.reset()[0]
        np.testing.assert_array_equal(observations[0], channels_first(expected))


@pytest.mark.parametrize(
    "game",
    [
        "Pong", "Breakout", "SpaceInvaders", "Seaquest", "Qbert",
        "MsPacman", "Enduro", "Freeway", "Boxing", "MontezumaRevenge",
    ],
)  # fmt: skip
def test_episodes_are_gymnasiums(game: str) -> None:
    with ours(game) as envs:
        play_both(envs, gymnasiums(game))


@pytest.mark.parametrize(
    "options",
    [
        {"frame_skip": 1},
        {"frame_skip": 2, "stack_num": 1},
        {"frame_skip": 3, "stack_num": 6},
        {"gray_scale": False},
        {"gray_scale": False, "stack_num": 2, "img_height": 96, "img_width": 72},
        {"img_height": 210, "img_width": 160},
        {"img_height": 105, "img_width": 80},
        {"full_action_space": True},
        {"mode": 12, "difficulty": 1},
    ],
    ids=str,
)
def test_options_are_gymnasiums(options: dict[str, Any]) -> None:
    with ours("SpaceInvaders", **options) as envs:
        play_both(envs, gymnasiums("SpaceInvaders", **options))


@pytest.mark.parametrize("game", ["Breakout", "Boxing"])
def test_sticky_actions_are_ales(game: str) -> None:
    def reset(env: gym.Env) -> NDArray[np.uint8]:
        # ALE's seed is the first draw of the environment's random stream.
        seed = int(np.random.default_rng(7).integers(2**31))
        env.unwrapped.ale.setInt("random_seed", seed)
        env.unwrapped.load_game()
        return env.reset()[0]

    options = {"repeat_action_probability": 0.25}
    with ours(game, seed=[7], **options) as envs:
        play_both(envs, gymnasiums(game, **options), reset)
