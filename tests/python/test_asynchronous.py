"""Asynchronous pools: batches of those that finish first, none lost, none twice."""

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import poolkit
import pytest


def test_every_env_comes_round() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=12, batch_size=4, num_threads=2) as envs:
        assert envs.is_async
        assert envs.batch_size == 4
        envs.async_reset()
        steps = np.zeros(12, int)
        for _ in range(300):
            obs, _, _, _, info = envs.recv()
            ids = info["env_id"]
            assert len(set(ids)) == 4
            np.testing.assert_array_equal(obs[:, 0], steps[ids] % 11)
            steps[ids] += 1
            envs.send(np.zeros(4, int), ids)
        assert steps.min() > 0


def test_step_answers_the_last_batch() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=6, batch_size=2) as envs:
        _, info = envs.reset()
        for _ in range(50):
            assert info["env_id"].shape == (2,)
            assert envs.pending == 4
            info = envs.step([1, 2])[4]


def test_tail_of_a_rollout_does_not_wait_for_ever() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=5, batch_size=2) as envs:
        envs.async_reset()
        got = [len(envs.recv()[1]) for _ in range(3)]
        assert got == [2, 2, 1]
        assert envs.pending == 0


def test_slow_env_holds_nobody_up(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with poolkit.make(
        "debug/Slow-v0", num_envs=3, batch_size=1, num_threads=2, gate=str(gate)
    ) as envs:
        envs.reset(options={"reset_mask": np.ones(3, bool)})
        envs.send([1], [0])
        for step in range(1, 20):
            envs.send([0], [1 + step % 2])
            assert envs.recv()[4]["env_id"] == 1 + step % 2
        assert envs.pending == 1
        gate.touch()
        assert envs.recv()[4]["env_id"] == 0


def test_timeout_loses_nothing(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with poolkit.make("debug/Slow-v0", num_envs=2, num_threads=2, gate=str(gate)) as envs:
        envs.reset()
        envs.send([1, 0])
        for timeout in (0, 0.01):
            with pytest.raises(TimeoutError):
                envs.recv(timeout=timeout)
        assert envs.pending == 2
        gate.touch()
        np.testing.assert_array_equal(envs.recv(timeout=60)[0], [[1], [1]])


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_wrong_timeout_is_refused(timeout: float) -> None:
    with (
        poolkit.make("debug/Counter-v0") as envs,
        pytest.raises(ValueError, match="timeout"),
    ):
        envs.recv(timeout=timeout)


def test_reset_drops_what_is_pending() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=4, batch_size=2) as envs:
        envs.reset()
        envs.send([1, 1])
        obs, info = envs.reset(seed=1)
        np.testing.assert_array_equal(obs[:, 0], 0)
        assert info["env_id"].shape == (2,)


def test_mask_of_an_asynchronous_pool_returns_only_its_rows() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=6, batch_size=2) as envs:
        mask = np.array([1, 0, 1, 1, 0, 1], bool)
        _, info = envs.reset(options={"reset_mask": mask})
        np.testing.assert_array_equal(info["env_id"], [0, 2, 3, 5])
        envs.send([1, 2, 3, 4])
        with pytest.raises(ValueError, match="4 results are pending"):
            envs.reset(options={"reset_mask": mask})


def test_threads_may_send_and_receive_at_once() -> None:
    rounds = 200
    with poolkit.make("debug/Counter-v0", num_envs=8, batch_size=2, num_threads=2) as envs:
        envs.async_reset()
        received = []

        def receive() -> None:
            for _ in range(rounds):
                ids = envs.recv(timeout=60)[4]["env_id"]
                received.append(ids)
                envs.send(np.zeros(len(ids), int), ids)

        threads = [threading.Thread(target=receive) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(received) == 2 * rounds
        assert set(np.concatenate(received)) == set(range(8))


def test_close_wakes_a_waiting_thread(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    envs = poolkit.make("debug/Slow-v0", num_threads=1, gate=str(gate))
    envs.reset()
    envs.send([1])
    errors = []
    waiting = threading.Event()

    def receive() -> None:
        waiting.set()
        with pytest.raises(RuntimeError, match="closed") as caught:
            envs.recv()
        errors.append(caught.value)

    receiver = threading.Thread(target=receive)
    receiver.start()
    waiting.wait()
    closer = threading.Thread(target=envs.close)  # waits for the env, which waits for the gate
    closer.start()
    receiver.join()
    gate.touch()
    closer.join()
    assert errors


def test_close_gives_up_on_an_env_that_does_not_return(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    before = len(os.listdir("/proc/self/task"))
    envs = poolkit.make("debug/Slow-v0", num_envs=2, num_threads=2, gate=str(gate))
    obs = envs.reset()[0]
    envs.send([1, 0])
    while not (tmp_path / "gate.waits").exists():
        os.sched_yield()
    for _ in range(2):
        with pytest.raises(TimeoutError, match=r"close: an environment of debug_slow does not re"):
            envs.close(timeout=0.01)
    assert envs.pending == 0
    with pytest.raises(RuntimeError, match="closed"):
        envs.recv()
    del envs
    gate.touch()
    while len(os.listdir("/proc/self/task")) > before:  # all of it ends when the env returns
        os.sched_yield()
    np.testing.assert_array_equal(obs, 0)


@pytest.mark.parametrize("timeout", [-1, float("nan"), "1"])
def test_wrong_timeout_of_close_is_refused(timeout: Any) -> None:
    with (
        poolkit.make("debug/Counter-v0") as envs,
        pytest.raises((TypeError, ValueError), match="timeout"),
    ):
        envs.close(timeout=timeout)
