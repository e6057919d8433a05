"""`make_pool_vec_env`: for who has a call of `make_vec_env` to replace."""

import os
from typing import Any

from .pool_vec_env import PoolVecEnv

MONITOR_ARGUMENTS = ("info_keywords", "override_existing", "allow_early_resets")


def make_pool_vec_env(
    env_id: str,
    n_envs: int = 1,
    seed: int | None = None,
    *,
    monitor_dir: str | os.PathLike[str] | None = None,
    env_kwargs: dict[str, Any] | None = None,
    monitor_kwargs: dict[str, Any] | None = None,
) -> PoolVecEnv:
    """A PoolVecEnv by the habits of SB3's `make_vec_env`: monitored, seeded, able to render.

    `wrapper_class` and `vec_env_cls` have no place here: an environment's options do what its
    wrappers did, and SB3's own wrappers of vector environments go around the result.

    Args:
        env_id: A name that `poolkit.make` knows.
        n_envs: How many environments.
        seed: Env i starts from seed + i; None draws a seed from NumPy's global generator.
        monitor_dir: A folder for the episodes of env i in "i.monitor.csv".
        env_kwargs: The environment's options, and other arguments of `poolkit.make`. render_mode
            is "rgb_array" if not given and if the environment can render.
        monitor_kwargs: As for `Monitor`, "info_keywords" and "override_existing"; early resets are
            always allowed.

    >>> make_pool_vec_env("Pong-v5", n_envs=2, seed=0, env_kwargs={"preset": "dqn"}).num_envs
    2
    """
    monitor = {"allow_early_resets": True, **(monitor_kwargs or {})}
    if monitor.pop("allow_early_resets") is not True:
        raise ValueError("monitor_kwargs: allow_early_resets must be True")
    for name in monitor:
        if name not in MONITOR_ARGUMENTS:
            raise TypeError(f"monitor_kwargs: {name!r} must be one of {list(MONITOR_ARGUMENTS)}")
    options = {"monitor_dir": monitor_dir, **monitor, **(env_kwargs or {})}
    try:
        envs = PoolVecEnv(env_id, n_envs, **{"render_mode": "rgb_array"} | options)
    except ValueError:  # it cannot render; or it is about another argument, and is raised again
        envs = PoolVecEnv(env_id, n_envs, **options)
    envs.seed(seed)
    return envs
