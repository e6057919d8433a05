"""The pool as a `dm_env.Environment`."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

import dm_env
import numpy as np
from dm_env import specs
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from .front_end import FrontEnd
from .gymnasium_env import GymnasiumVectorEnv, Step
from .nested import one_row, row_of
from .spaces import Space


class DmVectorEnv(FrontEnd, dm_env.Environment):  # type: ignore[misc]
    """Many environments behind dm_env's interface; made by `poolkit.make(task, "dm")`.

    A TimeStep holds arrays with a row for each env: `step_type` int32 (the values of
    dm_env.StepType), `reward` and `discount` float32, and the observation. On FIRST rows the reward
    is 0 and the discount 1; at a termination the discount is 0, else 1, or what an environment
    says in an info array `discount`. The step after an env's LAST row gives its FIRST one and
    ignores its action.

    With `squeeze=True` there is one env, and TimeSteps are those of any dm_env.Environment: no
    axis of the envs, a StepType, and None for the reward and discount of a FIRST one. `info` and
    `render` have no such axis then either.

    `info` holds what Gymnasium's front end returns beside the TimeStep: of the last batch.

    >>> import poolkit
    >>> with poolkit.make_dm("CartPole-v1", num_envs=3) as envs:
    ...     first = envs.reset()
    ...     second = envs.step([0, 1, 0])
    >>> second.observation.shape, second.mid(), second.discount
    ((3, 4), array([ True,  True,  True]), array([1., 1., 1.], dtype=float32))
    """

    def __init__(self, envs: GymnasiumVectorEnv, *, squeeze: bool = False) -> None:
        FrontEnd.__init__(self, envs)
        if squeeze and envs.num_envs != 1:
            raise ValueError(f"squeeze: needs num_envs=1, not {envs.num_envs}")
        if envs.metadata["autoreset_mode"] is not AutoresetMode.NEXT_STEP:
            raise ValueError("autoreset: the dm front end has only 'next_step', by dm_env's rules")
        self.info: dict[str, Any] = {}
        self._squeeze = squeeze
        self._was_reset = False
        self._elapsed = np.zeros(envs.num_envs, np.int32)  # info["elapsed_step"] of the last rows

    def observation_spec(self) -> Any:
        """Of a TimeStep's observation: nested as it is, its dtypes, shapes and bounds."""
        return _spec_of(self._envs.single_observation_space, self._rows, "observation")

    def action_spec(self) -> Any:
        """Of what `step` takes."""
        return _spec_of(self._envs.single_action_space, self._rows, "action")

    def reward_spec(self) -> specs.Array:
        """Of a TimeStep's reward."""
        return specs.Array(self._rows, np.float32, name="reward")

    def discount_spec(self) -> specs.BoundedArray:
        """Of a TimeStep's discount."""
        return specs.BoundedArray(self._rows, np.float32, 0, 1, name="discount")

    def reset(self, *, seed: SupportsIndex | None = None) -> dm_env.TimeStep:
        """Start new episodes; with a seed s, env i from a random stream of the seed s + i."""
        obs, info = self._envs.reset(seed=seed)
        self._was_reset = True
        nothing = np.zeros(len(info["env_id"]), np.bool_)
        return self._time_step((obs, nothing.astype(np.float32), nothing, nothing, info))

    def step(self, action: Any) -> dm_env.TimeStep:
        """Step the envs of the last batch; on envs never reset, reset them.

        Raises: as `GymnasiumVectorEnv.step`.
        """
        if not self._was_reset:
            return self.reset()
        self.send(one_row(action) if self._squeeze else action)
        return self.recv()

    def async_reset(self, env_id: ArrayLike | None = None) -> None:
        """As `GymnasiumVectorEnv.async_reset`."""
        super().async_reset(env_id)
        self._was_reset = True

    def load_state(self, env_ids: ArrayLike | None, states: Sequence[bytes]) -> None:
        """As `GymnasiumVectorEnv.load_state`; an env that was saved at its end starts anew."""
        super().load_state(env_ids, states)
        self._was_reset = True
        info = self._envs.observe(env_ids)[1]
        self._elapsed[info["env_id"]] = info["elapsed_step"]

    def render(self, env_ids: ArrayLike | None = None) -> Any:
        """As `GymnasiumVectorEnv.render`; with `squeeze`, of the one env."""
        pictures = super().render(env_ids)
        return pictures[0] if self._squeeze and pictures else pictures

    def recv(self, timeout: float | None = None) -> dm_env.TimeStep:
        """Wait for the next min(batch_size, pending) results; `info["env_id"]` tells whose.

        Raises: as `GymnasiumVectorEnv.recv`.
        """
        return self._time_step(self._envs.recv(timeout))

    @property
    def _rows(self) -> tuple[int, ...]:
        return () if self._squeeze else (self.batch_size,)

    def _time_step(self, step: Step) -> dm_env.TimeStep:
        obs, reward, terminated, truncated, info = step
        self.info = row_of(info) if self._squeeze else info
        env_id, elapsed = info["env_id"], info["elapsed_step"]
        # A reset row is the only one that does not count a step; after a lost life the count stays.
        first = (elapsed == 0) | (elapsed == self._elapsed[env_id])
        self._elapsed[env_id] = elapsed
        last = terminated | truncated
        step_type = np.where(last, dm_env.StepType.LAST, dm_env.StepType.MID)
        step_type = np.where(first, dm_env.StepType.FIRST, step_type).astype(np.int32)
        discount = np.where(terminated, 0, info.get("discount", 1))
        discount = np.where(first, 1, discount).astype(np.float32)
        if not self._squeeze:
            return dm_env.TimeStep(step_type, reward, discount, obs)
        if first[0]:
            return dm_env.restart(row_of(obs))
        return dm_env.TimeStep(dm_env.StepType(step_type[0]), reward[0], discount[0], row_of(obs))


def _spec_of(space: Space, rows: tuple[int, ...], name: str) -> Any:
    """The specs of `rows` such values."""
    if isinstance(space, spaces.Dict):
        return {key: _spec_of(part, rows, key) for key, part in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_spec_of(part, rows, f"{name}/{k}") for k, part in enumerate(space))
    if isinstance(space, spaces.Discrete) and not rows and space.start == 0:
        return specs.DiscreteArray(int(space.n), np.int64, name)
    low, high = _bounds(space)
    shape = (*rows, *low.shape)
    if np.isneginf(low).all() and np.isposinf(high).all():
        return specs.Array(shape, low.dtype, name)
    low, high = (np.broadcast_to(bound, shape) for bound in (low, high))
    return specs.BoundedArray(shape, low.dtype, low, high, name)


def _bounds(space: Space) -> tuple[NDArray[Any], NDArray[Any]]:
    if isinstance(space, spaces.Box):
        return space.low, space.high
    if isinstance(space, spaces.MultiBinary):
        return np.zeros(space.shape, space.dtype), np.ones(space.shape, space.dtype)
    assert isinstance(space, spaces.Discrete | spaces.MultiDiscrete)
    count = space.n if isinstance(space, spaces.Discrete) else space.nvec
    return np.asarray(space.start), np.asarray(space.start + count - 1, space.dtype)
