"""Steps per second of poolkit and of its peers, side by side in one run.

    python -m tests.bench --out build/bench.json

The sides of a case take turns in short rounds, so that a noisy machine is noisy for all. A ratio is
the median, over the rounds, of our rate by theirs in the same round; beside it stands the range in
which half of the rounds lie.
"""

import argparse
import contextlib
import json
import os
import platform
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from .cases import CASES, Case

LIBRARIES = ("poolkit", "envpool", "ale-py", "gymnasium", "stable-baselines3", "tianshou")

PATIENCE = 60.0
"""Seconds after which a side that says nothing is given up."""


class SideError(Exception):
    """A side crashed, hung or refused its options."""


class Side:
    """A library's process for one case."""

    def __init__(self, library: str, case: Case) -> None:
        self.library = library
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.worker", library, json.dumps(asdict(case))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        self._answer()

    def measure(self, seconds: float) -> float:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            print(seconds, file=self.process.stdin, flush=True)
        return float(self._answer(seconds))

    def close(self) -> None:
        """Ends its own subprocesses, too: they would hold our pipes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def _answer(self, seconds: float = 0.0) -> str:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        if not select.select([self.process.stdout], [], [], PATIENCE + seconds)[0]:
            self.close()
            raise SideError(f"{self.library}: no answer in {PATIENCE:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            said = self.process.stderr.read().strip().splitlines()
            raise SideError(f"{self.library}: {said[-1] if said else 'died without a word'}")
        return line


def run_case(case: Case, rounds: int, seconds: float) -> dict[str, Any]:
    """The rates of each side and our ratio to each peer; where a side fails, its error."""
    sides: dict[str, Side] = {}
    rates: dict[str, list[float]] = {}
    errors: dict[str, str] = {}

    @contextlib.contextmanager
    def may_fail(library: str) -> Iterator[None]:
        try:
            yield
        except SideError as error:
            errors[library] = str(error)
            sides.pop(library, None)
            rates.pop(library, None)

    try:
        for library in case.sides:
            with may_fail(library):
                sides[library] = Side(library, case)
        for turn in range(rounds):
            # Back and forth: none is always the first after another.
            for library in list(sides)[:: 1 if turn % 2 == 0 else -1]:
                with may_fail(library):
                    rates.setdefault(library, []).append(sides[library].measure(seconds))
    finally:
        for side in sides.values():
            side.close()
    ours = np.array(rates.get("poolkit", []))
    ratios = {
        peer: spread(ours / np.array(rates[peer]))
        for peer in case.targets
        if peer in rates and len(ours)
    }
    return {
        "case": case.name,
        **asdict(case),
        "rounds": rounds,
        "seconds": seconds,
        "ratios": ratios,
        "steps_per_second": {
            library: spread(np.array(values)) for library, values in rates.items()
        },
        "errors": errors,
    }


def spread(values: np.ndarray) -> dict[str, float]:
    low, median, high = np.percentile(values, [25, 50, 75])
    return {"median": float(median), "low": float(low), "high": float(high)}


def tables_of(results: list[dict[str, Any]]) -> tuple[Table, Table]:
    """Ratios, then rates."""
    peers = list(dict.fromkeys(peer for result in results for peer in result["targets"]))
    ratios = Table("work", title="poolkit is so many times faster than")
    rates = Table("work", title="steps/s")
    for peer in peers:
        ratios.add_column(peer, justify="right")
    for library in ("poolkit", *peers):
        rates.add_column(library, justify="right")
    for result in results:
        ratios.add_row(result["case"], *(ratio_cell(result, peer) for peer in peers))
        medians = {library: rate["median"] for library, rate in result["steps_per_second"].items()}
        cells = [f"{medians[side]:,.0f}" if side in medians else "" for side in ("poolkit", *peers)]
        rates.add_row(result["case"], *cells)
    for group in dict.fromkeys(result["group"] for result in results if result["group"]):
        means = geometric_means([result for result in results if result["group"] == group])
        cells = [f"[bold]{means[peer]:.1f}[/]" if peer in means else "" for peer in peers]
        ratios.add_row(f"{group}: geometric mean", *cells)
    return ratios, rates


def geometric_means(results: list[dict[str, Any]]) -> dict[str, float]:
    """Of the ratios to each peer that was measured in all of them."""
    return {
        peer: float(np.exp(np.mean([np.log(r["ratios"][peer]["median"]) for r in results])))
        for peer in results[0]["targets"]
        if all(peer in r["ratios"] for r in results)
    }


def ratio_cell(result: dict[str, Any], peer: str) -> str:
    if peer not in result["targets"]:
        return ""
    if peer not in result["ratios"]:
        return "[red]failed[/]"
    ratio, target = result["ratios"][peer], result["targets"][peer]
    missed = "" if ratio["median"] >= target else f" [red]< {target:g}[/]"
    return f"[bold]{ratio['median']:.1f}[/] ({ratio['low']:.1f}-{ratio['high']:.1f}){missed}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="poolkit beside EnvPool, ale-py, Gymnasium, SB3 and Tianshou.",
    )
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"), help="the JSON file")
    parser.add_argument("--only", default="", help="only cases whose name contains this text")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each side in a case")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn")
    parser.add_argument("--quick", action="store_true", help="a smoke test: 2 turns of 0.1 s")
    args = parser.parse_args()
    rounds, seconds = (2, 0.1) if args.quick else (args.rounds, args.seconds)
    cases = [case for case in CASES if args.only.lower() in case.name.lower()]
    if not cases:
        parser.error(f"--only {args.only!r}: no such case; there are {[c.name for c in CASES]}")

    console = Console()
    results = [
        run_case(case, rounds, seconds) for case in track(cases, "measuring", console=console)
    ]
    for table in tables_of(results):
        console.print(table)
    for result in results:
        if result["num_envs"] == 1 and "poolkit" in result["steps_per_second"]:
            batch = 1e6 / result["steps_per_second"]["poolkit"]["median"]
            console.print(f"{result['case']}: a batch of 1 env takes {batch:.1f} us", markup=False)
        for error in result["errors"].values():
            console.print(f"{result['case']}: {error}", markup=False)
    report = {
        "machine": {"cpu": cpu_model(), "cpus": len(os.sched_getaffinity(0))},
        "python": platform.python_version(),
        "versions": {name: version(name) for name in LIBRARIES},
        "results": results,
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(report, indent=2))
    console.print(f"{args.out}: all figures")
    return 0


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    sys.exit(main())
