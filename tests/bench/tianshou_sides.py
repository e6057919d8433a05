"""Tianshou's collectors around a PoolVectorEnv, Tianshou's own vector environments and EnvPool.

Each fills a replay buffer; the policy only hands out the given actions, so that the environments
and Tianshou's handling of them are what is measured.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import gymnasium
import numpy as np

from .cases import Case

BATCHES = 16
"""Batches in a collect; `worker.measure` gives so many between two looks at the clock."""


def open_tianshou(library: str, case: Case) -> Callable[[np.ndarray], object]:
    """What takes actions, and collects with them when it has enough."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # buffers compile what collecting does not use
    from poolkit.adapters.tianshou import PoolAsyncCollector
    from tianshou.data import Collector, VectorReplayBuffer

    warnings.simplefilter("ignore")  # of collecting other numbers of steps than asked for
    envs = open_envs(library, case)
    atari = case.task != "CartPole-v1"
    buffer = VectorReplayBuffer(
        100 * case.num_envs,
        case.num_envs,
        stack_num=4 if atari else 1,
        save_only_last_obs=atari,
        ignore_obs_next=atari,
    )
    kind = Collector if case.batch_size == case.num_envs else PoolAsyncCollector
    policy, given = policy_of_given_actions(case)
    collector = kind(policy, envs, buffer)
    collector.reset()

    def step(action: np.ndarray) -> None:
        given.append(action)
        if len(given) == BATCHES:
            collector.collect(n_step=BATCHES * case.batch_size)
            given.clear()

    return step


def policy_of_given_actions(case: Case) -> tuple[Any, list[np.ndarray]]:
    """The policy, and the list that it takes its actions from."""
    from tianshou.algorithm.algorithm_base import Policy
    from tianshou.data import Batch

    given: list[np.ndarray] = []

    def in_turn() -> Iterator[np.ndarray]:
        for turn in cycle(range(BATCHES)):
            yield given[turn]

    actions = in_turn()

    class Given(Policy):
        def forward(self, batch: Any, state: Any = None, **kwargs: Any) -> Any:
            return Batch(act=np.resize(next(actions), len(batch.obs)))

    return Given(action_space=gymnasium.spaces.Discrete(18)), given


def open_envs(library: str, case: Case) -> Any:
    threads = min(case.num_threads, case.batch_size)
    if library == "poolkit":
        from poolkit.adapters.tianshou import PoolVectorEnv

        return PoolVectorEnv(
            case.task, case.num_envs, batch_size=case.batch_size, num_threads=threads
        )
    if library == "envpool":
        import envpool

        return envpool.make(
            case.task,
            env_type="gymnasium",
            num_envs=case.num_envs,
            batch_size=case.batch_size,
            num_threads=threads,
        )
    import tianshou.env

    make = make_cartpole if case.task == "CartPole-v1" else make_atari(case.task)
    return getattr(tianshou.env, library)([make] * case.num_envs, wait_num=case.batch_size)


def make_cartpole() -> Any:
    return gymnasium.make("CartPole-v1")


def make_atari(task: str) -> Callable[[], Any]:
    """Gymnasium's wrappers, with EnvPool's defaults: Tianshou's own fail with NumPy 2."""

    def make() -> Any:
        import ale_py
        from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

        gymnasium.register_envs(ale_py)
        env = gymnasium.make(f"{task.removesuffix('-v5')}NoFrameskip-v4")
        return FrameStackObservation(AtariPreprocessing(env), 4)

    return make
