"""All common vector environments beside poolkit: throughput, latency, memory, start-up, resets.

    python -m tests.bench.survey --out docs/results/survey.json

Every side does the same work, with its own library's usual wrappers; Atari is preprocessed as for
DQN, without clipped rewards. The sides take turns, as in `python -m tests.bench`. Sample Factory
takes part where the Makefile has installed it.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from .cases import TEN_GAMES, Case
from .turns import Answers, open_in_turns, provenance, spread, take_turns, write_figures

ONE_PROCESS = ("for-loop", "SyncVectorEnv")
PROCESSES = ("AsyncVectorEnv", "SubprocVecEnv", "ShmemVectorEnv", "sample-factory")
POOLS = ("ale-py", "envpool", "envpool, async", "poolkit, async", "poolkit, pinned")
EVERYTHING = ONE_PROCESS + PROCESSES + POOLS
LOCKSTEP = ("SyncVectorEnv", "AsyncVectorEnv", "ale-py", "envpool")

ASYNCHRONOUS = ("envpool, async", "sample-factory")
"""Sides that are compared with `poolkit, async`, where that takes part."""

LEAST_STEPS = 200
"""Of a turn that measures latency: five of them have a 99.9th percentile."""

OPENINGS = 2
"""Times that each side is opened; hundreds of ALE's take half a minute."""

PERCENTILES = (50, 90, 99, 99.9)


@dataclass(frozen=True)
class Turns:
    """How often and how long each side is asked."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Job:
    """Something to measure of all sides of a case."""

    measure: Callable[[Case, Turns], list[dict[str, Any]]]
    case: Case


def work(task: str, num_envs: int, sides: tuple[str, ...], **options: Any) -> Case:
    """In lock-step, where a side's name says nothing else; ale-py has Atari alone."""
    others = tuple(side for side in sides if side != "ale-py" or task != "CartPole-v1")
    return Case(task=task, num_envs=num_envs, batch_size=num_envs, others=others, **options)


def throughput(case: Case, turns: Turns) -> list[dict[str, Any]]:
    """Env steps per second."""
    answers = take_turns(case, turns.rounds, "rate", turns.seconds)
    return [compare("throughput", case, answers, less_is_better=False)]


def latency(case: Case, turns: Turns) -> list[dict[str, Any]]:
    """Microseconds of a `step`: the median, and percentiles over all turns."""
    answers = take_turns(case, turns.rounds, "latency", turns.seconds, LEAST_STEPS)
    every = {side: np.concatenate(times) for side, times in answers.of.items()}
    answers.of = {side: [np.median(t) for t in times] for side, times in answers.of.items()}
    percentiles = {side: list(np.percentile(times, PERCENTILES)) for side, times in every.items()}
    steps = {side: len(times) for side, times in every.items()}
    return [compare("latency", case, answers) | {"percentiles": percentiles, "steps": steps}]


def resets(case: Case, turns: Turns) -> list[dict[str, Any]]:
    """Seconds of a reset of all environments. EnvPool takes its seeds when it is made, only."""
    results = []
    for seeded, name in ((False, "reset"), (True, "seeded reset")):
        sides = tuple(side for side in case.others if not (seeded and side == "envpool"))
        asked = replace(case, others=sides)
        answers = take_turns(asked, turns.rounds, "reset", turns.seconds, seeded)
        results.append(compare(name, asked, answers))
    return results


def opening(case: Case, turns: Turns) -> list[dict[str, Any]]:
    """Seconds to the first observations, and bytes for each environment more than an eighth."""
    rounds = min(turns.rounds, OPENINGS)
    large = open_in_turns(case, rounds)
    few = case.num_envs // 8
    small = open_in_turns(replace(case, num_envs=few, batch_size=few), rounds)
    start, memory = Answers(), Answers()
    start.errors, memory.errors = large.errors, large.errors | small.errors
    for side, costs in large.of.items():
        start.of[side] = [cost["seconds"] for cost in costs]
        if side not in small.of:
            continue
        pairs = zip(costs, small.of[side], strict=True)
        memory.of[side] = [(a["bytes"] - b["bytes"]) / (case.num_envs - few) for a, b in pairs]
    return [compare("start", case, start), compare("memory", case, memory)]


