"""Wrong actions and ids: an error that names what is wrong, and a pool that is as it was."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import poolkit
import pytest

GOOD: dict[str, Any] = {
    "turn": [-1, 0],
    "buttons": [[0, 0], [2, 3]],
    "switches": [[0, 1, 0, 1], [1, 1, 1, 1]],
    "gas": [[0, -2], [1, 0.1]],
    "arm": {"angle": [[-3, -2, -1], [3, 2, 0.1]]},
}


@pytest.fixture
def envs() -> Iterator[poolkit.GymnasiumVectorEnv]:
    with poolkit.make("debug/EveryDtype-v0", num_envs=2) as envs:
        envs.reset()
        yield envs


@pytest.fixture
def counters() -> Iterator[poolkit.GymnasiumVectorEnv]:
    with poolkit.make("debug/Counter-v0", num_envs=4, length=10**6) as envs:
        envs.reset()
        yield envs


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        ([0, 100, 0, 0], ValueError, r"action: row 1 \(env 1\): 100 is not in 0 .. 99"),
        ([0, 0, 0, -1], ValueError, r"row 3 \(env 3\): -1 is not in 0 .. 99"),
        (np.array([2**64 - 1, 0, 0, 0], np.uint64), ValueError, "18446744073709551615"),
        ([0, 0, 0], ValueError, r"has shape \(3,\); must be \(4,\)"),
        ([[0], [0], [0], [0]], ValueError, r"has shape \(4, 1\); must be \(4,\)"),
        (0, ValueError, r"has shape \(\); must be \(4,\)"),
        ([0.0, 1.0, 2.0, 3.0], TypeError, "float64, which does not cast to int64"),
        (["a", "b", "c", "d"], TypeError, "does not cast to int64"),
        ([None] * 4, TypeError, "object, which does not cast to int64"),
        ([0, [1], 2, 3], ValueError, "action: cannot be read as an array"),
        ([2**70, 0, 0, 0], TypeError, "object, which does not cast to int64"),
    ],
)
def test_wrong_action_changes_nothing(
    counters: poolkit.GymnasiumVectorEnv, action: Any, error: type[Exception], message: str
) -> None:
    counters.step([1, 2, 3, 4])
    with pytest.raises(error, match=message):
        counters.step(action)
    assert counters.pending == 0
    np.testing.assert_array_equal(counters.step([5, 6, 7, 8])[0][:, 0], 2)


@pytest.mark.parametrize(
    ("env_id", "error", "message"),
    [
        ([0, 0], ValueError, "env_id: row 1: 0 is repeated"),
        ([0, 4], ValueError, r"env_id: row 1: 4 is not an env; ids are 0 .. 3"),
        ([-1, 0], ValueError, r"env_id: row 0: -1 is not an env"),
        ([2**40, 0], ValueError, "is not an env"),
        ([0.0, 1.0], TypeError, "must be integers"),
        ([True, False], TypeError, "flatnonzero"),
        (1, ValueError, "one axis"),
        ([[0, 1]], ValueError, "one axis"),
        ([0, 1, 2], ValueError, r"has shape \(2,\); must be \(3,\)"),
    ],
)
def test_wrong_id_changes_nothing(
    counters: poolkit.GymnasiumVectorEnv, env_id: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        counters.send([1, 2], env_id)
    assert counters.pending == 0
    if np.ndim(env_id) == 1 and np.size(env_id) == 2:
        with pytest.raises(error, match=message):
            counters.async_reset(env_id)
    np.testing.assert_array_equal(counters.step([5, 6, 7, 8])[0][:, 0], 1)


def test_id_with_a_result_pending_is_refused(counters: poolkit.GymnasiumVectorEnv) -> None:
    counters.send([1], [2])
    for call in (
        lambda: counters.send([1, 1], [0, 2]),
        lambda: counters.async_reset([0, 2]),
        lambda: counters.save_state([2]),
        lambda: counters.reset(options={"reset_mask": np.array([0, 0, 1, 0], bool)}),
        lambda: counters.step([0, 0, 0, 0]),
    ):
        with pytest.raises(ValueError, match="pending"):
            call()
    assert counters.pending == 1
    np.testing.assert_array_equal(counters.recv()[4]["env_id"], [2])


def test_sending_nothing_is_nothing(counters: poolkit.GymnasiumVectorEnv) -> None:
    counters.send([], [])
    assert counters.pending == 0


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "bool", "q", "Q", ">i2", ">u8"]
)
def test_any_integer_dtype_is_discrete(counters: poolkit.GymnasiumVectorEnv, dtype: str) -> None:
    action = np.array([0, 1, 1, 0], dtype)
    np.testing.assert_array_equal(counters.step(action)[0][:, 3], [0, 1, 1, 0])


def test_any_memory_layout_is_read(counters: poolkit.GymnasiumVectorEnv) -> None:
    wide = np.arange(16).reshape(4, 4)
    read_only = np.arange(4)
    read_only.flags.writeable = False
    unaligned = np.zeros(33, np.uint8)[1:].view(np.int64)
    unaligned[:] = [4, 3, 2, 1]
    for action in (wide[:, 1], wide[::-1, 0], read_only, unaligned, (1, 2, 3, 4), range(4)):
        np.testing.assert_array_equal(counters.step(action)[0][:, 3], action)


def test_nested_actions_arrive(envs: poolkit.GymnasiumVectorEnv) -> None:
    echo = envs.step(GOOD)[0]["echo"]
    for name in ("turn", "buttons", "switches"):
        np.testing.assert_array_equal(echo[name], GOOD[name])
    np.testing.assert_array_equal(echo["gas"], np.array(GOOD["gas"], np.float32))
    np.testing.assert_array_equal(echo["arm"]["angle"], GOOD["arm"]["angle"])


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("turn", [0, 2], ValueError, r"action 'turn': row 1 \(env 1\): 2 is not in -1 .. 1"),
        ("buttons", [[0, 0], [0, 4]], ValueError, "row 1 .*element 1: 4 is not in 0 .. 3"),
        ("buttons", [[0, 0]], ValueError, r"\(1, 2\); must be \(2, 2\)"),
        ("switches", [[0, 0, 0, 0], [0, 0, 2, 0]], ValueError, "element 2: 2 is not in 0 .. 1"),
        ("gas", [[0, 0], [np.nan, 0]], ValueError, "row 1 .*element 0: nan is not in 0 .. 1"),
        ("gas", [[0, 0], [0, 0.11]], ValueError, r"element 1: 0.11 is not in -2 .. 0.1"),
        ("gas", np.zeros((2, 2), complex), TypeError, "complex128, which does not cast to float32"),
        ("gas", [[0, 0], [0, -np.inf]], ValueError, "-inf is not in"),
    ],
)
def test_wrong_part_is_named(
    envs: poolkit.GymnasiumVectorEnv,
    name: str,
    value: Any,
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        envs.step(GOOD | {name: value})
    assert envs.pending == 0
    envs.step(GOOD)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        ([0, 1], TypeError, "action: must be a dict, not list"),
        ({**GOOD, "arm": 3}, TypeError, r"action\['arm'\]: must be a dict, not int"),
        ({**GOOD, "more": 3}, ValueError, "action: has 6 entries; must have 5"),
        ({**GOOD, "arm": {"angel": 3}}, ValueError, r"action\['arm'\]\['angle'\]: is missing"),
    ],
)
def test_wrong_structure_is_named(
    envs: poolkit.GymnasiumVectorEnv, action: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        envs.step(action)


def test_rounding_beyond_a_bound_is_rounded_to_it(envs: poolkit.GymnasiumVectorEnv) -> None:
    high = np.array([1, 0.1], np.float32)
    beyond = high + 3 * np.spacing(np.float32([1, 2]))  # a unit of the larger bound
    echo = envs.step(GOOD | {"gas": [beyond, beyond]})[0]["echo"]["gas"]
    np.testing.assert_array_equal(echo, [high, high])
    with pytest.raises(ValueError, match="gas"):
        envs.step(GOOD | {"gas": [beyond + 4e-7, beyond]})


def test_int_beyond_an_int8_is_not_wrapped(envs: poolkit.GymnasiumVectorEnv) -> None:
    switches = np.array([[0, 0, 0, 0], [256, 257, 0, 0]])
    with pytest.raises(ValueError, match="256 is not in 0 .. 1"):
        envs.step(GOOD | {"switches": switches})


def test_samples_of_the_space_are_accepted(envs: poolkit.GymnasiumVectorEnv) -> None:
    envs.action_space.seed(0)
    for _ in range(50):
        envs.step(envs.action_space.sample())
