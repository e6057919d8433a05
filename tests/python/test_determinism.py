"""Same seeds and per-env actions: the same per-env trajectories, however they are run."""

from random import Random

import numpy as np
import poolkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


ROUNDS = 12


def play_scripts(random: Random, batch_size: int, num_threads: int) -> list[list[object]]:
    """Each env does its own script of steps and resets; whose turn it is, is `random`'s."""
    shown: list[list[object]] = [[] for _ in range(NUM_ENVS)]
    with poolkit.make(
        "debug/Counter-v0",
        num_envs=NUM_ENVS,
        batch_size=batch_size,
        num_threads=num_threads,
        length=4,
        lives=2,
        seed=5,
    ) as envs:
        idle = list(range(NUM_ENVS))
        while idle or envs.pending:
            going = [env for env in idle if random.random() < 0.6]
            idle = [env for env in idle if env not in going]
            resets = [env for env in going if len(shown[env]) in (0, 5)]
            steps = [env for env in going if env not in resets]
            random.shuffle(steps)
            envs.async_reset(resets)
            envs.send([7 * env + len(shown[env]) for env in steps], steps)
            while envs.pending and (not idle or random.random() < 0.7):
                obs, reward, terminated, truncated, info = envs.recv()
                for row, env in enumerate(info["env_id"].tolist()):
                    flags = reward[row], terminated[row], truncated[row]
                    shown[env].append((obs[row], flags, info["episode_return"][row]))
                    if len(shown[env]) < ROUNDS:
                        idle.append(env)
    return shown


@given(
    batch_size=st.integers(1, NUM_ENVS),
    num_threads=st.sampled_from([1, 2, 4]),
    turns=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40, derandomize=True, database=None, deadline=None)
def test_trajectories_do_not_depend_on_whose_turn_it_is(
    batch_size: int, num_threads: int, turns: int
) -> None:
    expected = play_scripts(Random(0), batch_size=NUM_ENVS, num_threads=1)
    assert [len(shown) for shown in expected] == [ROUNDS] * NUM_ENVS
    np.testing.assert_equal(play_scripts(Random(turns), batch_size, num_threads), expected)
