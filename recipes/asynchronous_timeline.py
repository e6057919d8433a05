"""Draws who works when, in lock-step and asynchronously, from times that were measured.

    python recipes/asynchronous_timeline.py --env-id Breakout-v5

The network of `ppo_atari.py` answers the same games in both. `timeline.png` shows a part of the
time, `timeline.json` has the rates of the whole.
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import tyro


@dataclass
class Args:
    env_id: str = "Breakout-v5"
    """the game, as in `poolkit.list_all_envs()`"""
    num_envs: int = 16
    """games that are played at once"""
    batch_size: int = 4
    """games that the network answers at a time, where it is asynchronous"""
    network: Literal["nature", "nips"] = "nips"
    """which of the two networks of `ppo_atari.py` answers"""
    num_threads: int | None = None
    """threads that step the games (default: the CPUs that this process may use)"""
    seconds: float = 5.0
    """how long is measured, for each of the two"""
    shown: float = 0.06
    """how many seconds the picture shows"""
    out: Path = Path("timeline")
    """the folder for the picture and the rates"""


if __name__ == "__main__":
    ARGS = tyro.cli(Args, description=__doc__)  # before the heavy imports

import poolkit  # noqa: E402
import torch  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from ppo_atari import Policy  # noqa: E402

Spans = list[tuple[float, float, int]]
"""Start, end and env; the network has the number -1."""


@torch.no_grad()
def measure(args: Args, batch_size: int) -> Spans:
    """When the network worked, and each env's time from an action's sending to its result."""
    torch.manual_seed(1)
    envs = poolkit.make(
        args.env_id, num_envs=args.num_envs, batch_size=batch_size, num_threads=args.num_threads
    )
    stack, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    policy = Policy(stack, actions, args.network, bf16=False)
    spans: Spans = []
    sent = [0.0] * args.num_envs
    envs.async_reset()
    begin = time.perf_counter()
    while (now := time.perf_counter() - begin) < args.seconds:
        obs, _, _, _, info = envs.recv()
        received = time.perf_counter() - begin
        ids = info["env_id"]
        spans += [(sent[env], received, env) for env in ids.tolist()]
        action = policy(torch.from_numpy(obs))[0].sample()
        now = time.perf_counter() - begin
        spans.append((received, now, -1))
        envs.send(action.numpy(), ids)
        for env in ids:
            sent[env] = now
    spans += [(start, now, env) for env, start in enumerate(sent)]  # not received yet
    envs.close()
    return spans


def draw(axes: Axes, spans: Spans, args: Args, title: str) -> None:
    begin = max(end for _, end, _ in spans) - args.shown
    for start, end, env in spans:
        if end > begin:
            left = max(0.0, start - begin) * 1e3
            color = "tab:red" if env < 0 else "tab:blue"
            axes.barh(env, (end - begin) * 1e3 - left, left=left, height=0.7, color=color)
            axes.vlines(left, env - 0.35, env + 0.35, color="white", linewidth=0.7)
    axes.set_yticks([-1, 0, args.num_envs - 1], ["network", "env 0", f"env {args.num_envs - 1}"])
    axes.invert_yaxis()
    axes.set_xlim(0, args.shown * 1e3)
    axes.set_title(title)


def main(args: Args) -> None:
    figure = Figure(figsize=(11, 7), layout="constrained")
    results = {}
    for axes, name, batch_size in zip(
        figure.subplots(2, 1, sharex=True),
        ("lock-step", "asynchronous"),
        (args.num_envs, args.batch_size),
        strict=True,
    ):
        spans = measure(args, batch_size)
        total = max(end for _, end, _ in spans)
        busy = sum(end - start for start, end, env in spans if env < 0) / total
        steps = sum(env >= 0 for _, _, env in spans) / total
        results[name] = {"steps_per_second": round(steps), "network_busy": round(busy, 3)}
        draw(
            axes,
            spans,
            args,
            f"{name}: batches of {batch_size} of {args.num_envs} games, {steps:,.0f} steps/s, "
            f"the network works {busy:.0%} of the time",
        )
    axes.set_xlabel("milliseconds")
    args.out.mkdir(parents=True, exist_ok=True)
    figure.savefig(args.out / "timeline.png", dpi=110)
    arguments = {name: value for name, value in asdict(args).items() if name != "out"}
    summary = {"args": arguments, **results}
    (args.out / "timeline.json").write_text(json.dumps(summary, indent=2))
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main(ARGS)
