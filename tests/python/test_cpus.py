"""CPUs: how many threads, and where they run."""

import os
from pathlib import Path

import numpy as np
import poolkit
import pytest
from poolkit import cpus
from poolkit.cpus import parse_cpus, worker_cpus

ALLOWED = sorted(os.sched_getaffinity(0))


def test_no_affinity_is_anywhere() -> None:
    assert worker_cpus(None, -1) == []


def test_offset_starts_within_the_allowed_cpus() -> None:
    assert worker_cpus(None, 0) == [ALLOWED]
    assert worker_cpus(None, len(ALLOWED) + 1)[0][0] == ALLOWED[1 % len(ALLOWED)]


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
TWELVE_NODES = [str(node) for node in range(12)]
A_NODE_OF_MEMORY_ONLY = ["0-3", "4-6", ""]


@pytest.mark.parametrize(
    ("cpulists", "allowed", "expected"),
    [
        (TWO_SOCKETS, range(16), [[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]]),
        (TWO_SOCKETS, [0, 1, 2, 12], [[0, 1, 2], [12]]),
        (TWO_SOCKETS, [5, 6], [[5, 6]]),
        (EIGHT_NODES, range(64), [list(range(8 * node, 8 * node + 8)) for node in range(8)]),
        (EIGHT_NODES, [63, 1, 0, 40], [[0, 1], [40], [63]]),
        (TWELVE_NODES, range(12), [[node] for node in range(12)]),
        (A_NODE_OF_MEMORY_ONLY, [0, 1, 3, 4, 6], [[0, 1, 3], [4, 6]]),
    ],
)
def test_numa_is_the_allowed_cpus_of_each_node(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cpulists: list[str],
    allowed: list[int],
    expected: list[list[int]],
) -> None:
    monkeypatch.setattr(cpus, "_NODES", topology(tmp_path, cpulists))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(allowed))
    assert worker_cpus("numa", -1) == expected


@pytest.mark.parametrize("batch_size", [9, 4])
def test_pool_over_nodes_does_what_any_pool_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_size: int
) -> None:
    nodes = [str(ALLOWED[0]), str(ALLOWED[-1])]  # on a machine of one CPU both are the same
    monkeypatch.setattr(cpus, "_NODES", topology(tmp_path, nodes))
    arguments = {"num_envs": 9, "batch_size": batch_size, "num_threads": 4}
    before = set(os.listdir("/proc/self/task"))
    with (
        poolkit.make("debug/Counter-v0", **arguments, affinity="numa") as envs,
        poolkit.make("debug/Counter-v0", **arguments) as plain,
    ):
        assert len(set(os.listdir("/proc/self/task")) - before) == 8
        rows = [play(pool) for pool in (envs, plain)]
        np.testing.assert_equal(*rows)
        assert envs.stats().worker_busy > 0


def play(envs: poolkit.GymnasiumVectorEnv) -> dict[int, list[list[int]]]:
    """What each env shows in 20 steps, wherever its rows come."""
    shown: dict[int, list[list[int]]] = {env: [] for env in range(envs.num_envs)}
    envs.async_reset(np.random.default_rng(0).permutation(envs.num_envs))
    while envs.pending:
        obs, _, _, _, info = envs.recv()
        for row, env in enumerate(info["env_id"].tolist()):
            shown[env].append(obs[row].tolist())
        more = [env for env in info["env_id"].tolist() if len(shown[env]) <= 20]
        envs.send([len(shown[env]) for env in more], more)
    return shown


@pytest.mark.parametrize("affinity", [[99], [0, 99], range(64, 70)])
def test_cpu_outside_the_allowed_set_is_refused(
    monkeypatch: pytest.MonkeyPatch, affinity: list[int]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)))
    with pytest.raises(ValueError, match="must be some of"):
        worker_cpus(affinity, -1)
    assert worker_cpus([63, 0], -1) == [[63, 0]]


def test_offset_counts_allowed_cpus_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 9})
    assert worker_cpus(None, 1) == [[5, 9, 3]]
    assert worker_cpus(None, 3) == [[3, 5, 9]]


def test_numa_without_nodes_is_all_allowed_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpus, "_NODES", tmp_path)
    assert worker_cpus("numa", -1) == [ALLOWED]


def test_both_kinds_of_affinity_contradict() -> None:
    with pytest.raises(ValueError, match="not both"):
        worker_cpus([ALLOWED[0]], 0)


@pytest.mark.parametrize(
    ("text", "expected"), [("0\n", [0]), ("0-1,4,6-7\n", [0, 1, 4, 6, 7]), ("\n", [])]
)
def test_kernels_notation_is_read(text: str, expected: list[int]) -> None:
    assert parse_cpus(text) == expected
