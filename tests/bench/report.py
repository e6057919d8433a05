"""Writes what `python -m tests.bench` measured into README.md and docs: tables and charts.

    python -m tests.bench.report

Each table stands between `<!-- bench: NAME -->` and `<!-- /bench -->`. A test renders the tables
again, and compares the charts' marks, so that the pages cannot differ from docs/results/*.json.
"""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import survey_report
from .projection import projection_table, projections
from .training import HEAD, rows_of
from .turns import geometric_mean
from .wording import Result, name_of, rate_of, ratio_of, table, with_spread, work_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
PAGES = (
    "README.md",
    "docs/performance.md",
    "docs/benchmarks.md",
    "docs/atari-speed.md",
    "docs/cleanrl.md",
)

Measured = dict[str, Any]
"""What the files of docs/results hold, by their names."""


def median_only(result: Result, peer: str) -> str:
    return with_spread(result, peer).partition(" (")[0]


def poolkit_rate(result: Result) -> str:
    return rate_of(result["steps_per_second"]["poolkit"]["median"])


def ratio_table(results: list[Result], cell: Callable[[Result, str], str], mean: str = "") -> str:
    """A row for each result: poolkit's rate, then the ratio to each peer."""
    peers = list(dict.fromkeys(peer for result in results for peer in result["targets"]))
    rows = [
        [work_of(result), poolkit_rate(result), *(cell(result, peer) for peer in peers)]
        for result in results
    ]
    if mean:
        means = [geometric_mean(results, "ratios", peer) for peer in peers]
        rows.append([mean, "", *("" if m is None else ratio_of(m) for m in means)])
    return table(["", "poolkit, steps/s", *map(name_of, peers)], rows)


def bare(results: list[Result], *, cartpole: bool) -> list[Result]:
    """Of the libraries themselves; the games of a group are told apart."""
    return [
        result
        for result in results
        if not result["trainer"]
        and not result["group"]
        and result["task"].startswith("CartPole") == cartpole
    ]


def readme_table(results: list[Result]) -> str:
    shown = bare(results, cartpole=False) + bare(results, cartpole=True)
    return ratio_table(shown, median_only)


def readme_trainers(results: list[Result]) -> str:
    """64 envs under each trainer, poolkit beside what the trainer has."""
    rows = [
        [
            f"{result['trainer']}: {work_of(result)}",
            poolkit_rate(result),
            ", ".join(f"{median_only(result, p)} {name_of(p)}" for p in result["targets"]),
        ]
        for result in results
        if result["trainer"] and result["num_envs"] == 64
    ]
    return table(["", "poolkit, steps/s", "so many times that of"], rows)


def machine_line(bench: dict[str, Any]) -> str:
    results = bench["results"]
    threads = " or ".join(str(n) for n in sorted({result["num_threads"] for result in results}))
    turns = " or ".join(
        sorted({f"{r['rounds']} turns of {r['seconds']:g} s" for r in results}, reverse=True)
    )
    return (
        f"Measured on {bench['machine']['cpus']} CPUs ({bench['machine']['cpu']}), with {threads} "
        f"threads, in {turns} for each side."
    )


def versions_line(bench: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in bench["versions"].items())
    return f"Python {bench['python']}, {versions}."


def emulator_line(lines: list[str]) -> str:
    """What docs/results/atari_emulator.txt comes to: a line a game, the ratio last, and a summary.

    The median is the summary's: that of rounded ratios may be another one.
    """
    ratios = [float(line.split()[-1]) for line in lines[1 : lines.index("")]]
    median = lines[-1].split("ratio ")[1].split()[0]
    return (
        "`python -m tests.bench.atari_emulator` puts the emulator alone beside ALE: "
        f"{min(ratios):.1f} to {max(ratios):.1f} times as fast in {len(ratios)} games, "
        f"{median} in the median."
    )


def sections(measured: Measured) -> dict[str, str]:
    """The text between each pair of marks."""
    bench = measured["bench"]
    results = bench["results"]
    texts = {
        **survey_report.sections(measured["survey"]),
        "survey versions": versions_line(measured["survey"]),
        "emulator": emulator_line((RESULTS / "atari_emulator.txt").read_text().splitlines()),
        "machine": machine_line(bench),
        "versions": versions_line(bench),
        "readme": readme_table(results),
        "readme trainers": readme_trainers(results),
        "Atari": ratio_table(bare(results, cartpole=False), with_spread),
        "CartPole": ratio_table(bare(results, cartpole=True), with_spread),
        "projection": projection_table(measured["projection"]),
        "training": table(list(HEAD), rows_of(measured["training"])),
    }
    for trainer in dict.fromkeys(r["trainer"] for r in results if r["trainer"]):
        own = [result for result in results if result["trainer"] == trainer]
        texts[trainer] = ratio_table(own, with_spread)
    groups = dict.fromkeys(result["group"] for result in results if result["group"])
    texts["ten games"] = "\n\n".join(
        ratio_table([r for r in results if r["group"] == group], median_only, mean="geometric mean")
        for group in groups
    )
    return texts


MARKED = re.compile(r"(<!-- bench: ([^>]+?) -->\n)(.*?)(<!-- /bench -->)", re.DOTALL)


def with_tables(page: str, texts: dict[str, str]) -> str:
    """The page with the text of each pair of marks renewed; a name without text is a KeyError."""
    return MARKED.sub(lambda m: f"{m[1]}\n{texts[m[2]]}\n\n{m[4]}", page)


def read_results() -> Measured:
    return {
        name: json.loads((RESULTS / f"{name}.json").read_text())
        for name in ("bench", "projection", "survey", "training")
    }


def charts(measured: Measured) -> dict[str, Any]:
    """What each chart shows, by its file's name."""
    results = measured["bench"]["results"]
    atari = bare(results, cartpole=False) + [r for r in results if r["group"].endswith("x 16")]
    return {
        "bench_atari.png": points_of(atari),
        "bench_cartpole.png": points_of(bare(results, cartpole=True)),
        "bench_trainers.png": points_of([r for r in results if r["trainer"]]),
        "bench_projection.png": projections(measured["projection"]),
        **survey_report.charts(measured["survey"]),
    }


def points_of(results: list[Result]) -> list[tuple[str, dict[str, dict[str, float]]]]:
    def label(result: Result) -> str:
        return f"{result['trainer']}: {work_of(result)}".removeprefix(": ")

    return [(label(r), {name_of(p): ratio for p, ratio in r["ratios"].items()}) for r in results]


def mark_of(shown: Any) -> str:
    """Tells in the chart's file what it was drawn from."""
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def main() -> None:
    from .drawing import draw_latency, draw_projection, draw_rates, draw_ratios

    special = {
        "bench_projection.png": draw_projection,
        "survey_throughput.png": draw_rates,
        "survey_latency.png": draw_latency,
    }
    measured = read_results()
    texts = sections(measured)
    for page in PAGES:
        path = ROOT / page
        path.write_text(with_tables(path.read_text(), texts))
    for name, shown in charts(measured).items():
        figure = special.get(name, draw_ratios)(shown)
        figure.savefig(RESULTS / name, dpi=130, metadata={"Source": mark_of(shown)})
    print(f"{', '.join(PAGES)}, docs/results/*.png: written")


if __name__ == "__main__":
    main()
