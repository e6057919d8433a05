"""The tables and the charts' figures of docs/benchmarks.md, from docs/results/survey.json."""

from collections.abc import Callable
from typing import Any

from .projection import FRAME_SKIP
from .survey import CARTPOLE, PERCENTILES, PONG
from .turns import geometric_mean
from .wording import (
    Result,
    envs_of,
    name_of,
    rate_of,
    ratio_of,
    size_of,
    spread_of,
    table,
    time_of,
    with_spread,
    work_of,
)


def of(survey: dict[str, Any], question: str, **fields: Any) -> list[Result]:
    """The results of a question, where these fields are so."""
    return [
        result
        for result in survey["results"]
        if result["question"] == question and all(result[k] == v for k, v in fields.items())
    ]


def sides_of(results: list[Result]) -> list[str]:
    """Those of poolkit last."""
    sides = dict.fromkeys(side for r in results for side in ("poolkit", *r["others"]))
    return sorted(sides, key=lambda side: side.startswith("poolkit"))


def how_of(result: Result) -> str:
    threads = result["num_threads"]
    return f"{envs_of(result['num_envs'])}, {threads} thread{'s' if threads > 1 else ''}"


def throughput_table(survey: dict[str, Any], task: str, *, ratios: bool) -> str:
    """A row for each side, a column for each size; of Atari frames."""
    results = of(survey, "throughput", task=task)
    games = of(survey, "throughput", group="ten games") if task == PONG else []
    frames = FRAME_SKIP if task == PONG else 1

    def cell(result: Result, side: str) -> str:
        if ratios or side in result["errors"]:
            return with_spread(result, side)
        if side not in result["values"]:
            return ""
        return rate_of(result["values"][side]["median"] * frames)

    def mean(side: str) -> str:
        value = geometric_mean(games, "ratios" if ratios else "values", side)
        if value is None:
            return ""
        return ratio_of(value) if ratios else rate_of(value * frames)

    rows = [
        [
            name_of(side),
            *([mean(side)] if games else []),
            *(cell(result, side) for result in results),
        ]
        for side in sides_of(results)
        if not (ratios and side.startswith("poolkit"))
    ]
    head = [f"ten games, {how_of(game)}" for game in games[:1]]
    return table(["", *head, *map(how_of, results)], rows)


def latency_table(survey: dict[str, Any]) -> str:
    rows = [
        [
            f"{work_of(result)}: {name_of(side)}",
            spread_of(result["ratios"][side]) if side in result["ratios"] else "",
            *(time_of(value * 1e-6) for value in result["percentiles"][side]),
        ]
        for result in of(survey, "latency")
        for side in sides_of([result])
        if side in result["values"]
    ]
    return table(["", "poolkit is faster by", *(f"{p:g} %" for p in PERCENTILES)], rows)


def cost_table(
    survey: dict[str, Any], questions: dict[str, tuple[str, str]], shown: Callable[[float], str]
) -> str:
    """A ratio and a figure for each question."""
    rows = []
    for answers in zip(*(of(survey, question) for question in questions), strict=True):
        for side in sides_of(list(answers)):
            row = [f"{work_of(answers[0])}: {name_of(side)}"]
            for result in answers:
                ratio, value = result["ratios"].get(side), result["values"].get(side)
                failed = "failed" if side in result["errors"] else ""
                row.append(spread_of(ratio) if ratio else "")
                row.append(shown(value["median"]) if value else failed)
            rows.append(row)
    return table(["", *(name for names in questions.values() for name in names)], rows)


def fresh_starts(survey: dict[str, Any]) -> str:
    rounds = sorted({result["rounds"] for result in of(survey, "start")})
    return f"Fresh starts of each side: {' or '.join(map(str, rounds))}."


def machine_line(survey: dict[str, Any]) -> str:
    machine = survey["machine"]
    return (
        f"Measured on {machine['cpus']} CPUs ({machine['cpu']}), {machine['memory_gb']} GB, "
        f"{machine['system']}, in {survey['rounds']} turns of at least {survey['seconds']:g} s "
        "for each side."
    )


def sections(survey: dict[str, Any]) -> dict[str, str]:
    """The text between each pair of marks."""
    faster = "poolkit is faster by"
    return {
        "survey machine": machine_line(survey),
        "Atari throughput": throughput_table(survey, PONG, ratios=False),
        "Atari throughput, ratios": throughput_table(survey, PONG, ratios=True),
        "CartPole throughput": throughput_table(survey, CARTPOLE, ratios=False),
        "CartPole throughput, ratios": throughput_table(survey, CARTPOLE, ratios=True),
        "latency": latency_table(survey),
        "memory": cost_table(survey, {"memory": ("poolkit is smaller by", "an env")}, size_of),
        "fresh starts": fresh_starts(survey),
        "start": cost_table(survey, {"start": (faster, "to the first observations")}, time_of),
        "resets": cost_table(
            survey,
            {"reset": (faster, "without a seed"), "seeded reset": (faster, "seeded")},
            time_of,
        ),
    }


def charts(survey: dict[str, Any]) -> dict[str, Any]:
    """What each chart shows, by its file's name: panels of a title and each side's figures."""
    throughput = {
        title: {
            name_of(side): {
                envs_of(r["num_envs"]): r["values"][side]["median"] * frames
                for r in sorted(results, key=lambda r: int(r["num_envs"]))
                if side in r["values"]
            }
            for side in sides_of(results)
        }
        for title, task, frames in (
            ("Pong, frames/s", PONG, FRAME_SKIP),
            ("CartPole, steps/s", CARTPOLE, 1),
        )
        if (results := of(survey, "throughput", task=task, num_threads=2))
    }
    latency = {
        f"{work_of(result)}, µs": {
            name_of(side): dict(
                zip((f"{p:g} %" for p in PERCENTILES), result["percentiles"][side], strict=True)
            )
            for side in sides_of([result])
            if side in result["percentiles"]
        }
        for result in of(survey, "latency")
    }
    return {"survey_throughput.png": throughput, "survey_latency.png": latency}
