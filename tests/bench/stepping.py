"""How a side's environments are stepped and reset."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

Step = Callable[[np.ndarray], object]
Reset = Callable[[int | None], object]


@dataclass(frozen=True)
class Envs:
    """A library's environments, opened."""

    step: Step
    """Steps a batch with these actions."""
    reset: Reset
    """Resets all, with a seed or none. The first one hands out the first observations."""


def lockstep(pool: Any) -> Envs:
    return Envs(pool.step, partial(reset_all, pool))


def reset_all(pool: Any, seed: int | None) -> object:
    return pool.reset() if seed is None else pool.reset(seed=seed)


def send_and_recv(pool: Any) -> Envs:
    """Steps those that came last, and waits for as many."""
    env_id = None

    def reset(seed: int | None) -> None:
        nonlocal env_id
        assert seed is None
        pool.async_reset()
        env_id = pool.recv()[4]["env_id"]

    def step(actions: np.ndarray) -> None:
        nonlocal env_id
        pool.send(actions, env_id)
        env_id = pool.recv()[4]["env_id"]

    return Envs(step, reset)


def in_parts(pool: Any, turns: int) -> Envs:
    """Lock-step, with actions for so many parts of a batch; each counts for what it is worth."""
    given: list[np.ndarray] = []

    def step(actions: np.ndarray) -> None:
        given.append(actions)
        if len(given) == turns:
            pool.step(np.concatenate(given))
            given.clear()

    return Envs(step, partial(reset_all, pool))


def with_resets(envs: Any) -> Envs:
    """As Tianshou's collector: who ended is reset."""

    def step(actions: np.ndarray) -> None:
        _, _, terminated, truncated, _ = envs.step(actions)
        ended = np.flatnonzero(terminated | truncated)
        if len(ended):
            envs.reset(ended)

    return Envs(step, partial(reset_all, envs))


def one_by_one(envs: list[Any]) -> Envs:
    """A loop in Python over single environments."""

    def reset(seed: int | None) -> object:
        return [env.reset(seed=None if seed is None else seed + i) for i, env in enumerate(envs)]

    def step(actions: np.ndarray) -> None:
        for env, action in zip(envs, actions, strict=True):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return Envs(step, reset)
