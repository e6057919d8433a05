"""Other libraries' vector environments as the recipes use a pool."""

from typing import Any

import numpy as np
from gymnasium.spaces import Space
from gymnasium.vector import AsyncVectorEnv, AutoresetMode

from .single_envs import maker_of


class Peer:
    """What the recipes' collectors ask of a pool: batches, and the games that ended in them.

    Args:
        envs: The library's vector environment.
        obs_space: Of one of its envs.
        act_space: Of one of its envs.
    """

    is_async = True  # its games cannot be saved

    def __init__(
        self, envs: Any, num_envs: int, obs_space: Space[Any], act_space: Space[Any]
    ) -> None:
        self.envs, self.num_envs = envs, num_envs
        self.single_observation_space, self.single_action_space = obs_space, act_space
        self.returns, self.lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self.all_ids = np.arange(num_envs)

    def reset(self) -> tuple[Any, dict[str, Any]]:
        self.async_reset()
        return self.recv()[0], {}

    def step(self, actions: Any) -> tuple[Any, ...]:
        self.send(actions, self.all_ids)
        return self.recv()

    def save_state(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self.envs.close()

    def async_reset(self) -> None:
        raise NotImplementedError

    def send(self, actions: Any, env_ids: Any) -> None:
        raise NotImplementedError

    def recv(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def told(
        self, ids: Any, obs: Any, reward: Any, terminated: Any, truncated: Any, final_obs: Any
    ) -> tuple[Any, ...]:
        """A batch as a pool returns it."""
        ended = terminated | truncated
        self.returns[ids] += reward
        self.lengths[ids] += 1
        finals = {"episode_return": self.returns[ids], "episode_length": self.lengths[ids]}
        self.returns[ids[ended]] = self.lengths[ids[ended]] = 0
        info = {
            "env_id": ids,
            "elapsed_step": np.where(ended, 0, 1),
            "final_info": finals,
            "final_obs": final_obs,
        }
        return obs, reward.astype(np.float32), terminated, truncated, info


class EnvPool(Peer):
    """Its step after an episode's end resets and plays nothing; it counts, as in CleanRL."""

    def __init__(
        self, task: str, seed: int, num_envs: int, batch_size: int, **options: Any
    ) -> None:
        import envpool

        envs = envpool.make(
            task,
            env_type="gymnasium",
            num_envs=num_envs,
            batch_size=batch_size,
            num_threads=2,
            seed=seed,
            **options,
        )
        super().__init__(envs, num_envs, envs.observation_space, envs.action_space)

    def async_reset(self) -> None:
        self.envs.async_reset()

    def send(self, actions: Any, env_ids: Any) -> None:
        self.envs.send(actions.astype(np.int32), np.asarray(env_ids, np.int32))

    def recv(self) -> tuple[Any, ...]:
        obs, reward, terminated, truncated, info = self.envs.recv()
        # The observation at an end is the episode's last one.
        return self.told(info["env_id"], obs, reward, terminated, truncated, obs)


class Gymnasium(Peer):
    """AsyncVectorEnv: a process for each env."""

    def __init__(self, task: str, seed: int, num_envs: int, batch_size: int, **_: Any) -> None:
        assert batch_size == num_envs
        # Of Atari the wrappers do what the recipe's options do in a game without lives.
        fns = [maker_of(task)] * num_envs
        envs = AsyncVectorEnv(fns, autoreset_mode=AutoresetMode.SAME_STEP)
        super().__init__(envs, num_envs, envs.single_observation_space, envs.single_action_space)
        self.seed = seed

    def async_reset(self) -> None:
        nothing = np.zeros(self.num_envs, bool)
        obs, _ = self.envs.reset(seed=self.seed)
        self.batch = (obs, np.zeros(self.num_envs), nothing, nothing, None)

    def send(self, actions: Any, env_ids: Any) -> None:
        obs, reward, terminated, truncated, info = self.envs.step(actions)
        final_obs = np.zeros_like(obs)
        for env in np.flatnonzero(terminated | truncated):
            final_obs[env] = info["final_obs"][env]
        self.batch = (obs, reward, terminated, truncated, final_obs)

    def recv(self) -> tuple[Any, ...]:
        return self.told(self.all_ids, *self.batch)


PEERS = {"EnvPool": EnvPool, "AsyncVectorEnv": Gymnasium}
