"""Tianshou's collectors around a PoolVectorEnv, Tianshou's own vector environments and EnvPool.

Each fills a replay buffer; the policy only hands out the given actions, so that the environments
and Tianshou's handling of them are what is measured.
"""

import warnings
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import gymnasium
import numpy as np

from .cases import Case
from .single_envs import maker_of
from .stepping import Envs

BATCHES = 16
"""Batches in a collect; the worker gives so many between two looks at the clock."""


def open_tianshou(library: str, case: Case) -> Envs:
    """A step takes actions, and collects with them when it has enough."""
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

    def step(action: np.ndarray) -> None:
        given.append(action)
        if len(given) == BATCHES:
            collector.collect(n_step=BATCHES * case.batch_size)
            given.clear()

    return Envs(step, lambda seed: collector.reset())


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

    fns = [maker_of(case.task)] * case.num_envs  # Tianshou's own wrappers fail with NumPy 2
    return getattr(tianshou.env, library)(fns, wait_num=case.batch_size)
