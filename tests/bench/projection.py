"""Projects Atari frames/s to machines with more cores, beside what EnvPool has published there.

    python -m tests.bench.projection

measures, on the machine at hand, what the model needs; `tests.bench.report` then makes the table.

The model. On a machine that EnvPool was measured on, poolkit gains from more cores what EnvPool
gained there, until the thread that calls `send` and `recv` is what everything waits for:

    frames/s = min(EnvPool's frames/s there * our rate / EnvPool's rate, both with one thread here,
                   pools * frame_skip / the caller's time for a step, here)
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Case

FRAME_SKIP = 4


@dataclass(frozen=True)
class Machine:
    """Frames/s of Pong, the highest for each library, as EnvPool's authors published them.

    Weng et al. 2022, *EnvPool: A Highly Parallel Reinforcement Learning Environment Execution
    Engine*, arXiv:2206.10558, table 1; envpool.readthedocs.io, "Benchmark", says the same.
    """

    name: str
    cores: int
    for_loop: int
    subprocess: int
    sample_factory: int
    envpool: int  # asynchronous, with a pool for each NUMA node
    nodes: int


MACHINES = (
    Machine("laptop, i7-8750H", 12, 4_893, 15_863, 28_216, 49_439, 1),
    Machine("workstation, Ryzen 9 5950X", 32, 7_914, 47_699, 138_847, 200_428, 1),
    Machine("TPU-VM, Xeon 2.0 GHz", 96, 3_993, 46_910, 222_327, 373_169, 2),
    Machine("DGX-A100, 2 × EPYC 7742", 256, 4_640, 71_943, 707_494, 1_069_922, 8),
)

ONE_THREAD = Case(
    task="Pong-v5",
    num_envs=32,
    batch_size=8,
    num_threads=1,
    targets={"envpool": 1.0, "envpool-fast": 1.0},
)


def projections(measured: dict[str, Any]) -> list[dict[str, Any]]:
    """Each machine, with the frames/s that the model gives poolkit there."""
    rates = measured["one_thread"]
    ratio = rates["poolkit"] / max(rates[peer] for peer in ONE_THREAD.targets)
    caller = FRAME_SKIP / (measured["caller_us"] * 1e-6)
    return [{**asdict(m), "poolkit": min(m.envpool * ratio, m.nodes * caller)} for m in MACHINES]


def rounded(frames: float) -> str:
    return f"{frames / 1e6:.1f} million" if frames >= 1e6 else f"{float(f'{frames:.2g}'):,.0f}"


def projection_table(measured: dict[str, Any]) -> str:
    """The published figures, ours beside them in brackets, and what they were computed from."""
    rates = measured["one_thread"]
    limit = FRAME_SKIP / (measured["caller_us"] * 1e-6)
    return "\n".join(
        [
            "| Pong, frames/s | threads | Subprocess | Sample Factory | EnvPool "
            "| poolkit, projected |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
            *(
                f"| {row['name']} | {row['cores']} | {row['subprocess']:,} "
                f"| {row['sample_factory']:,} | {row['envpool']:,} | ({rounded(row['poolkit'])}) |"
                for row in projections(measured)
            ),
            "",
            f"Measured for it: with one thread {rates['poolkit']:,.0f} steps/s, EnvPool "
            f"{rates['envpool']:,.0f}, its faster way {rates['envpool-fast']:,.0f}; the calling "
            f"thread takes {measured['caller_us']:.2f} µs for a step, so that one pool ends at "
            f"{rounded(limit)} frames/s. What of the model can be checked here: two threads should "
            f"make {2 * rates['poolkit']:,.0f} steps/s, and make {measured['two_threads']:,.0f}.",
        ]
    )


def caller_us(batches: int = 60) -> float:
    """CPU time of the calling thread for each env step, in batches as large machines have them."""
    import poolkit

    with poolkit.make("Pong-v5", num_envs=512, batch_size=256, num_threads=2) as envs:
        action = np.zeros(256, np.int32)
        envs.async_reset()
        envs.send(action, envs.recv()[4]["env_id"])
        start = time.thread_time()
        for _ in range(batches):
            envs.send(action, envs.recv()[4]["env_id"])
        return (time.thread_time() - start) / (batches * 256) * 1e6


def main() -> None:
    from .__main__ import run_case

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/results/projection.json"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    one = run_case(ONE_THREAD, args.rounds, args.seconds)["steps_per_second"]
    two_threads = Case(**asdict(ONE_THREAD) | {"num_threads": 2, "targets": {}})
    two = run_case(two_threads, args.rounds, args.seconds)["steps_per_second"]
    measured = {
        "one_thread": {side: rate["median"] for side, rate in one.items()},
        "two_threads": two["poolkit"]["median"],
        "caller_us": caller_us(),
    }
    args.out.write_text(json.dumps(measured, indent=2) + "\n")
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()
