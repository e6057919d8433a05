"""Tianshou's algorithms learn on a pool, with the settings of Tianshou's own examples."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from poolkit.adapters.tianshou import PoolAsyncCollector, PoolVectorEnv
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.ppo import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import BaseVectorEnv, DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams, OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.continuous import ContinuousActorProbabilistic, ContinuousCritic
from torch.distributions import Independent, Normal


def train_dqn(
    training: BaseVectorEnv, epochs: int, tests: BaseVectorEnv | None = None, **evaluation: Any
) -> tuple[Any, Any]:
    """Tianshou's test/discrete/test_dqn.py, with a smaller network."""
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002  Tianshou's exploration draws from it
    training.seed(1)
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=4, action_shape=2, hidden_sizes=[64, 64]),
        action_space=training.action_space[0],
        eps_training=0.1,
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.9,
        n_step_return_horizon=3,
        target_update_freq=320,
    )
    kind = PoolAsyncCollector if training.is_async else Collector
    collector = kind(policy, training, VectorReplayBuffer(20000, 10), exploration_noise=True)
    if tests is not None:
        collector.reset()
        collector.collect(n_step=640, random=True)
        evaluation["test_collector"] = Collector(policy, tests)
    result = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=epochs,
            epoch_num_steps=2000,
            collection_step_num_env_steps=10,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=64,
            verbose=False,
            show_progress=False,
            **evaluation,
        )
    )
    return result, policy


@pytest.mark.parametrize("batch_size", [10, 5])
def test_dqn_solves_cartpole(batch_size: int) -> None:
    training = PoolVectorEnv("CartPole-v0", 10, batch_size=batch_size, num_threads=1)
    tests = PoolVectorEnv("CartPole-v0", 20, num_threads=1)
    tests.seed(100)
    result, _ = train_dqn(
        training,
        epochs=20,
        tests=tests,
        test_step_num_episodes=20,
        stop_fn=lambda mean_return: mean_return >= 195,
    )
    assert result.best_score >= 195
    training.close()
    tests.close()


def test_dqn_learns_what_it_learns_with_dummy_vector_env() -> None:
    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("CartPole-v1")

    reference, expected = train_dqn(DummyVectorEnv([make] * 10), epochs=1)
    training = PoolVectorEnv("CartPole-v1", 10, num_threads=1)
    ours, policy = train_dqn(training, epochs=1)
    assert ours.train_episode == reference.train_episode > 20
    for weights, theirs in zip(policy.parameters(), expected.parameters(), strict=True):
        assert torch.equal(weights, theirs)
    training.close()


def test_ppo_improves_at_the_pendulum() -> None:
    """Tianshou's test/continuous/test_ppo.py, asynchronously, for fewer steps."""
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002
    training = PoolVectorEnv("Pendulum-v1", 32, batch_size=16, num_threads=1)
    tests = PoolVectorEnv("Pendulum-v1", 20, num_threads=1)
    training.seed(1)
    tests.seed(100)
    net = Net(state_shape=3, hidden_sizes=[64, 64], activation=torch.nn.Tanh)
    actor = ContinuousActorProbabilistic(preprocess_net=net, action_shape=1, unbounded=True)
    policy = ProbabilisticActorPolicy(
        actor=actor,
        dist_fn=lambda loc_scale: Independent(Normal(*loc_scale), 1),
        action_space=training.action_space[0],
    )
    critic = ContinuousCritic(
        preprocess_net=Net(state_shape=3, hidden_sizes=[64, 64], activation=torch.nn.Tanh)
    )
    algorithm = PPO(
        policy=policy,
        critic=critic,
        optim=AdamOptimizerFactory(lr=1e-3),
        eps_clip=0.2,
        value_clip=True,
        advantage_normalization=False,
        vf_coef=0.25,
        ent_coef=0.0,
        max_grad_norm=0.5,
        gae_lambda=0.95,
        gamma=0.95,
        return_scaling=True,
    )
    collector = PoolAsyncCollector(policy, training, VectorReplayBuffer(20000, 32))
    scores: list[float] = []
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            test_collector=Collector(policy, tests),
            compute_score_fn=lambda stats: scores.append(stats.returns.mean()) or scores[-1],
            max_epochs=3,
            epoch_num_steps=16384,
            collection_step_num_env_steps=2048,
            update_step_num_repetitions=8,
            batch_size=256,
            test_step_num_episodes=20,
            verbose=False,
            show_progress=False,
        )
    )
    assert scores[0] < -1000
    assert scores[-1] > -500
    training.close()
    tests.close()
