"""Saved Atari environments go on exactly; equal states are equal bytes, others are refused."""

import hashlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import poolkit
import pytest

STICKY = {"repeat_action_probability": 0.25, "ram": True}


def make(task: str = "Seaquest-v5", **options: Any) -> poolkit.GymnasiumVectorEnv:
    return poolkit.make(task, **{**STICKY, "seed": [3], **options})


def actions(count: int, seed: int = 0) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).integers(count, size=(5000, 1)))


def play(envs: poolkit.GymnasiumVectorEnv, steps: int, seed: int = 0) -> None:
    for action in actions(int(envs.single_action_space.n), seed)[:steps]:
        envs.step(action)


def assert_same_future(
    one: poolkit.GymnasiumVectorEnv, other: poolkit.GymnasiumVectorEnv, steps: int = 100
) -> None:
    for action in actions(int(one.single_action_space.n), seed=1)[:steps]:
        expected, found = one.step(action), other.step(action)
        for array, wanted in zip(found[:4], expected[:4], strict=True):
            np.testing.assert_array_equal(array, wanted)
        assert found[4].keys() == expected[4].keys()
        for name, wanted in expected[4].items():
            np.testing.assert_array_equal(found[4][name], wanted)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"obs_type": "ram", "stack_num": 3},
        {"gray_scale": False, "img_height": None, "img_width": 30},
        {"continuous": True},
    ],
    ids=str,
)
def test_a_saved_game_goes_on_exactly(options: dict[str, Any]) -> None:
    with make(**options) as one, make(**options, seed=[9]) as other:
        one.reset()
        other.reset()
        spaces = one.single_action_space
        spaces.seed(0)
        for _ in range(50):
            one.step([spaces.sample()])
        other.load_state([0], one.save_state([0]))
        for _ in range(100):
            action = [spaces.sample()]
            expected, found = one.step(action), other.step(action)
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[4]["ram"], expected[4]["ram"])
            assert found[1] == expected[1]
        # The streams of sticky actions and of starts, too.
        np.testing.assert_array_equal(other.reset()[0], one.reset()[0])
        assert other.save_state() == one.save_state()


def test_a_game_saved_between_two_lives_goes_on() -> None:
    options = {"episodic_life": True, "noop_max": 5}
    with make("Breakout-v5", **options) as one, make("Breakout-v5", **options) as other:
        one.reset()
        other.reset()
        ended = (bool(one.step(action)[2][0]) for action in actions(4))
        assert any(ended)
        other.load_state(None, one.save_state())
        assert_same_future(one, other)
        assert one.save_state() == other.save_state()


def test_states_that_came_about_otherwise_are_the_same_bytes() -> None:
    with make() as played, make() as fresh:
        played.reset()
        play(played, 101)
        played.reset(seed=[5])
        fresh.reset(seed=[5])
        for steps in (0, 1, 30):
            play(played, steps)
            play(fresh, steps)
            assert played.save_state() == fresh.save_state()


def test_a_loaded_state_is_saved_as_the_same_bytes() -> None:
    with make() as one, make("Seaquest-v5", seed=[4]) as other:
        one.reset()
        play(one, 41)
        state = one.save_state()
        other.reset()
        play(other, 3)
        other.load_state(None, state)
        assert other.save_state() == state


def digest_of_a_later_state(path: str) -> str:
    """Of the state in a file, 30 steps later."""
    with make() as envs:
        envs.reset()
        envs.load_state(None, [Path(path).read_bytes()])
        play(envs, 30)
        return hashlib.sha256(envs.save_state()[0]).hexdigest()


def test_a_state_goes_on_in_another_process(tmp_path: Path) -> None:
    with make() as one:
        one.reset()
        play(one, 20)
        file = tmp_path / "state"
        file.write_bytes(one.save_state()[0])
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        future = other.submit(digest_of_a_later_state, str(file))
        assert future.result() == digest_of_a_later_state(str(file))


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("Pong-v5", {}, "pong: not a saved state of this game"),
        ("Seaquest-v5", {"stack_num": 3}, "another kind of observation; obs_type, stack_num"),
        ("Seaquest-v5", {"obs_type": "ram"}, "another kind of observation"),
        ("Seaquest-v5", {"gray_scale": False}, "another kind of observation"),
        ("Seaquest-v5", {"img_height": 42, "img_width": 168}, "another kind of observation"),
        ("CartPole-v1", None, "of Atari, not of CartPole"),
    ],
    ids=str,
)
def test_states_of_other_environments_are_refused(
    task: str, options: dict[str, Any] | None, message: str
) -> None:
    with make() as one, poolkit.make(task, **(options or {})) as other:
        one.reset()
        other.reset()
        with pytest.raises(ValueError, match=message):
            other.load_state(None, one.save_state())
        other.reset()
        other.step(other.action_space.sample())


def test_damaged_states_are_refused_and_change_nothing() -> None:
    with make() as one, make() as other:
        for envs in (one, other):
            envs.reset()
            play(envs, 10)
        state = one.save_state()[0]
        for place in range(0, len(state), 9973):
            damaged = bytearray(state)
            damaged[place] ^= 4
            with pytest.raises(ValueError, match="state"):
                other.load_state(None, [bytes(damaged)])
        for wrong in (b"", state[:-1], state + b"\0"):
            with pytest.raises(ValueError, match="state"):
                other.load_state(None, [wrong])
        assert_same_future(one, other, steps=20)


def test_a_state_keeps_its_mode_until_a_seeded_reset() -> None:
    # Mode 1 of Freeway has other traffic.
    with make("Freeway-v5", mode=1) as one, make("Freeway-v5") as other, make("Freeway-v5") as zero:
        one.reset()
        other.reset()
        zero.reset()
        other.load_state(None, one.save_state())
        np.testing.assert_array_equal(other.reset()[1]["ram"], one.reset()[1]["ram"])
        seeded = [envs.reset(seed=[8])[1]["ram"] for envs in (one, other, zero)]
        assert (seeded[1] != seeded[0]).any()
        np.testing.assert_array_equal(seeded[1], seeded[2])
