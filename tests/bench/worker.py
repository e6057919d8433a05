"""One side of a case, in a process of its own: a peer that crashes or hangs takes nothing along.

    python -m tests.bench.worker SIDE CASE_AS_JSON NUM_ACTIONS

Says `null` when it is ready. Then reads a question a line, as JSON: the name of a method of
`Worker` and its arguments; and answers with what that returns.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from .cases import Case
from .sides import import_library, open_side


class Worker:
    """Answers questions about a side's environments."""

    def __init__(self, side: str, case: Case, num_actions: int) -> None:
        import_library(side)
        case = case.as_taken_by(side)
        start = time.perf_counter()
        self.envs = open_side(side, case)
        self.envs.reset(None)
        self.opened = time.perf_counter() - start
        # Actions are made before, so that the environments alone are measured.
        shape = (16, case.batch_size)
        rng = np.random.default_rng(0)
        self.actions = list(rng.integers(num_actions, size=shape, dtype=np.int32))
        self.seed = 0

    def rate(self, seconds: float) -> float:
        """Env steps per second."""
        start, steps = time.perf_counter(), 0
        while (elapsed := time.perf_counter() - start) < seconds or not steps:
            for action in self.actions:
                self.envs.step(action)
                steps += len(action)
        return steps / elapsed

    def latency(self, seconds: float, least: int) -> list[float]:
        """Microseconds of each step, for so long and at least so many."""
        times: list[float] = []
        end = time.perf_counter() + seconds
        while len(times) < least or time.perf_counter() < end:
            for action in self.actions:
                start = time.perf_counter_ns()
                self.envs.step(action)
                times.append((time.perf_counter_ns() - start) / 1000)
        return times

    def reset(self, seconds: float, seeded: bool) -> float:
        """Seconds of a reset of all environments amid their episodes: the median."""
        times: list[float] = []
        end = time.perf_counter() + seconds
        while not times or time.perf_counter() < end:
            for action in self.actions:
                self.envs.step(action)
            self.seed += 1000
            start = time.perf_counter()
            self.envs.reset(self.seed if seeded else None)
            times.append(time.perf_counter() - start)
        return float(np.median(times))

    def cost_of_opening(self) -> dict[str, float]:
        """Seconds until the first observations, bytes after some steps; without imports."""
        for action in self.actions:
            self.envs.step(action)
        return {"seconds": self.opened, "bytes": memory_of_tree(os.getpid())}


def memory_of_tree(pid: int) -> int:
    """Bytes that a process and all under it hold; what several share counts once (PSS).

    Without mapped files: those are libraries, which the rest of the machine shares, too.
    """
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    own = [int(line.split()[1]) for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:"))]
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return sum(own) * 1024 + sum(map(memory_of_tree, children))


def main(side: str, case_json: str, num_actions: str) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # Tianshou's buffers compile what collecting does not use
    worker = Worker(side, Case(**json.loads(case_json)), int(num_actions))
    worker.rate(0.2)  # warm
    print("null", file=answers)
    for line in sys.stdin:
        question, *arguments = json.loads(line)
        print(json.dumps(getattr(worker, question)(*arguments)), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
