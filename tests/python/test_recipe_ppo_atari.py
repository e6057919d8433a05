"""The Atari PPO recipe's collector, against plain synchronous PPO and other oracles."""

from collections.abc import Iterator
from copy import deepcopy
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
import torch

from tests.recipe_program import load_recipe


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    return load_recipe("ppo_atari")


def make_pool(batch_size: int, max_episode_steps: int = 20) -> Any:
    """Breakout loses lives soon, and the limit cuts its games: both kinds of end."""
    return poolkit.make(
        "Breakout-v5",
        num_envs=4,
        batch_size=batch_size,
        num_threads=1,
        seed=5,
        autoreset="same_step",
        episodic_life=True,
        reward_clip=True,
        max_episode_steps=max_episode_steps,
    )


def synchronous_rollouts(
    recipe: ModuleType, policy: Any, optimizer: Any, args: Any
) -> Iterator[dict[str, Any]]:
    """Plain PPO, as in CleanRL: (step, env) arrays, and an update after each rollout."""
    pool = make_pool(args.num_envs)
    shape = (args.num_steps, args.num_envs)
    obs, _ = pool.reset()
    next_done = torch.zeros(args.num_envs)
    while True:
        all_obs = torch.zeros((*shape, *obs.shape[1:]), dtype=torch.uint8)
        actions = torch.zeros(shape, dtype=torch.int64)
        log_probs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))
        with torch.no_grad():
            for step in range(args.num_steps):
                all_obs[step] = torch.from_numpy(obs)
                dones[step] = next_done
                distribution, values[step] = policy(all_obs[step])
                actions[step] = distribution.sample()
                log_probs[step] = distribution.log_prob(actions[step])
                obs, reward, terminated, truncated, info = pool.step(actions[step].numpy())
                rewards[step] = torch.from_numpy(reward)
                if (cut := truncated & ~terminated).any():
                    final_obs = torch.from_numpy(info["final_obs"][cut])
                    rewards[step, cut] += args.gamma * policy(final_obs)[1]
                next_done = torch.from_numpy(terminated | truncated).float()
            next_value = policy(torch.from_numpy(obs))[1]
            advantages = torch.zeros(shape)
            last = torch.zeros(args.num_envs)
            for t in reversed(range(args.num_steps)):
                is_last = t == args.num_steps - 1
                nonterminal = 1.0 - (next_done if is_last else dones[t + 1])
                following = next_value if is_last else values[t + 1]
                delta = rewards[t] + args.gamma * following * nonterminal - values[t]
                last = delta + args.gamma * args.gae_lambda * nonterminal * last
                advantages[t] = last
        batch = {
            "obs": all_obs.flatten(0, 1).contiguous(memory_format=torch.channels_last),
            "actions": actions.flatten(),
            "log_probs": log_probs.flatten(),
            "values": values.flatten(),
            "advantages": advantages.flatten(),
            "returns": (advantages + values).flatten(),
        }
        rows = torch.arange(args.num_envs * args.num_steps)
        recipe.learn(policy, optimizer, recipe.Rollout(rows, **batch), args)
        yield batch | {"dones": dones}


def collector_of(recipe: ModuleType, envs: Any, policy: Any, args: Any) -> Any:
    return recipe.Collector(envs, policy, recipe.Curve(), args, torch.device("cpu"))


def tiny_learner(
    recipe: ModuleType, batch_size: int, overlap: bool = False
) -> tuple[Any, Any, Any]:
    args = recipe.Args(
        num_envs=4,
        batch_size=batch_size,
        num_steps=16,
        num_minibatches=4,
        update_epochs=2,
        overlap=overlap,
    )
    torch.manual_seed(0)
    policy = recipe.Policy(4, 4, "nips", False)
    return policy, torch.optim.Adam(policy.parameters(), lr=1e-3, eps=1e-5), args


def test_with_all_envs_in_a_batch_it_is_synchronous_ppo(recipe: ModuleType) -> None:
    policy, optimizer, args = tiny_learner(recipe, batch_size=4)
    collector = collector_of(recipe, make_pool(4), policy, args)
    ours = []
    for _ in range(4):
        rollout = collector.collect()
        ours.append(
            {name: getattr(rollout, name)[rollout.rows].clone() for name in rollout._fields[1:]}
        )
        recipe.learn(policy, optimizer, rollout, args)

    reference_policy, optimizer, args = tiny_learner(recipe, batch_size=4)
    reference = synchronous_rollouts(recipe, reference_policy, optimizer, args)
    ends = 0.0
    for rollout, expected in zip(ours, reference, strict=False):
        ends += expected.pop("dones").sum().item()
        for name, values in expected.items():
            assert torch.equal(rollout[name], values), name
    assert ends > 8
    for weights, expected in zip(policy.parameters(), reference_policy.parameters(), strict=True):
        assert torch.equal(weights, expected)


