"""`make`: a pool of a registered environment, behind the front end that was asked for."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Literal, SupportsIndex, overload

from gymnasium.vector import AutoresetMode

from .config import PoolConfig
from .dm_front_end import DmVectorEnv
from .gym_front_end import GymVectorEnv
from .gymnasium_env import GymnasiumVectorEnv
from .python_envs import make_python
from .registry import Choice, Entry, find
from .workers import Workers

ENV_TYPES = ("gymnasium", "dm", "gym")
PYTHON = "gymnasium:"


@overload
def make(
    task: str, env_type: Literal["gymnasium"] = ..., **arguments: Any
) -> GymnasiumVectorEnv: ...
@overload
def make(task: str, env_type: Literal["dm"], **arguments: Any) -> DmVectorEnv: ...
@overload
def make(task: str, env_type: Literal["gym"], **arguments: Any) -> GymVectorEnv: ...
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
    workers: Workers | str | None = None,
    squeeze: bool = False,
    options: Sequence[Mapping[str, Any]] | None = None,
    **common: Any,
) -> GymnasiumVectorEnv | DmVectorEnv | GymVectorEnv:
    """A vector environment of `num_envs` environments of one kind.

    Args:
        task: A name of `list_all_envs`, or "module:name", where importing the module registers it;
            or "gymnasium:id" for any environment that `gymnasium.make` makes, which takes the
            arguments of `make_python` besides those of its own.
        env_type: The front end: "gymnasium", "dm" (dm_env) or "gym" (gym before 0.26, as EnvPool).
        num_envs: How many environments.
        batch_size: How many results make a batch; by default num_envs, which is lock-step. With
            fewer the pool is asynchronous: a batch holds those that finish first.
        num_threads: Threads that step, a helping caller counted; by default min(batch_size, CPUs
            that this process may really use).
        thread_affinity_offset: k >= 0 runs worker i on the (k + i)-th allowed CPU only.
        affinity: The CPUs to run workers on in turn; or "numa": workers are spread over the NUMA
            nodes, and each env is built and stepped on its own node, where its memory lies.
        seed: An int gives each env a stream of its own; a sequence seeds env i with its entry;
            None draws one.
        max_episode_steps: Truncates after so many steps; 0: never; None: the environment's own.
        autoreset: "next_step", "same_step" or "disabled"; Gymnasium's AutoresetMode too.
        render_mode: None, "rgb_array" (`render` gives pictures), "human" (a window shows them) or,
            for toy text, "ansi" (`render` gives texts).
        workers: Threads that several pools share, instead of num_threads and affinity. With
            "gymnasium:id", "process" or "thread".
        squeeze: With "dm" and num_envs=1: TimeSteps without the axis of the envs.
        options: One dict an env, of options that are its own; "task" there names another
            registration of the same environment. The spaces must agree.
        **common: Options of all envs; see `make_spec`.

    Raises:
        TypeError: For an unknown option, or a value of the wrong type.
        ValueError: For an unknown task or a value that is not accepted.
        EnvError: If an environment cannot be built.

    >>> make("CartPole-v1", num_envs=64, batch_size=16).observation_space.shape
    (16, 4)
    """
    if env_type not in ENV_TYPES:
        raise ValueError(f"env_type: {env_type!r} must be one of {list(ENV_TYPES)}")
    if not isinstance(squeeze, bool):
        raise TypeError(f"squeeze: must be a bool, not {type(squeeze).__name__}")
    if squeeze and env_type != "dm":
        raise ValueError("squeeze: is for env_type='dm' only")
    if isinstance(task, str) and task.startswith(PYTHON):
        for name, value, usual in (
            ("num_threads", num_threads, None),
            ("thread_affinity_offset", thread_affinity_offset, -1),
            ("affinity", affinity, None),
            ("options", options, None),
        ):
            if value != usual:
                raise TypeError(f"{name}: is not for Python environments; see make_python")
        if workers is not None:
            common["workers"] = workers
        if render_mode is not None:
            common["render_mode"] = render_mode
        python = make_python(
            task.removeprefix(PYTHON),
            num_envs,
            batch_size=batch_size,
            seed=seed,
            max_episode_steps=max_episode_steps,
            autoreset=autoreset,
            **common,
        )
        return _behind(python, env_type, squeeze)
    if isinstance(workers, str):
        raise TypeError("workers: must be poolkit.Workers, not str")
    chosen = _choices(task, common, options, num_envs)
    limit = chosen[0].entry.max_episode_steps
    config = PoolConfig(
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        thread_affinity_offset=thread_affinity_offset,
        affinity=affinity,
        seed=seed,
        max_episode_steps=limit if max_episode_steps is None else max_episode_steps,
        autoreset=autoreset,
        workers=workers,
    )
    return _behind(GymnasiumVectorEnv(chosen, config, render_mode), env_type, squeeze)


def _behind(
    envs: GymnasiumVectorEnv, env_type: str, squeeze: bool
) -> GymnasiumVectorEnv | DmVectorEnv | GymVectorEnv:
    """The front end of a pool that was asked for."""
    if env_type == "dm":
        return DmVectorEnv(envs, squeeze=squeeze)
    return GymVectorEnv(envs) if env_type == "gym" else envs


def _choices(
    task: str,
    common: dict[str, Any],
    own: Sequence[Mapping[str, Any]] | None,
    num_envs: int,
) -> list[Choice]:
    """The only choice, or one for each env."""
    if own is None:
        return [find(task).choose(common, _ARGUMENTS)]
    if isinstance(own, str | Mapping) or not isinstance(own, Sequence):
        raise TypeError(f"options: must be a list, a dict for each env, not {type(own).__name__}")
    if len(own) != num_envs:
        raise ValueError(f"options: has {len(own)} entries; must have {num_envs}, one for each env")
    return [_own_choice(find(task), common, its, env) for env, its in enumerate(own)]


def _own_choice(entry: Entry, common: dict[str, Any], own: Mapping[str, Any], env: int) -> Choice:
    if not isinstance(own, Mapping):
        raise TypeError(f"options[{env}]: must be a dict, not {type(own).__name__}")
    options = {**common, **own}
    other = options.pop("task", entry.name)
    try:
        its = find(other)
        if its.env is not entry.env:
            raise ValueError(f"{other} is another environment than {entry.name}")
        return its.choose(options)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"options[{env}]: {error}") from None


_ARGUMENTS = tuple(
    name
    for name, parameter in inspect.signature(make).parameters.items()
    if parameter.kind is not parameter.VAR_KEYWORD
)


def make_gymnasium(task: str, **arguments: Any) -> GymnasiumVectorEnv:
    """`make(task, "gymnasium", ...)`.

    >>> make_gymnasium("CartPole-v1", num_envs=2).num_envs
    2
    """
    return make(task, "gymnasium", **arguments)


def make_dm(task: str, **arguments: Any) -> DmVectorEnv:
    """`make(task, "dm", ...)`.

    >>> make_dm("CartPole-v1", squeeze=True).reset().observation.shape
    (4,)
    """
    return make(task, "dm", **arguments)


def make_gym(task: str, **arguments: Any) -> GymVectorEnv:
    """`make(task, "gym", ...)`.

    >>> make_gym("CartPole-v1", num_envs=2).reset().shape
    (2, 4)
    """
    return make(task, "gym", **arguments)
