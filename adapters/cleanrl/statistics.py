"""`RecordEpisodeStatistics` of CleanRL's scripts for EnvPool, which count a lost life as no end."""

from collections import deque
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike
from poolkit import GymVectorEnv


class RecordEpisodeStatistics(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds to the infos of a pool with the classic gym interface what its games have brought.

    In the place of the class of that name in CleanRL's `ppo_atari_envpool.py`, with the same two
    keys. Theirs takes the return over into the next game where a time limit ends one; this does
    not, and it works for any environment and for asynchronous pools.

    `info["r"]` float32[n] is the return of each env's game so far, with unclipped rewards, and
    `info["l"]` int32[n] how many steps it has lasted. Where `info["game_over"]` bool[n], those are
    a whole game's. A lost life is not a game's end, though it may be an episode's.

    Attributes:
        return_queue: The returns of the last `deque_size` games.
        length_queue: Their lengths.

    Raises:
        ValueError: For a pool with same-step autoreset, whose infos are of the next game already.

    >>> from poolkit import make_gym
    >>> envs = RecordEpisodeStatistics(make_gym("CartPole-v1", num_envs=2, seed=1))
    >>> obs = envs.reset()
    >>> while not envs.return_queue:
    ...     obs, reward, done, info = envs.step(np.array([1, 1]))
    >>> info["r"], info["l"], info["game_over"], envs.return_queue[0]
    (array([9., 9.], dtype=float32), array([9, 9], dtype=int32), array([False,  True]), 9.0)
    """

    def __init__(self, env: GymVectorEnv, deque_size: int = 100) -> None:
        if env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            raise ValueError("autoreset: must not be 'same_step' under RecordEpisodeStatistics")
        super().__init__(env)
        self.envs = env
        self.num_envs = env.num_envs
        self.single_observation_space = env.single_observation_space
        self.single_action_space = env.single_action_space
        self.is_vector_env = True
        self.return_queue: deque[float] = deque(maxlen=deque_size)
        self.length_queue: deque[int] = deque(maxlen=deque_size)

    def reset(self, **arguments: Any) -> Any:
        """As `GymVectorEnv.reset`."""
        return self.envs.reset(**arguments)

    def step(self, action: Any) -> Any:
        """As `GymVectorEnv.step`, with the statistics in the info."""
        return self._with_statistics(self.envs.step(action))

    def async_reset(self) -> None:
        """As `GymVectorEnv.async_reset`."""
        self.envs.async_reset()

    def send(self, action: Any, env_id: ArrayLike | None = None) -> None:
        """As `GymVectorEnv.send`."""
        self.envs.send(action, env_id)

    def recv(self) -> Any:
        """As `GymVectorEnv.recv`, with the statistics in the info."""
        return self._with_statistics(self.envs.recv())

    def _with_statistics(self, step: Any) -> Any:
        _, _, done, info = step
        info["r"] = info["episode_return"].astype(np.float32)
        info["l"] = info["episode_length"].copy()
        # EnvPool's `terminated` is the end of the game; `done` may be that of a life.
        over = info["terminated"] != 0 if "terminated" in info else done
        info["game_over"] = done & (over | info["TimeLimit.truncated"])
        self.return_queue.extend(info["r"][info["game_over"]].tolist())
        self.length_queue.extend(info["l"][info["game_over"]].tolist())
        return step
