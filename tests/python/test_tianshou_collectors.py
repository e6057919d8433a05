"""Tianshou's Collector and ours around a pool: what is in the buffer is what the envs did."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from poolkit.adapters.tianshou import PoolAsyncCollector, PoolVectorEnv
from tianshou.algorithm.algorithm_base import Policy
from tianshou.algorithm.modelfree.ddpg import ContinuousDeterministicPolicy
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy, ProbabilisticActorPolicy
from tianshou.data import AsyncCollector, Batch, Collector, VectorReplayBuffer
from tianshou.env import BaseVectorEnv, DummyVectorEnv, VectorEnvNormObs
from tianshou.env.venv_wrappers import VectorEnvWrapper
from tianshou.utils.net.common import Net, Recurrent
from tianshou.utils.net.continuous import ContinuousActorDeterministic, ContinuousActorProbabilistic
from tianshou.utils.net.discrete import DiscreteActor
from torch.distributions import Independent, Normal

NUM_ENVS = 6
LIMIT = 25
"""Steps after which an episode is truncated."""


@pytest.fixture(autouse=True)
def _same_random_numbers() -> None:
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  Tianshou's exploration draws from it


def pool(task: str = "CartPole-v1", batch_size: int = NUM_ENVS) -> PoolVectorEnv:
    return PoolVectorEnv(
        task, NUM_ENVS, batch_size=batch_size, num_threads=2, max_episode_steps=LIMIT
    )


def dummy(task: str = "CartPole-v1", wait_num: int | None = None) -> DummyVectorEnv:
    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.make(task, max_episode_steps=LIMIT)

    return DummyVectorEnv([make] * NUM_ENVS, wait_num=wait_num)


# Tianshou's policies


def net(task: str, actions: int = 0) -> Net:
    inputs = {"CartPole-v1": 4, "Pendulum-v1": 3}[task]
    return Net(state_shape=inputs, action_shape=actions, hidden_sizes=[8])


def dqn(envs: BaseVectorEnv) -> Policy:
    return DiscreteQLearningPolicy(
        model=net("CartPole-v1", 2), action_space=envs.action_space[0], eps_inference=0.3
    )


def discrete_ppo(envs: BaseVectorEnv) -> Policy:
    actor = DiscreteActor(preprocess_net=net("CartPole-v1"), action_shape=2)
    return DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])


def recurrent_dqn(envs: BaseVectorEnv) -> Policy:
    model = Recurrent(layer_num=1, state_shape=4, action_shape=2, hidden_layer_size=8)
    return DiscreteQLearningPolicy(model=model, action_space=envs.action_space[0])


def continuous_ppo(envs: BaseVectorEnv) -> Policy:
    actor = ContinuousActorProbabilistic(
        preprocess_net=net("Pendulum-v1"), action_shape=1, unbounded=True
    )
    return ProbabilisticActorPolicy(
        actor=actor,
        dist_fn=lambda loc_scale: Independent(Normal(*loc_scale), 1),
        action_space=envs.action_space[0],
    )


def ddpg(envs: BaseVectorEnv) -> Policy:
    actor = ContinuousActorDeterministic(preprocess_net=net("Pendulum-v1"), action_shape=1)
    return ContinuousDeterministicPolicy(
        actor=actor, exploration_noise="default", action_space=envs.action_space[0]
    )


POLICIES = {
    "dqn": (dqn, "CartPole-v1"),
    "discrete ppo": (discrete_ppo, "CartPole-v1"),
    "recurrent dqn": (recurrent_dqn, "CartPole-v1"),
    "continuous ppo": (continuous_ppo, "Pendulum-v1"),
    "ddpg": (ddpg, "Pendulum-v1"),
}


# What a buffer must hold


def transitions_of(buffer: VectorReplayBuffer, env: int) -> Any:
    """Those of one env, from the first to the last."""
    sub = buffer.buffers[env]
    assert len(sub) < sub.maxsize
    return sub[np.arange(len(sub))]


class Recorder(VectorEnvWrapper):
    """Remembers what each env was told to do, in its space's dtype, which is what it gets."""

    def __init__(self, venv: BaseVectorEnv) -> None:
        super().__init__(venv)
        self.actions: list[list[Any]] = [[] for _ in range(len(venv))]

    def step(self, action: Any, id: Any = None) -> Any:  # noqa: A002
        for env, row in zip(id, [] if action is None else action, strict=action is not None):
            self.actions[env].append(np.asarray(row, self.action_space[env].dtype))
        return super().step(action, id)


