"""save_state and load_state: an env goes on exactly as it would have."""

import numpy as np
import poolkit
import pytest

TASKS = ["CartPole-v1", "debug/Counter-v0", "Pong-v5"]


def play(envs: poolkit.GymnasiumVectorEnv, steps: int) -> list[object]:
    rng = np.random.default_rng(0)
    return [envs.step(rng.integers(0, 2, envs.num_envs)) for _ in range(steps)]


@pytest.mark.parametrize("task", TASKS)
def test_saved_env_goes_on_exactly(task: str) -> None:
    with poolkit.make(task, num_envs=2) as envs:
        envs.reset(seed=1)
        play(envs, 15)
        states = envs.save_state()
        expected = play(envs, 60)
        envs.load_state(None, states)
        np.testing.assert_equal(play(envs, 60), expected)
        with poolkit.make(task, num_envs=2, seed=0) as others:
            others.reset()
            others.load_state([0, 1], states)
            np.testing.assert_equal(play(others, 60), expected)


def test_states_may_change_places() -> None:
    with poolkit.make("CartPole-v1", num_envs=3) as envs:
        envs.reset()
        envs.load_state([0, 1], envs.save_state([2, 2]))
        obs = envs.step([1, 1, 1])[0]
        np.testing.assert_array_equal(obs[0], obs[2])
        np.testing.assert_array_equal(obs[1], obs[2])


def test_wrong_states_are_refused() -> None:
    with (
        poolkit.make("CartPole-v1", num_envs=2) as envs,
        poolkit.make("debug/Counter-v0") as counters,
    ):
        envs.reset()
        counters.reset()
        (state,) = envs.save_state([0])
        for wrong in (b"", state[:-1], state + b"x", *counters.save_state()):
            with pytest.raises(ValueError, match="state"):
                envs.load_state([0], [wrong])
        with pytest.raises(ValueError, match="2 entries; must have 1"):
            envs.load_state([0], [state, state])
        with pytest.raises(ValueError, match="env_id"):
            envs.save_state([2])
    with poolkit.make("debug/Slow-v0") as envs:
        envs.reset()
        with pytest.raises(RuntimeError, match="no states"):
            envs.save_state()
