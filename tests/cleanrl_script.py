"""A rollout as CleanRL's ppo_atari_envpool.py makes one, with its one line changed.

Small, but with its calls, its assignments, its wrapper and its use of the infos; and one as the
asynchronous actors of its successors make it, with send and recv.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from poolkit.adapters import cleanrl as envpool
from torch import nn
from torch.distributions.categorical import Categorical

from tests import old_gym as gym


@dataclass
class Args:
    env_id: str = "Breakout-v5"
    num_envs: int = 4
    num_steps: int = 400
    batch_size: int = 2
    seed: int = 1


class RecordEpisodeStatistics(gym.Wrapper):
    def __init__(self, env: Any, deque_size: int = 100) -> None:
        super().__init__(env)
        self.num_envs = getattr(env, "num_envs", 1)
        self.episode_returns = None
        self.episode_lengths = None

    def reset(self, **kwargs: Any) -> Any:
        observations = super().reset(**kwargs)
        self.episode_returns = np.zeros(self.num_envs, dtype=np.float32)
        self.episode_lengths = np.zeros(self.num_envs, dtype=np.int32)
        self.returned_episode_returns = np.zeros(self.num_envs, dtype=np.float32)
        self.returned_episode_lengths = np.zeros(self.num_envs, dtype=np.int32)
        return observations

    def step(self, action: Any) -> Any:
        observations, rewards, dones, infos = super().step(action)
        self.episode_returns += infos["reward"]
        self.episode_lengths += 1
        self.returned_episode_returns[:] = self.episode_returns
        self.returned_episode_lengths[:] = self.episode_lengths
        self.episode_returns *= 1 - infos["terminated"]
        self.episode_lengths *= 1 - infos["terminated"]
        infos["r"] = self.returned_episode_returns
        infos["l"] = self.returned_episode_lengths
        return observations, rewards, dones, infos


class Agent(nn.Module):
    def __init__(self, envs: Any) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Conv2d(4, 8, 8, stride=4), nn.ReLU(), nn.Flatten(), nn.LazyLinear(32), nn.ReLU()
        )
        self.actor = nn.Linear(32, envs.single_action_space.n)
        self.critic = nn.Linear(32, 1)

    def get_action_and_value(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hidden = self.network(x / 255.0)
        probs = Categorical(logits=self.actor(hidden))
        action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(hidden)


def synchronous(args: Args, statistics: Any) -> dict[str, Any]:
    """A rollout, with `statistics` as the wrapper; gives its arrays and (r, l) of ended games."""
    torch.manual_seed(args.seed)
    device = torch.device("cpu")
    envs = envpool.make(
        args.env_id,
        env_type="gym",
        num_envs=args.num_envs,
        episodic_life=True,
        reward_clip=True,
        seed=args.seed,
    )
    envs.num_envs = args.num_envs
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs.is_vector_env = True
    envs = statistics(envs)
    assert isinstance(envs.action_space, gym.spaces.Discrete), "only discrete actions"

    agent = Agent(envs).to(device)
    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape).to(device)
    actions = torch.zeros(shape + envs.single_action_space.shape).to(device)
    rewards = torch.zeros(shape).to(device)
    dones = torch.zeros(shape).to(device)
    games: list[tuple[float, int]] = []
    avg_returns: deque[float] = deque(maxlen=20)

    next_obs = torch.Tensor(envs.reset()).to(device)
    next_done = torch.zeros(args.num_envs).to(device)
    for step in range(args.num_steps):
        obs[step] = next_obs
        dones[step] = next_done
        with torch.no_grad():
            action, _, _, _ = agent.get_action_and_value(next_obs)
        actions[step] = action
        next_obs, reward, next_done, info = envs.step(action.cpu().numpy())
        rewards[step] = torch.tensor(reward).to(device).view(-1)
        next_obs, next_done = torch.Tensor(next_obs).to(device), torch.Tensor(next_done).to(device)
        for idx, d in enumerate(next_done):
            if d and info["lives"][idx] == 0:
                avg_returns.append(info["r"][idx])
                games.append((float(info["r"][idx]), int(info["l"][idx])))
    envs.close()
    return {"rewards": rewards, "dones": dones, "games": games, "mean": np.average(avg_returns)}


def asynchronous(args: Args) -> dict[str, Any]:
    """An actor of Cleanba's manner: sends the actions of each batch to the envs it came from."""
    envs = envpool.make(
        args.env_id,
        env_type="gym",
        num_envs=args.num_envs,
        batch_size=args.batch_size,
        episodic_life=False,
        repeat_action_probability=0.25,
        noop_max=1,
        full_action_space=True,
        max_episode_steps=60,
        reward_clip=True,
        seed=args.seed,
    )
    episode_returns = np.zeros((args.num_envs,), dtype=np.float32)
    returned_episode_returns = np.zeros((args.num_envs,), dtype=np.float32)
    rng = np.random.default_rng(args.seed)
    batches = []
    envs.async_reset()
    for _ in range(args.num_steps):
        next_obs, next_reward, next_done, info = envs.recv()
        env_id = info["env_id"]
        episode_returns[env_id] += info["reward"]
        returned_episode_returns[env_id] = np.where(
            info["terminated"] + info["TimeLimit.truncated"],
            episode_returns[env_id],
            returned_episode_returns[env_id],
        )
        episode_returns[env_id] *= (1 - info["terminated"]) * (1 - info["TimeLimit.truncated"])
        batches.append((next_obs.shape, next_reward.shape, next_done.copy(), env_id.copy()))
        envs.send(rng.integers(0, envs.action_space.n, len(env_id)), env_id)
    envs.close()
    return {"batches": batches, "returned_episode_returns": returned_episode_returns}
