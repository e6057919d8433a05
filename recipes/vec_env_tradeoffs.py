"""How many environments, and in which vector environment? Three experiments with SB3 on CartPole.

A fourth is without a trainer: environments in Python.

    python recipes/vec_env_tradeoffs.py            # some minutes on two cores
    python recipes/vec_env_tradeoffs.py --full     # the sizes of the tutorial

After Stable Baselines' tutorial "Multiprocessing of environments", with PoolVecEnv beside its
DummyVecEnv (a loop) and SubprocVecEnv (a process each). For each number of environments:

1. training for a fixed number of steps: what return do they buy?
2. training for a fixed time, `seconds * steps/s` of experiment 1: what return does it buy?
3. the steps per second of the training, learning included.

And then, with `work_envs` environments in Python, in SB3's vector environments and in a pool's
worker processes, there in lock-step and with batches of a quarter of the environments:

4. steps per second of an environment that is light (CartPole), of one that computes for 1 ms, and
   of one that waits, now long and now short.

Everything is in `results.json`, and drawn in `tradeoffs.png` and `python_envs.png` with the
standard deviation of the runs as error bars. The kinds take turns, so that a noisy machine is noisy
for all.
"""

import json
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import tyro
from poolkit.adapters.command_line import expect_in, fail

KINDS = ("DummyVecEnv", "SubprocVecEnv", "PoolVecEnv")


@dataclass
class Args:
    out: Path = Path("runs/vec_env_tradeoffs")
    """the folder for results.json and tradeoffs.png"""
    env_id: str = "CartPole-v1"
    """an environment that Gymnasium and poolkit both have"""
    num_envs: tuple[int, ...] = (1, 2, 4, 8, 16)
    """the numbers of environments to compare"""
    algorithms: tuple[Literal["PPO", "A2C"], ...] = ("PPO", "A2C")
    """of Stable-Baselines3"""
    num_runs: int = 3
    """trainings, with seeds of their own, for each point"""
    steps: int = 2000
    """steps of a training of the first experiment"""
    seconds: float = 1.0
    """time of a training of the second experiment"""
    eval_episodes: int = 5
    """episodes that an agent is judged by"""
    work_envs: int = 16
    """environments in Python of the fourth experiment"""
    work_seconds: float = 1.0
    """for which each kind steps them in a run"""
    full: bool = False
    """5000 steps, 10 seconds and 20 episodes"""


def parse_args() -> Args:
    args = tyro.cli(Args, description=__doc__)
    if args.full:
        args.steps, args.seconds, args.eval_episodes = 5000, 10.0, 20
    for name, values, low, high in (
        ("num_envs", args.num_envs, 1, 1000),
        ("num_runs", [args.num_runs], 1, 1000),
        ("steps", [args.steps], 1, 10**9),
        ("seconds", [args.seconds], 0.001, 10**6),
        ("eval_episodes", [args.eval_episodes], 1, 1000),
        ("work_envs", [args.work_envs], 4, 1000),
        ("work_seconds", [args.work_seconds], 0.001, 10**6),
    ):
        for value in values:
            expect_in(name, value, low, high)
    if not (args.num_envs and args.algorithms):
        fail("--num-envs and --algorithms must name at least one each")
    return args


if __name__ == "__main__":
    ARGS = parse_args()  # before the heavy imports: --help and mistakes are answered at once

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402
import poolkit  # noqa: E402
import stable_baselines3  # noqa: E402
import torch  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from poolkit.adapters.sb3 import PoolVecEnv, make_pool_vec_env  # noqa: E402
from rich.progress import track  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv  # noqa: E402


def open_envs(kind: str, env_id: str, num_envs: int) -> VecEnv:
    if kind == "PoolVecEnv":
        return make_pool_vec_env(env_id, num_envs)
    if kind == "DummyVecEnv":
        return make_vec_env(env_id, num_envs, vec_env_cls=DummyVecEnv)
    # Forked processes start fastest; threads would be lost in them, but there are none yet.
    how = {"start_method": "fork"}
    return make_vec_env(env_id, num_envs, vec_env_cls=SubprocVecEnv, vec_env_kwargs=how)


