"""How a pool runs its environments: the part of `make` that does not depend on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from gymnasium.vector import AutoresetMode

from . import _core
from .checks import expect_int, expect_int_or_none
from .cpus import worker_cpus
from .seeds import pool_seed
from .workers import MOST_THREADS, Workers


@dataclass(frozen=True, kw_only=True)
class PoolConfig:
    """The arguments of `make` with its defaults, checked.

    >>> PoolConfig(num_envs=8, batch_size=2).is_async
    True
    """

    num_envs: int = 1
    batch_size: int | None = None
    num_threads: int | None = None
    thread_affinity_offset: int = -1
    affinity: Sequence[int] | str | None = None
    seed: SupportsIndex | Sequence[SupportsIndex] | None = 42
    max_episode_steps: int | None = None
    autoreset: str | AutoresetMode = "next_step"
    workers: Workers | None = None

    def __post_init__(self) -> None:
        expect_int("num_envs", self.num_envs, 1, 2**31 - 1)
        expect_int("thread_affinity_offset", self.thread_affinity_offset, -1, 2**31 - 1)
        expect_int_or_none("batch_size", self.batch_size, 1, self.num_envs)
        expect_int_or_none("num_threads", self.num_threads, 1, MOST_THREADS)
        expect_int_or_none("max_episode_steps", self.max_episode_steps, 0, 2**31 - 1)
        _ = self.autoreset_mode
        if self.workers is None:
            return
        if not isinstance(self.workers, Workers):
            raise TypeError(f"workers: must be poolkit.Workers, not {type(self.workers).__name__}")
        own = (self.num_threads, self.affinity, self.thread_affinity_offset)
        if own != (None, None, -1):
            raise ValueError("workers: they have their own num_threads and affinity; give no other")

    @property
    def rows(self) -> int:
        """The batch size: how many results a `recv` waits for."""
        return self.batch_size or self.num_envs

    @property
    def is_async(self) -> bool:
        """Whether a batch holds fewer than all environments."""
        return self.rows < self.num_envs

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """Gymnasium's name of the autoreset mode."""
        if isinstance(self.autoreset, AutoresetMode):
            return self.autoreset
        modes = {mode.name.lower(): mode for mode in AutoresetMode}
        if not isinstance(self.autoreset, str) or self.autoreset not in modes:
            raise ValueError(f"autoreset: {self.autoreset!r} must be one of {list(modes)}")
        return modes[self.autoreset]

    def open(self, env_type: _core.EnvType) -> _core.Pool:
        """Build the environments and start the workers.

        Raises:
            EnvError: If an environment cannot be built.
        """
        limit = self.max_episode_steps
        return _core.Pool(
            env_type,
            num_envs=self.num_envs,
            batch_size=self.rows,
            num_threads=self.num_threads or min(self.rows, _core.usable_cpu_count(), MOST_THREADS),
            affinity=worker_cpus(self.affinity, self.thread_affinity_offset),
            autoreset=self.autoreset_mode.name.lower(),
            max_episode_steps=env_type.max_episode_steps if limit is None else limit,
            seed=pool_seed(self.seed, self.num_envs),
            workers=self.workers.core if self.workers else None,
        )
