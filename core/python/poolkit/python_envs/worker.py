"""What a worker does: builds its environments, and steps them as the pool asks."""

from __future__ import annotations  # where the names are missing, as off Linux

import contextlib
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle
import numpy as np

from .. import _core
from .form import Form

EnvFn = Callable[[], Any]
Infos = str | frozenset[str]
"""Which infos are sent: "all", "none", "final", or those of some names."""

STEP, _, SEEDED_RESET, CALL = range(4)  # 1: a reset without a seed
STEP_RESULT = ("observation", "reward", "terminated", "truncated", "info")
RESET_RESULT = ("observation", "info")


@dataclass(frozen=True)
class Plan:
    """What workers must know of the shared memory, and of what to send."""

    observation: list[Any]
    action: list[Any]
    observation_dtypes: list[Any]
    action_dtypes: list[Any]
    num_envs: int
    num_workers: int
    eager: bool
    spin: int
    infos: Infos
    max_episode_steps: int

    def segment(self, memory: int = -1, bell: int = -1) -> _core.Segment:
        """The shared memory: made, or that of the descriptors."""
        return _core.Segment(
            self.observation,
            self.action,
            num_envs=self.num_envs,
            num_workers=self.num_workers,
            eager=self.eager,
            spin=self.spin,
            memory=memory,
            bell=bell,
        )


@dataclass(frozen=True)
class Report:
    """What a worker says of an environment that it has built; or the error."""

    observation_space: Any = None
    action_space: Any = None
    metadata: Any = None
    render_mode: str | None = None
    spec: Any = None
    error: str = ""


class Worker:
    """The environments `first`, `first + 1`, ..., one for each of `env_fns`.

    `life` is 0, or how many workers with these environments have ended.
    """

    def __init__(self, env_fns: Sequence[EnvFn], first: int, life: int = 0) -> None:
        self._life = life
        self._env_fns = env_fns
        self._first = first
        self._envs: list[Any] = [None] * len(env_fns)  # None: to be built at the next reset
        self._forms: list[Any] = [None] * len(env_fns)
        self._seeds = [0] * len(env_fns)
        self._builds = [0] * len(env_fns)

    def build_all(self) -> list[Report]:
        """Build one after the other, until one fails."""
        reports: list[Report] = []
        for k in range(len(self._envs)):
            try:
                reports.append(_report(self._build(k)))
            except BaseException as error:
                return [*reports, Report(error=told(error))]
        return reports

    def close(self) -> None:
        """Close the environments; by now nobody asks for their errors."""
        for k in range(len(self._envs)):
            self._drop(k)

    def serve(self, seat: _core.Seat, plan: Plan) -> None:
        """Carry out what the pool asks, until it ends."""
        first, envs, forms, infos = self._first, self._envs, self._forms, plan.infos
        limit = plan.max_episode_steps if infos == "final" else 0
        lengths = [0] * len(envs)
        outcome, action_of = seat.outcome, seat.action
        for code in seat:
            env_id, task = code >> 2, code & 3
            k = env_id - first
            try:
                if task == STEP:
                    observed, acted = forms[k]
                    action = action_of(env_id)
                    if not acted.bare:
                        objects = _attached(seat, env_id, "action") if acted.objects else ()
                        arrays = [action] if len(acted.dtypes) == 1 else action
                        action = acted.value_of(arrays, objects)
                    result = envs[k].step(action)
                    if not isinstance(result, tuple | list) or len(result) != len(STEP_RESULT):
                        raise _misshapen("step", result, STEP_RESULT)
                    obs, reward, terminated, truncated, info = result
                    message = b""
                    if info or observed.objects:
                        lengths[k] += 1
                        ended = terminated or truncated or lengths[k] == limit
                        message = _packed(info, infos, ended, observed.objects_of(obs))
                    elif limit:
                        lengths[k] += 1
                    arrays = obs if observed.bare else observed.arrays_of(obs)
                    outcome(env_id, arrays, reward, terminated, truncated, message)
                elif task == CALL:
                    self._answer_call(seat, env_id)
                else:
                    lengths[k] = 0
                    obs, info = self._reset(seat, env_id, task == SEEDED_RESET)
                    observed = forms[k][0]
                    message = b""
                    if info or observed.objects:
                        message = _packed(info, infos, False, observed.objects_of(obs))
                    arrays = obs if observed.bare else observed.arrays_of(obs)
                    outcome(env_id, arrays, 0.0, False, False, message)
            except BaseException as error:
                self._drop(k)
                seat.failure(env_id, told(error))

    def _reset(self, seat: _core.Seat, env_id: int, seeded: bool) -> tuple[Any, Any]:
        k = env_id - self._first
        options = _attached(seat, env_id, "options")
        seed = None
        if seeded:
            seed = self._seeds[k] = seat.seed(env_id)
        if self._envs[k] is None:
            self._build(k)
            if not seeded:  # the random stream went with the old object: another of its seed
                key = (self._life, self._builds[k])
                sequence = np.random.SeedSequence(seat.seed(env_id), spawn_key=key)
                seed = int(sequence.generate_state(1)[0])
        result = self._envs[k].reset(seed=seed, options=options)
        if not isinstance(result, tuple | list) or len(result) != len(RESET_RESULT):
            raise _misshapen("reset", result, RESET_RESULT)
        obs, info = result
        return obs, info

    def _answer_call(self, seat: _core.Seat, env_id: int) -> None:
        k = env_id - self._first
        try:
            function, arguments = pickle.loads(seat.question(env_id))
            if self._envs[k] is None:
                raise RuntimeError("it is broken since it threw: reset it first")
            reply, failed = _pickled(function(self._envs[k], *arguments)), False
        except BaseException as error:
            failed = True
            try:
                reply = _pickled((error, told(error)))
                pickle.loads(reply)
            except Exception:
                reply = _pickled((None, told(error)))
        seat.reply(env_id, reply, failed)

    def _build(self, k: int) -> Any:
        self._builds[k] += 1
        env = self._env_fns[k]()
        self._envs[k] = env
        self._forms[k] = Form(env.observation_space), Form(env.action_space)
        return env

    def _drop(self, k: int) -> None:
        env, self._envs[k] = self._envs[k], None
        if env is not None:
            with contextlib.suppress(BaseException):  # one that exits would end the others too
                env.close()


