"""Whatever becomes of a worker: its envs fail alone, the next reset mends them, nothing is left."""

import os
import re
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import poolkit
import pytest

from tests.python_zoo import Trouble, Zoo

# Forked workers start fastest; Python 3.12 and later warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

ROOT = Path(__file__).parents[2]


def opened(num_envs: int = 4, **how: Any) -> poolkit.PythonVectorEnv:
    return poolkit.make_python([Trouble] * num_envs, **{"context": "fork", "num_workers": 2, **how})


def processes(envs: poolkit.PythonVectorEnv) -> list[int]:
    """The process of each env."""
    step = envs.step(np.zeros(envs.num_envs, int))
    return [int(pid) for pid in step[1]]


def is_gone(pid: int) -> bool:
    """Within a minute."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    gone = bool(select.select([process], [], [], 60)[0])
    os.close(process)
    return gone


def one_does(action: int, num_envs: int = 4) -> np.ndarray[Any, Any]:
    actions = np.zeros(num_envs, int)
    actions[2] = action
    return actions


@pytest.mark.parametrize("workers", ["process", "thread"])
@pytest.mark.parametrize(
    ("broken", "text"),
    [("constructor", "no such level"), ("reset", "no such start")],
)
def test_errors_at_the_start_tell_whose_and_where(broken: str, text: str, workers: Any) -> None:
    fns = [Trouble, Trouble, partial(Trouble, broken)]
    with pytest.raises(poolkit.EnvError) as caught:
        poolkit.make_python(fns, context="fork", workers=workers).reset()
    assert caught.value.env_id == 2
    assert caught.value.message.startswith(f"ValueError: {text}\n\nTraceback")
    assert "python_zoo.py" in caught.value.message


def test_a_worker_that_dies_in_a_constructor_is_an_error_of_its_first_env() -> None:
    fns = [Trouble, partial(Trouble, "dies in constructor")]
    with pytest.raises(poolkit.EnvError, match="env 1: its worker process exited with code 3"):
        poolkit.make_python(fns, context="fork", num_workers=2)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Trouble.RAISE, "ValueError: told to raise\n\nTraceback"),
        (Trouble.SYSTEM_EXIT, "SystemExit: 4\n\nTraceback"),
        (Trouble.WRONG_SHAPE, r"the observation has shape \(2,\); its space has \(1,\)"),
    ],
)
@pytest.mark.parametrize("workers", ["process", "thread"])
def test_an_env_that_throws_fails_alone_and_is_built_again(
    action: int, text: str, workers: Any
) -> None:
    with opened(workers=workers) as envs:
        envs.reset(seed=0)
        before = None if workers == "thread" else processes(envs)
        with pytest.raises(poolkit.EnvError, match=f"(?s)env 2: .*{text}"):
            envs.step(one_does(action))
        assert envs.recv()[4]["env_id"].tolist() == [0, 1, 3]
        with pytest.raises(RuntimeError, match="env 2 is broken"):
            envs.step(one_does(Trouble.GOOD))
        mask = np.arange(4) == 2
        obs, _ = envs.reset(options={"reset_mask": mask})
        assert obs[2] == 0
        assert (obs[~mask] > 0).all()
        if before:
            assert processes(envs) == before


@pytest.mark.parametrize(
    ("action", "how"),
    [
        (Trouble.EXIT, "exited with code 3"),
        (Trouble.KILL, r"was killed by signal 9 \(SIGKILL\)"),
        (Trouble.SEGFAULT, r"was killed by signal 11 \(SIGSEGV\)"),
    ],
)
@pytest.mark.parametrize("batch_size", [4, 1])
def test_a_worker_that_dies_is_an_error_of_its_envs(action: int, how: str, batch_size: int) -> None:
    with opened(batch_size=batch_size) as envs:
        envs.reset(seed=0, options={"reset_mask": np.ones(4, bool)})
        first = {}
        envs.send(np.zeros(4, int), np.arange(4))
        while envs.pending:
            _, reward, _, _, info = envs.recv()
            first |= dict(zip(info["env_id"].tolist(), reward.tolist(), strict=True))
        envs.send(one_does(action), np.arange(4))
        failed: dict[int, str] = {}
        fine: set[int] = set()
        while envs.pending:
            try:
                fine |= set(envs.recv(60)[4]["env_id"].tolist())
            except poolkit.EnvError as error:
                failed[error.env_id] = error.message
        assert {0, 1} <= fine
        assert 2 in failed
        assert failed.keys() <= {2, 3}
        assert all(re.search(f"its worker process {how}", text) for text in failed.values())
        envs.reset(seed=0, options={"reset_mask": np.array([False, False, True, True])})
        envs.send(np.zeros(4, int), np.arange(4))
        again = {}
        while envs.pending:
            _, reward, _, _, info = envs.recv(60)
            again |= dict(zip(info["env_id"].tolist(), reward.tolist(), strict=True))
        assert [again[env] == first[env] for env in range(4)] == [True, True, False, False]


class Wrong(Trouble):
    """Does not keep to Gymnasium's interface, in one way."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        start = super().reset(seed=seed)
        return start[0] if self.broken == "reset without info" else start

    def step(self, action: Any) -> Any:
        seen, reward, *ends, info = super().step(action)
        returned: dict[str, Any] = {
            "old step": (seen, reward, False, info),
            "nothing": None,
            "info": (seen, reward, *ends, ["words"]),
            "reward": (seen, None, *ends, info),
            "end": (seen, reward, np.zeros(2), False, info),
            "words": ValueError("cut \0 here: \udcff"),
        }
        if self.broken == "words":
            raise returned["words"]
        return returned.get(self.broken, (seen, reward, *ends, info))

    def close(self) -> None:
        if self.broken == "words":
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("reset without info", r"reset returned a ndarray; must be \(observation, info\)"),
        ("old step", r"step returned a tuple of 4; must be \(observation, reward, terminated"),
        ("nothing", "step returned a NoneType; must be"),
        ("info", "the info is of type list; must be a dict"),
        ("reward", "step returned a reward that is not a number: None"),
        ("end", re.escape("step returned a terminated that is not true or false: array([0., 0.])")),
        ("words", re.escape(r"ValueError: cut \0 here: \udcff")),
    ],
)
def test_an_env_that_is_not_gymnasiums_fails_alone(how: str, text: str) -> None:
    fns = [Trouble, partial(Wrong, how)]
    with poolkit.make_python(fns, context="fork", num_workers=1) as envs:
        with pytest.raises(poolkit.EnvError, match=f"env 1: .*{text}"):  # noqa: PT012
            envs.reset()
            envs.step([0, 0])
        assert envs.recv()[4]["env_id"].tolist() == [0]
        envs.send([0], [0])
        assert envs.recv()[1].tolist() == [envs.ask(_pid, env_ids=[0])[0]]