def train(args: Args, kind: str, algorithm: str, num_envs: int, steps: int, seed: int) -> Any:
    """Returns the mean return of the trained agent, and the steps per second of the training."""
    envs = open_envs(kind, args.env_id, num_envs)
    # PPO with as many steps of an environment as its tutorial's ancestor; A2C as it is.
    options = {"n_steps": 128, "batch_size": 32 * num_envs, "n_epochs": 4}
    model = getattr(stable_baselines3, algorithm)(
        "MlpPolicy", envs, seed=seed, device="cpu", **(options if algorithm == "PPO" else {})
    )
    start = time.perf_counter()
    model.learn(steps)
    rate = model.num_timesteps / (time.perf_counter() - start)
    envs.close()
    judges = PoolVecEnv(args.env_id, args.eval_episodes, seed=1_000_000)
    mean, _ = evaluate_policy(model, judges, args.eval_episodes)
    judges.close()
    return float(mean), rate


def experiments(args: Args) -> list[dict[str, Any]]:
    """One entry for each kind, algorithm and number of environments, with a value for each run."""
    results: dict[tuple[str, str, int], dict[str, Any]] = {
        (algorithm, kind, num_envs): {
            "algorithm": algorithm,
            "kind": kind,
            "num_envs": num_envs,
            "steps_per_second": [],
            "return_after_fixed_steps": [],
            "return_after_fixed_time": [],
        }
        for algorithm in args.algorithms
        for num_envs in args.num_envs
        for kind in KINDS
    }
    turns = [(run, key) for run in range(args.num_runs) for key in results]
    for run, (algorithm, kind, num_envs) in track(turns, "training"):
        result = results[algorithm, kind, num_envs]
        mean, rate = train(args, kind, algorithm, num_envs, args.steps, seed=run)
        result["return_after_fixed_steps"].append(mean)
        result["steps_per_second"].append(rate)
        steps = max(1, int(args.seconds * rate))
        mean, _ = train(args, kind, algorithm, num_envs, steps, seed=run)
        result["return_after_fixed_time"].append(mean)
    return list(results.values())


class Work(gymnasium.Env[np.ndarray, int]):
    """Nothing to see, but a step takes time: 1 ms of computing, or a wait of 5 ms on average."""

    def __init__(self, kind: str) -> None:
        self.observation_space = gymnasium.spaces.Box(-1, 1, (4,))
        self.action_space = gymnasium.spaces.Discrete(2)
        self.waits = kind == "waits"

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.zeros(4, np.float32), {}

    def step(self, action: int) -> Any:
        if self.waits:
            time.sleep(self.np_random.exponential(0.005))
        else:
            end = time.thread_time() + 0.001
            while time.thread_time() < end:
                pass
        return np.zeros(4, np.float32), 0.0, False, False, {}


WORKS = ("CartPole", "computes for 1 ms", "waits")
WORK_KINDS = ("DummyVecEnv", "SubprocVecEnv", "pool, lock-step", "pool, asynchronous")


def step_for(work: str, kind: str, num_envs: int, seconds: float) -> float:
    """Steps per second."""
    cartpole = work == "CartPole"
    make = [lambda: gymnasium.make("CartPole-v1") if cartpole else Work(work)] * num_envs
    rows = num_envs
    if kind.startswith("pool"):
        if kind == "pool, asynchronous":
            rows = num_envs // 4
        workers = num_envs if work == "waits" else None  # a process each is none too many to wait
        pool = poolkit.make_python(make, batch_size=rows, num_workers=workers, context="fork")
        pool.async_reset()
        pool.recv()
        envs, step = pool, pool.step
    else:
        how = {"start_method": "fork"} if kind == "SubprocVecEnv" else {}
        envs = {"DummyVecEnv": DummyVecEnv, "SubprocVecEnv": SubprocVecEnv}[kind](make, **how)
        envs.reset()
        step = envs.step
    actions = np.zeros(rows, np.int64)
    steps, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds or not steps:
        step(actions)
        steps += rows
    envs.close()
    return steps / elapsed