def test_asynchronous_advantages_are_each_envs_own_gae(recipe: ModuleType) -> None:
    policy, _, args = tiny_learner(recipe, batch_size=3)
    collector = collector_of(recipe, make_pool(3), policy, args)
    for _ in range(3):
        rollout = collector.collect()
        rows, advantages = rollout.rows.numpy(), rollout.advantages.numpy()
        waiting = dict(
            zip(
                collector.waiting_ids.tolist(),
                policy(collector.waiting_obs)[1].tolist(),
                strict=True,
            )
        )
        assert 64 <= len(rows) < 64 + 3
        for env in range(4):
            own = [row for row in rows if collector.env_ids[row] == env]
            open_row = collector.open_row[env]
            assert (open_row < 0) == (env in waiting)
            following = waiting[env] if env in waiting else rollout.values[open_row].item()
            advantage = 0.0
            for row in reversed(own):
                goes_on = 1.0 - collector.ends[row]
                value = rollout.values[row].item()
                delta = collector.rewards[row] + args.gamma * following * goes_on - value
                advantage = delta + args.gamma * args.gae_lambda * goes_on * advantage
                following = value
                np.testing.assert_allclose(advantages[row], advantage, rtol=1e-4, atol=1e-5)


def test_an_envs_rows_are_the_trajectory_of_its_actions(recipe: ModuleType) -> None:
    """Each reward and observation belongs to the right action, whatever batch it came in."""
    policy, _, args = tiny_learner(recipe, batch_size=3)
    collector = collector_of(recipe, make_pool(3), policy, args)
    history: list[list[tuple[Any, int, float, float]]] = [[], [], [], []]
    for _ in range(3):
        rollout = collector.collect()
        for row in rollout.rows.tolist():
            history[collector.env_ids[row]].append(
                (
                    rollout.obs[row].clone().numpy(),
                    int(rollout.actions[row]),
                    float(collector.rewards[row]),
                    float(collector.ends[row]),
                )
            )
    # The same actions in lock-step: each env goes on until its own history ends.
    replay = make_pool(4)
    obs, _ = replay.reset()
    for step in range(max(len(rows) for rows in history)):
        going = [env for env in range(4) if step < len(history[env])]
        actions = [history[env][step][1] if env in going else 0 for env in range(4)]
        for env in going:
            np.testing.assert_array_equal(history[env][step][0], obs[env])
        obs, reward, terminated, truncated, _ = replay.step(np.array(actions))
        for env in going:
            _, _, ours, end = history[env][step]
            assert end == float(terminated[env] or truncated[env])
            if not truncated[env]:
                assert ours == reward[env]


def test_open_rows_are_carried_over_an_update(recipe: ModuleType) -> None:
    policy, _, args = tiny_learner(recipe, batch_size=1)
    collector = collector_of(recipe, make_pool(1), policy, args)
    rollout = collector.collect()
    open_envs = np.flatnonzero(collector.open_row >= 0)
    assert len(open_envs) == 3
    old = {
        env: (
            rollout.obs[row].clone(),
            rollout.actions[row].item(),
            rollout.log_probs[row].item(),
        )
        for env, row in zip(open_envs, collector.open_row[open_envs], strict=True)
    }
    with torch.no_grad():
        policy.actor.bias += torch.tensor([1.0, -1.0, 2.0, 0.0])  # another policy
    rollout = collector.collect()
    for env, (obs, action, log_prob) in old.items():
        first = next(row for row in rollout.rows.tolist() if collector.env_ids[row] == env)
        assert torch.equal(rollout.obs[first], obs)
        assert rollout.actions[first].item() == action
        assert rollout.log_probs[first].item() == log_prob


def drift(policy: Any, rollout: Any) -> float:
    """How far the policy's log-probabilities are from those of the rollout's."""
    rows = rollout.rows
    with torch.no_grad():
        log_probs = policy(rollout.obs[rows])[0].log_prob(rollout.actions[rows])
    return float((log_probs - rollout.log_probs[rows]).abs().max())


