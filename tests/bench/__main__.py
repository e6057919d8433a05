"""Steps per second of poolkit and of its peers, side by side in one run.

    python -m tests.bench --out build/bench.json

The sides of a case take turns in short rounds, so that a noisy machine is noisy for all. A ratio is
the median, over the rounds, of our rate by theirs in the same round; beside it stands the range in
which half of the rounds lie.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from .cases import CASES, Case
from .turns import geometric_mean, provenance, spread, take_turns, write_figures


def run_case(case: Case, rounds: int, seconds: float) -> dict[str, Any]:
    """The rates of each side and our ratio to each peer; where a side fails, its error."""
    answers = take_turns(case, rounds, "rate", seconds)
    ours = np.array(answers.of.get("poolkit", []))
    ratios = {
        peer: spread(ours / np.array(answers.of[peer]))
        for peer in case.targets
        if peer in answers.of and len(ours)
    }
    return {
        "case": case.name,
        **asdict(case),
        "rounds": rounds,
        "seconds": seconds,
        "ratios": ratios,
        "steps_per_second": {side: spread(rates) for side, rates in answers.of.items()},
        "errors": answers.errors,
    }


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
        games = [result for result in results if result["group"] == group]
        means = [geometric_mean(games, "ratios", peer) for peer in peers]
        cells = [f"[bold]{mean:.1f}[/]" if mean else "" for mean in means]
        ratios.add_row(f"{group}: geometric mean", *cells)
    return ratios, rates


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
    report = {**provenance(), "results": results}
    write_figures(args.out, report)
    console.print(f"{args.out}: all figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
