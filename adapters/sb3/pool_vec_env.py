"""A pool as a `stable_baselines3.common.vec_env.VecEnv`."""

import operator
import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import poolkit
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.preprocessing import check_for_nested_spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from .episodes import Episodes
from .member import MaskedMember, Member
from .rows import row_of, rows_of

Indices = None | SupportsIndex | Iterable[SupportsIndex]

READ_BY_SB3 = frozenset({"is_success"})
"""Infos of an environment's own that Stable-Baselines3 looks for."""


class PoolVecEnv(VecEnv):
    """Many environments on the engine's threads, where SB3 takes a vector environment.

    It stands for a `DummyVecEnv` around `Monitor`s and gives the same observations, rewards, dones
    and infos. The infos hold what SB3 reads: "TimeLimit.truncated"; at an end
    "terminal_observation"; at a true end, which a lost life is not, "episode" with the unclipped
    return; "is_success" if the environment has it; and `info_keywords`.

    Args:
        task_or_pool: A name that `poolkit.make` knows; or a pool in lock-step, made with
            autoreset="same_step", which then is this object's to close.
        num_envs: How many environments; by default 1.
        seed: Env i starts from seed + i, as with `seed()`; None: from fresh entropy.
        monitor: Report episodes, so that evaluation counts whole ones; False for use under
            `VecMonitor`.
        monitor_dir: A folder for the episodes of env i in "i.monitor.csv", which SB3's
            `load_results` reads.
        info_keywords: Infos of the environment's own to put into each env's dict and, like
            those of `Monitor`, into "episode".
        **options: The other arguments of `poolkit.make`.

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
        task_or_pool: str | poolkit.GymnasiumVectorEnv,
        num_envs: int | None = None,
        *,
        seed: int | None = None,
        monitor: bool = True,
        monitor_dir: str | os.PathLike[str] | None = None,
        info_keywords: Sequence[str] = (),
        **options: Any,
    ) -> None:
        if monitor_dir is not None and not monitor:
            raise ValueError("monitor_dir: needs monitor=True")
        self.pool = _open(task_or_pool, num_envs, options)
        self._info_keywords = tuple(info_keywords)
        self._info_keys = _info_keys(self.pool.single_info_space, self._info_keywords)
        self._masks, self.envs = _members(self.pool)
        super().__init__(
            self.pool.num_envs,
            self.pool.single_observation_space,
            self.pool.single_action_space,
        )
        self.metadata = self.envs[0].metadata
        self.spec = self.pool.spec
        self._all = np.arange(self.num_envs, dtype=np.int32)
        self._running = [{"TimeLimit.truncated": False}] * self.num_envs
        self._episodes = None
        if monitor:
            name = task_or_pool if isinstance(task_or_pool, str) else None
            self._episodes = Episodes(self.num_envs, name, monitor_dir, self._info_keywords)
        if seed is not None:
            self.seed(seed)

    def reset(self) -> VecEnvObs:
        """Start new episodes, after a lost life too, with the seeds that `seed` left."""
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
        return infos

    def _end_episodes(
        self, infos: list[dict[str, Any]], info: dict[str, Any], cut: NDArray[np.bool_]
    ) -> None:
        """Turns the infos where an episode ended from the new one's start to its own end."""
        final = info["final_info"]
        own = {key: rows_of(final[key]) for key in self._info_keys}
        for env in np.flatnonzero(info["_final_info"]).tolist():
            self.reset_infos[env] = {key: infos[env][key] for key in own}
            infos[env] |= {key: rows[env] for key, rows in own.items()}
            infos[env]["TimeLimit.truncated"] = bool(cut[env])
            infos[env]["terminal_observation"] = row_of(info["final_obs"], env)
            life_lost_only = info["elapsed_step"][env] > 0  # the count goes on
            if self._episodes is not None and not life_lost_only:
                infos[env]["episode"] = self._episodes.end(
                    env,
                    float(final["episode_return"][env]),
                    int(final["episode_length"][env]),
                    {key: own[key][env] for key in self._info_keywords},
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
        """Take options for the next reset; a pool's environments know none, which is warned of."""
        super().set_options(options)
        if any(self._options):
            warnings.warn(
                f"options: {options!r} change nothing, the environments of a pool have none for a "
                "reset; an environment's options are arguments of PoolVecEnv",
                stacklevel=2,
            )

    def get_images(self) -> Sequence[NDArray[Any] | None]:
        """An RGB image uint8[height, width, 3] of each env; None without render_mode."""
        images = self.pool.render()
        return [None] * self.num_envs if images is None else images

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute of each env; AttributeError where there is none."""
        return [getattr(env, attr_name) for env in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Keep a value for each env, where `get_attr` and `env_method` find it.

        It reaches no environment, whose options are arguments of PoolVecEnv. A function becomes a
        method: `set_attr("compute_reward", function)` is what `HerReplayBuffer` needs.
        """
        for env in self._chosen(indices):
            setattr(env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """What the method of each env returns; AttributeError where there is none."""
        methods = self.get_attr(method_name, indices)
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """True for `Monitor`, whose work a monitoring pool does; False for other wrappers."""
        wrapped = self._episodes is not None and issubclass(Monitor, wrapper_class)
        return [wrapped for _ in self._chosen(indices)]

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


def _open(
    task_or_pool: str | poolkit.GymnasiumVectorEnv, num_envs: int | None, options: dict[str, Any]
) -> poolkit.GymnasiumVectorEnv:
    if isinstance(task_or_pool, str):
        count = 1 if num_envs is None else num_envs
        pool = poolkit.make_gymnasium(
            task_or_pool, num_envs=count, seed=None, autoreset="same_step", **options
        )
    elif not isinstance(task_or_pool, poolkit.GymnasiumVectorEnv):
        kind = type(task_or_pool).__name__
        raise TypeError(f"task_or_pool: must be a name or a pool of poolkit.make, not {kind}")
    else:
        pool = task_or_pool
        if options:
            raise TypeError(f"{', '.join(options)}: options are for a task, and the pool is made")
        if num_envs not in (None, pool.num_envs):
            raise ValueError(f"num_envs: {num_envs} must be the pool's {pool.num_envs}")
        if pool.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise ValueError("task_or_pool: the pool must be made with autoreset='same_step'")
    if pool.is_async:
        raise ValueError(
            f"batch_size: {pool.batch_size} must be num_envs, {pool.num_envs}: "
            "Stable-Baselines3 steps all envs at once"
        )
    check_for_nested_spaces(pool.single_observation_space)
    return pool


def _info_keys(own: spaces.Dict, keywords: tuple[str, ...]) -> tuple[str, ...]:
    for key in keywords:
        if key not in own.spaces:
            raise ValueError(f"info_keywords: {key!r} must be one of {sorted(own.spaces)}")
    return tuple(key for key in own.spaces if key in READ_BY_SB3 or key in keywords)


def _members(
    pool: poolkit.GymnasiumVectorEnv,
) -> tuple[NDArray[np.bool_] | None, tuple[Member, ...]]:
    """The envs, and where their action masks are kept, if they have any."""
    mask = pool.single_info_space.spaces.get("action_mask")
    if mask is None:
        return None, tuple(Member(pool, index) for index in range(pool.num_envs))
    masks = np.ones((pool.num_envs, *(mask.shape or ())), np.bool_)
    return masks, tuple(MaskedMember(pool, index, masks) for index in range(pool.num_envs))


def _flags(actions: NDArray[Any]) -> NDArray[Any]:
    """SB3's policies choose MultiBinary actions as floats."""
    whole = actions.dtype.kind == "f" and np.isin(actions, (0, 1)).all()
    return actions.astype(np.int8) if whole else actions
