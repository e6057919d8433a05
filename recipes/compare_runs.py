"""Puts several runs of a recipe into one picture, and what came of them into one JSON file.

    python recipes/compare_runs.py runs/CartPole-v1__ppo__* --out ppo_cartpole

makes `ppo_cartpole.png` and `ppo_cartpole.json`.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro


@dataclass
class Args:
    runs: tyro.conf.Positional[list[Path]]
    """the runs' folders"""
    out: Path = Path("runs")
    """where the two files go, without their suffix"""
    title: str = ""
    """above the picture; by default the recipe and the environment"""


if __name__ == "__main__":
    ARGS = tyro.cli(Args, description=__doc__)  # before the heavy imports

import torch  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from poolkit.adapters.cleanrl.run import Curve  # noqa: E402


def main(args: Args) -> None:
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    results: list[dict[str, Any]] = []
    for run in sorted(args.runs):
        arguments = json.loads((run / "args.json").read_text())
        curve = Curve()
        curve.load_state_dict(torch.load(run / "checkpoint.pt", weights_only=True)["curve"])
        means = curve.mean_returns()
        axes.plot([game.step for game in curve.games], means, label=f"seed {arguments['seed']}")
        for name in ("runs_dir", "resume"):
            del arguments[name]
        summary = json.loads((run / "summary.json").read_text())
        evaluation = summary["evaluation_returns"]
        mean = round(sum(evaluation) / len(evaluation), 2) if evaluation else None
        results.append({"args": arguments, **summary, "mean_evaluation_return": mean})
    axes.set_xlabel("agent steps")
    axes.set_ylabel("return, mean of the last 20 games")
    axes.grid(alpha=0.3)
    axes.legend()
    axes.set_title(args.title or f"{results[0]['args']['exp_name']}, {results[0]['env_id']}")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(args.out.with_suffix(".png"), dpi=110)
    args.out.with_suffix(".json").write_text(json.dumps(results, indent=2))
    for result in results:
        print(f"seed {result['seed']}: {result['mean_evaluation_return']} in the evaluation")


if __name__ == "__main__":
    main(ARGS)
