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


INTERRUPTED = """
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
main = threading.get_ident()
def interrupted(call, function):
    def interrupt():  # once the main thread is in `function`
        while sys._current_frames()[main].f_code.co_name != function:
            os.sched_yield()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt).start()
    try:
        call()
    except KeyboardInterrupt:
        return
    raise AssertionError(function)
"""


def test_ctrl_c_ends_any_wait_and_loses_nothing(tmp_path: Path) -> None:
    expect_quiet(
        INTERRUPTED
        + textwrap.dedent("""
        envs = poolkit.make("debug/Slow-v0", num_envs=2, gate=sys.argv[1])
        envs.reset()
        interrupted(lambda: envs.step([1, 0]), "step")
        assert envs.pending == 2
        interrupted(envs.recv, "recv")
        interrupted(lambda: envs.recv(timeout=1000), "recv")
        interrupted(envs.reset, "reset")
        assert envs.pending == 2
        open(sys.argv[1], "w").close()
        assert (envs.recv()[0] == 1).all()
        os.remove(sys.argv[1])

        os.remove(sys.argv[1] + ".waits")
        envs.send([1, 0])
        while not os.path.exists(sys.argv[1] + ".waits"):
            os.sched_yield()
        interrupted(envs.close, "close_extras")
        open(sys.argv[1], "w").close()
        envs.close()
        assert envs.closed
        os.remove(sys.argv[1])

        make = lambda: poolkit.make("debug/Slow-v0", gate=sys.argv[1], gated_constructor=True)
        before = len(os.listdir("/proc/self/task"))
        interrupted(make, "open")
        open(sys.argv[1], "w").close()
        while len(os.listdir("/proc/self/task")) > before:  # what was begun goes by itself
            os.sched_yield()
        make().close()
        """),
        str(tmp_path / "gate"),
    )


def test_env_that_hangs_does_not_hold_up_the_exit(tmp_path: Path) -> None:
    done = run(
        """
        envs = poolkit.make("debug/Slow-v0", num_envs=3, batch_size=1, gate=sys.argv[1])
        envs.async_reset()
        while envs.pending:
            envs.recv()
        envs.send([1], [2])
        while not os.path.exists(sys.argv[1] + ".waits"):
            os.sched_yield()
        print("ends")
        """,
        str(tmp_path / "gate"),
    )
    assert (done.returncode, done.stdout) == (0, "ends\n")
    assert "TimeoutError: close: an environment of debug_slow does not return" in done.stderr
    assert "(envs with work pending: 2)" in done.stderr


def test_exit_does_not_wait_for_what_close_gave_up(tmp_path: Path) -> None:
    expect_quiet(
        """
        envs = poolkit.make("debug/Slow-v0", gate=sys.argv[1])
        envs.reset()
        envs.send([1])
        while not os.path.exists(sys.argv[1] + ".waits"):
            os.sched_yield()
        try:
            envs.close(timeout=0.01)
        except TimeoutError:
            pass
        else:
            raise AssertionError("closed")
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


def test_children_forked_from_a_busy_pool_exit_cleanly(tmp_path: Path) -> None:
    expect_quiet(
        """
        import multiprocessing
        context = multiprocessing.get_context("fork")
        workers = poolkit.Workers(2)
        busy = poolkit.make("CartPole-v1", num_envs=256, batch_size=64, num_threads=3)
        shared = poolkit.make("debug/Slow-v0", num_envs=4, gate=sys.argv[1], workers=workers)
        busy.reset()
        held = shared.reset()
        shared.send([1, 1, 0, 2])

        def child():
            for pool in (busy, shared):
                try:
                    pool.recv()
                except RuntimeError as error:
                    assert "fork" in str(error), error
                else:
                    raise AssertionError(pool)
                pool.close()
            try:
                poolkit.make("CartPole-v1", workers=workers)
            except ValueError as error:
                assert "workers" in str(error), error
            else:
                raise AssertionError("workers")
            with poolkit.make("CartPole-v1", num_envs=8, num_threads=2) as own:
                own.reset()
                own.step([0] * 8)

        for _ in range(10):
            busy.step([0] * 64)
            children = [context.Process(target=child) for _ in range(2)]
            for process in children:
                process.start()
            for process in children:
                process.join()
                assert process.exitcode == 0, process.exitcode
        open(sys.argv[1], "w").close()
        assert (shared.recv()[0] == 1).all()
        busy.step([0] * 64)
        """,
        str(tmp_path / "gate"),
    )


def test_pools_come_and_go_without_a_trace() -> None:
    expect_quiet("""
        def resources():
            pages = int(open("/proc/self/statm").read().split()[1])
            return pages, len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

        def use(task, **arguments):
            envs = poolkit.make(task, **arguments)
            envs.reset()
            kept = envs.step(np.zeros(envs.batch_size, int))
            if arguments["num_envs"] % 2:
                envs.close()
            return kept

        def cycle(times):
            for i in range(times):
                use("CartPole-v1", num_envs=8 + i % 2, num_threads=2)
                use("debug/Farm-v0", num_envs=2 + i % 2)
                use("debug/Slow-v0", num_envs=4 + i % 2, batch_size=2, num_threads=2)

        cycle(100)
        pages, threads, files = resources()
        cycle(400)
        after = resources()
        while len(os.listdir("/proc/self/task")) > threads:  # the kernel's list lags
            os.sched_yield()
        assert after[2] == files
        assert after[0] < pages * 1.02 + 64, (pages, after)
        """)


def test_too_many_envs_or_threads_are_an_error_at_once() -> None:
    expect_quiet("""
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
        for arguments in (
            {"task": "CartPole-v1", "num_envs": 2**31 - 1},
            {"task": "CartPole-v1", "num_envs": 2**31 - 1, "batch_size": 1},
            {"task": "Pong-v5", "num_envs": 2**26},
            {"task": "debug/Farm-v0", "num_envs": 2**31 - 1, "batch_size": 2**30},
        ):
            try:
                poolkit.make(**arguments)
            except MemoryError:
                continue
            raise AssertionError(arguments)
        try:
            poolkit.make("debug/Slow-v0", num_threads=4096)
        except RuntimeError as error:
            assert "num_threads: only" in str(error), error
        else:
            raise AssertionError("4096 threads in 4 GiB")
        with poolkit.make("CartPole-v1", num_envs=4) as envs:
            envs.reset()
            envs.step([0] * 4)
        """)


def test_import_needs_no_trainer() -> None:
    expect_quiet("""
        for module in ("torch", "ale_py", "stable_baselines3", "tianshou", "matplotlib"):
            assert module not in sys.modules, module
        """)