def assert_each_env_did_that(collector: Collector[Any], task: str, seed: int) -> int:
    """Gymnasium's env, with the same seeds and actions, does what the buffer says of each env."""
    episodes = 0
    for env_id in range(NUM_ENVS):
        rows = transitions_of(collector.buffer, env_id)
        actions = collector.env.actions[env_id]
        assert len(rows) <= len(actions) <= len(rows) + 1
        assert (rows.info.env_id == env_id).all()
        env = gymnasium.make(task, max_episode_steps=LIMIT)
        env.reset(seed=seed + env_id)
        obs, _ = env.reset()
        length, total = 0, 0.0
        for row in range(len(rows)):
            np.testing.assert_array_equal(rows.obs[row], obs)
            stored = collector.policy.map_action(rows.act[row])
            np.testing.assert_allclose(stored, actions[row], rtol=1e-5, atol=1e-6)
            obs, reward, terminated, truncated, _ = env.step(actions[row])
            np.testing.assert_array_equal(rows.obs_next[row], obs)
            assert rows.rew[row] == np.float32(reward)
            assert rows.terminated[row] == terminated
            assert rows.done[row] == (terminated or truncated)
            length, total = length + 1, total + float(np.float32(reward))
            assert rows.info.episode_length[row] == length
            if rows.done[row]:
                assert rows.info.episode_return[row] == pytest.approx(total)
                obs, _ = env.reset()
                length, total = 0, 0.0
                episodes += 1
    return episodes


# Collector


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1"])
@pytest.mark.parametrize("how", [{"n_step": 300}, {"n_episode": 14}])
@pytest.mark.parametrize("random", [False, True])
def test_collector_collects_what_it_does_from_dummy_vector_env(
    task: str, how: dict[str, int], random: bool
) -> None:
    collectors = []
    for envs in (pool(task), dummy(task)):
        policy = {"CartPole-v1": dqn, "Pendulum-v1": ddpg}[task](envs)
        torch.manual_seed(0)
        for parameter in policy.parameters():
            torch.nn.init.normal_(parameter)
        np.random.seed(1)  # noqa: NPY002
        collector = Collector(policy, envs, VectorReplayBuffer(4000, NUM_ENVS))
        envs.seed(11)
        collector.reset()
        # Between episodes Collector resets all envs, those too that it had reset already.
        stats = [collector.collect(random=random, **how) for _ in range(2)]
        collector.reset_env({"seed": 3})
        stats.append(collector.collect(random=random, **how))
        collectors.append((collector.buffer, stats))
    (ours, our_stats), (reference, stats) = collectors
    assert len(ours) == len(reference)
    for name in ("obs", "act", "terminated", "done", "obs_next"):
        np.testing.assert_array_equal(ours[:][name], reference[:][name], err_msg=name)
    np.testing.assert_array_equal(ours.rew, reference.rew.astype(np.float32))
    np.testing.assert_array_equal(ours.info.env_id, reference.info.env_id)
    assert sum(stat.n_collected_episodes for stat in stats) > 10
    for stat, expected in zip(our_stats, stats, strict=True):
        np.testing.assert_allclose(stat.returns, expected.returns, rtol=1e-6)
        np.testing.assert_array_equal(stat.lens, expected.lens)


