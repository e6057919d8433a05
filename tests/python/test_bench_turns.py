"""Sides of the benchmarks: what fails is told, and who is not asked is stopped."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.cases import Case
from tests.bench.turns import Side, orderly_end, take_turns
from tests.bench.worker import memory_of_tree

CARTPOLE = Case(task="CartPole-v1", num_envs=8, batch_size=8, others=("ale-py", "poolkit, async"))


def test_side_that_fails_is_told_and_the_others_answer() -> None:
    answers = take_turns(CARTPOLE, 2, "reset", 0, True)
    assert list(answers.of) == ["poolkit"]
    assert len(answers.of["poolkit"]) == 2
    assert "ROM" in answers.errors["ale-py"]
    assert "AssertionError" in answers.errors["poolkit, async"]  # has no seeded reset


def test_side_is_stopped_while_it_is_not_asked() -> None:
    with closing(Side("poolkit", CARTPOLE)) as side:
        side.wait_until_ready()
        for _ in range(2):
            state = Path(f"/proc/{side.process.pid}/stat").read_text().rpartition(") ")[2][0]
            assert state == "T"
            assert len(side.ask("latency", 0, 20)) >= 20


def test_a_bench_that_is_ended_closes_its_sides() -> None:
    with pytest.raises(SystemExit), orderly_end(), closing(Side("poolkit", CARTPOLE)) as side:
        signal.raise_signal(signal.SIGTERM)
    assert side.process.returncode == -signal.SIGKILL


def test_memory_is_that_of_the_tree_of_processes() -> None:
    hold = "import sys; held = bytearray(30 << 20); print(flush=True); sys.stdin.read()"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    before = memory_of_tree(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as tree:
        assert tree.stdout is not None
        tree.stdout.readline()
        assert memory_of_tree(os.getpid()) - before > 30 << 20
        tree.communicate()
