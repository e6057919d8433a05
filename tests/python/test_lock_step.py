"""Lock-step pools: row i is env i, and what a call returned stays as it was."""

import copy

import numpy as np
import poolkit
import pytest


def test_row_i_is_env_i() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=5, num_threads=3) as envs:
        envs.reset()
        for step in range(1, 8):
            obs, reward, _, _, info = envs.step([10, 20, 30, 40, 50])
            np.testing.assert_array_equal(info["env_id"], range(5))
            np.testing.assert_array_equal(obs[:, 0], step)
            np.testing.assert_array_equal(obs[:, 3], [10, 20, 30, 40, 50])
            np.testing.assert_array_equal(reward, [10, 20, 30, 40, 50])


def test_dtypes_of_what_step_returns() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=2) as envs:
        envs.reset()
        obs, reward, terminated, truncated, info = envs.step([1, 2])
    assert (obs.dtype, obs.shape) == (np.int64, (2, 4))
    assert (reward.dtype, reward.shape) == (np.float32, (2,))
    assert terminated.dtype == truncated.dtype == np.bool_
    dtypes = {key: value.dtype for key, value in info.items()}
    assert dtypes == {
        "env_id": np.int32,
        "elapsed_step": np.int32,
        "episode_return": np.float64,
        "episode_length": np.int32,
        "lives": np.int64,
        "resets": np.int64,
    }
    assert info["resets"].shape == (2, 3)


def test_returned_arrays_never_change() -> None:
    with poolkit.make("debug/EveryDtype-v0", num_envs=3) as envs:
        kept = [envs.reset()]
        as_returned = copy.deepcopy(kept)
        for _ in range(20):
            kept.append(envs.step(envs.action_space.sample()))
            as_returned.append(copy.deepcopy(kept[-1]))
    np.testing.assert_equal(kept, as_returned)


def test_returned_arrays_are_the_callers() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=2) as envs:
        envs.reset()
        for step in range(1, 9):
            obs, reward, terminated, truncated, info = envs.step([1, 1])
            for array in (obs, reward, terminated, truncated, *info.values()):
                assert array.flags.writeable
                assert array.flags.c_contiguous
                assert array.flags.aligned
            np.testing.assert_array_equal(obs[:, 0], step)
            obs[:] = reward[:] = -7
            terminated[:] = truncated[:] = True


def test_memory_is_used_again_when_the_last_reference_goes() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=2) as envs:
        envs.reset()
        view = envs.step([0, 0])[0][1:]
        held = view.base.ctypes.data
        places = {envs.step([0, 0])[0].ctypes.data for _ in range(50)}
        assert held not in places
        assert len(places) <= 3
        del view
        places = {envs.step([0, 0])[0].ctypes.data for _ in range(50)}
        assert held in places


def test_arrays_outlive_their_pool() -> None:
    envs = poolkit.make("debug/Counter-v0", num_envs=2)
    obs = envs.reset()[0]
    kept = obs.copy()
    envs.close()
    del envs
    np.testing.assert_array_equal(obs, kept)


def test_send_of_some_envs_returns_their_rows_in_the_order_sent() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=4) as envs:
        envs.reset()
        envs.send([7, 9], [3, 1])
        obs, reward, _, _, info = envs.recv()
        np.testing.assert_array_equal(info["env_id"], [3, 1])
        np.testing.assert_array_equal(reward, [7, 9])
        envs.send([8, 6])  # to the envs of the last recv
        np.testing.assert_array_equal(envs.recv()[4]["env_id"], [3, 1])
        obs = envs.step([0, 0, 0, 0])[0]
        np.testing.assert_array_equal(obs[:, 0], [1, 3, 1, 3])


def test_step_before_reset_is_an_error() -> None:
    with (
        poolkit.make("debug/Counter-v0", num_envs=2) as envs,
        pytest.raises(RuntimeError, match="reset"),
    ):
        envs.step([0, 0])


def test_nothing_pending_is_an_error_at_once() -> None:
    with poolkit.make("debug/Counter-v0") as envs:
        with pytest.raises(RuntimeError, match="pending"):
            envs.recv()
        envs.reset()
        with pytest.raises(RuntimeError, match="pending"):
            envs.recv(timeout=60)


@pytest.mark.parametrize("task", ["debug/Counter-v0", "debug/Farm-v0", "CartPole-v1"])
def test_use_after_close_is_an_error(task: str) -> None:
    envs = poolkit.make(task, num_envs=2)
    envs.reset()
    envs.close()
    envs.close()
    assert envs.closed
    for use in (
        lambda: envs.reset(),
        lambda: envs.step([0, 0]),
        lambda: envs.send([0, 0]),
        lambda: envs.send([0], [1]),
        lambda: envs.recv(),
        lambda: envs.async_reset(),
        lambda: envs.save_state(),
    ):
        with pytest.raises(RuntimeError, match="closed"):
            use()
