"""`make`: a pool of a registered environment, behind the front end that was asked for."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

from gymnasium.vector import AutoresetMode

from .config import PoolConfig
from .gymnasium_env import GymnasiumVectorEnv
from .registry import find

ENV_TYPES = ("gymnasium",)


def make(
    task: str,
    env_type: str = "gymnasium",
    *,
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    thread_affinity_offset: int = -1,
    affinity: Sequence[int] | str | None = None,
    seed: SupportsIndex | Sequence[SupportsIndex] | None = 42,
    max_episode_steps: int | None = None,
    autoreset: str | AutoresetMode = "next_step",
    render_mode: str | None = None,
    **options: Any,
) -> GymnasiumVectorEnv:
    """A vector environment of `num_envs` environments of one kind.

    Args:
        task: A name of `list_all_envs`, or "module:name", where importing the module registers it.
        env_type: The front end: "gymnasium".
        num_envs: How many environments.
        batch_size: How many results make a batch; by default num_envs, which is lock-step. With
            fewer the pool is asynchronous: a batch holds those that finish first.
        num_threads: Threads that step, a helping caller counted; by default min(batch_size, CPUs
            that this process may really use).
        thread_affinity_offset: k >= 0 runs worker i on the (k + i)-th allowed CPU only.
        affinity: The CPUs to run workers on in turn, or "numa" to spread them over the nodes.
        seed: An int gives each env a stream of its own; a sequence seeds env i with its entry;
            None draws one.
        max_episode_steps: Truncates after so many steps; 0: never; None: the environment's own.
        autoreset: "next_step", "same_step" or "disabled"; Gymnasium's AutoresetMode too.
        render_mode: None or "rgb_array".
        **options: The environment's own options.

    Raises:
        TypeError: For an unknown option, or a value of the wrong type.
        ValueError: For an unknown task or a value that is not accepted.
        EnvError: If an environment cannot be built.

    >>> make("CartPole-v1", num_envs=64, batch_size=16).observation_space.shape
    (16, 4)
    """
    if env_type not in ENV_TYPES:
        raise ValueError(f"env_type: {env_type!r} must be one of {list(ENV_TYPES)}")
    entry = find(task)
    config = PoolConfig(
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        thread_affinity_offset=thread_affinity_offset,
        affinity=affinity,
        seed=seed,
        max_episode_steps=entry.max_episode_steps
        if max_episode_steps is None
        else max_episode_steps,
        autoreset=autoreset,
    )
    return GymnasiumVectorEnv(entry.env_type(options), config, render_mode)


def make_gymnasium(task: str, **arguments: Any) -> GymnasiumVectorEnv:
    """`make(task, "gymnasium", ...)`.

    >>> make_gymnasium("CartPole-v1", num_envs=2).num_envs
    2
    """
    return make(task, "gymnasium", **arguments)