def test_an_env_that_cannot_be_pickled_is_named() -> None:
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot pickle") as caught:
        poolkit.make_python([Trouble, lambda: lock], num_workers=2)
    assert "env_fns [1] .. [1]" in caught.value.__notes__[0]


def test_an_env_that_went_with_anothers_worker_says_so_at_its_next_step() -> None:
    with opened() as envs:
        envs.reset(seed=0)
        pid = processes(envs)[3]
        envs.send([Trouble.KILL], [2])
        with pytest.raises(poolkit.EnvError, match="env 2: its worker"):
            envs.recv()
        with pytest.raises(poolkit.EnvError, match="env 3: its worker"):
            envs.ask(str, env_ids=[3])
        envs.reset(options={"reset_mask": np.arange(4) == 2})
        envs.send([0], [3])
        with pytest.raises(poolkit.EnvError, match="env 3: its worker .* killed"):
            envs.recv()
        envs.reset(options={"reset_mask": np.arange(4) == 3})
        assert processes(envs)[3] != pid


def test_the_same_seeds_give_the_same_episodes_after_deaths_too() -> None:
    def episode() -> list[float]:
        with poolkit.make_python([Zoo, Zoo], context="fork", seed=3) as envs:
            envs.reset()
            os.kill(envs.ask(_pid)[0], signal.SIGKILL)
            with pytest.raises(poolkit.EnvError):
                envs.step([0, 0])
            obs, _ = envs.reset()
            return obs[:, 0].tolist()

    assert episode() == episode()


def _pid(env: Any) -> int:
    return os.getpid()


def test_a_worker_that_hangs_meets_the_timeout_and_is_killed_by_close() -> None:
    envs = opened()
    envs.reset(seed=0)
    pids = set(processes(envs))
    envs.send(one_does(Trouble.HANG), np.arange(4))
    with pytest.raises(TimeoutError):
        envs.recv(timeout=0.2)
    envs.close(timeout=0.1)
    assert all(map(is_gone, pids))


@pytest.mark.parametrize("context", ["fork", "forkserver", "spawn"])
def test_workers_end_with_the_pools_process(context: str) -> None:
    program = f"""
        import os, signal, sys
        import numpy as np, poolkit
        from tests.python_zoo import Trouble
        if __name__ == "__main__":
            envs = poolkit.make_python([Trouble] * 2, num_workers=2, context={context!r})
            envs.reset()
            print(*map(int, envs.step([0, 0])[1]), flush=True)
            envs.send([Trouble.HANG, Trouble.GOOD], [0, 1])
            os.kill(os.getpid(), signal.SIGKILL)
    """
    ended = run(program)
    assert ended.returncode == -signal.SIGKILL
    pids = [int(word) for word in ended.stdout.split()]
    assert len(pids) == 2
    assert all(map(is_gone, pids))


