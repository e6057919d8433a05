"""`make_python`: a pool of anybody's Python environments."""

import pickle
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Literal, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from .. import _core
from ..checks import expect_int, expect_int_or_none
from ..config import PoolConfig
from ..errors import EnvError
from ..seeds import pool_seed
from .staff import CONTEXTS, Processes, Threads
from .vector_env import PythonVectorEnv
from .worker import EnvFn, Infos, Report

MOST_WORKERS = 1024


def make_python(
    env_fns: Sequence[EnvFn] | str,
    num_envs: int | None = None,
    *,
    batch_size: int | None = None,
    num_workers: int | None = None,
    workers: Literal["process", "thread"] = "process",
    context: str = "forkserver",
    seed: SupportsIndex | Sequence[SupportsIndex] | None = 42,
    max_episode_steps: int | None = None,
    autoreset: str | AutoresetMode = "next_step",
    infos: str | Collection[str] = "all",
    **options: Any,
) -> PythonVectorEnv:
    """A vector environment of Python environments, stepped in worker processes.

    Args:
        env_fns: Functions without arguments, each of which makes an environment; or an id for
            `gymnasium.make`. Lambdas and closures are fine.
        num_envs: How many environments, for an id or where there is one function.
        batch_size: How many results make a batch; fewer than num_envs: asynchronous.
        num_workers: How many processes or threads; by default min(num_envs, CPUs that this
            process may really use). More are of use where environments wait for something.
        workers: "process"; or "thread", for environments that let the GIL go while they step.
        context: How processes start, as in `multiprocessing`: "forkserver", "spawn" or "fork".
        seed: As for `make`; each environment's first reset gets a seed of 32 bits drawn from it.
        max_episode_steps: Truncates after so many steps. For an id it replaces the registered
            limit (0: none); for functions it comes on top of limits of their own.
        autoreset: "next_step", "same_step" or "disabled"; Gymnasium's AutoresetMode too.
        infos: Which of the environments' infos come: "all", "none", "final" (those of steps that
            end an episode), or a list of names.
        **options: What else `gymnasium.make` takes, with an id.

    Raises:
        TypeError: For a value of the wrong type.
        ValueError: For a value that is not accepted, or environments with different spaces.
        EnvError: If an environment cannot be built.
        RuntimeError: If processes cannot start, or elsewhere than on Linux.

    >>> envs = make_python("CartPole-v1", num_envs=2, workers="thread")
    >>> obs, info = envs.reset(seed=0)
    >>> obs, reward, terminated, truncated, info = envs.step(np.array([0, 1]))
    >>> obs.shape
    (2, 4)
    >>> envs.close()
    """
    if not hasattr(_core, "Fleet"):
        raise RuntimeError("make_python: Python environments in workers need Linux")
    if workers not in ("process", "thread"):
        raise ValueError(f"workers: {workers!r} must be 'process' or 'thread'")
    if context not in CONTEXTS:
        raise ValueError(f"context: {context!r} must be one of {list(CONTEXTS)}")
    expect_int_or_none("max_episode_steps", max_episode_steps, 0, 2**31 - 1)
    limit = max_episode_steps or 0
    if isinstance(env_fns, str):
        if max_episode_steps is not None:
            options["max_episode_steps"] = max_episode_steps or -1
            limit = 0  # its wrapper keeps it
        env_fns = [partial(gymnasium.make, env_fns, **options)]
    elif options:
        raise TypeError(f"{', '.join(options)}: options are for an id, not for functions")
    fns = _one_each(env_fns, num_envs)
    config = PoolConfig(
        num_envs=len(fns),
        batch_size=batch_size,
        num_threads=1,
        seed=_small(pool_seed(seed, len(fns)), len(fns)),
        max_episode_steps=limit,
        autoreset=autoreset,
    )
    expect_int_or_none("num_workers", num_workers, 1, MOST_WORKERS)
    count = min(num_workers or _core.usable_cpu_count(), len(fns))
    wanted = _infos(infos)
    shares = [fns[w * len(fns) // count : (w + 1) * len(fns) // count] for w in range(count)]
    staff = Processes(shares, context) if workers == "process" else Threads(shares)
    told = staff.open()
    try:
        reports = _checked(told, shares)
        return PythonVectorEnv(staff, reports, config, wanted, count)
    except BaseException:
        staff.end()
        raise


def _one_each(env_fns: Any, num_envs: int | None) -> list[Callable[[], Any]]:
    if callable(env_fns):
        env_fns = [env_fns]
    if isinstance(env_fns, bytes) or not isinstance(env_fns, Sequence):
        kind = type(env_fns).__name__
        raise TypeError(f"env_fns: must be a list of functions or an id, not {kind}")
    for k, env_fn in enumerate(env_fns):
        if not callable(env_fn):
            raise TypeError(f"env_fns: [{k}] must be a function, not {type(env_fn).__name__}")
    if num_envs is None:
        num_envs = len(env_fns)
    expect_int("num_envs", num_envs, 1, 2**24)
    if len(env_fns) == 1:
        return list(env_fns) * num_envs
    if len(env_fns) != num_envs:
        raise ValueError(f"num_envs: {num_envs} must be the number of env_fns, {len(env_fns)}")
    return list(env_fns)


def _small(seed: int | list[int], num_envs: int) -> list[int]:
    """What an int stands for, in seeds that every library takes: of 32 bits."""
    if isinstance(seed, list):
        return seed
    each = (np.random.SeedSequence(seed, spawn_key=(env,)) for env in range(num_envs))
    return [int(sequence.generate_state(1)[0]) for sequence in each]


def _infos(infos: str | Collection[str]) -> Infos:
    if isinstance(infos, str):
        if infos not in ("all", "none", "final"):
            raise ValueError(f"infos: {infos!r} must be 'all', 'none', 'final' or a list of names")
        return infos
    if not isinstance(infos, Collection) or not all(isinstance(name, str) for name in infos):
        raise TypeError(f"infos: must be 'all', 'none', 'final' or a list of names, not {infos!r}")
    return frozenset(infos)


def _checked(told: Sequence[Sequence[Report]], shares: Sequence[Sequence[EnvFn]]) -> list[Report]:
    """The reports of all environments, which are built, and alike."""
    reports: list[Report] = []
    for of_worker, share in zip(told, shares, strict=True):
        if error := of_worker[-1].error:
            raise EnvError(len(reports) + len(of_worker) - 1, error)
        assert len(of_worker) == len(share)
        reports += of_worker
    for env, report in enumerate(reports):
        for what in ("observation_space", "action_space"):
            own, first = getattr(report, what), getattr(reports[0], what)
            if not _alike(own, first):
                raise ValueError(
                    f"env_fns: env {env} has {what} {own}, env 0 has {first}; all must be the same"
                )
    return reports


def _alike(own: Any, first: Any) -> bool:
    """Whether spaces are equal; to compare the bounds of large images takes seconds."""
    return own is first or pickle.dumps(own) == pickle.dumps(first) or bool(own == first)
