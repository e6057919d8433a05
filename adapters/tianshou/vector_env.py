"""The pool as a vector environment of Tianshou."""

import contextlib
from collections import deque
from collections.abc import Callable, Sequence, Sized
from copy import deepcopy
from types import SimpleNamespace
from typing import Any, SupportsIndex

import numpy as np
import poolkit
from gymnasium import spaces
from gymnasium.vector.utils import concatenate, create_empty_array
from numpy.typing import NDArray
from poolkit.python_envs import members
from poolkit.python_envs.vector_env import ENGINE_INFOS, add_infos
from poolkit.seeds import reset_seeds
from poolkit.spaces import has_tuple
from tianshou.data import to_numpy
from tianshou.env import BaseVectorEnv

from ..arguments import expect_free, warn_of_reset_options
from .rows import Rows, concatenated, in_rows, table_like

Step = tuple[Any, Any, Any, Any, Any]
"""Observation, reward float64, terminated bool, truncated bool, infos: a row for each env."""
Ids = NDArray[np.intp]
Seed = SupportsIndex | Sequence[SupportsIndex] | None


OF_THE_POOL = ("action_space", "observation_space", "metadata", "spec", "render_mode")


class PoolVectorEnv(BaseVectorEnv):
    """Many environments of one kind behind Tianshou's interface.

    With `batch_size == num_envs`, the default, it is for `Collector`. With fewer it is
    asynchronous, for `PoolAsyncCollector`: a `step` answers with the first `batch_size` results.

    An environment whose episode ended already stands at the start of its next one. The next `reset`
    without arguments hands that observation out and restarts nothing, and after a lost life that
    ended an episode so do all until the next step: the game goes on. Every other reset is a real
    one.

    Infos, and observations of a Dict space, are `Rows`. `infos[i]["env_id"]` says which
    environment row i is; the other names are those of `poolkit.GymnasiumVectorEnv`.

    With functions in place of a task, as of Tianshou's own vector environments, their environments
    run in worker processes (`poolkit.make_python`); what they say in their infos comes with steps
    (where an environment says nothing a zero or None), but not with resets.

    Args:
        task: A name of `poolkit.list_all_envs`; or functions that make an environment each.
        num_envs: How many environments.
        batch_size: How many results a step waits for.
        seed: What `seed()` takes; None: fresh entropy.
        **options: What else `poolkit.make`, or with functions `make_python`, takes, but for
            `autoreset` and `env_type`.

    Raises:
        TypeError: For an observation with a Tuple, which Tianshou does not support; else as
            `poolkit.make`.

    >>> envs = PoolVectorEnv("CartPole-v1", 3)
    >>> obs, infos = envs.reset(seed=1)
    >>> obs, reward, terminated, truncated, infos = envs.step(np.array([0, 1]), [2, 0])
    >>> obs.shape, infos["env_id"]
    ((2, 4), array([2, 0], dtype=int32))
    >>> envs.close()
    """

    def __init__(
        self,
        task: str | Sequence[Callable[[], Any]],
        num_envs: int | None = None,
        *,
        batch_size: int | None = None,
        seed: Seed = None,
        **options: Any,
    ) -> None:
        expect_free(options, "PoolVectorEnv")
        chosen = {"batch_size": batch_size, "seed": None, "autoreset": "same_step", **options}
        pool: poolkit.GymnasiumVectorEnv
        if isinstance(task, str):
            pool = poolkit.make(task, num_envs=1 if num_envs is None else num_envs, **chosen)
        else:
            pool = poolkit.make_python(task, num_envs, **chosen)
        self._pool = pool
        self._python = pool if isinstance(pool, poolkit.PythonVectorEnv) else None
        if has_tuple(pool.single_observation_space):
            pool.close()
            raise TypeError(
                f"{task}: Tianshou does not support the Tuple in the observation space "
                f"{pool.single_observation_space}"
            )
        self.env_num = pool.num_envs
        self.wait_num = pool.batch_size
        self.timeout = None
        self.is_async = pool.is_async
        self.is_closed = False
        self._waiting = np.zeros(self.env_num, bool)
        self._early: deque[Step] = deque()  # results that came while a reset waited
        # Where each env's last episode began, and whether autoreset put the env there, unstepped.
        self._starts: tuple[Any, Any] | None = None
        self._at_start = np.zeros(self.env_num, bool)
        self._attributes = [
            SimpleNamespace(
                action_space=deepcopy(pool.single_action_space),  # each samples on its own
                observation_space=pool.single_observation_space,
                metadata=pool.metadata,
                spec=pool.spec,
                render_mode=pool.render_mode,
            )
            for _ in range(self.env_num)
        ]
        if seed is not None:
            self.seed(seed)

    @property
    def waiting_id(self) -> list[int]:  # type: ignore[override]
        """The environments that are still stepping."""
        return np.flatnonzero(self._waiting).tolist()

    @property
    def ready_id(self) -> list[int]:  # type: ignore[override]
        """The environments that can be stepped and reset."""
        return np.flatnonzero(~self._waiting).tolist()

    def reset(  # type: ignore[override]
        self,
        env_id: Any = None,
        *,
        seed: Seed = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Any]:
        """First observations and infos of some environments, by default all, in that order.

        Args:
            env_id: An int or int[n]; an environment that is still stepping is a ValueError.
                By default all; results that are waited for are dropped.
            seed: An int seeds each of them with it, as in Tianshou; a sequence has one for each.
            options: For environments of functions. Native ones know none, which is warned of.
        """
        ids = self._ids(env_id)
        if options and self._python is None:
            warn_of_reset_options(options, "PoolVectorEnv")
        each: Any = seed if isinstance(seed, Sized) else [seed] * len(ids)
        seeds = reset_seeds(each, len(ids)) or []
        if env_id is None:
            self._drop()
        else:
            self._expect_ready(ids)
        if seed is not None or options is not None:
            self._restart(ids, seeds, options)
        elif not self._at_start[ids].all():
            self._restart(ids[~self._at_start[ids]])
        assert self._starts is not None
        obs, infos = self._starts
        first, its = obs[ids], infos[ids]
        self._at_start[ids] &= its["elapsed_step"] > 0  # a lost life: the count goes on
        return first, its

    def step(self, action: Any, id: Any = None) -> Step:  # noqa: A002
        """Step some environments, by default all, and wait for `wait_num` results.

        In lock-step the rows are in the order of `id`.

        Args:
            action: A row for each environment, inside its action space; an array, a tensor or a
                list. None steps nothing and waits for all that are still stepping.
            id: An int or int[n].

        Raises:
            ValueError: For a wrong shape, an action outside its space, or an id that is repeated,
                out of range or still stepping; nothing is stepped.
            EnvError: If an environment threw; it needs a reset. The others' results are kept.
        """
        if action is None:
            return self._wait_for_all()
        ids = self._ids(id)
        self._expect_ready(ids)
        self._pool.send(self._batch_of(action), ids)
        self._waiting[ids] = True
        self._at_start[ids] = False
        return self._hand_out(self._early.popleft() if self._early else self._receive())

    def seed(self, seed: Seed = None) -> list[list[int] | None]:
        """Start new episodes, and seed the environments and their action spaces' samples.

        Args:
            seed: An int s seeds environment i with s + i; a sequence with its entries; None lets
                the environments' random streams go on.
        """
        seeds = reset_seeds(seed, self.env_num) or [None] * self.env_num
        self._drop()
        self._restart(np.arange(self.env_num), seeds)
        for env, entry in zip(self._attributes, seeds, strict=True):
            env.action_space.seed(entry)
        return [None if entry is None else [entry] for entry in seeds]

    def render(self, **kwargs: Any) -> list[Any]:
        """An RGB image uint8[height, width, 3] of each environment; see `render_mode`."""
        if self._waiting.any():
            raise RuntimeError(f"environments {self.waiting_id} are still stepping")
        images = self._pool.render(**kwargs)
        return [None] * self.env_num if images is None else list(images)

    def close(self) -> None:
        """Stop the workers and drop what is still stepping; idempotent."""
        self._pool.close()
        self.is_closed = True

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:  # noqa: A002
        """An attribute of some environments, by default all.

        There are `action_space`, `observation_space`, `metadata`, `spec`, `render_mode`, and what
        `set_env_attr` has set; of functions' environments, all that they have.
        """
        if self._python is not None and key not in OF_THE_POOL:
            return self._python.ask(members.get_wrapper_attr, key, env_ids=self._ids(id))
        envs = [self._attributes[env] for env in self._ids(id)]
        for env in envs:
            if not hasattr(env, key):
                raise AttributeError(f"key: {key!r} must be one of {sorted(vars(env))}")
        return [getattr(env, key) for env in envs]

    def set_env_attr(self, key: str, value: Any, id: Any = None) -> None:  # noqa: A002
        """Set an attribute of some environments, by default all, for `get_env_attr` to find."""
        if self._python is not None:
            self._python.ask(members.set_outer_attr, key, value, env_ids=self._ids(id))
            return
        for env in self._ids(id):
            setattr(self._attributes[env], key, value)

    def _ids(self, env_id: Any) -> Ids:
        if env_id is None:
            return np.arange(self.env_num)
        ids = np.atleast_1d(np.asarray(env_id))
        if ids.dtype.kind not in "iu" or ids.ndim != 1:
            raise TypeError(f"env_id: must be an int or int[n], not {env_id!r}")
        if ((ids < 0) | (ids >= self.env_num)).any():
            raise ValueError(f"env_id: {ids.tolist()} must be in 0 .. {self.env_num - 1}")
        return ids.astype(np.intp)

    def _expect_ready(self, ids: Ids) -> None:
        if self._waiting[ids].any():
            stepping = ids[self._waiting[ids]].tolist()
            raise ValueError(f"env_id: {stepping} are still stepping; step(None) waits for them")

    def _restart(
        self, ids: Ids, seeds: Sequence[int | None] = (), options: dict[str, Any] | None = None
    ) -> None:
        """Really reset some environments; `_starts` then has their observations."""
        self._receive_all()
        mask = np.zeros(self.env_num, bool)
        mask[ids] = True
        of_all: list[int | None] = [None] * self.env_num
        for env, seed in zip(ids, seeds, strict=False):
            of_all[env] = seed
        own = options if options is not None and self._python is not None else {}
        obs, info = self._pool.reset(seed=of_all, options={**own, "reset_mask": mask})
        obs, infos = in_rows(obs), Rows.of(self._lasting(info))
        if self._starts is None:
            self._starts = table_like(obs, self.env_num), table_like(infos, self.env_num)
        envs = infos["env_id"]
        for table, rows in zip(self._starts, (obs, infos), strict=True):
            table[envs] = rows
        self._at_start[ids] = False

    def _receive(self) -> Step:
        try:
            obs, reward, terminated, truncated, info = self._pool.recv()
        except poolkit.EnvError as error:
            self._waiting[error.env_id] = False
            raise
        said = self._said(info)
        final_obs = info.pop("final_obs", None)
        final_info = info.pop("final_info", None)
        obs, infos = in_rows(obs), Rows.of(self._lasting(info))
        if final_obs is not None:
            # The row shows the new episode already: keep that for reset, and show the old one.
            assert self._starts is not None
            ended = np.flatnonzero(terminated | truncated)
            envs = infos["env_id"][ended]
            final = (in_rows(final_obs), Rows.of(self._lasting(final_info)))
            for table, rows, last in zip(self._starts, (obs, infos), final, strict=True):
                table[envs] = rows[ended]
                rows[ended] = last[ended]
            self._at_start[envs] = True
        for name, values in Rows.of(said).items():
            infos[name] = values
        return obs, reward.astype(np.float64), terminated, truncated, infos

    def _lasting(self, info: dict[str, Any]) -> dict[str, Any]:
        """What every batch has."""
        if self._python is not None:
            return {name: info[name] for name in ENGINE_INFOS}
        return {name: values for name, values in info.items() if name[0] != "_"}

    def _said(self, info: dict[str, Any]) -> dict[str, Any]:
        """What environments of Python themselves say of the step, or of the end that it was."""
        if self._python is None:
            return {}
        own = self._python.own_infos(info)
        if "_final_info" in info:
            for row in np.flatnonzero(info["_final_info"]).tolist():
                own.pop(row, None)
            own |= self._python.own_infos(info, before=True)
        said: dict[str, Any] = {}
        add_infos(said, sorted(own.items()), len(info["env_id"]))
        return _without_masks(said)

    def _receive_all(self) -> None:
        while self._pool.pending:
            self._early.append(self._receive())

    def _wait_for_all(self) -> Step:
        self._receive_all()
        if not self._early:
            raise RuntimeError("step(None): no environment is stepping")
        steps = [concatenated(list(parts)) for parts in zip(*self._early, strict=True)]
        self._early.clear()
        return self._hand_out(tuple(steps))

    def _hand_out(self, step: Step) -> Step:
        self._waiting[step[-1]["env_id"]] = False
        return step

    def _drop(self) -> None:
        while self._pool.pending:
            with contextlib.suppress(poolkit.EnvError):
                self._pool.recv()
        self._early.clear()
        self._waiting[:] = False

    def _batch_of(self, action: Any) -> Any:
        space = self._pool.single_action_space
        if isinstance(space, spaces.Dict | spaces.Tuple):
            batch: Any = create_empty_array(space, len(action))
            return concatenate(space, list(action), batch)
        return to_numpy(action)


def _without_masks(info: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _without_masks(values) if isinstance(values, dict) else values
        for name, values in info.items()
        if f"_{name}" in info
    }
