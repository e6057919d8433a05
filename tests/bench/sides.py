"""The libraries: for each, a function that steps a case's pool once with given actions.

The options are EnvPool's defaults; where another library's default differs, it is set here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Case

NUM_ACTIONS = {"Pong-v5": 6, "Breakout-v5": 4, "CartPole-v1": 2}
Step = Callable[[np.ndarray], object]


def open_side(library: str, case: Case) -> Step:
    """A pool that is reset and ready; the result steps `batch_size` envs."""
    return {
        "poolkit": open_poolkit,
        "envpool": open_envpool,
        "ale-py": open_ale,
        "gymnasium": open_gymnasium,
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


def open_envpool(case: Case) -> Step:
    import envpool

    pool = envpool.make(
        case.task,
        env_type="gymnasium",
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=min(case.num_threads, case.batch_size),
    )
    return send_and_recv(pool) if case.batch_size < case.num_envs else lockstep(pool)


def open_ale(case: Case) -> Step:
    from ale_py.vector_env import AtariVectorEnv

    pool = AtariVectorEnv(
        case.task.removesuffix("-v5").lower(),
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


def lockstep(pool: Any) -> Step:
    pool.reset()
    step: Step = pool.step
    return step


def send_and_recv(pool: Any) -> Step:
    pool.async_reset()
    env_id = pool.recv()[4]["env_id"]

    def step(action: np.ndarray) -> None:
        nonlocal env_id
        pool.send(action, env_id)
        env_id = pool.recv()[4]["env_id"]

    return step
