"""The workers of a pool of Python environments: how they start and end."""

from __future__ import annotations  # where the names are missing, as off Linux

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Sequence
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle

from .. import _core
from ..errors import EnvError
from .worker import EnvFn, Plan, Report, run_process, run_thread

CONTEXTS = ("forkserver", "spawn", "fork")

GUARD = (
    "a worker process ended before it began; if the program's file makes the pool where it is "
    "imported, put that under\n\n    if __name__ == '__main__':\n\n"
    "because every worker imports that file (or use context='fork' or workers='thread')"
)


class Processes:
    """Worker processes; worker w has the environments of env_fns[w].

    Args:
        env_fns: For each worker, what builds its environments.
        context: How processes start; one of `CONTEXTS`.
    """

    def __init__(self, env_fns: Sequence[Sequence[EnvFn]], context: str) -> None:
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise RuntimeError(GUARD)
        # Seconds for workers to end of their own accord; a pool that nobody closed has 5 in all.
        self.grace = 3.0
        self._context: Any = multiprocessing.get_context(context)
        self._firsts = [sum(map(len, env_fns[:w])) for w in range(len(env_fns))]
        self._payloads = [_payload(*share) for share in zip(env_fns, self._firsts, strict=True)]
        self._processes: list[Any] = [None] * len(env_fns)
        self._connections: list[Connection | None] = [None] * len(env_fns)
        self._lives = [0] * len(env_fns)
        self._self = os.pidfd_open(os.getpid())
        self._ended = False
        self._plan: Plan | None = None
        self._segment: _core.Segment | None = None

    def open(self) -> list[list[Report]]:
        """Start all; what each says of its environments, up to the first error."""
        try:
            for w in range(len(self._processes)):
                self._launch(w)
            return [self._hear(w) for w in range(len(self._processes))]
        except BaseException:
            self.grace = 0.0
            self.end()
            raise

    def equip(self, plan: Plan, segment: _core.Segment) -> list[int]:
        """Give all the shared memory; the descriptors that show their ends."""
        self._plan, self._segment = plan, segment
        watched = []
        for w, process in enumerate(self._processes):
            watched.append(_watched(process.pid))
            self._hand_over(w)
        return watched

    def start(self, worker: int) -> int:
        """Start one again, in the place of one that has ended."""
        self._processes[worker].join()
        self._processes[worker].close()
        self._lives[worker] += 1
        self._launch(worker)
        watched = _watched(self._processes[worker].pid)
        self._hand_over(worker)
        return watched

    def describe_end(self, worker: int) -> str:
        """How one ended."""
        process = self._processes[worker]
        process.join(1.0)  # its status may come a moment after its end
        code = process.exitcode
        how = f"exited with code {code}"
        if code is None:
            how = "ended"
        elif code < 0:
            names = {number.value: number.name for number in signal.Signals}
            how = f"was killed by signal {-code} ({names.get(-code, 'unknown')})"
        return f"its worker process {how}; the next reset starts another one"

    def end(self) -> None:
        """See to it that none is left; they were told to end."""
        if self._ended:
            return
        self._ended = True
        for connection in self._connections:
            if connection is not None:
                with contextlib.suppress(OSError):
                    connection.send((0, None))
                connection.close()
        deadline = time.monotonic() + self.grace
        started = [process for process in self._processes if process is not None]
        for process in started:
            process.join(max(0.0, deadline - time.monotonic()))
        for process in started:
            if process.exitcode is None:
                process.kill()
        for process in started:
            process.join()
            process.close()
        os.close(self._self)

    def _launch(self, w: int) -> None:
        ours, theirs = self._context.Pipe()
        self._connections[w] = ours
        process = self._context.Process(
            target=run_process,
            args=(theirs, self._payloads[w], self._firsts[w], self._lives[w]),
            name=f"poolkit-{w}",
            daemon=False,  # it may have processes of its own
        )
        try:
            process.start()
        except (EOFError, ConnectionError, BrokenPipeError) as error:
            raise RuntimeError(GUARD) from error
        finally:
            theirs.close()
        # Else a process that is forked off this one would end it where it exits, and this one
        # would wait for it. The pool ends it; and it ends itself.
        multiprocessing.process._children.discard(process)  # type: ignore[attr-defined]
        self._processes[w] = process
        with contextlib.suppress(ConnectionError, BrokenPipeError):  # it shows when we listen
            reduction.send_handle(ours, self._self, process.pid)

    def _hear(self, w: int) -> list[Report]:
        connection = self._connections[w]
        assert connection is not None
        begun = False
        try:
            begun = connection.recv() is None
            reports: list[Report] = connection.recv()
        except (EOFError, ConnectionError):
            if not begun:
                raise RuntimeError(GUARD) from None
            raise EnvError(self._firsts[w], self.describe_end(w).partition(";")[0]) from None
        return reports

    def _hand_over(self, w: int) -> None:
        connection, segment = self._connections[w], self._segment
        assert connection is not None
        assert segment is not None
        with contextlib.suppress(ConnectionError, BrokenPipeError):  # it died: that is watched
            connection.send((w, self._plan))
            for descriptor in (segment.memory, segment.bell):
                reduction.send_handle(connection, descriptor, self._processes[w].pid)
        connection.close()
        self._connections[w] = None


def _payload(env_fns: Sequence[EnvFn], first: int) -> bytes:
    try:
        return bytes(cloudpickle.dumps(list(env_fns)))
    except Exception as error:
        error.add_note(
            f"in env_fns [{first}] .. [{first + len(env_fns) - 1}], which go to a worker process "
            "by cloudpickle: make there what cannot be pickled, or use workers='thread'"
        )
        raise


def _watched(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:  # it has ended: a pipe without a writer shows the same
        reading, writing = os.pipe()
        os.close(writing)
        return reading


class Threads:
    """Worker threads of this process, in the place of `Processes`."""

    def __init__(self, env_fns: Sequence[Sequence[EnvFn]]) -> None:
        self.grace = 5.0
        self._seats: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in env_fns]
        self._reports: list[queue.SimpleQueue[list[Report]]] = [
            queue.SimpleQueue() for _ in env_fns
        ]
        self._threads = []
        first = 0
        for w, fns in enumerate(env_fns):
            arguments = (fns, first, self._reports[w].put, iter(self._seats[w].get, None))
            self._threads.append(
                threading.Thread(
                    target=run_thread, args=arguments, name=f"poolkit-{w}", daemon=True
                )
            )
            first += len(fns)

    def open(self) -> list[list[Report]]:
        """As of `Processes`."""
        for thread in self._threads:
            thread.start()
        try:
            return [reports.get() for reports in self._reports]
        except BaseException:  # Ctrl-C: they end when they have built
            for seats in self._seats:
                seats.put(None)
            raise

    def equip(self, plan: Plan, segment: _core.Segment) -> list[int]:
        """As of `Processes`; a thread has no end of its own."""
        for w, seats in enumerate(self._seats):
            seat = _core.Seat(segment, w, plan.observation_dtypes, plan.action_dtypes)
            seats.put((seat, plan))
        return [-1] * len(self._threads)

    def start(self, worker: int) -> int:
        """Never called."""
        raise RuntimeError(f"thread {worker} has ended")

    def describe_end(self, worker: int) -> str:
        """Never called."""
        return f"thread {worker} has ended"

    def end(self) -> None:
        """Wait until all have ended."""
        for seats in self._seats:
            seats.put(None)
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
