"""The pool behind a `PoolVecEnv`."""

from collections.abc import Callable, Sequence
from typing import Any

import poolkit
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.preprocessing import check_for_nested_spaces

from ..arguments import expect_free

Source = str | poolkit.GymnasiumVectorEnv | Sequence[Callable[[], Any]]
"""What a pool is opened of."""


def open_pool(
    task_or_pool: Source, num_envs: int | None, options: dict[str, Any]
) -> poolkit.GymnasiumVectorEnv:
    """A new pool of a task or of functions, or a given one that is as SB3 needs it."""
    expect_free(options, "PoolVecEnv")
    if isinstance(task_or_pool, str):
        count = 1 if num_envs is None else num_envs
        pool = poolkit.make_gymnasium(
            task_or_pool, num_envs=count, seed=None, autoreset="same_step", **options
        )
    elif isinstance(task_or_pool, Sequence):
        pool = poolkit.make_python(
            task_or_pool, num_envs, seed=None, autoreset="same_step", **options
        )
    elif not isinstance(task_or_pool, poolkit.GymnasiumVectorEnv):
        kind = type(task_or_pool).__name__
        raise TypeError(
            "task_or_pool: must be a name, a pool of poolkit.make or a list of functions, "
            f"not {kind}"
        )
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