def _attached(seat: _core.Seat, env_id: int, kind: str) -> Any:
    """What came with the request; an action that the reset of autoreset ignores is nothing."""
    given = seat.question(env_id)
    actual, value = pickle.loads(given) if given else (kind, None)
    return value if actual == kind else None


def told(error: BaseException) -> str:
    """The error, and below it where it came from, without the worker's own lines."""
    head = "".join(traceback.format_exception_only(error)).strip()
    trace = error.__traceback__
    lines = traceback.format_exception(type(error), error, trace and trace.tb_next)
    text = f"{head}\n\n{''.join(lines)}".strip()
    # In UTF-8, and without the character that ends a text in C.
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")


def _misshapen(method: str, result: Any, names: tuple[str, ...]) -> TypeError:
    kind = type(result).__name__
    if isinstance(result, tuple | list):
        kind += f" of {len(result)}"
    return TypeError(f"{method} returned a {kind}; must be ({', '.join(names)})")


def _report(env: Any) -> Report:
    about = {"metadata": dict(env.metadata), "spec": env.spec}
    for name, value in about.items():
        try:
            pickle.loads(pickle.dumps(value))
        except Exception:  # they are for show
            about[name] = None
    return Report(
        observation_space=env.observation_space,
        action_space=env.action_space,
        render_mode=env.render_mode,
        **about,
    )


def _packed(info: dict[str, Any], infos: Infos, ended: bool, objects: list[Any]) -> bytes:
    """The infos that are wanted, and objects; nothing for nothing."""
    if info and not isinstance(info, dict):
        raise TypeError(f"the info is of type {type(info).__name__}; must be a dict")
    if infos == "none" or (infos == "final" and not ended):
        info = {}
    elif isinstance(infos, frozenset):
        info = {key: value for key, value in info.items() if key in infos}
    return _pickled((info, objects)) if info or objects else b""


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):  # lambdas, local classes
        return bytes(cloudpickle.dumps(value))


def run_process(connection: Connection, payload: bytes, first: int, life: int) -> None:
    """A worker process's whole life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pool's process decides what Ctrl-C ends
    _core.die_with(reduction.recv_handle(connection))
    connection.send(None)  # it has begun
    try:
        worker = Worker(cloudpickle.loads(payload), first, life)
    except BaseException as error:
        connection.send([Report(error=told(error))])
        return
    try:
        if life == 0:
            connection.send(worker.build_all())
        index, plan = connection.recv()
        if plan is None:  # another env could not be built
            worker.close()
            return
    except EOFError:
        return
    memory, bell = (reduction.recv_handle(connection) for _ in range(2))
    connection.close()
    segment = plan.segment(memory, bell)
    worker.serve(_core.Seat(segment, index, plan.observation_dtypes, plan.action_dtypes), plan)
    worker.close()


def run_thread(
    env_fns: Sequence[EnvFn],
    first: int,
    report: Callable[[list[Report]], None],
    seats: Iterable[Any],
) -> None:
    """A worker thread's whole life."""
    worker = Worker(env_fns, first)
    report(worker.build_all())
    for seat, plan in seats:
        worker.serve(seat, plan)
    worker.close()
