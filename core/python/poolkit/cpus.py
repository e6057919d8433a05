"""Which CPU each worker thread runs on."""

import operator
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

_NODES = Path("/sys/devices/system/node")


def worker_cpus(affinity: Sequence[int] | str | None, offset: int) -> list[list[int]]:
    """The CPUs of each node that workers run on, nodes in turn; empty: they run anywhere.

    Args:
        affinity: The CPUs, which are then one node; or "numa" for all allowed ones by their nodes.
        offset: With no affinity, the first worker's place among the allowed CPUs; -1: anywhere.

    Raises:
        ValueError: For a CPU that this process may not use, or if both are given.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if affinity is None:
        first = offset % len(allowed)
        return [] if offset == -1 else [allowed[first:] + allowed[:first]]
    if offset != -1:
        raise ValueError("give affinity or thread_affinity_offset, not both")
    if isinstance(affinity, str):
        if affinity != "numa":
            raise ValueError(f"affinity: {affinity!r} must be a list of CPUs or 'numa'")
        return _nodes(allowed)
    try:
        if isinstance(affinity, bytes | Mapping) or any(isinstance(cpu, bool) for cpu in affinity):
            raise TypeError
        cpus = [operator.index(cpu) for cpu in affinity]
    except TypeError:
        raise TypeError(f"affinity: {affinity!r} must be a list of CPUs or 'numa'") from None
    if not cpus or not set(cpus) <= set(allowed):
        raise ValueError(f"affinity: {cpus} must be some of {allowed}, allowed here")
    return [cpus]


def _nodes(allowed: list[int]) -> list[list[int]]:
    """The allowed CPUs of each NUMA node that has some; without nodes, all."""
    files = sorted(_NODES.glob("node[0-9]*/cpulist"), key=lambda file: int(file.parent.name[4:]))
    nodes = [[cpu for cpu in parse_cpus(file.read_text()) if cpu in allowed] for file in files]
    return [node for node in nodes if node] or [allowed]


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
