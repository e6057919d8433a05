"""PoolVecEnv gives the numbers of SB3's own DummyVecEnv around Gymnasium's environments."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from poolkit.adapters.sb3 import PoolVecEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv


def dummy(task: str, num_envs: int, seed: int, **options: Any) -> DummyVecEnv:
    def make() -> gymnasium.Env[Any, Any]:
        return Monitor(gymnasium.make(task, disable_env_checker=True, **options))

    envs = DummyVecEnv([make] * num_envs)
    envs.seed(seed)
    return envs


def assert_same(ours: Any, theirs: Any, where: str) -> None:
    """Equal in values, dtypes and keys; of times, only that they are told."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), where
        for key in theirs:
            if key != "t":
                assert_same(ours[key], theirs[key], f"{where}, {key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for row, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(a, b, f"{where}, env {row}")
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, where
        np.testing.assert_array_equal(ours, theirs, where)
    else:
        assert ours == theirs, where


def assert_same_rollouts(
    ours: VecEnv, theirs: VecEnv, act: Callable[[int], Any], steps: int
) -> None:
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert_same(ours.reset(), theirs.reset(), "reset")
    ends = 0
    for step in range(steps):
        actions = act(step)
        result = theirs.step(actions)
        assert_same(list(ours.step(actions)), list(result), f"step {step}")
        assert_same(ours.reset_infos, theirs.reset_infos, f"reset_infos of step {step}")
        ends += result[2].sum()
    assert ends >= ours.num_envs


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0"])
def test_equals_dummy_vec_env(task: str) -> None:
    ours, theirs = PoolVecEnv(task, 4, seed=7), dummy(task, 4, seed=7)
    ours.action_space.seed(1)

    def act(step: int) -> Any:
        return np.stack([ours.action_space.sample() for _ in range(4)])

    assert_same_rollouts(ours, theirs, act, 520)


def test_equals_dummy_vec_env_at_the_time_limit() -> None:
    """A pole that is held up: the episode is truncated, not terminated."""
    ours = PoolVecEnv("CartPole-v1", 3, seed=7, max_episode_steps=90)
    theirs = dummy("CartPole-v1", 3, seed=7, max_episode_steps=90)
    last: Any = np.zeros((3, 4))
    cut = 0
    assert_same(ours.reset(), theirs.reset(), "reset")
    for step in range(200):
        actions = (last[:, 2] + last[:, 3] > 0).astype(np.int64)
        result = ours.step(actions)
        assert_same(list(result), list(theirs.step(actions)), f"step {step}")
        last = result[0]
        cut += sum(info["TimeLimit.truncated"] for info in result[3])
    assert cut == 6
