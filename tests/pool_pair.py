"""A pool and its model side by side: every call goes to both, and every result is compared."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import NoneType
from typing import Any

import numpy as np
import poolkit
from poolkit import _core
from poolkit.seeds import reset_seeds

from tests.pool_model import EnvModel, Game, PoolModel, Row

for name in ("Counter", "EveryDtype", "Failing", "Farm", "Slow"):
    capsule = getattr(_core.envs, "debug_" + {"EveryDtype": "every_dtype"}.get(name, name.lower()))
    poolkit.register(f"debug/{name}-v0", capsule)


def outcome(call: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """What it returned, or the error it raised."""
    try:
        return call(), None
    except (ValueError, RuntimeError) as error:
        return None, error


class PoolPair:
    """Calls return whether the pool did them; any difference is an AssertionError."""

    def __init__(
        self,
        game: Game,
        *,
        num_envs: int,
        batch_size: int,
        num_threads: int,
        autoreset: str,
        limit: int,
        seed: int,
    ) -> None:
        self.envs = poolkit.make(
            game.task,
            num_envs=num_envs,
            batch_size=batch_size,
            num_threads=num_threads,
            autoreset=autoreset,
            max_episode_steps=limit,
            seed=seed,
            **game.options(),
        )
        models = [EnvModel(game, autoreset, limit, (seed, env)) for env in range(num_envs)]
        self.model = PoolModel(models, batch_size)
        self.saved: list[tuple[bytes, EnvModel]] = []
        self.closed = False

    # What may be refused.

    def send(self, actions: list[int], ids: list[int] | None) -> bool:
        if ids is None and not self.model.received:
            return self._call(RuntimeError, lambda: self.envs.send(actions))
        targets = self.model.received if ids is None else ids
        refusal = self.model.refusal_of_send(actions, targets)
        return self._call(
            refusal,
            lambda: self.envs.send(actions, ids),
            lambda: self.model.send(actions, targets),
        )

    def step(self, actions: list[int]) -> bool:
        ids = list(range(len(self.model.envs))) if self.model.lock_step else self.model.received
        refusal = self.model.refusal_of_send(actions, ids) if ids else RuntimeError
        if refusal or self.closed:
            return self._call(refusal, lambda: self.envs.step(actions))
        self.model.send(actions, ids)
        self._receive(lambda: self.envs.step(actions))
        return True

    def async_reset(self, ids: list[int] | None) -> bool:
        targets = list(range(len(self.model.envs))) if ids is None else ids
        refusal = self.model.refusal_of_idle(targets)
        return self._call(
            refusal,
            lambda: self.envs.async_reset(ids),
            lambda: self.model.reset(targets, [None] * len(targets)),
        )

    def reset(self, seed: int | None) -> bool:
        if self.closed:
            return self._call(None, lambda: self.envs.reset(seed=seed))
        everybody = list(range(len(self.model.envs)))
        self.model.owed.clear()
        self.model.reset(everybody, self._seeds(seed))
        self._receive(lambda: self._with_flags(*self.envs.reset(seed=seed)))
        return True

    def reset_some(self, mask: list[bool], seed: int | None) -> bool:
        options = {"reset_mask": np.array(mask)}
        refusal = ValueError if self.model.owed or not any(mask) else None
        if refusal or self.closed:
            return self._call(refusal, lambda: self.envs.reset(seed=seed, options=options))
        ids = [int(env) for env in np.flatnonzero(mask)]
        seeds = self._seeds(seed)
        self.model.reset(ids, [seeds[env] for env in ids])
        shown, error = outcome(lambda: self.envs.reset(seed=seed, options=options))
        if isinstance(error, poolkit.EnvError):
            assert self.model.owed.pop(error.env_id) == error.message
            while self.envs.pending:
                self._receive_left()
        else:
            assert error is None, repr(error)
            obs, info = shown
            assert all(isinstance(result, Row) for result in self.model.owed.values())
            ids = list(range(len(mask))) if self.model.lock_step else ids
            assert info["env_id"].tolist() == ids
            self._compare([self.model.envs[env].show() for env in ids], obs, info)
            self.model.received = ids
        self.model.owed.clear()
        self._check_pending()
        return True

    def recv(self, timeout: float | None) -> bool:
        if self.closed or not self.model.owed:
            return self._call(RuntimeError, lambda: self.envs.recv(timeout))
        try:
            self._receive(lambda: self.envs.recv(timeout), in_order=timeout is None)
        except TimeoutError:
            assert timeout is not None
            self._check_pending()
            return False
        return True

    def save(self, ids: list[int]) -> bool:
        refusal = self.model.refusal_of_idle(sorted(set(ids)))
        if refusal is None and ids and not self.model.envs[0].game.saves:
            refusal = RuntimeError
        if refusal or (self.closed and ids):
            return self._call(refusal, lambda: self.envs.save_state(ids))
        models = [copy.deepcopy(self.model.envs[env]) for env in ids]
        self.saved += zip(self.envs.save_state(ids), models, strict=True)
        return True

    def load(self, env: int, which: int) -> bool:
        state, model = self.saved[which]
        refusal = self.model.refusal_of_idle([env])

        def loaded() -> None:
            self.model.envs[env] = copy.deepcopy(model)

        return self._call(refusal, lambda: self.envs.load_state([env], [state]), loaded)

    def close(self) -> None:
        self.envs.close()
        self.closed = True
        self.model.owed.clear()
        self._check_pending()

    def drain(self) -> None:
        """Receive all that is owed."""
        while self.model.owed:
            self.recv(None)
        self.recv(None)  # which is refused

    # How a call is compared.

    def _seeds(self, seed: int | None) -> list[int | None]:
        return reset_seeds(seed, len(self.model.envs)) or [None] * len(self.model.envs)

    def _call(
        self,
        refusal: type[Exception] | None,
        call: Callable[[], object],
        then: Callable[[], object] = lambda: None,
    ) -> bool:
        expected = refusal or (RuntimeError if self.closed else None)
        _, error = outcome(call)
        assert type(error) is (expected or NoneType), (error, expected)
        if self.closed and refusal is None:
            assert "closed" in str(error)
        if error is None:
            then()
        self._check_pending()
        return expected is None

    def _check_pending(self) -> None:
        assert self.envs.pending == len(self.model.owed)

    def _receive(self, call: Callable[[], Any], in_order: bool = True) -> None:
        """A call that receives: a row of each env, or what one of them threw."""
        owed, wanted = self.model.owed, self.model.wanted()
        errors = sorted(env for env, result in owed.items() if isinstance(result, str))
        received, error = outcome(call)
        if isinstance(error, poolkit.EnvError):
            assert error.env_id in errors
            assert owed.pop(error.env_id) == error.message
            assert error.env_id == errors[0] or not (self.model.lock_step and in_order)
        else:
            assert error is None, repr(error)
            assert wanted < len(owed) or not errors
            obs, reward, terminated, truncated, info = received
            ids = info["env_id"].tolist()
            assert len(ids) == len(set(ids)) == wanted
            assert not self.model.lock_step or ids == list(owed)
            rows = [owed.pop(env) for env in ids]
            self._compare(rows, obs, info)
            np.testing.assert_equal(reward.tolist(), [row.reward for row in rows])
            np.testing.assert_equal(terminated.tolist(), [row.terminated for row in rows])
            np.testing.assert_equal(truncated.tolist(), [row.truncated for row in rows])
            self._compare_finals([row.final for row in rows], info)
            self.model.received = ids
        self._check_pending()

    def _receive_left(self) -> None:
        """What a reset that failed did not come to; what it came to it has dropped."""
        received, error = outcome(self.envs.recv)
        if isinstance(error, poolkit.EnvError):
            assert self.model.owed.pop(error.env_id) == error.message
            return
        assert error is None, repr(error)
        self.model.received = received[4]["env_id"].tolist()
        rows = [self.model.owed.pop(env) for env in self.model.received]
        self._compare(rows, received[0], received[4])

    def _compare(self, rows: list[Row], obs: Any, info: dict[str, Any]) -> None:
        shown = {"obs": obs} | info
        for k, row in enumerate(rows):
            for key, value in row.shown.items():
                got = shown[key][k]
                np.testing.assert_array_equal(got[: np.size(value)] if got.ndim else got, value)
            assert info["elapsed_step"][k] == info["episode_length"][k] == row.elapsed
            assert info["episode_return"][k] == row.total

    def _compare_finals(self, finals: list[Row | None], info: dict[str, Any]) -> None:
        assert ("final_obs" in info) == any(finals)
        if not any(finals):
            return
        for mask in (info["_final_obs"], info["_final_info"]):
            assert mask.tolist() == [final is not None for final in finals]
        for k, final in enumerate(finals):
            if final is not None:
                row = {key: value[k : k + 1] for key, value in info["final_info"].items()}
                self._compare([final], info["final_obs"][k : k + 1], row)

    def _with_flags(self, obs: Any, info: dict[str, Any]) -> Any:
        """A reset's answer as a step's."""
        none = np.zeros(len(info["env_id"]))
        return obs, none, none.astype(bool), none.astype(bool), info
