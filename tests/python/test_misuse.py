"""Wrong arguments of every call but actions and ids: an error that names what is wrong.

Actions and ids are in test_bad_actions.py, masks in test_reset.py, random sequences of right and
wrong calls in test_pool_model.py.
"""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import poolkit
import pytest
from poolkit import _core


@pytest.fixture
def envs() -> Iterator[poolkit.GymnasiumVectorEnv]:
    with poolkit.make("debug/Counter-v0", num_envs=3, render_mode="rgb_array") as envs:
        envs.reset()
        yield envs


INTS = {
    "num_envs": (1, 2**31 - 1),
    "batch_size": (1, 2),
    "num_threads": (1, 4096),
    "max_episode_steps": (0, 2**31 - 1),
    "thread_affinity_offset": (-1, 2**31 - 1),
}


@pytest.mark.parametrize("name", INTS)
def test_int_of_make_is_checked(name: str) -> None:
    low, high = INTS[name]
    for value in (low - 1, high + 1, 2**70, -(2**70), np.int64(low - 1)):
        with pytest.raises(ValueError, match=rf"{name}: {value} must be in {low} \.\. {high}"):
            poolkit.make("debug/Counter-v0", **{"num_envs": 2, name: value})
    for value in (1.0, "1", True, np.bool_(True), [1], np.array([1]), np.nan, b"1", 1j):
        kind = type(value).__name__
        with pytest.raises(TypeError, match=f"{name}: must be an int( or None)?, not {kind}"):
            poolkit.make("debug/Counter-v0", **{"num_envs": 2, name: value})


