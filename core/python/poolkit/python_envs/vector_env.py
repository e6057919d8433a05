"""Python environments behind the pool's Gymnasium front end."""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import cloudpickle
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..config import PoolConfig
from ..errors import EnvError
from ..gymnasium_env import GymnasiumVectorEnv, Step
from ..nested import tuples_as_arrays
from ..seeds import reset_seeds
from ..spaces import has_tuple
from . import members
from .form import Form
from .staff import Processes, Threads
from .worker import Infos, Plan, Report

ENGINE_INFOS = ("env_id", "elapsed_step", "episode_return", "episode_length")
Messages = dict[int, tuple[dict[str, Any], list[Any]]]
"""Of some rows, an environment's own info, and what of its observation is no array."""
SPIN = 200
"""Microseconds for which a worker looks for requests before it sleeps."""
FINAL_INFOS = ("final_obs", "final_info", "_final_obs", "_final_info")


class PythonVectorEnv(GymnasiumVectorEnv):
    """Python environments in worker processes or threads; made by `poolkit.make_python`.

    What `GymnasiumVectorEnv` says holds. Besides, `info` holds what the environments' own infos
    hold, in Gymnasium's form: a key's values, and in "_key" whose they are. The pool's own names
    win over an environment's.
    """

    def __init__(
        self,
        staff: Processes | Threads,
        reports: Sequence[Report],
        config: PoolConfig,
        infos: Infos,
        num_workers: int,
    ) -> None:
        self.closed = True  # until there is something to close
        first = reports[0]
        self.num_envs = config.num_envs
        self.render_mode = first.render_mode
        self.metadata = {
            "render_modes": [],
            **(first.metadata or {}),
            "autoreset_mode": config.autoreset_mode,
        }
        self.spec = first.spec
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(self.single_observation_space, config.rows)
        self.action_space = batch_space(self.single_action_space, config.rows)
        self.single_info_space = spaces.Dict({})
        self._tuples = has_tuple(self.single_observation_space)
        self._config = config
        self._window = None
        self._observed = Form(self.single_observation_space)
        self._acted = Form(self.single_action_space)
        self._received: NDArray[np.int32] | None = None  # the envs of the last batch
        self._all = np.arange(config.num_envs)
        plan = Plan(
            observation=self._observed.describe(),
            action=self._acted.describe(),
            observation_dtypes=self._observed.dtypes,
            action_dtypes=self._acted.dtypes,
            num_envs=config.num_envs,
            num_workers=num_workers,
            eager=config.is_async,
            spin=SPIN if num_workers <= _core.usable_cpu_count() else 0,
            infos=infos,
            max_episode_steps=config.max_episode_steps or 0,
        )
        self._staff = staff
        segment = plan.segment()
        watched = staff.equip(plan, segment)
        self._fleet = _core.Fleet(segment, watched, staff.start, staff.describe_end, staff.end)
        self._pool = config.open(self._fleet.env_type())
        self.closed = False

    # --- steps ---

    def reset(
        self,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex | None] | None = None,
        options: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes; results that are pending are waited for and dropped.

        Args:
            seed: As of `GymnasiumVectorEnv.reset`; an environment's own `reset` gets its number.
            options: "reset_mask" is as of `GymnasiumVectorEnv.reset`; the rest is passed on to
                each environment that is reset. Or a list of what is passed on to each.

        Returns:
            Observation and info, as from `recv`; infos only of environments that were reset.
        """
        reset_seeds(seed, self.num_envs)  # refuses bad ones before options are on their way
        masked, each = None, options
        if isinstance(options, dict):
            own = dict(options)
            masked = {"reset_mask": own.pop("reset_mask")} if "reset_mask" in own else None
            each = [own] * self.num_envs
        chosen = self._all if masked is None else self._ids_of(masked["reset_mask"])
        if each is not None:
            self._attach_options(chosen, each, drain=masked is None)
        obs, info = super().reset(seed=seed, options=masked)
        fresh = np.isin(info["env_id"], chosen)
        return self._with_objects(obs, info, fresh)

    def _attach_options(self, ids: NDArray[np.intp], each: Any, drain: bool) -> None:
        if not isinstance(each, list | tuple) or not all(isinstance(own, dict) for own in each):
            raise TypeError(f"options: must be a dict, a list of them or None, not {each!r}")
        if len(each) != self.num_envs:
            raise ValueError(f"options: has {len(each)} entries; must have {self.num_envs}")
        if drain:
            self._pool.drain()
        for env in self._pool.idle(ids):
            self._fleet.attach(env, cloudpickle.dumps(("options", each[env])))

    def step(self, actions: Any) -> Step:
        """As of `GymnasiumVectorEnv`."""
        if not self._acted.plain:
            self.send(actions, None if self.is_async else self._all)
            return self.recv()
        return self._dressed(self._pool.step(actions))

    def send(self, action: Any, env_id: ArrayLike | None = None) -> None:
        """As of `GymnasiumVectorEnv`."""
        if not self._acted.plain:
            ids: Any = self._received if env_id is None else env_id
            action, objects = self._acted.split_batch(action, 0 if ids is None else len(ids))
            if objects:
                for env, own in zip(self._pool.idle(ids), objects, strict=True):
                    self._fleet.attach(env, pickle.dumps(("action", own)))
        self._pool.send(action, env_id)

    def recv(self, timeout: float | None = None) -> Step:
        """As of `GymnasiumVectorEnv`."""
        return self._dressed(self._pool.recv(timeout))

    def observe(self, env_ids: ArrayLike | None = None) -> tuple[Any, dict[str, Any]]:
        """As of `GymnasiumVectorEnv`."""
        obs, info = super().observe(env_ids)
        return self._with_objects(obs, info, np.zeros(len(info["env_id"]), bool))

    def _dressed(self, step: Step) -> Step:
        obs, reward, terminated, truncated, info = step
        self._received = ids = info["env_id"]
        rows = self._fleet.with_messages(ids)
        if not rows and self._observed.plain and "final_obs" not in info:
            return step
        messages = self._messages(ids, rows)
        whole = self._batch(obs, messages, len(ids))
        if "final_obs" in info:
            self._dress_finals(info)
        own = [(row, messages[row][0]) for row in rows]
        add_infos(info, own, len(ids))
        return whole, reward, terminated, truncated, info

    def _dress_finals(self, info: dict[str, Any]) -> None:
        """What ended, in the form of Gymnasium's infos."""
        ids = info["env_id"]
        ended = np.flatnonzero(info["_final_info"])
        messages = self._messages(ids, ended.tolist(), before=True)
        add_infos(info["final_info"], [(row, messages[row][0]) for row in messages], len(ids))
        if self._observed.objects:
            finals = np.full(len(ids), None, object)
            columns = self._observed.columns_of(info["final_obs"])
            for row, message in messages.items():
                arrays = [column[row] for column in columns]
                finals[row] = self._observed.value_of(arrays, message[1])
        else:
            finals = tuples_as_arrays(self._batch(info["final_obs"], {}, len(ids)), len(ids))
        info["final_obs"] = finals

    def _with_objects(
        self, obs: Any, info: dict[str, Any], fresh: NDArray[np.bool_]
    ) -> tuple[Any, dict[str, Any]]:
        ids = info["env_id"]
        self._received = ids
        messages = self._messages(ids, self._fleet.with_messages(ids))
        add_infos(info, [(row, m[0]) for row, m in messages.items() if fresh[row]], len(ids))
        return self._batch(obs, messages, len(ids)), info

    def own_infos(self, info: dict[str, Any], before: bool = False) -> dict[int, dict[str, Any]]:
        """What the environments themselves said, by row of the last batch, where it was anything.

        Args:
            info: That of the last batch.
            before: Of the end of the episode, in same-step autoreset, where there was one.
        """
        ids = info["env_id"]
        rows = np.flatnonzero(info["_final_info"]).tolist() if before else None
        if rows is None:
            rows = self._fleet.with_messages(ids)
        messages = self._messages(ids, rows, before)
        return {row: message[0] for row, message in messages.items()}

    def _messages(
        self, ids: NDArray[np.int32], rows: Sequence[int], before: bool = False
    ) -> Messages:
        texts = {row: self._fleet.message(int(ids[row]), before) for row in rows}
        return {row: pickle.loads(text) for row, text in texts.items() if text}

    def _batch(self, obs: Any, messages: Messages, rows: int) -> Any:
        objects = [messages[row][1] if row in messages else None for row in range(rows)]
        return self._observed.batch_of(obs, objects, rows)

    # --- the environments themselves ---

    def ask(
        self, function: Callable[..., Any], *arguments: Any, env_ids: ArrayLike | None = None
    ) -> list[Any]:
        """What `function(env, *arguments)` returns in the worker of some envs, by default all.

        Raises:
            ValueError: For an env with a result pending.
            EnvError: If its worker has ended. What the function raises is raised here.
        """
        ids = self._pool.idle(env_ids)
        replies = self._fleet.call(ids, cloudpickle.dumps((function, arguments)))
        results = []
        for env, (kind, reply) in zip(ids, replies, strict=True):
            results.append(_result(env, kind, reply))
        return results

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What the method of that name returns in each env; or the attribute."""
        return tuple(self.ask(members.call, name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The attribute of each env, of its wrappers or itself."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each env: a list or tuple has a value for each."""
        if not isinstance(values, list | tuple):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"values: has {len(values)} entries; must have {self.num_envs}")
        for env, value in enumerate(values):
            self.ask(members.set_wrapper_attr, name, value, env_ids=[env])

    def render(self, env_ids: ArrayLike | None = None) -> tuple[Any, ...] | None:
        """What `render` of some envs returns, by default all."""
        return tuple(self.ask(members.render, env_ids=env_ids))

    def close_extras(self, timeout: float | None = 5, **kwargs: Any) -> None:
        """What `close(timeout=...)` does: end the workers and drop what is pending.

        Args:
            timeout: Seconds for environments that are at work, and for their own `close`; then
                worker processes are killed. Threads cannot be: TimeoutError.
            **kwargs: What other vector environments take; ignored.
        """
        if timeout is not None:
            self._staff.grace = timeout
        super().close_extras(None if isinstance(self._staff, Processes) else timeout)


class _Adder(VectorEnv[Any, Any, Any]):
    """Gymnasium's way to put envs' infos together."""

    def __init__(self, rows: int) -> None:
        self.num_envs = rows

    def __del__(self) -> None:
        """It has nothing to close."""


def add_infos(into: dict[str, Any], own: Sequence[tuple[int, dict[str, Any]]], rows: int) -> None:
    """Add the infos of some rows, as Gymnasium's vector environments do."""
    adder = _Adder(rows)
    taken = {*ENGINE_INFOS, *FINAL_INFOS}
    for row, info in own:
        adder._add_info(into, {k: v for k, v in info.items() if k not in taken}, row)


ANSWER, _, END = range(3)  # 1: the function raised


def _result(env: int, kind: int, reply: bytes) -> Any:
    if kind == END:
        raise EnvError(env, reply.decode())
    if kind == ANSWER:
        return pickle.loads(reply)
    error, text = pickle.loads(reply)
    if not isinstance(error, Exception):
        raise EnvError(env, text)
    error.add_note(f"in env {env}:\n{text}")
    raise error
