"""Atari environments are Gymnasium's AtariPreprocessing over ale-py where both define the same."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

from tests.atari_gymnasium import FORMATS, GAMES, Pixels, compare, difference, gymnasiums, ours

STEPS = 300


@pytest.mark.parametrize("game", GAMES)
def test_gray_episodes_are_gymnasiums(game: str) -> None:
    assert not compare(game, "gray", STEPS, seed=1)


# Each game in one of the other formats.
@pytest.mark.parametrize(
    ("game", "form"),
    [(game, list(FORMATS)[1 + at % (len(FORMATS) - 1)]) for at, game in enumerate(GAMES)],
)
def test_pictures_are_gymnasiums_in_any_format(game: str, form: str) -> None:
    assert not compare(game, form, 100, seed=2)


@pytest.mark.parametrize(
    "options",
    [
        {"frame_skip": 1},
        {"frame_skip": 1, "gray_scale": False},
        {"frame_skip": 2, "stack_num": 1},
        {"frame_skip": 3, "stack_num": 6},
        {"full_action_space": True},
        {"mode": 12, "difficulty": 1},
    ],
    ids=str,
)
def test_options_are_gymnasiums(options: dict[str, Any]) -> None:
    with ours("SpaceInvaders", **options) as envs:
        assert not difference(envs, gymnasiums("SpaceInvaders", **options), STEPS)


def ales(game: str, **options: Any) -> gym.Env:
    """ALE's own environment, which skips frames itself."""
    return gym.make(f"ALE/{game}-v5", frameskip=4, repeat_action_probability=0.0, **options)


@pytest.mark.parametrize("game", ["Pong", "Enduro"])
@pytest.mark.parametrize("gray_scale", [True, False], ids=["gray", "colour"])
def test_without_maxpool_the_last_frame_is_seen(game: str, gray_scale: bool) -> None:
    env = AtariPreprocessing(ales(game), noop_max=0, frame_skip=1, grayscale_obs=gray_scale)
    with ours(game, maxpool=False, stack_num=2, gray_scale=gray_scale) as envs:
        assert not difference(envs, FrameStackObservation(env, 2, padding_type="reset"), STEPS)


@pytest.mark.parametrize("stack_num", [1, 3])
def test_ram_is_seen(stack_num: int) -> None:
    env = FrameStackObservation(ales("Seaquest", obs_type="ram"), stack_num, padding_type="reset")
    with ours("Seaquest", obs_type="ram", stack_num=stack_num) as envs:
        assert envs.single_observation_space.shape == (stack_num, 128)
        assert not difference(envs, env, STEPS)


# Breakout's paddle turns as fast as the radius says; Krull's joystick has its 18 actions.
@pytest.mark.parametrize("game", ["Breakout", "Krull"])
@pytest.mark.parametrize("threshold", [0.5, 0.2])
def test_continuous_actions_are_ales(game: str, threshold: float) -> None:
    options: dict[str, Any] = {"continuous": True, "continuous_action_threshold": threshold}
    env = gymnasiums(game, **options)
    with ours(game, **options) as envs:
        assert envs.single_action_space == env.action_space
        assert not difference(envs, env, STEPS)


@pytest.mark.parametrize("options", [{}, {"continuous": True}], ids=["discrete", "continuous"])
@pytest.mark.parametrize(("game", "frame_skip"), [("Breakout", 1), ("Breakout", 4), ("Boxing", 4)])
def test_sticky_actions_are_ales(game: str, frame_skip: int, options: dict[str, Any]) -> None:
    def reset(env: gym.Env) -> Pixels:
        # ALE's seed is the first draw of the environment's random stream.
        seed = int(np.random.default_rng(7).integers(2**31))
        env.unwrapped.ale.setInt("random_seed", seed)
        env.unwrapped.load_game()
        return env.reset()[0]

    options = {**options, "repeat_action_probability": 0.25, "frame_skip": frame_skip}
    with ours(game, seed=[7], **options) as envs:
        assert not difference(envs, gymnasiums(game, **options), STEPS, first_reset=reset)