def compare(
    question: str, case: Case, answers: Answers, *, less_is_better: bool = True
) -> dict[str, Any]:
    """Each side's figure, and how many times better poolkit is within a round."""
    ratios = {}
    of = answers.of
    for side, values in of.items():
        ours = (side in ASYNCHRONOUS and of.get("poolkit, async")) or of.get("poolkit")
        if ours and min(ours) > 0 and not side.startswith("poolkit"):  # else too small to measure
            better = (values, ours) if less_is_better else (ours, values)
            ratios[side] = spread(np.divide(*better))
    return {
        "question": question,
        **asdict(case),
        "rounds": max((len(values) for values in of.values()), default=0),
        "ratios": ratios,
        "values": {side: spread(values) for side, values in of.items()},
        "errors": answers.errors,
    }


CARTPOLE = "CartPole-v1"
PONG = "Pong-v5"
TEN = "ten games"

JOBS = [
    *(Job(throughput, work(f"{game}-v5", 16, EVERYTHING, group=TEN)) for game in TEN_GAMES),
    Job(throughput, work(CARTPOLE, 16, EVERYTHING)),
    *(
        Job(throughput, work(task, num_envs, sides, num_threads=threads))
        for task in (PONG, CARTPOLE)
        for num_envs, threads, sides in (
            (64, 2, EVERYTHING),
            (128, 2, POOLS),
            (16, 1, ("for-loop", *POOLS)),
            (64, 1, ("for-loop", *POOLS)),
        )
    ),
    *(Job(latency, work(task, n, LOCKSTEP)) for task in (PONG, CARTPOLE) for n in (1, 16)),
    Job(opening, work(PONG, 256, ("ale-py", "envpool"))),
    Job(opening, work(PONG, 32, ("SyncVectorEnv", *PROCESSES))),
    Job(opening, work(CARTPOLE, 256, ("SyncVectorEnv", "envpool"))),
    *(Job(resets, work(task, 16, LOCKSTEP)) for task in (PONG, CARTPOLE)),
]


def smoke_test(jobs: list[Job]) -> list[Job]:
    """At most 16 envs, and each kind of work once; of the ten games one."""
    few: list[Job] = []
    for job in jobs:
        size = min(16, job.case.num_envs)
        small = replace(job, case=replace(job.case, num_envs=size, batch_size=size))
        if small not in few and not (job.case.group and few):
            few.append(small)
    return few


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.survey", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/survey.json"), help="JSON file")
    parser.add_argument("--only", default="", help="only what is called so: latency, opening, ...")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side")
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a turn, at least")
    parser.add_argument("--quick", action="store_true", help="a smoke test: one short turn")
    args = parser.parse_args()
    turns = Turns(1, 0.02) if args.quick else Turns(args.rounds, args.seconds)
    jobs = [job for job in JOBS if args.only in f"{job.measure.__name__} {job.case.name}"]
    if not jobs:
        parser.error(f"--only {args.only!r}: there is throughput, latency, opening and resets")
    if args.quick:
        jobs = smoke_test(jobs)
    console = Console()
    report: dict[str, Any] = {**provenance(), **asdict(turns), "results": []}
    for job in track(jobs, "measuring", console=console):
        for result in job.measure(job.case, turns):
            report["results"].append(result)
            show(console, result)
        write_figures(args.out, report)
    console.print(f"{args.out}: all figures")
    return 0


def show(console: Console, result: dict[str, Any]) -> None:
    threads = f"{result['num_threads']} threads"
    console.print(f"{result['question']}, {result['task']} x {result['num_envs']}, {threads}")
    for side, value in result["values"].items():
        ratio = f"{result['ratios'][side]['median']:8.1f}x" if side in result["ratios"] else ""
        console.print(f"  {side:18}{value['median']:14,.6g}{ratio}", highlight=False)
    for error in result["errors"].values():
        console.print(f"  {error}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