def test_lives_end_episodes_and_games_end() -> None:
    """Breakout: 5 lives a game, whether steps are collected or episodes."""
    envs = PoolVectorEnv("Breakout-v5", 2, preset="dqn", num_threads=2)
    policy = DiscreteActorPolicy(actor=torch.nn.Identity(), action_space=envs.action_space[0])
    collector = Collector(policy, envs, VectorReplayBuffer(4000, 2, ignore_obs_next=True))
    collector.reset()
    for _ in range(4):
        collector.collect(n_step=600, random=True)
    for _ in range(6):
        collector.collect(n_episode=2, random=True)
    games = 0
    for env_id in range(2):
        rows = transitions_of(collector.buffer, env_id)
        lives, over = rows.info.lives, rows.info.terminated.astype(bool)
        assert set(lives) == {0, 1, 2, 3, 4, 5}
        # A life is lost at an episode's end only, and only a game that is over starts a new one.
        lost = np.diff(lives) < 0
        assert (rows.done[1:][lost]).all()
        assert (over[:-1] == (np.diff(lives) > 0)).all()
        assert (rows.done >= over).all()
        games += over.sum()
        assert rows.done.sum() >= 5 * over.sum() >= 5
    assert games >= 3
    envs.close()


# PoolAsyncCollector


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("batch_size", [1, 4])
def test_async_collector_works_with_tianshous_policies(name: str, batch_size: int) -> None:
    build, task = POLICIES[name]
    envs = pool(task, batch_size)
    collector = PoolAsyncCollector(
        build(envs), Recorder(envs), VectorReplayBuffer(9000, NUM_ENVS), exploration_noise=True
    )
    envs.seed(21)
    collector.reset()
    first = collector.collect(n_step=120)
    assert 120 <= first.n_collected_steps < 120 + batch_size
    prefill = collector.collect(n_step=60, random=True)
    second = collector.collect(n_episode=20)
    assert 20 <= second.n_collected_episodes < 20 + batch_size
    stats = (first, prefill, second)
    assert len(collector.buffer) == sum(stat.n_collected_steps for stat in stats)
    assert len(envs.waiting_id) == NUM_ENVS - batch_size

    assert assert_each_env_did_that(collector, task, 21) >= 20
    ends = collector.buffer.done[: len(collector.buffer)]
    np.testing.assert_allclose(
        sorted(np.concatenate([stat.returns for stat in stats])),
        sorted(collector.buffer.info.episode_return[collector.buffer.done]),
        rtol=1e-6,
    )
    np.testing.assert_array_equal(
        sorted(np.concatenate([stat.lens for stat in stats])),
        sorted(collector.buffer.info.episode_length[collector.buffer.done]),
    )
    assert ends.any()
    kind = {"CartPole-v1": np.integer, "Pendulum-v1": np.floating}[task]
    assert np.issubdtype(collector.buffer.act.dtype, kind)
    envs.close()


def test_async_collector_is_needed() -> None:
    """Tianshou's own fails; the day that it does not, the mends may go."""
    for name in ("dqn", "continuous ppo"):
        build, task = POLICIES[name]
        envs = pool(task, 4)
        policy = build(envs)
        with pytest.warns(UserWarning, match="async"):
            collector = AsyncCollector(policy, envs, VectorReplayBuffer(900, NUM_ENVS))
        collector.reset()
        with pytest.raises((IndexError, ValueError)):
            collector.collect(n_step=60)
        collector.reset()  # waits for those that were stepping
        assert envs.waiting_id == []
        envs.close()


@pytest.mark.parametrize("wrap", [VectorEnvWrapper, lambda envs: envs])
def test_async_collector_works_with_tianshous_own_envs(wrap: Any) -> None:
    envs = wrap(dummy(wait_num=2))
    collector = PoolAsyncCollector(dqn(envs), envs, VectorReplayBuffer(9000, NUM_ENVS))
    collector.reset(gym_reset_kwargs={"seed": 4})
    assert collector.collect(n_step=240).n_collected_steps >= 240
    for env_id in range(NUM_ENVS):
        rows = transitions_of(collector.buffer, env_id)
        assert (rows.info.env_id == env_id).all()
        goes_on = ~rows.done[:-1]
        np.testing.assert_array_equal(rows.obs[1:][goes_on], rows.obs_next[:-1][goes_on])
    collector.reset()  # waits for those that are stepping, which these envs' reset does not
    assert collector.collect(n_step=24).n_collected_steps >= 24


