"""PoolVectorEnv over functions stands for Tianshou's own vector environments."""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from poolkit.adapters.tianshou import PoolAsyncCollector, PoolVectorEnv
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net

from tests.python_zoo import Zoo

# Forked workers start fastest; Python 3.12 and later warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def test_steps_are_those_of_dummy_vector_env() -> None:
    make = [partial(Zoo, "float32", length=4, extra=7)] * 3
    ours, theirs = PoolVectorEnv(make, workers="thread"), DummyVectorEnv(make)
    np.testing.assert_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    rng = np.random.default_rng(0)
    ids = np.arange(3)
    for _ in range(50):
        actions = rng.integers(-1, 3, len(ids))
        one, other = ours.step(actions, ids), theirs.step(actions, ids)
        np.testing.assert_equal(one[0], other[0])
        np.testing.assert_equal(one[1], other[1].astype(np.float32))
        np.testing.assert_equal(one[2:4], other[2:4])
        for row, info in enumerate(other[4]):
            for key, value in info.items():
                if key == "nested":
                    assert one[4][row][key]["deep"]["count"] == value["deep"]["count"]
                elif key != "env_id":
                    np.testing.assert_equal(one[4][row][key], value)
        ended = ids[one[2] | one[3]]
        if len(ended):
            np.testing.assert_equal(ours.reset(ended)[0], theirs.reset(ended)[0])
    ours.close()


def test_attributes_are_the_envs_own() -> None:
    make = [partial(Zoo, length=3 + k) for k in range(3)]
    ours, theirs = PoolVectorEnv(make, context="fork"), DummyVectorEnv(make)
    for envs in (ours, theirs):
        envs.reset()
        assert envs.get_env_attr("length") == [3, 4, 5]
        envs.set_env_attr("length", 8, [1])
        assert envs.get_env_attr("length", [1, 2]) == [8, 5]
        with pytest.raises(AttributeError):
            envs.get_env_attr("nothing")
        envs.reset(options={"level": 2})
        assert envs.get_env_attr("options") == [{"level": 2}] * 3
        assert [image.shape for image in envs.render()] == [(2, 3, 3)] * 3
    ours.close()


@pytest.mark.parametrize(("batch_size", "kind"), [(None, Collector), (2, PoolAsyncCollector)])
def test_collectors_collect(batch_size: int | None, kind: Any) -> None:
    make = partial(gymnasium.make, "CartPole-v1")
    envs = PoolVectorEnv([make] * 4, batch_size=batch_size, workers="thread", seed=1)
    net = Net(state_shape=4, action_shape=2, hidden_sizes=[8])
    policy = DiscreteQLearningPolicy(model=net, action_space=envs.action_space[0])
    collector = kind(policy, envs, VectorReplayBuffer(400, 4))
    collector.reset()
    assert collector.collect(n_step=100).n_collected_steps >= 100
    assert collector.collect(n_episode=8).n_collected_episodes >= 8
    envs.close()
