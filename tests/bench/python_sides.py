"""Python environments in poolkit's workers, and in the vector environments of others.

Processes are forked, which starts them fastest, and there are no threads yet.
"""

from typing import Any

import gymnasium

from .cases import Case
from .single_envs import maker_of
from .stepping import Envs, in_parts, lockstep, one_by_one, send_and_recv, with_resets


def open_python(library: str, case: Case) -> Envs:
    fns = [maker_of(case.task)] * case.num_envs
    if library == "for-loop":
        return one_by_one([fn() for fn in fns])
    if library in ("poolkit", "poolkit-lockstep"):
        import poolkit

        pool = poolkit.make_python(
            fns,
            batch_size=case.batch_size if library == "poolkit" else None,
            num_workers=case.num_threads,
            context="fork",
        )
        return send_and_recv(pool) if pool.is_async else of_whole_batches(pool, case)
    if library in ("DummyVecEnv", "SubprocVecEnv"):
        from stable_baselines3.common import vec_env

        how = {"start_method": "fork"} if library == "SubprocVecEnv" else {}
        return of_whole_batches(getattr(vec_env, library)(fns, **how), case)
    if library in ("SyncVectorEnv", "AsyncVectorEnv"):
        how = {"context": "fork"} if library == "AsyncVectorEnv" else {}
        return of_whole_batches(getattr(gymnasium.vector, library)(fns, **how), case)
    import tianshou.env

    return with_resets(getattr(tianshou.env, library)(fns))


def of_whole_batches(envs: Any, case: Case) -> Envs:
    """Of environments that have no smaller ones."""
    turns = case.num_envs // case.batch_size
    return lockstep(envs) if turns == 1 else in_parts(envs, turns)
