"""One side of a case, in a process of its own: a peer that crashes or hangs takes nothing along.

    python -m tests.bench.worker LIBRARY CASE_AS_JSON

Says "ready"; then reads a number of seconds a line and answers with the env steps per second.
"""

import json
import os
import sys
import time

import numpy as np
import poolkit

from .cases import Case
from .sides import Step, open_side


def measure(step: Step, actions: list[np.ndarray], seconds: float) -> float:
    """Env steps per second. The actions are made before, so that the pool alone is measured."""
    start, steps = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds or not steps:
        for action in actions:
            step(action)
            steps += len(action)
    return steps / elapsed


def main(library: str, case_json: str) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    case = Case(**json.loads(case_json))
    step = open_side(library, case)
    rng = np.random.default_rng(0)
    shape = (16, case.batch_size)
    python = case.trainer == "Python"  # those have two actions
    num_actions = 2 if python else poolkit.make_spec(case.task).action_space.n
    actions = list(rng.integers(num_actions, size=shape, dtype=np.int32))
    measure(step, actions, 0.2)  # warm
    print("ready", file=answers)
    for line in sys.stdin:
        print(measure(step, actions, float(line)), file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
