"""reset(): all envs or those of a mask, with Gymnasium's rules for its arguments."""

import numpy as np
import poolkit
import pytest


@pytest.mark.parametrize("task", ["debug/Counter-v0", "debug/Farm-v0", "CartPole-v1"])
def test_masked_rows_start_anew_and_the_others_stay(task: str) -> None:
    with poolkit.make(task, num_envs=4) as envs:
        envs.reset(seed=1)
        envs.step([0, 1, 0, 1])
        before, _, _, _, _ = envs.step([0, 1, 0, 1])
        mask = np.array([False, True, False, True])
        obs, info = envs.reset(options={"reset_mask": mask})
        np.testing.assert_array_equal(obs[~mask, :3], before[~mask, :3])
        assert (obs[mask] != before[mask]).any(axis=1).all()
        np.testing.assert_array_equal(info["env_id"], range(4))
        np.testing.assert_array_equal(info["elapsed_step"], [2, 0, 2, 0])
        np.testing.assert_array_equal(envs.step([0] * 4)[4]["elapsed_step"], [3, 1, 3, 1])


def test_mask_with_seeds_seeds_its_rows() -> None:
    with poolkit.make("CartPole-v1", num_envs=3) as envs:
        expected = envs.reset(seed=[5, 6, 7])[0]
        envs.step([0, 0, 0])
        mask = np.array([True, False, True])
        obs = envs.reset(seed=5, options={"reset_mask": mask})[0]
        np.testing.assert_array_equal(obs[mask], expected[mask])


def test_rows_never_reset_are_zero() -> None:
    with poolkit.make("CartPole-v1", num_envs=2) as envs:
        obs = envs.reset(options={"reset_mask": np.array([False, True])})[0]
        assert not obs[0].any()
        assert obs[1].any()


def test_callers_options_are_not_modified() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=2) as envs:
        options = {"reset_mask": np.array([True, True])}
        envs.reset(options=options)
        assert set(options) == {"reset_mask"}


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        ([1, 0], TypeError, "an array or a list of bool, not list"),
        ("ab", TypeError, "an array or a list of bool, not str"),
        (np.array([1, 0]), TypeError, "an array or a list of bool, not int64"),
        ([True], ValueError, r"shape \(2,\), not \(1,\)"),
        ([], ValueError, r"shape \(2,\), not \(0,\)"),
        (np.array([True]), ValueError, r"shape \(2,\), not \(1,\)"),
        (np.array([False, False]), ValueError, "True"),
    ],
)
def test_wrong_mask_is_refused(mask: object, error: type[Exception], message: str) -> None:
    with poolkit.make("debug/Counter-v0", num_envs=2) as envs:
        envs.reset()
        with pytest.raises(error, match=message):
            envs.reset(options={"reset_mask": mask})


def test_mask_may_be_a_list() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=3) as envs:
        envs.reset()
        for mask in ([True, False, True], (np.True_, np.False_, np.True_)):
            envs.step([0] * 3)
            obs, _ = envs.reset(options={"reset_mask": mask})
            np.testing.assert_array_equal(obs[[0, 2], 0], 0)
            assert obs[1, 0] > 0


def test_async_reset_of_some_envs() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=4) as envs:
        envs.reset()
        envs.step([0] * 4)
        envs.async_reset([2, 0])
        obs, reward, _, _, info = envs.recv()
        np.testing.assert_array_equal(info["env_id"], [2, 0])
        np.testing.assert_array_equal(obs[:, 0], 0)
        np.testing.assert_array_equal(reward, 0)
