"""The compiled half of poolkit: the engine, and the built-in environments as capsules."""

from collections.abc import Callable, Sequence
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
    @staticmethod
    def mixed(each: list[EnvType]) -> EnvType: ...
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

class Workers:
    """Threads that step the environments of several pools."""

    def __init__(self, num_threads: int, affinity: list[list[int]]) -> None: ...
    @property
    def num_threads(self) -> int: ...

class Pool:
    """Environments of one type, stepped by worker threads."""

    def __init__(
        self,
        env_type: EnvType,
        *,
        num_envs: int,
        batch_size: int,
        num_threads: int,
        affinity: list[list[int]],
        autoreset: str,
        max_episode_steps: int,
        seed: int | list[int],
        workers: Workers | None = None,
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
        seeds: list[int | None] | None = None,
    ) -> None: ...
    def observe(self, env_id: ArrayLike | None = None) -> tuple[Any, dict[str, Any]]: ...
    def drain(self) -> None: ...
    def finish(self) -> None: ...
    def idle(self, env_id: ArrayLike | None = None) -> list[int]: ...
    def render(self, env_id: int) -> NDArray[np.uint8]: ...
    def save(self, env_id: ArrayLike | None = None) -> list[bytes]: ...
    def load(self, env_id: ArrayLike | None, states: Sequence[bytes]) -> None: ...
    def stats(self) -> dict[str, Any]: ...
    def close(self, timeout: float | None = None) -> None: ...
    @property
    def pending(self) -> int: ...
    @property
    def closed(self) -> bool: ...

class Segment:
    """Memory that a pool shares with workers of Python environments."""

    def __init__(
        self,
        observation: Sequence[Any],
        action: Sequence[Any],
        *,
        num_envs: int,
        num_workers: int,
        eager: bool,
        spin: int,
        memory: int = -1,
        bell: int = -1,
    ) -> None: ...
    @property
    def memory(self) -> int: ...
    @property
    def bell(self) -> int: ...
    def first(self, worker: int) -> int: ...

class Fleet:
    """The pool's side of workers of Python environments."""

    def __init__(
        self,
        segment: Segment,
        watched: list[int],
        start: Callable[[int], int],
        describe_end: Callable[[int], str],
        end: Callable[[], None],
    ) -> None: ...
    def env_type(self) -> EnvType: ...
    def call(self, ids: list[int], question: bytes) -> list[tuple[int, bytes]]: ...
    def attach(self, id: int, question: bytes) -> None: ...  # noqa: A002
    def message(self, id: int, before: bool = False) -> bytes: ...  # noqa: A002
    def with_messages(self, ids: NDArray[np.int32]) -> list[int]: ...

class Seat:
    """A worker's side: yields 4 * env + task."""

    def __init__(
        self,
        segment: Segment,
        worker: int,
        observation_dtypes: Sequence[np.dtype[Any]],
        action_dtypes: Sequence[np.dtype[Any]],
    ) -> None: ...
    def __iter__(self) -> Seat: ...
    def __next__(self) -> int: ...
    def action(self, id: int) -> Any: ...  # noqa: A002
    def seed(self, id: int) -> int: ...  # noqa: A002
    def question(self, id: int) -> bytes: ...  # noqa: A002
    def outcome(
        self,
        id: int,  # noqa: A002
        observation: Any,
        reward: Any,
        terminated: Any,
        truncated: Any,
        message: bytes,
    ) -> None: ...
    def failure(self, id: int, message: str) -> None: ...  # noqa: A002
    def reply(self, id: int, message: bytes, failed: bool) -> None: ...  # noqa: A002

class Emulator:
    """One Atari 2600 game, as ale_py.ALEInterface plays it, bit for bit."""

    def __init__(self, game: str, rom: bytes) -> None: ...
    def __copy__(self) -> Emulator: ...
    def act(self, action: int, frames: int = 1, strength: float = 1.0) -> int: ...
    def reset(self) -> None: ...
    def reboot(self, random_seed: int = 0, repeat_action_probability: float = 0.0) -> None: ...
    def set_mode(self, mode: int) -> None: ...
    def set_difficulty(self, difficulty: int) -> None: ...
    @property
    def lives(self) -> int: ...
    @property
    def game_over(self) -> bool: ...
    @property
    def minimal_actions(self) -> list[int]: ...
    @property
    def modes(self) -> list[int]: ...
    @property
    def difficulties(self) -> list[int]: ...
    def ram(self) -> NDArray[np.uint8]: ...
    def set_ram(self, index: int, value: int) -> None: ...
    def screen(self) -> NDArray[np.uint8]: ...
    def screen_rgb(self) -> NDArray[np.uint8]: ...
    def save(self) -> bytes: ...
    def load(self, state: bytes) -> None: ...

class Preprocessor:
    """Two frames of palette numbers, made to one picture."""

    def __init__(
        self,
        screen_height: int = 210,
        height: int = 84,
        width: int = 84,
        *,
        gray: bool = True,
        pal: bool = False,
        portable: bool = False,
    ) -> None: ...
    def run(self, frame: NDArray[np.uint8], next: NDArray[np.uint8]) -> NDArray[np.uint8]: ...  # noqa: A002

def die_with(process: int) -> None:
    """Kill this process as soon as that of a pidfd has ended, whatever this one is at."""

def options_of(capsule: object) -> list[OptionInfo]:
    """The options that an environment declares."""

def nest(names: list[str], values: list[Any]) -> Any:
    """The dicts and tuples that names like 'arm/angle' stand for, with the values in them."""

def own_state(state: bytes) -> bytes:
    """What the environment's own save() wrote, of the bytes that Pool.save gave."""

def atari_games() -> list[str]:
    """The games that envs.Atari plays, by the names of their ROMs."""

def usable_cpu_count() -> int:
    """How many CPUs this process may really use: the affinity mask and the cgroup's quota."""