def test_ints_of_numpy_are_ints() -> None:
    arguments = {name: np.int32(low + 1) for name, (low, _) in INTS.items()}
    with poolkit.make("debug/Counter-v0", **arguments) as envs:
        assert envs.num_envs == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_envs": None}, TypeError, "num_envs: must be an int, not NoneType"),
        ({"thread_affinity_offset": None}, TypeError, "thread_affinity_offset: must be an int"),
        ({"affinity": [0.0]}, TypeError, r"affinity: \[0.0\] must be a list of CPUs or 'numa'"),
        ({"affinity": 0}, TypeError, "affinity: 0 must be a list"),
        ({"affinity": [True]}, TypeError, r"affinity: \[True\] must be a list"),
        ({"affinity": b"\0"}, TypeError, "affinity: .* must be a list"),
        ({"affinity": {0: 1}}, TypeError, "affinity: .* must be a list"),
        ({"affinity": []}, ValueError, r"affinity: \[\] must be some of"),
        ({"affinity": [-1]}, ValueError, r"affinity: \[-1\] must be some of"),
        ({"affinity": [2**70]}, ValueError, "must be some of"),
        ({"affinity": "all"}, ValueError, "affinity: 'all' must be a list of CPUs or 'numa'"),
        ({"affinity": "numa", "thread_affinity_offset": 0}, ValueError, "not both"),
        ({"seed": 1.0}, TypeError, "seed: must be an int or a list of ints, not float"),
        ({"seed": "12"}, TypeError, "seed: must be an int or a list of ints, not str"),
        ({"seed": [1.5, 2]}, TypeError, "seed: must be an int, not float"),
        ({"seed": {1, 2}}, TypeError, "seed: must be an int or a list of ints, not set"),
        ({"seed": [True, 2]}, TypeError, "seed: must be an int, not bool"),
        ({"seed": np.array(1.5)}, TypeError, "seed: must be an int, not ndarray"),
        ({"seed": [None, 2]}, TypeError, "seed: must be an int, not NoneType"),
        ({"seed": [1, 2, 3]}, ValueError, "seed: has 3 entries; must have 2"),
        ({"seed": np.array([[1, 2], [3, 4]])}, TypeError, "seed: must be an int, not ndarray"),
        ({"autoreset": "never"}, ValueError, "autoreset: 'never' must be one of"),
        ({"autoreset": 3}, ValueError, "autoreset: 3 must be one of"),
        ({"autoreset": ["disabled"]}, ValueError, "autoreset: .* must be one of"),
        ({"autoreset": None}, ValueError, "autoreset: None must be one of"),
        ({"render_mode": "ansi"}, ValueError, "render_mode: 'ansi' must be one of"),
        ({"render_mode": 1}, ValueError, "render_mode: 1 must be one of"),
        ({"env_type": "gymnasum"}, ValueError, "env_type: 'gymnasum' must be one of"),
        ({"workers": 2}, TypeError, "workers: must be poolkit.Workers, not int"),
        ({"task": 3}, TypeError, "task: must be a str, not int"),
        ({"task": "debug/Countr-v0"}, ValueError, "did you mean 'debug/Counter-v0'"),
        ({"task": ""}, ValueError, "unknown environment ''"),
        ({"task": None}, TypeError, "task: must be a str, not NoneType"),
        ({"task": "PongNoFrameskip-v4"}, ValueError, "did you mean 'Pong-v5'"),
        ({"task": "ALE/Pong-v4"}, ValueError, "did you mean 'ALE/Pong-v5'"),
        ({"task": "Pong"}, ValueError, "did you mean 'Pong-v5'"),
        ({"task": ":Pong-v5"}, ValueError, "task: ':Pong-v5': before ':' must be the whole name"),
        ({"task": ".x:Pong-v5"}, ValueError, "task: '.x:Pong-v5': before ':' must be"),
        ({"num_env": 2}, TypeError, "has no option 'num_env'; did you mean 'num_envs'"),
        ({"squeeze": "no"}, TypeError, "squeeze: must be a bool, not str"),
        ({"options": 5}, TypeError, "options: must be a list, a dict for each env, not int"),
        ({"options": {"length": 3}}, TypeError, "options: must be a list, .*, not dict"),
        ({"options": [{}, 1]}, TypeError, r"options\[1\]: must be a dict, not int"),
        ({"options": [{}, {1: 2}]}, TypeError, "has no option 1"),
        ({"options": [{}, {"task": None}]}, TypeError, "task: must be a str, not NoneType"),
        ({"task": "no_such_module:Env-v0"}, ModuleNotFoundError, "no_such_module"),
    ],
)
def test_argument_of_make_is_named(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        poolkit.make(**({"task": "debug/Counter-v0", "num_envs": 2} | arguments))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": 1.0}, TypeError, "seed: must be an int or a list"),
        ({"seed": -1}, ValueError, "seed: -1 is not in"),
        ({"seed": 2**64 - 2}, ValueError, "seed: 18446744073709551616 is not in"),
        ({"seed": [1, 2]}, ValueError, "seed: has 2 entries; must have 3"),
        ({"seed": [1, "2", 3]}, TypeError, "seed: must be an int, not str"),
        ({"options": [1]}, TypeError, "options: must be a dict or None, not list"),
        ({"options": "reset_mask"}, TypeError, "options: must be a dict or None, not str"),
        (
            {"options": {"reset_masks": np.ones(3, bool)}},
            ValueError,
            "a reset knows 'reset_mask'",
        ),
        ({"seed": True}, TypeError, "seed: must be an int, not bool"),
        ({"seed": {0: 1, 1: 2, 2: 3}}, TypeError, "seed: must be an int or a list of ints"),
        ({"options": {"reset_mask": None}}, TypeError, "reset_mask: must be an array or a list of"),
        ({"options": {"reset_mask": np.ones((3, 1), bool)}}, ValueError, r"not \(3, 1\)"),
        ({"options": {"reset_mask": np.ones(0, bool)}}, ValueError, r"not \(0,\)"),
    ],
)
def test_wrong_reset_changes_nothing(
    envs: poolkit.GymnasiumVectorEnv,
    arguments: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    envs.step([1, 2, 3])
    with pytest.raises(error, match=message):
        envs.reset(**arguments)
    np.testing.assert_array_equal(envs.step([1, 2, 3])[0][:, 0], 2)


def test_seeds_may_be_an_array(envs: poolkit.GymnasiumVectorEnv) -> None:
    expected = envs.reset(seed=[4, 5, 6])[0]
    for seeds in (np.arange(4, 7), np.arange(4, 7, dtype=">u2"), np.arange(9)[4:7], (4, 5, 6)):
        np.testing.assert_array_equal(envs.reset(seed=seeds)[0][:, 2], expected[:, 2])


@pytest.mark.parametrize(
    ("timeout", "error"),
    [
        ("1", TypeError),
        (True, TypeError),
        ([1], TypeError),
        (1j, TypeError),
        (-0.001, ValueError),
        (-np.inf, ValueError),
    ],
)
def test_wrong_timeout_is_named(
    envs: poolkit.GymnasiumVectorEnv, timeout: Any, error: type[Exception]
) -> None:
    envs.send([1, 2, 3])
    for call in (envs.recv, envs.close_extras):
        with pytest.raises(error, match="timeout: must be None or seconds"):
            call(timeout=timeout)
    assert envs.pending == 3
    assert not envs.closed


@pytest.mark.parametrize("timeout", [np.inf, 10**30, np.float32(60), 60])
def test_any_number_is_a_timeout(envs: poolkit.GymnasiumVectorEnv, timeout: Any) -> None:
    envs.send([1, 2, 3])
    assert len(envs.recv(timeout=timeout)[1]) == 3


@pytest.mark.parametrize(
    ("env_ids", "error", "message"),
    [
        ([3], ValueError, "env_id: row 0: 3 is not an env; ids are 0 .. 2"),
        ([0, -1], ValueError, "env_id: row 1: -1 is not an env"),
        ([2**70], TypeError, "env_id: must be integers"),
        (0, ValueError, "env_id: must have one axis"),
        ("0", ValueError, "env_id: must have one axis"),
        (["0"], TypeError, "env_id: must be integers"),
        ([0.0], TypeError, "env_id: must be integers"),
        ([np.nan], TypeError, "env_id: must be integers"),
        ([None], TypeError, "env_id: must be integers"),
        ([[0], [1, 2]], ValueError, "env_id: cannot be read as an array"),
    ],
)
def test_wrong_ids_of_states_are_named(
    envs: poolkit.GymnasiumVectorEnv, env_ids: Any, error: type[Exception], message: str
) -> None:
    states = envs.save_state([0, 1])
    for call in (
        lambda: envs.save_state(env_ids),
        lambda: envs.load_state(env_ids, states),
        lambda: envs.async_reset(env_ids),
        lambda: envs.send([0], env_ids),
    ):
        with pytest.raises(error, match=message):
            call()
    assert envs.pending == 0


def test_envs_that_nobody_named_are_named_where_one_is_pending() -> None:
    with poolkit.make(
        "debug/Counter-v0", num_envs=4, batch_size=2, render_mode="rgb_array"
    ) as envs:
        envs.async_reset([1])
        for call in (envs.render, envs.save_state, envs.async_reset):
            with pytest.raises(ValueError, match="env 1 has a result pending: recv.. it first, or"):
                call()
            with pytest.raises(ValueError, match="env_id: row 1: 1 has a result pending"):
                call([0, 1])
        assert len(envs.save_state([0, 2, 3])) == 3


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": None}, TypeError, "name: must be a str, not NoneType"),
        ({"name": ""}, ValueError, "name: "),
        ({"name": "a:b"}, ValueError, "name: 'a:b' must not have the colon"),
        ({"render": 5}, TypeError, "render: must be a function, not int"),
        ({"prepare": "f"}, TypeError, "prepare: must be a function, not str"),
        ({"max_episode_steps": "9"}, TypeError, "max_episode_steps: must be an int or None"),
        ({"lenght": 5}, TypeError, "has no option 'lenght'; did you mean 'length'"),
    ],
)
def test_argument_of_register_is_named(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    before = poolkit.list_all_envs()
    with pytest.raises(error, match=message):
        poolkit.register(**{"name": "test/Wrong-v0", "env": _core.envs.debug_counter} | arguments)
    assert poolkit.list_all_envs() == before


def test_wrong_states_load_nothing(envs: poolkit.GymnasiumVectorEnv) -> None:
    states = envs.save_state()
    envs.step([1, 2, 3])
    flipped = bytearray(states[2])
    flipped[len(flipped) // 2] ^= 1
    for wrong, error, message in (
        ([states[0], states[1], bytes(flipped)], ValueError, "state: truncated or altered"),
        ([states[0], states[1], b"poolkit state"], ValueError, "state: too short"),
        ([states[0], states[1], bytes(1000)], ValueError, "state: not a state of a poolkit"),
        ([states[0], states[1], "x"], TypeError, "states: row 2 must be bytes, not str"),
        ([states[0], None, states[2]], TypeError, "states: row 1 must be bytes, not NoneType"),
        (states[0], TypeError, "states: must be a list of bytes, not bytes"),
        (states[:2], ValueError, "states: has 2 entries; must have 3"),
        ([], ValueError, "states: has 0 entries"),
        (None, TypeError, "states: must be a list of bytes, not NoneType"),
    ):
        with pytest.raises(error, match=message):
            envs.load_state(None, wrong)
    with pytest.raises(ValueError, match="env_id: row 1: 0 is repeated"):
        envs.load_state([0, 0], states[:2])
    np.testing.assert_array_equal(envs.step([1, 2, 3])[0][:, 0], 2)


@pytest.mark.parametrize("at", range(0, 160, 7))
def test_one_altered_byte_of_a_state_is_found(envs: poolkit.GymnasiumVectorEnv, at: int) -> None:
    (state,) = envs.save_state([1])
    altered = bytearray(state)
    altered[at % len(state)] ^= 0x40
    with pytest.raises(ValueError, match="state"):
        envs.load_state([1], [bytes(altered)])


def test_any_memory_of_ids_is_read(envs: poolkit.GymnasiumVectorEnv) -> None:
    wide = np.arange(9).reshape(3, 3)
    read_only = np.array([2, 0])
    read_only.flags.writeable = False
    for ids in (wide[0, ::2], wide[0, 2::-2], read_only, read_only.astype(">i2"), (2, 0), range(2)):
        envs.send([5, 6], ids)
        np.testing.assert_array_equal(envs.recv()[4]["env_id"], ids)


def test_pool_is_not_pickled_but_what_it_was_made_of(envs: poolkit.GymnasiumVectorEnv) -> None:
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied: send the arguments"):
            copied(envs)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(envs._pool)
    config = poolkit.PoolConfig(num_envs=3, seed=[1, 2, 3], autoreset="same_step")
    assert pickle.loads(pickle.dumps(config)) == config
    for space in (envs.action_space, envs.single_observation_space):
        assert pickle.loads(pickle.dumps(space)) == space


def test_calls_after_close_are_refused(envs: poolkit.GymnasiumVectorEnv) -> None:
    envs.send([1, 2, 3])
    (state,) = poolkit.make("debug/Counter-v0").save_state()
    envs.close()
    assert envs.pending == 0
    for use in (
        envs.reset,
        lambda: envs.reset(options={"reset_mask": np.ones(3, bool)}),
        lambda: envs.step([0, 0, 0]),
        lambda: envs.send([0], [0]),
        lambda: envs.send([0, 0, 0]),
        envs.recv,
        lambda: envs.recv(timeout=0),
        envs.async_reset,
        envs.render,
        envs.save_state,
        lambda: envs.load_state([0], [state]),
        envs.stats,
    ):
        with pytest.raises(RuntimeError, match="closed"):
            use()
    envs.close()


def test_step_after_close_is_refused_also_where_nothing_was_received() -> None:
    envs = poolkit.make("debug/Counter-v0", num_envs=4, batch_size=2)
    envs.close()
    for use in (lambda: envs.step([0]), lambda: envs.send([0])):
        with pytest.raises(RuntimeError, match="closed"):
            use()
