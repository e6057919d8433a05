"""The time that the same training takes over poolkit, EnvPool and Gymnasium's AsyncVectorEnv.

    python -m tests.bench.training --out docs/results/training.json

The algorithm, its hyperparameters and its seeds are those of a recipe; the environments are each
library's. The sides of a case take turns, seed by seed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from .turns import write_figures

PONG = ("--network", "nips", "--num-envs", "64")


@dataclass(frozen=True)
class Training:
    """A recipe, its arguments, and the libraries that can stand under it."""

    name: str
    recipe: str
    arguments: tuple[str, ...] = ()
    sides: tuple[str, ...] = ("poolkit", "EnvPool", "AsyncVectorEnv")


TRAININGS = (
    Training("CartPole, PPO, lock-step", "ppo"),
    Training("Pong, PPO, lock-step", "ppo_atari", (*PONG, "--batch-size", "64")),
    Training(
        "Pong, PPO, async 16 of 64",
        "ppo_atari",
        (*PONG, "--batch-size", "16"),
        ("poolkit", "EnvPool"),
    ),
)


def train(training: Training, side: str, seed: int, steps: int) -> dict[str, Any]:
    """One run: its time, and what it reached."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "tests.bench.training_side", side, training.recipe),
                *training.arguments,
                *("--seed", str(seed), "--total-timesteps", str(steps)),
                *("--eval-games", "0", "--runs-dir", folder),
            ],
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            check=True,
            capture_output=True,
        )
        (run,) = Path(folder).iterdir()
        summary = json.loads((run / "summary.json").read_text())
    return {
        "seed": seed,
        "steps": summary["steps"],
        "seconds": summary["seconds"],
        "mean_return_of_last_20_games": summary["mean_return_of_last_20_games"],
    }


HEAD = ("training", "library", "seconds", "steps/s", "poolkit is faster by")


def rows_of(results: list[dict[str, Any]]) -> list[list[str]]:
    """Under `HEAD`: medians over the seeds; a ratio is the median of those within a seed."""
    rows = []
    for result in results:
        ours = np.array([run["seconds"] for run in result["runs"]["poolkit"]])
        for side, runs in result["runs"].items():
            seconds = np.array([run["seconds"] for run in runs])
            rates = [run["steps"] / run["seconds"] for run in runs]
            rows.append(
                [
                    result["name"],
                    side,
                    f"{np.median(seconds):.0f}",
                    f"{np.median(rates):,.0f}",
                    "" if side == "poolkit" else f"{np.median(seconds / ours):.2f}×",
                ]
            )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.training", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/training.json"), help="JSON file")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of the runs")
    parser.add_argument("--steps", type=int, default=10_000, help="agent steps of each run")
    args = parser.parse_args()
    console = Console()
    results: list[dict[str, Any]] = [
        {
            "name": training.name,
            "recipe": training.recipe,
            "arguments": training.arguments,
            "runs": {side: [] for side in training.sides},
        }
        for training in TRAININGS
    ]
    turns = [
        (training, result["runs"][side], side, seed)
        for training, result in zip(TRAININGS, results, strict=True)
        for seed in args.seeds
        for side in training.sides
    ]
    for training, runs, side, seed in track(turns, "training", console=console):
        runs.append(train(training, side, seed, args.steps))
    table = Table(*HEAD)
    for row in rows_of(results):
        table.add_row(*row)
    console.print(table)
    write_figures(args.out, results)
    console.print(f"{args.out}: all figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
