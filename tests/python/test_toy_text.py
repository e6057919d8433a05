"""Toy text against Gymnasium's, from the same seeds: no difference, in nothing."""

from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

from tests.gymnasium_parity import spaces_are_equal, steps_are_equal

TASKS = [
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "Taxi-v4",
    "CliffWalking-v1",
    "CliffWalkingSlippery-v1",
    "Blackjack-v1",
]
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake-v1", {"success_rate": 0.9, "reward_schedule": (3, -1, -0.25)}),
    ("FrozenLake-v1", {"desc": ["SFFHS", "FFFFF", "GFSHF"]}),
    ("FrozenLake-v1", {"desc": generate_random_map(6, 0.7, seed=1), "max_episode_steps": 7}),
    ("FrozenLake-v1", {"map_name": "8x8"}),
    ("Taxi-v4", {"is_rainy": True}),
    ("Taxi-v4", {"is_rainy": True, "rainy_probability": 0.25}),
    ("Taxi-v4", {"fickle_passenger": True}),
    ("Taxi-v4", {"fickle_passenger": True, "is_rainy": True, "fickle_probability": 0.9}),
    ("CliffWalking-v1", {"is_slippery": True, "max_episode_steps": 50}),
    ("Blackjack-v1", {"natural": True, "sab": False}),
    ("Blackjack-v1", {"natural": False, "sab": False}),
]


@pytest.mark.parametrize("task", TASKS)
def test_spaces_are_gymnasiums(task: str) -> None:
    spaces_are_equal(task)


@pytest.mark.parametrize("task", TASKS)
def test_5000_random_steps_are_gymnasiums(task: str) -> None:
    seen = steps_are_equal(task, 5_000)
    assert seen["terminated"] + seen["truncated"] >= 1


@pytest.mark.parametrize(("task", "options"), OPTIONS)
def test_options_do_what_they_do_in_gymnasium(task: str, options: dict[str, Any]) -> None:
    seen = steps_are_equal(task, 1_500, **options)
    assert seen["terminated"] + seen["truncated"] >= 3


def test_every_reward_of_blackjack_is_seen() -> None:
    seen = steps_are_equal("Blackjack-v1", 2_500, natural=True, sab=False)
    assert min(seen[-1.0], seen[0.0], seen[1.0], seen[1.5]) > 10


def test_action_mask_is_an_int8_row_for_each_env() -> None:
    with poolkit.make("Taxi-v4", num_envs=3) as envs:
        _, info = envs.reset(seed=0)
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].shape == (3, 6)


def test_without_desc_and_name_the_map_is_random_and_valid() -> None:
    with poolkit.make("FrozenLake-v1", map_name=None) as envs:
        assert envs.single_observation_space == gymnasium.spaces.Discrete(64)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"map_name": "9x9"}, "map_name: '9x9' must be one of"),
        ({"desc": ["SF", "G"]}, "map: 'SF/G' must have rows of one length"),
        ({"desc": ["SX", "FG"]}, "no letters but S, F, H and G"),
        ({"desc": ["FF", "FG"]}, "an S, where one starts"),
        ({"desc": []}, "an S, where one starts"),
        ({"success_rate": 1.5}, r"success_rate=1\.5\d*: must be in 0 \.\. 1"),
        ({"success_rate": float("nan")}, "success_rate=nan: must be in"),
    ],
)
def test_wrong_option_of_the_lake_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        poolkit.make("FrozenLake-v1", **options)


@pytest.mark.parametrize("name", ["rainy_probability", "fickle_probability"])
def test_wrong_probability_of_the_taxi_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}=-0.5"):
        poolkit.make("Taxi-v4", **{name: -0.5})


def test_state_of_a_larger_lake_is_refused() -> None:
    with (
        poolkit.make("FrozenLake-v1", desc=["FFF", "FFF", "FFS"]) as large,
        poolkit.make("FrozenLake-v1", desc=["SF", "FG"]) as small,
    ):
        large.reset()
        small.reset()
        with pytest.raises(ValueError, match="of another map"):
            small.load_state([0], large.save_state([0]))


@pytest.mark.parametrize("task", TASKS)
def test_a_state_continues_exactly(task: str) -> None:
    options = {"fickle_passenger": True} if task == "Taxi-v4" else {}
    with poolkit.make(task, num_envs=2, max_episode_steps=30, **options) as envs:
        envs.action_space.seed(0)
        envs.reset()
        envs.load_state([1], envs.save_state([0]))
        for _ in range(80):  # over an end and the reset after it
            action = np.repeat(envs.action_space.sample()[:1], 2)
            obs, reward, *_ = envs.step(action)
            for part in obs if isinstance(obs, tuple) else [obs]:
                assert part[0] == part[1]
            assert reward[0] == reward[1]
