"""A pool of debug environments in plain Python: what each call must give, by the contract alone.

Environments and episodes are modelled one by one, with NumPy's own generators for their random
streams. `PoolModel` says which calls are refused, with which exception, and what is owed.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FRESH, SEEDED, CONTINUE = range(3)

Seed = tuple[int, int | None]
"""Entropy, and spawn key or None."""


class ThrownError(Exception):
    """An environment threw; `rebuilt` tells whether its object is lost."""


@dataclass
class Counter:
    """debug/Counter-v0."""

    task = "debug/Counter-v0"
    highest_action = 99
    saves = True
    rebuilt = True

    length: int = 4
    lives: int = 1
    truncates: bool = False
    count: int = 0
    game: int = 0
    drawn: int = 0
    action: int = 0
    lives_left: int = 0
    resets: list[int] = field(default_factory=lambda: [0, 0, 0])

    def options(self) -> dict[str, Any]:
        return {"length": self.length, "lives": self.lives, "truncates": self.truncates}

    def seed(self, seed: Seed) -> None:
        """Its seeds reach it through its random stream only."""

    def reset(self, why: int, rng: np.random.Generator) -> None:
        self.resets[why] += 1
        self.count = self.action = 0
        if why != CONTINUE:
            self.lives_left = self.lives
            self.drawn = int(rng.integers(0, 2**31))
            self.game += 1

    def step(self, action: int) -> Transition:
        self.action = action
        self.count += 1
        if self.count < self.length:
            return Transition(action)
        self.lives_left -= 1
        return Transition(action, not self.truncates, self.truncates, self.lives_left > 0)

    def observe(self) -> dict[str, Any]:
        obs = [self.count, self.game, self.drawn, self.action]
        return {"obs": obs, "lives": self.lives_left, "resets": list(self.resets)}


@dataclass
class Failing:
    """debug/Failing-v0; its second observation, how many objects there were, is left out."""

    task = "debug/Failing-v0"
    highest_action = 4
    saves = False
    rebuilt = True

    count: int = 0
    trap: str = ""

    def options(self) -> dict[str, Any]:
        return {}

    def seed(self, seed: Seed) -> None:
        """It has no use for one."""

    def reset(self, why: int, rng: np.random.Generator) -> None:
        if self.trap == "reset":
            raise ThrownError("told to throw in the reset")
        self.count, self.trap = 0, ""

    def step(self, action: int) -> Transition:
        if action == 1:
            raise ThrownError("told to throw in the step")
        self.trap = {2: "observe", 3: "reset"}.get(action, self.trap)
        self.count += 1
        return Transition(1, terminated=action >= 3)

    def observe(self) -> dict[str, Any]:
        if self.trap == "observe":
            raise ThrownError("told to throw in the observation")
        return {"obs": [self.count]}


@dataclass
class Farm:
    """debug/Farm-v0, of the group form; its last observation, the submits, is left out."""

    task = "debug/Farm-v0"
    highest_action = 99
    saves = False
    rebuilt = False  # the group goes on, whatever one of its envs does

    length: int = 4
    inline_completion: bool = False
    count: int = 0
    game: int = 0
    shown_seed: int = 0
    next_seed: int = 0
    fails_to_observe: bool = False

    def options(self) -> dict[str, Any]:
        return {"length": self.length, "inline_completion": self.inline_completion}

    def seed(self, seed: Seed) -> None:
        entropy, key = seed
        if key is not None:
            sequence = np.random.SeedSequence(entropy, spawn_key=(key,))
            entropy = int(sequence.generate_state(1, np.uint64)[0])
        self.next_seed = int(np.uint64(entropy).astype(np.int64))

    def reset(self, why: int, rng: np.random.Generator) -> None:
        self.fails_to_observe = False
        self.count = 0
        if why == SEEDED:
            self.shown_seed = self.next_seed
        if why != CONTINUE:
            self.game += 1

    def step(self, action: int) -> Transition:
        self.fails_to_observe = action == 99
        if action == 98:
            raise ThrownError("told to fail")
        self.count += 1
        soft = action == 97
        return Transition(action, self.count >= self.length or soft, soft_end=soft)

    def observe(self) -> dict[str, Any]:
        if self.fails_to_observe:
            raise ThrownError("told to fail to observe")
        return {"obs": [self.count, self.game, self.shown_seed]}


Game = Counter | Failing | Farm


@dataclass
class Transition:
    reward: int
    terminated: bool = False
    truncated: bool = False
    soft_end: bool = False


@dataclass
class Row:
    """A result: what the env shows and the engine adds; `final` in same-step autoreset."""

    shown: dict[str, Any]
    elapsed: int
    total: float
    reward: float = 0
    terminated: bool = False
    truncated: bool = False
    final: Row | None = None


Result = Row | str
"""A row, or what the env said when it threw."""


class EnvModel:
    """One env with its episode, by the rules of its pool."""

    def __init__(self, new: Game, autoreset: str, limit: int, seed: Seed) -> None:
        self.new, self.autoreset, self.limit = new, autoreset, limit
        self.game = copy.deepcopy(new)
        self.phase = "unreset"
        self.total: float = 0
        self.length = 0
        self.seed(seed)

    def seed(self, seed: Seed) -> None:
        entropy, key = seed
        sequence = np.random.SeedSequence(entropy, spawn_key=() if key is None else (key,))
        self.rng = np.random.Generator(np.random.PCG64(sequence))
        self.game.seed(seed)
        self.seeded = True

    def refuses_steps(self) -> bool:
        """Whether it must be reset first."""
        ended = self.phase in ("ended", "soft_ended")
        return self.phase in ("unreset", "broken") or (ended and self.autoreset == "disabled")

    def reset(self) -> Result:
        self.phase = "resetting"
        return self._request(lambda: self._reset())

    def step(self, action: int) -> Result:
        if self.phase != "running":
            return self._request(lambda: self._reset())
        return self._request(lambda: self._step(action))

    def show(self) -> Row:
        """The env as it is."""
        if self.phase in ("unreset", "broken"):
            return Row({key: np.zeros_like(value) for key, value in self._any().items()}, 0, 0)
        return self._row()

    def _any(self) -> dict[str, Any]:
        return copy.deepcopy(self.new).observe()

    def _request(self, body: Any) -> Result:
        try:
            row: Row = body()
        except ThrownError as error:
            self._break(self.game.rebuilt)
            return str(error)
        try:
            shown = self._row()
        except ThrownError as error:  # after the request: the object is as good as before
            self._break(False)
            return str(error)
        row.shown = shown.shown
        return row

    def _break(self, rebuilt: bool) -> None:
        self.phase = "broken"
        if rebuilt:
            self.game = copy.deepcopy(self.new)
            self.seeded = True

    def _row(self) -> Row:
        return Row(self.game.observe(), self.length, self.total)

    def _reset(self) -> Row:
        soft = self.phase == "soft_ended"
        why = SEEDED if self.seeded else CONTINUE if soft else FRESH
        self.game.reset(why, self.rng)
        if why != CONTINUE:
            self.total, self.length, self.seeded = 0, 0, False
        self.phase = "running"
        return Row({}, self.length, self.total)

    def _step(self, action: int) -> Row:
        t = self.game.step(action)
        self.length += 1
        self.total += t.reward
        over = bool(self.limit) and self.length >= self.limit and not t.terminated
        truncated = t.truncated or over
        row = Row({}, self.length, self.total, t.reward, t.terminated, truncated)
        if t.terminated or truncated:
            self.phase = "soft_ended" if t.soft_end and not truncated else "ended"
            if self.autoreset == "same_step":
                row.final = Row(**(vars(row) | {"shown": self.game.observe()}))
                reset = self._reset()
                row.elapsed, row.total = reset.elapsed, reset.total
        return row


class PoolModel:
    """Envs, what is owed, and which calls are refused."""

    def __init__(self, envs: list[EnvModel], batch_size: int) -> None:
        self.envs, self.batch_size = envs, batch_size
        self.lock_step = batch_size == len(envs)
        self.owed: dict[int, Result] = {}  # by env, in the order sent
        self.received: list[int] = []

    def refusal_of_ids(self, ids: list[int]) -> type[Exception] | None:
        wrong = len(set(ids)) < len(ids) or any(not 0 <= env < len(self.envs) for env in ids)
        return ValueError if wrong else None

    def refusal_of_idle(self, ids: list[int]) -> type[Exception] | None:
        return self.refusal_of_ids(ids) or (ValueError if set(ids) & set(self.owed) else None)

    def refusal_of_send(self, actions: list[int], ids: list[int]) -> type[Exception] | None:
        if refusal := self.refusal_of_ids(ids):
            return refusal
        highest = self.envs[0].game.highest_action
        if len(actions) != len(ids) or any(not 0 <= action <= highest for action in actions):
            return ValueError
        if refusal := self.refusal_of_idle(ids):
            return refusal
        return RuntimeError if any(self.envs[env].refuses_steps() for env in ids) else None

    def send(self, actions: list[int], ids: list[int]) -> None:
        for action, env in zip(actions, ids, strict=True):
            self.owed[env] = self.envs[env].step(action)

    def reset(self, ids: list[int], seeds: list[int | None]) -> None:
        for env, seed in zip(ids, seeds, strict=True):
            if seed is not None:
                self.envs[env].seed((seed, None))
            self.owed[env] = self.envs[env].reset()

    def wanted(self) -> int:
        return min(self.batch_size, len(self.owed))