def python_envs(args: Args) -> list[dict[str, Any]]:
    """One entry for each work and kind, with a value for each run."""
    results = [
        {"work": work, "kind": kind, "steps_per_second": []}
        for work in WORKS
        for kind in WORK_KINDS
    ]
    for result in track(results * args.num_runs, "stepping"):
        rate = step_for(result["work"], result["kind"], args.work_envs, args.work_seconds)
        result["steps_per_second"].append(rate)
    return results


def draw_python_envs(args: Args, results: list[dict[str, Any]], path: Path) -> None:
    """A bar chart for each work."""
    figure = Figure(figsize=(13, 3.6), layout="constrained")
    colours = ("tab:blue", "tab:orange", "tab:green", "tab:olive")
    for axis, work in zip(figure.subplots(1, len(WORKS)), WORKS, strict=True):
        values = [entry["steps_per_second"] for entry in results if entry["work"] == work]
        mean, deviation = np.mean(values, axis=1), np.std(values, axis=1)
        axis.bar(range(len(mean)), mean, yerr=deviation, capsize=3, color=colours)
        labels = [kind.replace(", ", ",\n") for kind in WORK_KINDS]
        axis.set_xticks(range(len(mean)), labels, fontsize=8)
        axis.set_title(f"{args.work_envs} envs, {work}: steps per second")
        axis.grid(axis="y", alpha=0.3)
    figure.savefig(path, dpi=110)


def draw(args: Args, results: list[dict[str, Any]], path: Path) -> None:
    """A row for each algorithm, a column for each experiment."""
    figure = Figure(figsize=(13, 3.6 * len(args.algorithms)), layout="constrained")
    columns = (
        ("return_after_fixed_steps", f"return after {args.steps:,} steps"),
        ("return_after_fixed_time", f"return after {args.seconds:g} s"),
        ("steps_per_second", "training steps per second"),
    )
    axes = figure.subplots(len(args.algorithms), len(columns), squeeze=False)
    places = np.arange(len(args.num_envs))
    for row, algorithm in zip(axes, args.algorithms, strict=True):
        for axis, (measure, title) in zip(row, columns, strict=True):
            for turn, (kind, colour) in enumerate(
                zip(KINDS, ("tab:blue", "tab:orange", "tab:green"), strict=True)
            ):
                values = [
                    entry[measure]
                    for entry in results
                    if (entry["algorithm"], entry["kind"]) == (algorithm, kind)
                ]
                mean, deviation = np.mean(values, axis=1), np.std(values, axis=1)
                shift = 0.27 * (turn - 1)
                style = {"yerr": deviation, "capsize": 3, "label": kind, "color": colour}
                if measure == "steps_per_second":
                    axis.bar(places + shift, mean, width=0.25, **style)
                else:
                    axis.errorbar(places + shift / 3, mean, marker="o", **style)
            axis.set_title(f"{algorithm}: {title}")
            axis.set_xticks(places, [str(num_envs) for num_envs in args.num_envs])
            axis.set_xlabel("number of environments")
            axis.set_ylim(bottom=0)
            axis.grid(axis="y", alpha=0.3)
    axes[0][0].legend()
    figure.savefig(path, dpi=110)


def main(args: Args) -> int:
    # A scheduler's SIGTERM is a Ctrl-C; and a shell's background jobs start with SIGINT ignored.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    torch.set_num_threads(1)  # the networks are too small for more
    try:
        gymnasium.spec(args.env_id)
        poolkit.make_spec(args.env_id)
        args.out.mkdir(parents=True, exist_ok=True)
    except gymnasium.error.Error as error:
        fail(f"--env-id: Gymnasium does not have it: {error}")
    except (ValueError, OSError) as error:
        fail(error)
    in_python = python_envs(args)  # first: forked processes are not for programs with threads
    results = experiments(args)
    settings = asdict(args) | {"out": str(args.out), "cpus": len(os.sched_getaffinity(0))}
    file = args.out / "results.json"
    told = {"settings": settings, "results": results, "python_envs": in_python}
    file.write_text(json.dumps(told, indent=2))
    draw(args, results, args.out / "tradeoffs.png")
    draw_python_envs(args, in_python, args.out / "python_envs.png")
    print(f"{args.out} has results.json, tradeoffs.png and python_envs.png")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(ARGS))
    except KeyboardInterrupt:
        sys.exit(130)
