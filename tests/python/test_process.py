"""What a pool does to its process: Ctrl-C, forks, exits. Each in a process of its own."""

import subprocess
import sys
import textwrap
from pathlib import Path

PRELUDE = """
import gc, os, signal, sys, threading
import numpy as np
import poolkit
from poolkit import _core
poolkit.register("debug/Slow-v0", _core.envs.debug_slow)
poolkit.register("debug/Farm-v0", _core.envs.debug_farm)
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def expect_quiet(program: str, *arguments: str) -> None:
    done = run(program, *arguments)
    assert (done.returncode, done.stderr) == (0, ""), done


def test_ctrl_c_ends_a_wait_and_loses_nothing(tmp_path: Path) -> None:
    expect_quiet(
        """
        envs = poolkit.make("debug/Slow-v0", num_envs=2, gate=sys.argv[1])
        envs.reset()
        envs.send([1, 0])
        main = threading.get_ident()
        def interrupt():
            while sys._current_frames()[main].f_code.co_name != "recv":
                pass
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            envs.recv()
        except KeyboardInterrupt:
            open(sys.argv[1], "w").close()
        assert envs.pending == 2
        assert (envs.recv()[0] == 1).all()
        """,
        str(tmp_path / "gate"),
    )


def test_pool_left_to_the_exit_goes_quietly() -> None:
    expect_quiet("""
        envs = poolkit.make("CartPole-v1", num_envs=64, num_threads=4)
        envs.reset()
        farm = poolkit.make("debug/Farm-v0", num_envs=4)
        farm.reset()
        envs.send(np.zeros(64, int))
        farm.send([1, 2, 3, 4])
        cycle = [envs]
        cycle.append(cycle)
        """)


def test_pool_left_to_the_garbage_collector_goes_quietly() -> None:
    expect_quiet("""
        before = len(os.listdir("/proc/self/task"))
        for _ in range(3):
            envs = poolkit.make("CartPole-v1", num_envs=8, num_threads=3)
            envs.reset()
            envs.send(np.zeros(8, int))
            cycle = [envs]
            cycle.append(cycle)
            del envs, cycle
            gc.collect()
        assert len(os.listdir("/proc/self/task")) == before
        """)


def test_exit_while_a_thread_waits_is_quiet(tmp_path: Path) -> None:
    expect_quiet(
        """
        envs = poolkit.make("debug/Slow-v0", num_envs=2, gate=sys.argv[1])
        envs.reset()
        envs.send([1], [0])
        started = threading.Event()
        def wait():
            started.set()
            try:
                envs.recv()
            except RuntimeError:
                pass
        threading.Thread(target=wait, daemon=True).start()
        started.wait()
        open(sys.argv[1], "w").close()
        """,
        str(tmp_path / "gate"),
    )


def test_forked_child_may_not_use_the_pool_and_exits_cleanly() -> None:
    expect_quiet("""
        envs = poolkit.make("CartPole-v1", num_envs=8, num_threads=3)
        envs.reset()
        child = os.fork()
        if child == 0:
            for use in (envs.reset, lambda: envs.step([0] * 8), envs.recv, lambda: envs.pending):
                try:
                    use()
                except RuntimeError as error:
                    assert "fork" in str(error), error
                else:
                    raise AssertionError(use)
            own = poolkit.make("CartPole-v1", num_envs=2)
            own.reset()
            own.step([0, 1])
            sys.exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        envs.step([0] * 8)
        """)


def test_import_needs_no_trainer() -> None:
    expect_quiet("""
        for module in ("torch", "ale_py", "stable_baselines3", "tianshou", "matplotlib"):
            assert module not in sys.modules, module
        """)
