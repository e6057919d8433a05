"""Worker threads that several pools share."""

import operator
from collections.abc import Sequence
from typing import SupportsIndex

from . import _core
from .checks import expect_int
from .cpus import worker_cpus

MOST_THREADS = 4096
"""More for one pool is a mistake."""


class Workers:
    """Threads for `make(..., workers=...)`: pools that have them take turns.

    They end when the last pool that has them is closed and nothing else refers to them. Calling
    threads help with light environments as they do in a pool with workers of its own.

    Args:
        num_threads: How many; by default the CPUs that this process may really use.
        affinity: As for `make`.

    >>> import poolkit
    >>> workers = poolkit.Workers(2)
    >>> one, other = (poolkit.make("CartPole-v1", workers=workers) for _ in range(2))
    >>> workers.num_threads
    2
    """

    def __init__(
        self,
        num_threads: SupportsIndex | None = None,
        affinity: Sequence[int] | str | None = None,
    ) -> None:
        if num_threads is None:
            num_threads = min(_core.usable_cpu_count(), MOST_THREADS)
        expect_int("num_threads", num_threads, 1, MOST_THREADS)
        self.core = _core.Workers(operator.index(num_threads), worker_cpus(affinity, -1))

    @property
    def num_threads(self) -> int:
        """How many threads there are."""
        return self.core.num_threads
