"""Python environments in poolkit's workers, and in the vector environments of others.

Processes are forked, which starts them fastest, and there are no threads yet.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from .cases import Case


class Timed(gymnasium.Env[Any, Any]):
    """Observes nothing, for a while."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-1, 1, (4,))
        self.action_space = gymnasium.spaces.Discrete(2)
        self._nothing = np.zeros(4, np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self._nothing, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.spend()
        return self._nothing, 0.0, False, False, {}

    def spend(self) -> None:
        """What a step takes."""
        raise NotImplementedError


class Busy(Timed):
    """Computes for 1 ms."""

    def spend(self) -> None:
        end = time.thread_time_ns() + 1_000_000
        while time.thread_time_ns() < end:
            pass


class Latent(Timed):
    """Waits, as for a simulator elsewhere: 5 ms on average, now and then far longer."""

    def spend(self) -> None:
        time.sleep(self.np_random.exponential(0.005))


MAKERS: dict[str, Callable[[], Any]] = {
    "CartPole-v1": partial(gymnasium.make, "CartPole-v1"),
    "Busy1ms-v0": Busy,
    "Latency5ms-v0": Latent,
}


def open_python(library: str, case: Case) -> Callable[[np.ndarray], object]:
    """What steps a batch."""
    fns = [MAKERS[case.task]] * case.num_envs
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

    return of_whole_batches(getattr(tianshou.env, library)(fns), case)


def of_whole_batches(envs: Any, case: Case) -> Callable[[np.ndarray], object]:
    """Actions of a smaller batch are repeated; then a step counts for what it is worth."""
    envs.reset()
    step = envs.step
    if case.batch_size == case.num_envs:
        resets = case.task == "CartPole-v1" and hasattr(envs, "env_num")  # Tianshou's
        return partial(step_and_reset, envs) if resets else step
    turns = case.num_envs // case.batch_size
    given: list[np.ndarray] = []

    def in_parts(actions: np.ndarray) -> None:
        given.append(actions)
        if len(given) == turns:
            step(np.concatenate(given))
            given.clear()

    return in_parts


def step_and_reset(envs: Any, actions: np.ndarray) -> None:
    """As a collector: who ended is reset."""
    _, _, terminated, truncated, _ = envs.step(actions)
    ended = np.flatnonzero(terminated | truncated)
    if len(ended):
        envs.reset(ended)


def send_and_recv(pool: Any) -> Callable[[np.ndarray], object]:
    """Steps those that came last, and waits for as many."""
    pool.async_reset()
    env_id = pool.recv()[4]["env_id"]

    def step(actions: np.ndarray) -> None:
        nonlocal env_id
        pool.send(actions, env_id)
        env_id = pool.recv()[4]["env_id"]

    return step
