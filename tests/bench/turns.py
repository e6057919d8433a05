"""Sides that take turns: each in a process of its own, none works while another is asked."""

import contextlib
import json
import os
import platform
import select
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Case

LIBRARIES = ("poolkit", "envpool", "ale-py", "gymnasium", "stable-baselines3", "tianshou")

ROOT = Path(__file__).parents[2]

INTERPRETERS = {"sample-factory": ROOT / ".venv" / "sample-factory" / "bin" / "python"}
"""Of the libraries that do not install beside the others. The Makefile makes them."""

PATIENCE = 300.0
"""Seconds after which a side that says nothing is given up."""


class SideError(Exception):
    """A side crashed, hung or refused its options."""


class Side:
    """A library's process for one case. Outside of `ask` it is stopped, and takes no CPU."""

    def __init__(self, name: str, case: Case) -> None:
        self.name = name
        interpreter = INTERPRETERS.get(name, Path(sys.executable))
        if not interpreter.exists():
            raise SideError(f"{name}: there is no {interpreter.relative_to(ROOT)}")
        arguments = [name, json.dumps(asdict(case)), str(case.num_actions)]
        # A pipe would fill up.
        self.said = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [interpreter, "-m", "tests.bench.worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            text=True,
            bufsize=1,
            start_new_session=True,
        )

    def wait_until_ready(self) -> None:
        """Sides may start together; then each is waited for."""
        self._answer()

    def ask(self, question: str, *arguments: Any) -> Any:
        """What the method of that name in worker.py returns."""
        assert self.process.stdin is not None
        os.killpg(self.process.pid, signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps([question, *arguments]), file=self.process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        """Ends its own subprocesses, too: they would hold our pipes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        self.said.close()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.close()
            raise SideError(f"{self.name}: no answer in {PATIENCE:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            self.said.seek(0)
            said = self.said.read().strip() or "died without a word"
            raise SideError(f"{self.name}: {said.splitlines()[-1]}")
        os.killpg(self.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return json.loads(line)


class Answers:
    """What each side answered, a list over the rounds; a side that failed has an error instead."""

    def __init__(self) -> None:
        self.of: dict[str, list[Any]] = {}
        self.errors: dict[str, str] = {}

    @contextlib.contextmanager
    def may_fail(self, side: str) -> Iterator[None]:
        try:
            yield
        except SideError as error:
            self.errors[side] = str(error)
            self.of.pop(side, None)

    def add(self, side: str, answer: Any) -> None:
        self.of.setdefault(side, []).append(answer)


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """SIGTERM raises: sides that are stopped would stay when we are gone."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit("SIGTERM"))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@orderly_end()
def take_turns(case: Case, rounds: int, question: str, *arguments: Any) -> Answers:
    """All sides stand ready, and are asked one after the other in each round."""
    answers = Answers()
    sides: dict[str, Side] = {}
    try:
        for name in case.sides:
            with answers.may_fail(name):
                sides[name] = Side(name, case)
        for name, side in sides.items():
            with answers.may_fail(name):
                side.wait_until_ready()
        for turn in range(rounds):
            # Back and forth: none is always the first after another.
            for name in list(sides)[:: 1 if turn % 2 == 0 else -1]:
                if name not in answers.errors:
                    with answers.may_fail(name):
                        answers.add(name, sides[name].ask(question, *arguments))
    finally:
        for side in sides.values():
            side.close()
    return answers


@orderly_end()
def open_in_turns(case: Case, rounds: int) -> Answers:
    """In each round each side starts anew, alone, and answers what that took."""
    answers = Answers()
    for _ in range(rounds):
        for name in case.sides:
            if name in answers.errors:
                continue
            with answers.may_fail(name), contextlib.closing(Side(name, case)) as side:
                side.wait_until_ready()
                answers.add(name, side.ask("cost_of_opening"))
    return answers


def spread(values: Any) -> dict[str, float]:
    low, median, high = np.percentile(values, [25, 50, 75])
    return {"median": float(median), "low": float(low), "high": float(high)}


def geometric_mean(results: list[dict[str, Any]], key: str, side: str) -> float | None:
    """Of a side's medians, if it was measured in all."""
    if not results or not all(side in result[key] for result in results):
        return None
    return statistics.geometric_mean(result[key][side]["median"] for result in results)


def write_figures(path: Path, figures: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=2))


def provenance() -> dict[str, Any]:
    """Where and with what something is measured."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "machine": {
            "cpu": cpu_model(),
            "cpus": len(os.sched_getaffinity(0)),
            "memory_gb": round(memory / 2**30),
            "system": f"{platform.system()} {platform.release()}",
        },
        "python": platform.python_version(),
        "versions": {name: version(name) for name in LIBRARIES},
    }


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
