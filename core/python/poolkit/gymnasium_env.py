"""The pool as a `gymnasium.vector.VectorEnv`."""

from collections.abc import Sequence
from typing import Any, SupportsIndex, cast

import numpy as np
from gymnasium import logger, spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from . import _core
from .checks import check_reset_options
from .config import PoolConfig
from .nested import tuples_as_arrays
from .registry import Choice
from .seeds import reset_seeds
from .spaces import has_tuple, space_of
from .stats import PoolStats
from .window import Image, Window

Array = NDArray[Any]
Step = tuple[Any, Array, Array, Array, dict[str, Any]]
"""Observation, reward float32, terminated bool, truncated bool, info: one row for each env."""


class GymnasiumVectorEnv(VectorEnv[Any, Any, Array]):
    """Many environments behind Gymnasium's vector interface; made by `poolkit.make`.

    In lock-step (`batch_size == num_envs`) row i is env i. An asynchronous pool's rows are those
    that finished first, and `info["env_id"]` tells which; `async_reset`, `send` and `recv` then
    do `step`'s work in parts.

    Arrays that a call returned belong to the caller: no later call changes them. `info` holds
    `env_id` int32, `elapsed_step` int32, `episode_return` float64 and `episode_length` int32
    (unclipped, over the whole episode), and the environment's own arrays, those of
    `single_info_space`, a row for each env.
    With autoreset="same_step" and an episode's end in the batch it also holds `final_obs`, in the
    observation's structure (but an array of tuples for a Tuple), and `final_info`, which count in
    the rows of the masks `_final_obs` and `_final_info`.

    >>> import numpy as np, poolkit
    >>> with poolkit.make("CartPole-v1", num_envs=3) as envs:
    ...     obs, info = envs.reset(seed=0)
    ...     obs, reward, terminated, truncated, info = envs.step(np.array([0, 1, 0]))
    >>> obs.shape, reward, info["elapsed_step"]
    ((3, 4), array([1., 1., 1.], dtype=float32), array([1, 1, 1], dtype=int32))
    """

    def __init__(
        self, chosen: Sequence[Choice], config: PoolConfig, render_mode: str | None = None
    ) -> None:
        self.closed = True  # until there is something to close
        types = [choice.env_type for choice in chosen]
        env_type = types[0] if len(types) == 1 else _core.EnvType.mixed(types)
        self._chosen = chosen
        modes = chosen[0].entry.render_modes(env_type)
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode: {render_mode!r} must be one of {[None, *modes]}")
        if render_mode == "human" and config.is_async:
            raise ValueError("render_mode: 'human' is for lock-step, batch_size == num_envs")
        fps = chosen[0].entry.render_fps
        self._window = Window(chosen[0].entry.name, fps) if render_mode == "human" else None
        self.num_envs = config.num_envs
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            "render_modes": modes,
            "render_fps": fps,
            "autoreset_mode": config.autoreset_mode,
        }
        self.spec = chosen[0].gymnasium_spec(config.max_episode_steps)
        self.single_observation_space = space_of(env_type.observation)
        self.single_action_space = space_of(env_type.action)
        self.observation_space = batch_space(self.single_observation_space, config.rows)
        self.action_space = batch_space(self.single_action_space, config.rows)
        self.single_info_space = cast(spaces.Dict, space_of(env_type.info))
        self._tuples = has_tuple(self.single_observation_space)
        self._config = config
        self._pool = config.open(env_type)
        self.closed = False

    @property
    def batch_size(self) -> int:
        """How many results a `recv` waits for."""
        return self._config.rows

    @property
    def is_async(self) -> bool:
        """Whether batches hold fewer than all environments."""
        return self._config.is_async

    @property
    def pending(self) -> int:
        """How many results have been asked for and not received."""
        return self._pool.pending

    def reset(
        self,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes; results that are pending are waited for and dropped.

        Args:
            seed: An int s seeds env i with s + i, a sequence with its entries; where None, an env's
                random stream goes on.
            options: {"reset_mask": bool[num_envs]} resets only some envs, while nothing is
                pending. In lock-step the other rows show their envs as they are; an
                asynchronous pool returns only the rows of the mask. Other keys are a ValueError.

        Returns:
            Observation and info, as from `recv`.
        """
        seeds = reset_seeds(seed, self.num_envs)
        check_reset_options(options, {"reset_mask"})
        if options:
            start = self._reset_some(self._ids_of(options["reset_mask"]), seeds)
        else:
            self._pool.drain()
            self._pool.reset(None, seeds)
            obs, _, _, _, info = self._pool.recv()
            start = obs, info
        self._show()
        return start

    def _reset_some(
        self, env_id: NDArray[np.intp], seeds: list[int | None] | None
    ) -> tuple[Any, dict[str, Any]]:
        if self.pending:
            raise ValueError(
                f"reset_mask: {self.pending} results are pending; recv() them, or use async_reset()"
            )
        self._pool.reset(env_id, None if seeds is None else [seeds[env] for env in env_id])
        self._pool.finish()
        return self._pool.observe(env_id if self.is_async else None)

    def _ids_of(self, mask: object) -> NDArray[np.intp]:
        if isinstance(mask, list | tuple) and all(isinstance(one, bool | np.bool_) for one in mask):
            mask = np.array(mask, bool)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
            raise TypeError(f"reset_mask: must be an array or a list of bool, not {kind}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask: must have shape ({self.num_envs},), not {mask.shape}")
        if not mask.any():
            raise ValueError("reset_mask: must have a True")
        return np.flatnonzero(mask)

    def step(self, actions: Any) -> Step:
        """Step the envs of the last batch, in lock-step all, and wait for the next batch.

        Args:
            actions: A row for each env, inside `action_space`; arrays or lists.

        Raises:
            ValueError: For a wrong shape or an action outside its space; the envs are unchanged.
            TypeError: For a dtype that does not cast by NumPy's "same_kind".
            RuntimeError: Before the first reset, or after `close`.
            EnvError: If an env threw. `recv` gives the other envs' results.
        """
        step = self._pool.step(actions)
        self._show()
        return _with_arrays_of_tuples(step) if self._tuples else step

    def async_reset(self, env_id: ArrayLike | None = None) -> None:
        """Queue a reset of some envs, by default all, for `recv` to return.

        Args:
            env_id: int[n]; an env with a result pending is a ValueError.
        """
        self._pool.reset(env_id)

    def send(self, action: Any, env_id: ArrayLike | None = None) -> None:
        """Queue a step of some envs and return at once.

        Args:
            action: A row for each env of `env_id`; see `step`.
            env_id: int[n], at most num_envs of them; by default those of the last `recv`. An id
                that is repeated, out of range or has a result pending is a ValueError, and
                nothing is queued.
        """
        self._pool.send(action, env_id)

    def recv(self, timeout: float | None = None) -> Step:
        """Wait for the next min(batch_size, pending) results.

        Args:
            timeout: Seconds to wait at most; None: for ever.

        Raises:
            TimeoutError: If there are fewer results by then. Nothing is lost.
            RuntimeError: If nothing is pending.
            EnvError: If an env threw, once for each; the next batch has one row fewer.
        """
        step = self._pool.recv(timeout)
        self._show()
        return _with_arrays_of_tuples(step) if self._tuples else step

    def render(self, env_ids: ArrayLike | None = None) -> tuple[Any, ...] | None:
        """An RGB image uint8[height, width, 3] of some envs, by default all.

        That is with render_mode="rgb_array"; with "ansi" a str of each. With "human", `reset`,
        `step` and `recv` show the images in a window, and this returns None.
        """
        if self.render_mode is None:
            logger.warn("render() needs make(..., render_mode='rgb_array')")
        if self.render_mode in (None, "human"):
            return None
        of_one = self._picture if self.render_mode == "rgb_array" else self._text
        return tuple(of_one(env) for env in self._pool.idle(env_ids))

    def _text(self, env: int) -> str:
        return self._choice(env).write(*self._pool.save([env]))

    def _choice(self, env: int) -> Choice:
        return self._chosen[env % len(self._chosen)]

    def _picture(self, env: int) -> Image:
        choice = self._choice(env)
        if choice.entry.render is None:
            return self._pool.render(env)
        return choice.draw(*self._pool.save([env]))

    def _show(self) -> None:
        if self._window is not None and not self.pending:
            self._window.show([self._picture(env) for env in range(self.num_envs)])

    def save_state(self, env_ids: ArrayLike | None = None) -> list[bytes]:
        """The whole state of some envs, by default all, random streams included.

        Raises:
            ValueError: For an env with a result pending.
            RuntimeError: If the environment cannot be saved.
        """
        return self._pool.save(env_ids)

    def load_state(self, env_ids: ArrayLike | None, states: Sequence[bytes]) -> None:
        """Put envs back where `save_state` found them; they go on exactly as they would have.

        Raises:
            ValueError: For a state of another kind of env, or altered, or an env with a result
                pending; all envs are then as they were.
        """
        self._pool.load(env_ids, states)

    def observe(self, env_ids: ArrayLike | None = None) -> tuple[Any, dict[str, Any]]:
        """What envs with nothing pending show, by default all: as the last result that they gave.

        After `load_state` it is what the states showed.
        """
        return self._pool.observe(env_ids)

    def stats(self) -> PoolStats:
        """What the pool has done so far."""
        return PoolStats(**self._pool.stats())

    def close_extras(self, timeout: float | None = 60, **kwargs: Any) -> None:
        """What `close(timeout=...)` does: stop the workers and drop what is pending.

        Args:
            timeout: Seconds to wait for environments that are at work; None: for ever.
            **kwargs: What other vector environments take; ignored.

        Raises:
            TimeoutError: If an environment does not return by then. The pool is closed; the
                environment's thread and memory are left behind.
        """
        if self._window is not None:
            self._window.close()
        self._pool.close(timeout)

    def __del__(self) -> None:
        """The pool closes itself when it goes, quietly and without waiting for ever."""
        if (window := getattr(self, "_window", None)) is not None:
            window.close()

    def __reduce__(self) -> Any:
        raise TypeError(
            "a pool has threads and cannot be pickled or copied: send the arguments of make(), and "
            "save_state() for where its envs are"
        )

    def __enter__(self) -> "GymnasiumVectorEnv":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _with_arrays_of_tuples(step: Step) -> Step:
    """Gymnasium's infos hold arrays and dicts of them."""
    reward, info = step[1], step[4]
    if "final_obs" in info:
        info["final_obs"] = tuples_as_arrays(info["final_obs"], len(reward))
    return step
