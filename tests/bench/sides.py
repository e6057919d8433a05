"""The libraries: for each, a function that steps a case's pool once with given actions.

The options are EnvPool's defaults; where another library's default differs, it is set here.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .cases import Case
from .python_sides import open_python, send_and_recv
from .tianshou_sides import open_tianshou

Step = Callable[[np.ndarray], object]


def open_side(library: str, case: Case) -> Step:
    """A pool that is reset and ready; the result steps `batch_size` envs."""
    if case.trainer == "SB3":
        return open_sb3(library, case)
    if case.trainer == "Python":
        return open_python(library, case)
    if case.trainer == "Tianshou":
        return open_tianshou(library, case)
    return {
        "poolkit": open_poolkit,
        "envpool": open_envpool,
        "envpool-fast": partial(open_envpool, use_inter_area_resize=False),
        "ale-py": open_ale,
        "gymnasium": open_gymnasium,
        "SyncVectorEnv": open_sync,
    }[library](case)


def open_poolkit(case: Case) -> Step:
    import poolkit

    pool = poolkit.make(
        case.task,
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=min(case.num_threads, case.batch_size),
    )
    return send_and_recv(pool) if pool.is_async else lockstep(pool)


def open_envpool(case: Case, **options: Any) -> Step:
    import envpool

    pool = envpool.make(
        case.task,
        env_type="gymnasium",
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=min(case.num_threads, case.batch_size),
        **options,
    )
    return send_and_recv(pool) if case.batch_size < case.num_envs else lockstep(pool)


def open_ale(case: Case) -> Step:
    from ale_py.vector_env import AtariVectorEnv

    pool = AtariVectorEnv(
        re.sub(r"(?<!^)(?=[A-Z])", "_", case.task.removesuffix("-v5")).lower(),
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=min(case.num_threads, case.batch_size),
        reward_clipping=False,
    )
    return lockstep(pool)  # its step is send and recv, and it remembers the ids itself


def open_gymnasium(case: Case) -> Step:
    import gymnasium

    return lockstep(
        gymnasium.make_vec(
            case.task, num_envs=case.num_envs, vectorization_mode="vector_entry_point"
        )
    )


def open_sync(case: Case) -> Step:
    import gymnasium

    return lockstep(
        gymnasium.make_vec(case.task, num_envs=case.num_envs, vectorization_mode="sync")
    )


def open_sb3(library: str, case: Case) -> Step:
    """The trainer's own vector environments around its own wrappers, or a PoolVecEnv."""
    import ale_py
    import gymnasium
    from stable_baselines3.common import env_util, vec_env

    gymnasium.register_envs(ale_py)
    if library == "poolkit":
        from poolkit.adapters.sb3 import PoolVecEnv

        options = {} if case.task == "CartPole-v1" else {"preset": "dqn"}
        threads = min(case.num_threads, case.batch_size)
        return lockstep(PoolVecEnv(case.task, case.num_envs, num_threads=threads, **options))
    kind = getattr(vec_env, library)
    start = {"start_method": "fork"} if library == "SubprocVecEnv" else {}
    arguments = {"n_envs": case.num_envs, "vec_env_cls": kind, "vec_env_kwargs": start}
    if case.task == "CartPole-v1":
        return lockstep(env_util.make_vec_env(case.task, **arguments))
    game = f"{case.task.removesuffix('-v5')}NoFrameskip-v4"
    return lockstep(vec_env.VecFrameStack(env_util.make_atari_env(game, **arguments), 4))


def lockstep(pool: Any) -> Step:
    pool.reset()
    step: Step = pool.step
    return step
