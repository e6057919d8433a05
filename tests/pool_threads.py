"""A pool that several threads call at once: what they got is compared with what they sent."""

from __future__ import annotations

import threading
from collections import Counter as Tally
from collections.abc import Callable
from random import Random

import poolkit

from tests.pool_pair import PoolPair  # noqa: F401  registers the environments

REFUSALS = (ValueError, RuntimeError, TimeoutError)
"""Of a call that another thread came before; EnvError is a RuntimeError."""


class Caller(threading.Thread):
    """Calls at random; notes each action that was accepted and each reward that came for it."""

    def __init__(self, envs: poolkit.GymnasiumVectorEnv, calls: int, ends: bool, seed: int) -> None:
        super().__init__()
        self.envs, self.calls, self.random = envs, calls, Random(seed)
        self.sent: Tally[tuple[int, int]] = Tally()  # of env and action
        self.got: Tally[tuple[int, int]] = Tally()
        self.refused = 0
        self.error: BaseException | None = None
        self.acts: list[Callable[[], None]] = [self.send, self.recv, self.reset_some, self.look]
        self.weights = [8, 8, 1, 2]
        if ends:
            self.acts += [lambda: envs.reset(), lambda: envs.close()]
            self.weights += [0.5, 0.02]

    def run(self) -> None:
        try:
            for _ in range(self.calls):
                try:
                    self.random.choices(self.acts, self.weights)[0]()
                except REFUSALS:
                    self.refused += 1
        except BaseException as error:
            self.error = error

    def ids(self) -> list[int]:
        envs = range(self.envs.num_envs)
        return self.random.sample(envs, self.random.randint(1, min(3, len(envs))))

    def send(self) -> None:
        actions = {env: self.random.randint(1, 99) for env in self.ids()}
        self.envs.send(list(actions.values()), list(actions))
        self.sent.update(actions.items())

    def reset_some(self) -> None:
        ids = self.ids()
        self.envs.async_reset(ids)
        self.sent.update((env, 0) for env in ids)

    def recv(self, timeout: float | None = 0.002) -> None:
        _, reward, _, _, info = self.envs.recv(timeout)
        self.got.update(zip(info["env_id"].tolist(), reward.astype(int).tolist(), strict=True))

    def look(self) -> None:
        assert 0 <= self.envs.pending <= self.envs.num_envs
        self.envs.stats()
        ids = self.ids()
        assert len(self.envs.save_state(ids)) == len(ids)


def call_from_threads(random: Random, calls: int) -> Tally[str]:
    """A result that is lost, repeated or another's is an AssertionError; says what was done."""
    num_envs, ends = random.choice((1, 2, 5, 16)), random.random() < 0.5
    envs = poolkit.make(
        "debug/Counter-v0",
        num_envs=num_envs,
        batch_size=random.randint(1, num_envs),
        num_threads=random.randint(1, 4),
        length=10**6,
    )
    callers = [
        Caller(envs, calls, ends, random.randrange(2**32)) for _ in range(random.randint(2, 4))
    ]
    envs.async_reset()
    callers[0].sent.update((env, 0) for env in range(num_envs))
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
        if caller.error:
            raise caller.error
    while not ends and envs.pending:
        callers[0].recv(None)
    envs.close()
    sent = sum((caller.sent for caller in callers), Tally())
    got = sum((caller.got for caller in callers), Tally())
    if ends:  # a reset of all drops results, and its own are not those of one call
        got = Tally({key: count for key, count in got.items() if key[1]})
        assert got <= sent, got - sent
    else:
        assert got == sent, (got - sent, sent - got)
    refused = sum(caller.refused for caller in callers)
    return Tally({"results compared": got.total(), "calls that were refused": refused})