@pytest.mark.parametrize("overlap", [False, True])
def test_the_acting_policy_is_at_most_one_update_old(recipe: ModuleType, overlap: bool) -> None:
    policy, optimizer, args = tiny_learner(recipe, 4, overlap)
    collector = collector_of(recipe, make_pool(4), policy, args)
    source = recipe.rollouts(collector, policy)
    versions = []
    for update in range(4):
        rollout = next(source)
        versions.append(deepcopy(policy))
        acting = versions[max(0, update - 1)] if overlap else policy
        assert drift(acting, rollout) < 1e-5
        assert update == 0 or drift(versions[update if overlap else update - 1], rollout) > 1e-3
        recipe.learn(policy, optimizer, rollout, args)
    source.close()


class LatencyEnvs:
    """Stands for an asynchronous pool whose actions take random times; a reward tells its action.

    Env i's episodes are terminated after 5 + i steps where i is even, else truncated.
    """

    is_async = True
    single_observation_space = gymnasium.spaces.Box(0, 255, (4, 84, 84), np.uint8)

    def __init__(self, num_envs: int, batch_size: int) -> None:
        self.num_envs, self.batch_size = num_envs, batch_size
        self.rng = np.random.default_rng(3)
        self.clock = 0.0
        self.steps = [0] * num_envs

    def async_reset(self) -> None:
        self.work: dict[int, tuple[float, int | None]] = dict.fromkeys(range(4), (0.0, None))

    def send(self, actions: Any, env_ids: Any) -> None:
        for env, action in zip(env_ids.tolist(), actions.tolist(), strict=True):
            assert env not in self.work
            self.work[env] = self.clock + self.rng.pareto(1.0), action

    def recv(self) -> Any:
        first = sorted(self.work, key=lambda env: self.work[env][0])[: self.batch_size]
        n = len(first)
        obs = np.zeros((n, 4, 84, 84), np.uint8)
        reward, (terminated, truncated) = np.zeros(n, np.float32), np.zeros((2, n), bool)
        info: dict[str, Any] = {"final_obs": np.zeros_like(obs), "env_id": np.array(first)}
        for row, env in enumerate(first):
            self.clock, action = self.work.pop(env)
            if action is not None:
                reward[row] = self.reward(env, self.steps[env], action)
                self.steps[env] += 1
            if self.steps[env] == 5 + env:
                (truncated if env % 2 else terminated)[row] = True
                info["final_obs"][row] = self.picture(env, self.steps[env])
                self.steps[env] = 0
            obs[row] = self.picture(env, self.steps[env])
        info["elapsed_step"] = np.array([self.steps[env] for env in first])
        info["final_info"] = {"episode_return": np.zeros(n), "episode_length": np.zeros(n, int)}
        return obs, reward, terminated, truncated, info

    @staticmethod
    def reward(env: int, step: int, action: int) -> float:
        return env / 8 + step / 128 + action / 1024

    @staticmethod
    def picture(env: int, step: int) -> Any:
        pixels = np.random.default_rng([env, step]).integers(0, 256, (4, 84, 84), np.uint8)
        pixels[0, 0, :2] = env, step
        return pixels


@pytest.mark.parametrize("overlap", [False, True])
def test_after_random_times_each_reward_is_with_the_action_that_earned_it(
    recipe: ModuleType, overlap: bool
) -> None:
    policy, _, args = tiny_learner(recipe, 2, overlap)
    collector = collector_of(recipe, LatencyEnvs(4, 2), policy, args)
    rows_of = np.zeros(4, int)
    ends = []
    for _ in range(4):
        collector.rewards[:] = np.nan
        rollout = collector.collect()
        for row in rollout.rows.tolist():
            env, step = rollout.obs[row, 0, 0, :2].tolist()
            assert env == collector.env_ids[row]
            expected = LatencyEnvs.reward(env, step, int(rollout.actions[row]))
            is_end = step == 4 + env
            if is_end and env % 2:  # truncated: the value of the observation behind the end
                final = torch.from_numpy(LatencyEnvs.picture(env, step + 1)[None])
                value = policy(final)[1].item()
                assert abs(value) > 1e-3
                expected += args.gamma * value
            assert collector.rewards[row] == pytest.approx(expected, abs=1e-5)
            assert collector.ends[row] == is_end
            rows_of[env] += 1
            ends += [env] * is_end
    assert set(ends) == {0, 1, 2, 3}
    assert rows_of.max() > 1.2 * rows_of.min()  # the fast have more
    assert collector.curve.steps == rows_of.sum()
    assert len(collector.curve.games) == len(ends)
