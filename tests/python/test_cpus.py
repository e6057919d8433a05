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


def test_numa_takes_from_each_node_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for node, cpulist in enumerate(["0-3", "4-6", ""]):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}" / "cpulist").write_text(cpulist + "\n")
    monkeypatch.setattr(cpus, "_NODES", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 3, 4, 6})
    assert worker_cpus("numa", -1) == [0, 4, 1, 6, 3]


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
