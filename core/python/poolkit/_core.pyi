"""The compiled half of poolkit: the engine, and the built-in environments as capsules."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

envs: ModuleType
"""The capsules of the built-in environments."""

class OptionInfo:
    """An option that an environment declares."""

    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def default(self) -> bool | int | float | str | bytes | None: ...

class ArrayInfo:
    """One named array of an environment, without the batch axis."""

    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def space(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def low(self) -> NDArray[Any] | None: ...
    @property
    def high(self) -> NDArray[Any] | None: ...

class EnvType:
    """An environment with its options chosen."""

    def __init__(self, capsule: object, options: dict[str, Any]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def observation(self) -> list[ArrayInfo]: ...
    @property
    def action(self) -> list[ArrayInfo]: ...
    @property
    def info(self) -> list[ArrayInfo]: ...
    @property
    def max_episode_steps(self) -> int: ...
    @property
    def light(self) -> bool: ...
    @property
    def can_render(self) -> bool: ...

class Pool:
    """Environments of one type, stepped by worker threads."""

    def __init__(
        self,
        env_type: EnvType,
        *,
        num_envs: int,
        batch_size: int,
        num_threads: int,
        affinity: list[int],
        autoreset: str,
        max_episode_steps: int,
        seeds: list[tuple[int, int | None]],
    ) -> None: ...
    def send(self, action: Any, env_id: ArrayLike | None = None) -> None: ...
    def recv(
        self, timeout: float | None = None
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]: ...
    def step(
        self, action: Any
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]: ...
    def reset(
        self,
        env_id: ArrayLike | None = None,
        seeds: list[tuple[int, int | None] | None] | None = None,
    ) -> None: ...
    def observe(self, env_id: ArrayLike | None = None) -> tuple[Any, dict[str, Any]]: ...
    def drain(self) -> None: ...
    def render(self, env_id: int) -> NDArray[np.uint8]: ...
    def save(self, env_id: int) -> bytes: ...
    def load(self, env_id: int, state: bytes) -> None: ...
    def close(self) -> None: ...
    @property
    def pending(self) -> int: ...
    @property
    def closed(self) -> bool: ...

def options_of(capsule: object) -> list[OptionInfo]:
    """The options that an environment declares."""

def nest(names: list[str], values: list[Any]) -> Any:
    """The dicts and tuples that names like 'arm/angle' stand for, with the values in them."""

def atari_games() -> list[str]:
    """The games that envs.Atari plays, by the names of their ROMs."""

def usable_cpu_count() -> int:
    """How many CPUs this process may really use: the affinity mask and the cgroup's quota."""
