"""`poolkit bench`: how many steps a second."""

import json as json_format
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..factory import make_gymnasium
from ..gymnasium_env import GymnasiumVectorEnv

WARM_UP = 0.1  # of the time
SAMPLES = 16  # batches of random actions, drawn before the clock starts


def bench(
    task: str,
    options: dict[str, Any],
    num_envs: int,
    batch_size: int | None,
    num_threads: int | None,
    seconds: float,
    json: bool,
) -> None:
    """Step with random actions, and print the rate: results received in a second."""
    if not seconds > 0:
        raise ValueError(f"--seconds: {seconds} must be above 0")
    with make_gymnasium(
        task, num_envs=num_envs, batch_size=batch_size, num_threads=num_threads, **options
    ) as envs:
        envs.action_space.seed(0)
        actions = [envs.action_space.sample() for _ in range(SAMPLES)]
        envs.async_reset()
        envs.recv()
        console = Console(stderr=True)
        quiet = json or not console.is_terminal
        with Progress(console=console, transient=True, disable=quiet) as progress:
            bar = progress.add_task(f"{task}, {num_envs} envs", total=1)
            _run(envs, actions, seconds * WARM_UP, lambda _: None)
            batches, elapsed = _run(
                envs, actions, seconds, lambda part: progress.update(bar, completed=part)
            )
        result = {
            "task": task,
            "num_envs": num_envs,
            "batch_size": envs.batch_size,
            "seconds": round(elapsed, 3),
            "steps": batches * envs.batch_size,
            "steps_per_second": round(batches * envs.batch_size / elapsed),
        }
    if json:
        print(json_format.dumps(result))
        return
    table = Table(*result, box=None, padding=(0, 2, 0, 0))
    shown = (f"{value:,}" if isinstance(value, int) else str(value) for value in result.values())
    table.add_row(*shown)
    Console().print(table)


def _run(
    envs: GymnasiumVectorEnv, actions: list[Any], seconds: float, tell: Callable[[float], object]
) -> tuple[int, float]:
    """How many batches came in that time, and how long it really was."""
    start = told = now = time.perf_counter()
    batches = 0
    while now < start + seconds:
        envs.step(actions[batches % SAMPLES])
        batches += 1
        now = time.perf_counter()
        if now > told + 0.1:  # telling takes longer than a step
            told = now
            tell((now - start) / seconds)
    return batches, now - start
