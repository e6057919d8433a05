"""Use pools in every way, right and wrong, for as long as wanted, and watch the process.

Each round is one of: random calls of pools whose every result a model in plain Python knows, right
and wrong ones, with environments that throw; the same trajectories in two pools that are run
differently; several threads that call one pool; forks from a busy pool; interrupted waits. Pools
are closed, or dropped with work in flight. A wrong result is an AssertionError, a crash ends the
process, a hang is shown with every thread's place; memory, threads and files must stay as they were
after the first minute.

    python -m tests.soak --minutes 10 --seed 1
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import gc
import os
import signal
import time
from collections import Counter as Tally
from pathlib import Path
from random import Random

import numpy as np
import poolkit
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tests.pool_model import Counter, Failing, Farm, Game
from tests.pool_pair import PoolPair
from tests.pool_threads import call_from_threads
from tests.random_calls import CALLS, make_call

TASKS = ("CartPole-v1", "Acrobot-v1", "debug/Counter-v0", "Pong-v5", "Breakout-v5")
LIBC = ctypes.CDLL(None)
HANG = 300  # seconds without a finished round
M_ARENA_MAX = -8  # of malloc.h


def random_game(random: Random) -> Game:
    return random.choice(
        (
            Counter(random.randint(1, 9), random.randint(1, 3), random.random() < 0.5),
            Failing(),
            Farm(random.randint(1, 9), random.random() < 0.5),
        )
    )


def random_pair(random: Random) -> PoolPair:
    num_envs = random.choice((1, 2, 3, 5, 16))
    return PoolPair(
        random_game(random),
        num_envs=num_envs,
        batch_size=random.choice((num_envs, random.randint(1, num_envs))),
        num_threads=random.randint(1, 4),
        autoreset=random.choice(("next_step", "same_step", "disabled")),
        limit=random.choice((0, 0, 3, 10)),
        seed=random.randrange(2**64),
    )


def play_with_models(random: Random, tally: Tally[str]) -> None:
    """Several pools at once, in turn."""
    pairs = [random_pair(random) for _ in range(random.randint(1, 3))]
    for _ in range(100):
        pair = random.choice(pairs)
        call = random.choice(CALLS)
        done = make_call(pair, call, random)
        tally["calls"] += 1
        tally["calls that were refused"] += done is False
    for pair in pairs:
        if pair.closed:
            continue
        stats = pair.envs.stats()
        tally["results compared"] += stats.steps - stats.errors
        tally["errors of environments"] += stats.errors
        if random.random() < 0.5:
            pair.drain()
        if random.random() < 0.5:
            pair.close()
    tally["pools"] += len(pairs)


def trajectories(task: str, seed: int, batch_size: int, num_threads: int) -> list[list[object]]:
    num_envs, steps = 6, 40
    actions = np.random.default_rng(seed).integers(0, 2, (steps + 1, num_envs))
    shown: list[list[object]] = [[] for _ in range(num_envs)]
    with poolkit.make(
        task, num_envs=num_envs, batch_size=batch_size, num_threads=num_threads, seed=seed
    ) as envs:
        envs.async_reset()
        while envs.pending:
            obs, reward, terminated, truncated, info = envs.recv()
            ids = info["env_id"].tolist()
            for row, env in enumerate(ids):
                shown[env].append((obs[row], reward[row], terminated[row], truncated[row]))
            going_on = [env for env in ids if len(shown[env]) <= steps]
            envs.send([actions[len(shown[env]), env] for env in going_on], going_on)
    return shown


def play_twins(random: Random, tally: Tally[str]) -> None:
    task, seed = random.choice(TASKS), random.randrange(2**32)
    expected = trajectories(task, seed, 6, 1)
    got = trajectories(task, seed, random.randint(1, 6), random.randint(1, 4))
    np.testing.assert_equal(got, expected)
    tally["results compared"] += sum(len(shown) for shown in got)
    tally["pools"] += 2


def play_threads(random: Random, tally: Tally[str]) -> None:
    tally.update(call_from_threads(random, calls=200))
    tally["pools that threads shared"] += 1


def play_forks(random: Random, tally: Tally[str]) -> None:
    pair = random_pair(random)
    pair.async_reset(None)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            try:
                pair.envs.recv()
            except RuntimeError as error:
                os._exit("fork" not in str(error))
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        tally["forks"] += 1
    pair.drain()
    tally["pools"] += 1


class Interrupted(Exception):  # noqa: N818
    """What Ctrl-C is to a user."""


def play_interrupts(random: Random, tally: Tally[str]) -> None:
    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    with poolkit.make("debug/Slow-v0", num_envs=4, num_threads=2, sleep_us=60_000) as envs:
        envs.reset()
        envs.send([2, 2, 2, 0])
        try:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(0.001, 0.02))
            obs = envs.recv()[0]
        except Interrupted:
            tally["interrupted waits"] += 1
            assert envs.pending == 4
            obs = envs.recv()[0]
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert (obs == 1).all()
    signal.signal(signal.SIGALRM, before)
    tally["pools"] += 1


ROUNDS = [play_with_models] * 15 + [play_twins] * 2 + [play_threads, play_forks, play_interrupts]


def resources() -> tuple[float, int, int]:
    """Resident memory in MiB, threads, open files; without what is free and can be given back."""
    gc.collect()
    faulthandler.cancel_dump_traceback_later()  # its watch is a thread, too
    patience = time.monotonic() + 60
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < patience:
        time.sleep(0.01)  # the workers of pools that were dropped in the middle of their work
    LIBC.malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    memory = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return memory, len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()

    # Else the C library keeps what threads freed, an arena each, for threads to come: several MiB,
    # which go up and down by more than the leak that is looked for.
    LIBC.mallopt(M_ARENA_MAX, 1)
    random, tally = Random(arguments.seed), Tally[str]()
    for task in TASKS:  # what each loads once is no growth
        trajectories(task, 0, 6, 2)
    start, seconds = time.monotonic(), 60 * arguments.minutes
    warm = min(60, seconds / 4)
    early: tuple[float, int, int] | None = None
    columns = (
        TextColumn("soak"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[did]}"),
    )
    with Progress(*columns, auto_refresh=False) as progress:
        bar = progress.add_task("soak", total=seconds, did="")
        while (elapsed := time.monotonic() - start) < seconds:
            faulthandler.dump_traceback_later(HANG, exit=True)
            random.choice(ROUNDS)(random, tally)
            tally["rounds"] += 1
            if early is None and elapsed > warm:
                early = resources()
            did = f"{tally['rounds']} rounds, {tally['results compared']} results"
            progress.update(bar, completed=elapsed, did=did, refresh=True)
    late = resources()
    console = Console()
    for what, count in tally.most_common():
        console.print(f"{count:>10} {what}")
    assert early is not None
    names = ("MiB of memory", "threads", "files")
    for name, before, after in zip(names, early, late, strict=True):
        console.print(f"{after:>10.4g} {name}; {before:.4g} after {warm:.0f} s")
    console.print(f"seed {arguments.seed}: no crash, no hang, no wrong, lost or repeated result")
    if late[0] > 1.02 * early[0] or late[1] > early[1] or late[2] > early[2]:
        raise SystemExit("the process has grown")


if __name__ == "__main__":
    main()