def run(program: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", textwrap.dedent(program)]
    if path is not None:
        path.write_text(textwrap.dedent(program))
        arguments = [sys.executable, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])}
    return subprocess.run(
        arguments, capture_output=True, text=True, timeout=120, env=environment, cwd=ROOT
    )


def test_a_process_that_is_forked_off_leaves_the_workers_alone() -> None:
    ended = run(
        """
        import os
        import sys
        import poolkit
        from tests.python_zoo import Trouble
        if __name__ == "__main__":
            envs = poolkit.make_python([Trouble] * 2, num_workers=2, context="fork")
            envs.reset()
            if not (child := os.fork()):
                try:
                    envs.step([0, 0])
                except RuntimeError:
                    sys.exit(5)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), envs.step([0, 0])[0].sum())
        """
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("5 2.0\n", "", 0)


def test_a_pool_that_nobody_closed_goes_with_the_interpreter() -> None:
    ended = run(
        """
        import poolkit
        from tests.python_zoo import Trouble
        if __name__ == "__main__":
            envs = poolkit.make_python([Trouble] * 2, num_workers=2)
            envs.reset()
            print(*map(int, envs.step([0, 0])[1]), flush=True)
            envs.send([0], [1])
        """
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert all(is_gone(int(word)) for word in ended.stdout.split())


def test_an_exit_does_not_wait_for_workers_that_hang_and_ignore_signals() -> None:
    ended = run(
        """
        import poolkit  # first, so that multiprocessing's exit comes before the pool's
        import signal
        from tests.python_zoo import Trouble
        if __name__ == "__main__":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            envs = poolkit.make_python([Trouble] * 2, num_workers=2, context="fork")
            envs.reset()
            print(*map(int, envs.step([0, 0])[1]), flush=True)
            envs.send([Trouble.HANG], [1])
        """
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert all(is_gone(int(word)) for word in ended.stdout.split())


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_a_main_without_guard_is_told_of_it(context: str, tmp_path: Path) -> None:
    ended = run(
        f"""
        import poolkit
        from tests.python_zoo import Trouble
        poolkit.make_python([Trouble] * 2, context={context!r}).reset()
        """,
        tmp_path / "program.py",
    )
    assert ended.returncode == 1
    assert "if __name__ == '__main__':" in ended.stderr.strip().splitlines()[-3]


def held() -> tuple[int, int, set[str], int]:
    """Descriptors, threads, shared-memory files and child processes of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return (
        len(os.listdir("/proc/self/fd")),
        len(os.listdir("/proc/self/task")),
        set(os.listdir("/dev/shm")),
        len(children),
    )


@pytest.mark.parametrize("workers", ["process", "thread"])
def test_cycles_of_open_and_close_leave_nothing(workers: Any) -> None:
    def cycle() -> None:
        with opened(2, workers=workers) as envs:
            envs.reset()
            envs.step([0, 0])

    cycle()
    before = held()
    for _ in range(int(os.environ.get("POOLKIT_CYCLES", "20"))):
        cycle()
    assert held() == before


def test_deaths_and_new_starts_leave_nothing() -> None:
    with opened(2) as envs:
        envs.reset()
        before = held()
        for _ in range(5):
            with pytest.raises(poolkit.EnvError):
                envs.step([Trouble.KILL, 0])
            envs.recv()
            envs.reset()
        assert held() == before


def test_a_failed_start_leaves_nothing() -> None:
    before = held()
    for fns in ([Trouble, partial(Trouble, "constructor")], [Trouble, Zoo]):
        with pytest.raises((poolkit.EnvError, ValueError)):
            poolkit.make_python(fns, context="fork")
    assert held() == before


def test_a_pool_that_is_dropped_ends_its_workers() -> None:
    envs = opened(2)
    envs.reset()
    pids = processes(envs)
    del envs
    assert all(map(is_gone, pids))


def test_a_step_while_another_thread_holds_the_gil_for_long_goes_on() -> None:
    with opened(2, workers="thread") as envs:
        envs.reset()
        stop = threading.Event()

        def busy() -> None:
            while not stop.is_set():
                sum(range(100_000))

        thread = threading.Thread(target=busy)
        thread.start()
        for _ in range(10):
            envs.step([0, 0])
        stop.set()
        thread.join()


def test_time_is_not_lost_when_a_worker_is_killed_while_it_is_idle() -> None:
    with opened(2) as envs:
        envs.reset()
        pid = processes(envs)[0]
        os.kill(pid, signal.SIGKILL)
        assert is_gone(pid)
        start = time.monotonic()
        with pytest.raises(poolkit.EnvError, match="env 0: its worker process was killed"):
            envs.step([0, 0])
        assert envs.recv()[4]["env_id"].tolist() == [1]
        assert time.monotonic() - start < 60
