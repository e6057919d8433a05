"""A pool as a `stable_baselines3.common.vec_env.VecEnv`."""

import operator
import os
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import poolkit
from gymnasium import spaces
from numpy.typing import NDArray
from poolkit.python_envs import members
from poolkit.seeds import reset_seeds
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from ..arguments import warn_of_reset_options
from .episodes import Episodes
from .member import Member, members_of
from .opening import Source, open_pool
from .rows import row_of, rows_of

Indices = None | SupportsIndex | Iterable[SupportsIndex]

READ_BY_SB3 = frozenset({"is_success"})
"""Infos of an environment's own that Stable-Baselines3 looks for."""


class PoolVecEnv(VecEnv):
    """Many environments on the engine's threads, where SB3 takes a vector environment.

    It stands for a `DummyVecEnv` of monitored envs and gives the same observations, rewards, dones
    and infos. The infos hold what SB3 reads: "TimeLimit.truncated"; at an end
    "terminal_observation"; at a true end, which a lost life is not, "episode" with the unclipped
    return; "is_success" if the environment has it; and `info_keywords`.

    With functions in place of a name, as of a `SubprocVecEnv`, their environments run in worker
    processes (`poolkit.make_python`); infos are then the environments' own, and `get_attr`,
    `set_attr`, `env_method` and `get_images` reach them.

    Args:
        task_or_pool: A name that `poolkit.make` knows; or functions that make an environment each;
            or a pool in lock-step, made with autoreset="same_step", which then is this object's
            to close.
        num_envs: How many environments; by default 1.
        seed: What `seed()` takes; None: fresh entropy.
        monitor: Report episodes, so that evaluation counts whole ones; False for use under
            `VecMonitor`.
        monitor_dir: A folder for the episodes of env i in "i.monitor.csv", which SB3's
            `load_results` reads.
        override_existing: False adds to files that are there already, in place of new ones.
        info_keywords: Infos of the environment's own to put into each env's dict and, like
            those of `Monitor`, into "episode".
        start_method: With functions, how processes start: `context` of `poolkit.make_python`.
        **options: The other arguments of `poolkit.make`, or with functions of `make_python`, but
            for `autoreset` and `env_type`.

    Raises:
        TypeError: For an unknown option, or a value of the wrong type.
        ValueError: For a value that is not accepted.

    >>> from stable_baselines3 import PPO
    >>> envs = PoolVecEnv("CartPole-v1", 8, seed=1)
    >>> model = PPO("MlpPolicy", envs, n_steps=32).learn(512)
    >>> envs.close()
    """

    def __init__(
        self,
        task_or_pool: Source,
        num_envs: int | None = None,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex] | None = None,
        monitor: bool = True,
        monitor_dir: str | os.PathLike[str] | None = None,
        override_existing: bool = True,
        info_keywords: Sequence[str] = (),
        start_method: str | None = None,
        **options: Any,
    ) -> None:
        if start_method is not None:
            options["context"] = start_method
        if monitor_dir is not None and not monitor:
            raise ValueError("monitor_dir: needs monitor=True")
        self.pool = open_pool(task_or_pool, num_envs, options)
        self._python = self.pool if isinstance(self.pool, poolkit.PythonVectorEnv) else None
        own = self.pool.single_info_space
        self._info_keywords = _names(info_keywords, None if self._python else own)
        self._info_keys = tuple(
            name for name in own.spaces if name in {*READ_BY_SB3, *self._info_keywords}
        )
        self._masks, self.envs = members_of(self.pool)
        super().__init__(
            self.pool.num_envs,
            self.pool.single_observation_space,
            self.pool.single_action_space,
        )
        self.render_mode = self.pool.render_mode
        self.metadata = self.envs[0].metadata
        self.spec = self.pool.spec
        self._all = np.arange(self.num_envs, dtype=np.int32)
        self._running = [{"TimeLimit.truncated": False}] * self.num_envs
        self._episodes = None
        if monitor:
            name = task_or_pool if isinstance(task_or_pool, str) else None
            self._episodes = Episodes(
                self.num_envs, name, monitor_dir, override_existing, self._info_keywords
            )
        if seed is not None:
            self.seed(seed)

    def seed(
        self, seed: SupportsIndex | Sequence[SupportsIndex] | None = None
    ) -> Sequence[int | None]:
        """Take seeds for the next reset.

        Args:
            seed: An int s seeds env i with s + i; a sequence with its entries; None draws an int
                from NumPy's global generator, as SB3 does.

        Returns:
            The seed of each env.
        """
        if seed is None:
            return super().seed()
        self._seeds = list(reset_seeds(seed, self.num_envs) or [])
        return self._seeds

    def reset(self) -> VecEnvObs:
        """Start new episodes, after a lost life too, with the seeds that `seed` left."""
        if self._python is not None and any(self._options):
            obs, info = self._python.reset(seed=self._seeds, options=self._options)
        else:
            obs, info = self.pool.reset(seed=self._seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._infos(info, [{}] * self.num_envs)
        self._keep_masks(info)
        return obs  # type: ignore[no-any-return]

    def step_async(self, actions: Any) -> None:
        """Start a step of all envs.

        Args:
            actions: A row for each env, inside `action_space`; an array or a list.

        Raises:
            ValueError: For a wrong shape or an action outside its space; the envs are unchanged.
            TypeError: For a dtype that does not cast by NumPy's "same_kind".
            RuntimeError: Before the first reset, or after `close`.
        """
        if isinstance(self.action_space, spaces.MultiBinary):
            actions = _flags(np.asarray(actions))
        self.pool.send(actions, self._all)

    def step_wait(self) -> VecEnvStepReturn:
        """Observation, reward float32[n], done bool[n] and an info dict for each env.

        All are the caller's, to keep and to change.

        Raises:
            EnvError: If an env threw; `reset` brings it back.
        """
        obs, rewards, terminated, truncated, info = self.pool.recv()
        infos = self._infos(info, self._running)
        if "final_obs" in info:
            self._end_episodes(infos, info, truncated & ~terminated)
        self._keep_masks(info)
        return obs, rewards, terminated | truncated, infos

    def _infos(
        self, info: dict[str, Any], templates: Sequence[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        infos = list(map(dict.copy, templates))
        for key in self._info_keys:
            for row, value in zip(infos, rows_of(info[key]), strict=True):
                row[key] = value
        if self._python is not None:
            for env, said in self._python.own_infos(info).items():
                infos[env] |= said
        return infos

    def _end_episodes(
        self, infos: list[dict[str, Any]], info: dict[str, Any], cut: NDArray[np.bool_]
    ) -> None:
        """Turns the infos where an episode ended from the new one's start to its own end."""
        final = info["final_info"]
        own = {key: rows_of(final[key]) for key in self._info_keys}
        ended = np.flatnonzero(info["_final_info"]).tolist()
        said = self._python.own_infos(info, before=True) if self._python is not None else {}
        for env in ended:
            row, last = infos[env], {key: rows[env] for key, rows in own.items()}
            last |= said.get(env, {})
            self.reset_infos[env] = {k: v for k, v in row.items() if k != "TimeLimit.truncated"}
            infos[env] = row = {**last, "TimeLimit.truncated": bool(cut[env])}
            row["terminal_observation"] = row_of(info["final_obs"], env)
            life_lost_only = info["elapsed_step"][env] > 0  # the count goes on
            # An environment of Python may have a Monitor of its own.
            if self._episodes is not None and not life_lost_only and "episode" not in row:
                row["episode"] = self._episodes.end(
                    env,
                    float(final["episode_return"][env]),
                    int(final["episode_length"][env]),
                    {key: last[key] for key in self._info_keywords},
                )

    def _keep_masks(self, info: dict[str, Any]) -> None:
        if self._masks is not None:
            self._masks[:] = info["action_mask"]

    def close(self) -> None:
        """Stop the workers and drop what is pending; idempotent."""
        self.pool.close()
        if self._episodes is not None:
            self._episodes.close()

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Take options for the next reset; native environments know none, which is warned of.

        Args:
            options: A dict for all envs, or a list with one for each.
        """
        if isinstance(options, list):
            fits = len(options) == self.num_envs and all(isinstance(o, dict) for o in options)
        else:
            fits = options is None or isinstance(options, dict)
        if not fits:
            raise ValueError(f"options: {options!r} must be a dict, or one for each env")
        super().set_options(options)
        if any(self._options) and self._python is None:
            warn_of_reset_options(options, "PoolVecEnv")

    def get_images(self) -> Sequence[NDArray[Any] | None]:
        """An RGB image uint8[height, width, 3] of each env; None without render_mode."""
        if self._python is not None:
            return self._python.ask(members.render)
        images = self.pool.render()
        return [None] * self.num_envs if images is None else list(images)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute of each env; AttributeError where there is none."""
        chosen = self._chosen(indices)
        if self._python is not None:
            return self._ask(members.get_wrapper_attr, attr_name, chosen=chosen)
        for env in chosen:
            if not hasattr(env, attr_name):
                there = ", ".join(name for name in dir(env) if name[0] != "_")
                raise AttributeError(f"{attr_name}: an environment of a pool has only {there}")
        return [getattr(env, attr_name) for env in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Keep a value for each env, where `get_attr` and `env_method` find it.

        It reaches no native environment, whose options are arguments of PoolVecEnv. A function
        becomes a method: `set_attr("compute_reward", function)` is what `HerReplayBuffer` needs.
        """
        chosen = self._chosen(indices)
        if self._python is not None:
            self._ask(members.set_outer_attr, attr_name, value, chosen=chosen)
            return
        for env in chosen:
            setattr(env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """What the method of each env returns; AttributeError where there is none."""
        if self._python is not None:
            chosen = self._chosen(indices)
            return self._ask(members.call, method_name, method_args, method_kwargs, chosen=chosen)
        methods = self.get_attr(method_name, indices)
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """True for `Monitor`, whose work a monitoring pool does, and for an env's own wrappers."""
        wrapped = self._episodes is not None and issubclass(Monitor, wrapper_class)
        chosen = self._chosen(indices)
        if wrapped or self._python is None:
            return [wrapped for _ in chosen]
        return self._ask(members.is_wrapped, wrapper_class, chosen=chosen)

    def _ask(self, function: Any, *arguments: Any, chosen: Sequence[Member]) -> list[Any]:
        assert self._python is not None
        return self._python.ask(function, *arguments, env_ids=[env.index for env in chosen])

    def _chosen(self, indices: Indices) -> Sequence[Member]:
        if indices is None:
            return self.envs
        several = indices if isinstance(indices, Iterable) else [indices]
        chosen = [operator.index(index) for index in several]
        for index in chosen:
            if not -self.num_envs <= index < self.num_envs:
                limits = f"{-self.num_envs} .. {self.num_envs - 1}"
                raise IndexError(f"indices: {index} is not in {limits}")
        return [self.envs[index] for index in chosen]


def _names(keywords: Sequence[str], own: spaces.Dict | None) -> tuple[str, ...]:
    if isinstance(keywords, str) or not isinstance(keywords, Sequence):
        raise TypeError(f"info_keywords: must be a list of names, not {keywords!r}")
    for name in keywords:
        if own is not None and name not in own.spaces:
            raise ValueError(f"info_keywords: {name!r} must be one of {sorted(own.spaces)}")
    return tuple(keywords)


def _flags(actions: NDArray[Any]) -> NDArray[Any]:
    """SB3's policies choose MultiBinary actions as floats."""
    whole = actions.dtype.kind == "f" and np.isin(actions, (0, 1)).all()
    return actions.astype(np.int8) if whole else actions
