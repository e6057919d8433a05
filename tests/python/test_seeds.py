"""Seeds: which stream an env gets, and that a stream is one env's alone."""

import numpy as np
import poolkit
import pytest
from poolkit.seeds import pool_seed


def first_observations(**arguments: object) -> np.ndarray:
    with poolkit.make("CartPole-v1", **arguments) as envs:
        return envs.reset()[0]


def test_int_spawns_a_stream_for_each_env() -> None:
    got = first_observations(num_envs=3, seed=5)
    for env in range(3):
        stream = np.random.SeedSequence(5, spawn_key=(env,))
        expected = np.random.Generator(np.random.PCG64(stream)).uniform(-0.05, 0.05, 4)
        np.testing.assert_array_equal(got[env], expected.astype(np.float32))


def test_neighbouring_seeds_share_no_stream() -> None:
    rows = np.concatenate([first_observations(num_envs=4, seed=s) for s in range(4)])
    assert len(np.unique(rows, axis=0)) == 16


def test_list_seeds_each_env_with_its_entry() -> None:
    got = first_observations(num_envs=2, seed=[2**64 - 1, 3])
    for row, seed in zip(got, [2**64 - 1, 3], strict=True):
        expected = np.random.default_rng(seed).uniform(-0.05, 0.05, 4)
        np.testing.assert_array_equal(row, expected.astype(np.float32))


def test_default_seed_repeats_and_none_does_not() -> None:
    np.testing.assert_array_equal(first_observations(), first_observations(seed=42))
    assert pool_seed(None, 1) != pool_seed(None, 1)


def test_reset_reseeds_for_real() -> None:
    with poolkit.make("CartPole-v1", num_envs=2) as envs:
        first = envs.reset(seed=9)[0]
        for _ in range(30):
            envs.step([0, 1])
        unseeded = envs.reset()[0]
        assert not np.array_equal(unseeded, first)
        np.testing.assert_array_equal(envs.reset(seed=9)[0], first)
        np.testing.assert_array_equal(envs.reset(seed=[9, 10])[0], first)


def test_entry_none_lets_a_stream_go_on() -> None:
    with poolkit.make("CartPole-v1", num_envs=2) as envs:
        envs.reset(seed=1)
        second = envs.reset()[0]
        envs.reset(seed=1)
        mixed = envs.reset(seed=[77, None])[0]
    np.testing.assert_array_equal(mixed[1], second[1])
    assert not np.array_equal(mixed[0], second[0])


def test_numpy_integers_are_seeds() -> None:
    np.testing.assert_array_equal(first_observations(seed=np.int64(7)), first_observations(seed=7))


@pytest.mark.parametrize("seed", [-1, 2**64, [1, 2], [-1]])
def test_other_values_are_refused(seed: object) -> None:
    with pytest.raises(ValueError, match="seed"):
        poolkit.make("CartPole-v1", seed=seed)
    with poolkit.make("CartPole-v1") as envs, pytest.raises(ValueError, match="seed"):
        envs.reset(seed=seed)


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="seed"):
        poolkit.make("CartPole-v1", seed=["1"])
