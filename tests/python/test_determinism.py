"""Same seeds and per-env actions: the same per-env trajectories, however they are run."""

import numpy as np
import poolkit
import pytest

NUM_ENVS = 6
STEPS = 120


def trajectories(task: str, batch_size: int, num_threads: int) -> list[list[object]]:
    """What each env showed; its t-th action depends on the env and t only."""
    actions = np.random.default_rng(3).integers(0, 2, (STEPS, NUM_ENVS))
    shown: list[list[object]] = [[] for _ in range(NUM_ENVS)]
    with poolkit.make(
        task, num_envs=NUM_ENVS, batch_size=batch_size, num_threads=num_threads, seed=11
    ) as envs:
        envs.async_reset()
        while envs.pending:
            obs, reward, terminated, truncated, info = envs.recv()
            ids = info["env_id"]
            for row, env in enumerate(ids):
                flags = (reward[row], terminated[row], truncated[row])
                shown[env].append((obs[row], flags, info["episode_return"][row]))
            going_on = [env for env in ids if len(shown[env]) <= STEPS]
            envs.send([actions[len(shown[env]) - 1, env] for env in going_on], going_on)
    return shown


@pytest.mark.parametrize("task", ["CartPole-v1", "debug/Counter-v0", "Breakout-v5"])
def test_trajectories_do_not_depend_on_threads_or_batches(task: str) -> None:
    expected = trajectories(task, batch_size=NUM_ENVS, num_threads=1)
    assert [len(shown) for shown in expected] == [STEPS + 1] * NUM_ENVS
    for batch_size, num_threads in [(NUM_ENVS, 4), (1, 1), (2, 3), (5, 2)]:
        got = trajectories(task, batch_size, num_threads)
        np.testing.assert_equal(got, expected)
