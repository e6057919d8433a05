"""The pool behind the classic gym interface, as EnvPool's scripts use it."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .front_end import FrontEnd
from .gymnasium_env import Array, GymnasiumVectorEnv, Step
from .seeds import reset_seeds

FourStep = tuple[Any, Array, Array, dict[str, Any]]
"""Observation, reward float32, done bool, info: one row for each env."""


class GymVectorEnv(FrontEnd, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """Many environments behind gym's interface before 0.26; made by `poolkit.make(task, "gym")`.

    As in EnvPool, whose names its arguments and info keys have: `reset` returns the observation,
    `step` and `recv` a 4-tuple, `observation_space` and `action_space` are those of one env, and
    every attribute may be assigned, for the wrappers that do so.

    `info` holds what it holds in Gymnasium's front end, and `TimeLimit.truncated` bool: where the
    time limit ended an episode that goes on.

    >>> import numpy as np, poolkit
    >>> with poolkit.make_gym("CartPole-v1", num_envs=3) as envs:
    ...     obs = envs.reset()
    ...     obs, reward, done, info = envs.step(np.array([0, 1, 0]))
    >>> obs.shape, done, info["TimeLimit.truncated"]
    ((3, 4), array([False, False, False]), array([False, False, False]))
    """

    def __init__(self, envs: GymnasiumVectorEnv) -> None:
        FrontEnd.__init__(self, envs)
        self.observation_space = self.single_observation_space = envs.single_observation_space
        self.action_space = self.single_action_space = envs.single_action_space
        self.metadata = envs.metadata
        self.spec = envs.spec
        self.render_mode = envs.render_mode
        self.is_vector_env = True
        self._seed: Any = None  # of the next reset

    @property
    def all_env_ids(self) -> NDArray[np.int32]:
        """0 to num_envs - 1."""
        return np.arange(len(self), dtype=np.int32)

    def __len__(self) -> int:
        return self._envs.num_envs

    def seed(
        self, seed: SupportsIndex | Sequence[SupportsIndex | None] | None = None
    ) -> list[int | None]:
        """Seed the next reset of all envs: an int s means s, s + 1, ...; returns an entry an env.

        `make(..., seed=s)` seeds a pool from its start, without one.
        """
        seeds = reset_seeds(seed, len(self))
        self._seed = seeds
        return [None] * len(self) if seeds is None else seeds

    def reset(
        self,
        env_id: ArrayLike | None = None,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Any:
        """Start new episodes, and return the observation of the next batch.

        Args:
            env_id: int[n]; only these envs. One with a result pending is a ValueError.
            seed: As `GymnasiumVectorEnv.reset`; not with env_id. None: as `seed` said.
            options: Likewise.
        """
        if env_id is None:
            if seed is None:
                seed, self._seed = self._seed, None
            return self._envs.reset(seed=seed, options=options)[0]
        if seed is not None or options is not None:
            raise ValueError("env_id: takes neither seed nor options beside it")
        self.async_reset(env_id)
        return self.recv()[0]

    def step(self, action: Any, env_id: ArrayLike | None = None) -> FourStep:  # type: ignore[override]
        """`send`, then `recv`.

        Args:
            action: A row for each env; see `GymnasiumVectorEnv.step`, which also tells the errors.
            env_id: int[n]; by default the envs of the last batch.
        """
        self.send(action, env_id)
        return self.recv()

    def recv(self, timeout: float | None = None) -> FourStep:
        """As `GymnasiumVectorEnv.recv`, in four parts."""
        return _in_four(self._envs.recv(timeout))


def _in_four(step: Step) -> FourStep:
    obs, reward, terminated, truncated, info = step
    info["TimeLimit.truncated"] = truncated & ~terminated
    return obs, reward, terminated | truncated, info