@pytest.mark.parametrize("reset", ["reset", "reset_env"])
@pytest.mark.parametrize("wrap", [VectorEnvNormObs, lambda envs: envs])
def test_reset_in_mid_flight_starts_all_anew(reset: str, wrap: Any) -> None:
    envs = pool(batch_size=2)
    wrapped = wrap(envs)
    collector = PoolAsyncCollector(recurrent_dqn(envs), wrapped, VectorReplayBuffer(9000, NUM_ENVS))
    collector.reset()
    collector.collect(n_step=96)
    assert len(envs.waiting_id) == NUM_ENVS - 2
    obs, infos = getattr(collector, reset)()
    assert envs.waiting_id == []
    assert infos["elapsed_step"].tolist() == [0] * NUM_ENVS
    collector.reset_buffer()
    collector.collect(n_step=96)
    for env_id in range(NUM_ENVS):
        rows = transitions_of(collector.buffer, env_id)
        np.testing.assert_array_equal(rows.obs[0], obs[env_id])
        assert rows.info.elapsed_step[0] == 1
    envs.close()


class Memory(Policy):
    """Counts the steps of each env's episode in its state, of the kind that `hold` makes."""

    def __init__(self, action_space: Any, hold: Any) -> None:
        super().__init__(action_space=action_space)
        self.hold = hold

    def forward(self, batch: Any, state: Any = None, **kwargs: Any) -> Any:
        size = len(batch.obs)
        if state is None:
            counts = torch.zeros(size, dtype=torch.int64)
        else:
            counts = torch.as_tensor(state["count"] if isinstance(state, Batch) else state)
        return Batch(
            act=np.zeros(size, int),
            state=self.hold(counts + 1),
            policy=Batch(count=counts.numpy()),
        )


@pytest.mark.parametrize(
    "hold", [lambda counts: counts, lambda counts: counts.numpy(), lambda c: Batch(count=c)]
)
@pytest.mark.parametrize("random_first", [False, True])
def test_each_env_keeps_its_state_until_its_episode_ends(hold: Any, random_first: bool) -> None:
    envs = PoolVectorEnv("debug/Counter-v0", NUM_ENVS, batch_size=2, length=7)
    collector = PoolAsyncCollector(
        Memory(envs.action_space[0], hold), envs, VectorReplayBuffer(9000, NUM_ENVS)
    )
    collector.reset()
    if random_first:
        collector.collect(n_step=30, random=True)
        collector.reset_buffer()
    collector.collect(n_step=198)
    for env_id in range(NUM_ENVS):
        rows = transitions_of(collector.buffer, env_id)
        expected = rows.info.elapsed_step - 1
        if random_first:  # a state begins with the first action that the policy chose
            ended = np.flatnonzero(rows.done)[0]
            rows, expected = rows[ended + 1 :], expected[ended + 1 :]
        np.testing.assert_array_equal(rows.policy.count, expected)
        assert len(rows) > 14
    envs.close()


def test_dict_observations_and_actions_are_collected() -> None:
    envs = PoolVectorEnv("debug/EveryDtype-v0", NUM_ENVS, batch_size=4, pair=False)
    policy = DiscreteActorPolicy(
        actor=torch.nn.Identity(), action_space=gymnasium.spaces.Discrete(1)
    )
    policy.map_action_inverse = lambda act: act
    collector = PoolAsyncCollector(policy, envs, VectorReplayBuffer(900, NUM_ENVS))
    collector.reset()
    collector.collect(n_step=96, random=True)
    for env_id in range(NUM_ENVS):
        rows = transitions_of(collector.buffer, env_id)
        np.testing.assert_array_equal(rows.obs_next.echo.gas, rows.act.gas)
        np.testing.assert_array_equal(rows.obs_next.echo.arm.angle, rows.act.arm.angle)
        goes_on = ~rows.done[:-1]
        np.testing.assert_array_equal(
            rows.obs.echo.buttons[1:][goes_on], rows.obs_next.echo.buttons[:-1][goes_on]
        )
        assert (rows.obs.echo.turn[1:][~goes_on] == -1).all()
    envs.close()


def test_collector_refuses_an_async_pool() -> None:
    envs = pool(batch_size=2)
    collector = Collector(dqn(envs), envs)
    collector.reset()
    with pytest.raises(ValueError, match="AsyncCollector"):
        collector.collect(n_step=12)
    envs.close()
