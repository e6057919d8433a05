"""The libraries: for each, a case's environments, opened.

The options are EnvPool's defaults; where another library's default differs, it is set here.
"""

import re
from functools import partial
from importlib import import_module
from typing import Any

from .cases import Case
from .python_sides import open_python
from .single_envs import ale_id
from .stepping import Envs, lockstep, send_and_recv

IMPORTS = {
    "poolkit": ["poolkit"],
    "envpool": ["envpool"],
    "ale-py": ["ale_py.vector_env"],
    "SubprocVecEnv": ["ale_py", "stable_baselines3.common.vec_env"],
    "ShmemVectorEnv": ["ale_py", "tianshou.env"],
    "sample-factory": ["sample_factory.train"],
}
"""What takes long, before the clock starts; of the others Gymnasium and what makes Atari."""


def import_library(side: str) -> None:
    gymnasium = ["ale_py", "gymnasium.wrappers.atari_preprocessing"]
    for module in IMPORTS.get(side.partition(",")[0], gymnasium):
        import_module(module)


def open_side(side: str, case: Case) -> Envs:
    if case.trainer == "SB3":
        return open_sb3(side, case)
    if case.trainer == "Python":
        return open_python(side, case)
    if case.trainer == "Tianshou":
        from .tianshou_sides import open_tianshou

        return open_tianshou(side, case)
    if side == "sample-factory":
        from .sample_factory_side import open_sample_factory

        return open_sample_factory(case)
    return {
        "poolkit": open_poolkit,
        "poolkit, async": open_poolkit,
        "poolkit, pinned": partial(open_poolkit, thread_affinity_offset=0),
        "envpool": open_envpool,
        "envpool, async": open_envpool,
        "envpool-fast": partial(open_envpool, use_inter_area_resize=False),
        "ale-py": open_ale,
        "gymnasium": open_gymnasium,
        "SubprocVecEnv": partial(open_subprocesses, side),
    }.get(side, partial(open_python, side))(case)


def open_poolkit(case: Case, **options: Any) -> Envs:
    import poolkit

    pool = poolkit.make(
        case.task,
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=min(case.num_threads, case.batch_size),
        **options,
    )
    return send_and_recv(pool) if pool.is_async else lockstep(pool)


def open_envpool(case: Case, **options: Any) -> Envs:
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


def open_ale(case: Case) -> Envs:
    from ale_py.vector_env import AtariVectorEnv

    pool = AtariVectorEnv(
        re.sub(r"(?<!^)(?=[A-Z])", "_", case.task.removesuffix("-v5")).lower(),
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=min(case.num_threads, case.batch_size),
        reward_clipping=False,
    )
    return lockstep(pool)  # its step is send and recv, and it remembers the ids itself


def open_gymnasium(case: Case) -> Envs:
    import gymnasium

    return lockstep(
        gymnasium.make_vec(
            case.task, num_envs=case.num_envs, vectorization_mode="vector_entry_point"
        )
    )


def open_sb3(library: str, case: Case) -> Envs:
    """The trainer's own vector environments around its own wrappers, or a PoolVecEnv."""
    if library != "poolkit":
        return open_subprocesses(library, case, {})
    from poolkit.adapters.sb3 import PoolVecEnv

    options = {} if case.task == "CartPole-v1" else {"preset": "dqn"}
    threads = min(case.num_threads, case.batch_size)
    return lockstep(PoolVecEnv(case.task, case.num_envs, num_threads=threads, **options))


WHOLE_GAMES = {"terminal_on_life_loss": False, "clip_reward": False}


def open_subprocesses(library: str, case: Case, options: dict[str, bool] = WHOLE_GAMES) -> Envs:
    """SB3's vector environments, with its own wrappers, of which `options` are Atari's."""
    import ale_py
    import gymnasium
    from stable_baselines3.common import env_util, vec_env

    gymnasium.register_envs(ale_py)
    start = {"start_method": "fork"} if library == "SubprocVecEnv" else {}
    arguments = {
        "n_envs": case.num_envs,
        "vec_env_cls": getattr(vec_env, library),
        "vec_env_kwargs": start,
    }
    if case.task == "CartPole-v1":
        return lockstep(env_util.make_vec_env(case.task, **arguments))
    envs = env_util.make_atari_env(ale_id(case.task), wrapper_kwargs=options, **arguments)
    return lockstep(vec_env.VecFrameStack(envs, 4))
