"""CPUs: how many threads, and where they run."""

import os
from pathlib import Path

import poolkit
import pytest
from poolkit import cpus
from poolkit.cpus import parse_cpus, worker_cpus

ALLOWED = sorted(os.sched_getaffinity(0))


def test_no_affinity_is_anywhere() -> None:
    assert worker_cpus(None, -1) == []


def test_offset_starts_within_the_allowed_cpus() -> None:
    assert worker_cpus(None, 0) == ALLOWED
    assert worker_cpus(None, len(ALLOWED) + 1)[0] == ALLOWED[1 % len(ALLOWED)]


def test_workers_run_where_they_are_told() -> None:
    before = set(os.listdir("/proc/self/task"))
    with poolkit.make("debug/Slow-v0", num_envs=4, num_threads=3, affinity=[ALLOWED[-1]]):
        workers = set(os.listdir("/proc/self/task")) - before
        assert len(workers) == 3
        for worker in workers:
            while os.sched_getaffinity(int(worker)) != {ALLOWED[-1]}:  # until it has begun
                os.sched_yield()


def topology(root: Path, cpulists: list[str]) -> Path:
    """A machine's nodes as the kernel shows them."""
    for node, cpulist in enumerate(cpulists):
        (root / f"node{node}").mkdir()
        (root / f"node{node}" / "cpulist").write_text(cpulist + "\n")
    return root


TWO_SOCKETS = ["0-3,8-11", "4-7,12-15"]  # with hyper-threads
EIGHT_NODES = [f"{8 * node}-{8 * node + 7}" for node in range(8)]
A_NODE_OF_MEMORY_ONLY = ["0-3", "4-6", ""]


@pytest.mark.parametrize(
    ("cpulists", "allowed", "expected"),
    [
        (TWO_SOCKETS, range(16), [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]),
        (TWO_SOCKETS, [0, 1, 2, 12], [0, 12, 1, 2]),
        (TWO_SOCKETS, [5, 6], [5, 6]),
        (EIGHT_NODES, range(64), [8 * node + turn for turn in range(8) for node in range(8)]),
        (EIGHT_NODES, [63, 1, 0, 40], [0, 40, 63, 1]),
        (A_NODE_OF_MEMORY_ONLY, [0, 1, 3, 4, 6], [0, 4, 1, 6, 3]),
    ],
)
def test_numa_takes_from_each_node_in_turn(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cpulists: list[str],
    allowed: list[int],
    expected: list[int],
) -> None:
    monkeypatch.setattr(cpus, "_NODES", topology(tmp_path, cpulists))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(allowed))
    assert worker_cpus("numa", -1) == expected


@pytest.mark.parametrize("affinity", [[99], [0, 99], range(64, 70)])
def test_cpu_outside_the_allowed_set_is_refused(
    monkeypatch: pytest.MonkeyPatch, affinity: list[int]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)))
    with pytest.raises(ValueError, match="must be some of"):
        worker_cpus(affinity, -1)
    assert worker_cpus([63, 0], -1) == [63, 0]


def test_offset_counts_allowed_cpus_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 9})
    assert worker_cpus(None, 1) == [5, 9, 3]
    assert worker_cpus(None, 3) == [3, 5, 9]


def test_numa_without_nodes_is_all_allowed_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpus, "_NODES", tmp_path)
    assert worker_cpus("numa", -1) == ALLOWED


def test_both_kinds_of_affinity_contradict() -> None:
    with pytest.raises(ValueError, match="not both"):
        worker_cpus([ALLOWED[0]], 0)


@pytest.mark.parametrize(
    ("text", "expected"), [("0\n", [0]), ("0-1,4,6-7\n", [0, 1, 4, 6, 7]), ("\n", [])]
)
def test_kernels_notation_is_read(text: str, expected: list[int]) -> None:
    assert parse_cpus(text) == expected
