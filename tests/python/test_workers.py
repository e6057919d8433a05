"""Workers that several pools share, and what pools say of their time."""

import os
import threading

import numpy as np
import poolkit
import pytest


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))


def expect_threads(count: int) -> None:
    while thread_count() > count:  # the kernel's list lags behind a join
        os.sched_yield()
    assert thread_count() == count


def test_pools_share_threads() -> None:
    before = thread_count()
    workers = poolkit.Workers(2)
    assert workers.num_threads == 2
    expect_threads(before + 2)
    one = poolkit.make("debug/Counter-v0", num_envs=4, workers=workers)
    other = poolkit.make("CartPole-v1", num_envs=4, batch_size=2, workers=workers)
    expect_threads(before + 2)
    one.reset()
    other.reset()
    for step in range(1, 10):
        np.testing.assert_array_equal(one.step([1, 2, 3, 4])[0][:, 0], step)
        assert other.step([0, 1])[0].shape == (2, 4)
    one.close()
    other.step([0, 1])
    del workers
    other.step([0, 1])
    other.close()
    del one, other
    expect_threads(before)


def test_busy_pool_does_not_starve_another() -> None:
    workers = poolkit.Workers(1)
    with (
        poolkit.make("debug/Slow-v0", num_envs=400, sleep_us=500, workers=workers) as busy,
        poolkit.make("debug/Counter-v0", num_envs=2, workers=workers) as other,
    ):
        busy.reset()
        other.reset()
        steps = busy.stats().steps
        busy.send([2] * 400)
        other.step([1, 1])
        assert busy.stats().steps - steps < 100
        assert len(busy.recv()[1]) == 400


def test_pools_in_several_threads_share_workers() -> None:
    workers = poolkit.Workers(2)
    errors: list[BaseException] = []

    def play(seed: int) -> None:
        try:
            for round_ in range(5):
                with poolkit.make(
                    "debug/Counter-v0", num_envs=6, batch_size=3, workers=workers
                ) as envs:
                    envs.reset(seed=seed)
                    for _ in range(100):
                        envs.step([round_] * 3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_workers_have_their_own_threads_and_cpus() -> None:
    workers = poolkit.Workers(affinity=[min(os.sched_getaffinity(0))])
    for argument in ({"num_threads": 2}, {"affinity": "numa"}, {"thread_affinity_offset": 0}):
        with pytest.raises(ValueError, match="workers: they have their own"):
            poolkit.make("debug/Counter-v0", workers=workers, **argument)
    with pytest.raises(ValueError, match="num_threads: 0 must be in 1"):
        poolkit.Workers(0)
    with pytest.raises(ValueError, match="affinity"):
        poolkit.Workers(1, [10**6])


def test_stats_count_what_was_done() -> None:
    with poolkit.make("debug/Failing-v0", num_envs=4, num_threads=2) as envs:
        empty = envs.stats()
        assert (empty.steps, empty.errors, empty.batches, empty.caller_wait) == (0, 0, 0, 0)
        envs.reset()
        held = [envs.step([0] * 4) for _ in range(200)]
        envs.send([0, 1, 0, 0])
        with pytest.raises(poolkit.EnvError):
            envs.recv()
        envs.recv()
        stats = envs.stats()
        assert (stats.steps, stats.errors, stats.batches) == (4 * 202, 1, 202)
        assert stats.worker_busy > 0
        assert stats.caller_wait > 0
        assert stats.queue_wait > 0
        assert stats.buffers >= stats.buffers_out >= 8 * 200
        del held
        assert envs.stats().buffers_out <= 16
        assert envs.stats().buffers == stats.buffers


def test_stats_of_a_group_and_of_light_envs() -> None:
    for task in ("debug/Farm-v0", "CartPole-v1"):
        with poolkit.make(task, num_envs=8, batch_size=4) as envs:
            envs.reset()
            for _ in range(10):
                envs.step([0] * 4)
            assert envs.stats().batches == 11
            assert envs.stats().steps >= 44
