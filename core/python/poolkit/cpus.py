"""Which CPU each worker thread runs on."""

import operator
import os
from collections.abc import Sequence
from pathlib import Path

_NODES = Path("/sys/devices/system/node")


def worker_cpus(affinity: Sequence[int] | str | None, offset: int) -> list[int]:
    """CPUs that the workers take in turn, worker i the i-th; empty: they run anywhere.

    Args:
        affinity: The CPUs; or "numa" for all allowed ones, neighbours on different nodes.
        offset: With no affinity, the first worker's place among the allowed CPUs; -1: anywhere.

    Raises:
        ValueError: For a CPU that this process may not use, or if both are given.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if affinity is None:
        first = offset % len(allowed)
        return [] if offset == -1 else allowed[first:] + allowed[:first]
    if offset != -1:
        raise ValueError("give affinity or thread_affinity_offset, not both")
    if isinstance(affinity, str):
        if affinity != "numa":
            raise ValueError(f"affinity: {affinity!r} must be a list of CPUs or 'numa'")
        return _spread(allowed)
    try:
        cpus = [operator.index(cpu) for cpu in affinity]
    except TypeError:
        raise TypeError(f"affinity: {affinity!r} must be a list of CPUs or 'numa'") from None
    if not cpus or not set(cpus) <= set(allowed):
        raise ValueError(f"affinity: {cpus} must be some of {allowed}, allowed here")
    return cpus


def _spread(allowed: list[int]) -> list[int]:
    """Takes from each node in turn."""
    cpulists = sorted(_NODES.glob("node[0-9]*/cpulist"))
    nodes = [[cpu for cpu in parse_cpus(file.read_text()) if cpu in allowed] for file in cpulists]
    rounds = max((len(node) for node in nodes), default=0)
    order = [node[turn] for turn in range(rounds) for node in nodes if turn < len(node)]
    return order or allowed


def parse_cpus(text: str) -> list[int]:
    """Reads the kernel's notation for a set of CPUs.

    >>> parse_cpus("0-2,8")
    [0, 1, 2, 8]
    """
    cpus: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus
