"""What to expect of an environment in a pool."""

from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium.utils.env_checker import check_env

TASK = "acme_reach:acme/Reach-v0"


def push(obs: dict[str, Any]) -> Any:
    """Towards the target, against the velocity."""
    return np.clip(2 * (obs["target"] - obs["position"]) - obs["velocity"], -1, 1)


def test_lock_step() -> None:
    with poolkit.make(TASK, num_envs=16, num_threads=2, autoreset="same_step") as envs:
        obs, info = envs.reset(seed=0)
        arrived = 0
        for _ in range(100):
            assert all(part.shape == (16, 2) for part in obs.values())
            obs, reward, terminated, _, info = envs.step(push(obs))
            np.testing.assert_allclose(reward[~terminated], -info["distance"][~terminated])
            arrived += terminated.sum()
        assert arrived > 16


def test_asynchronous() -> None:
    with poolkit.make(TASK, num_envs=16, batch_size=4, num_threads=2) as envs:
        envs.async_reset()
        steps = np.zeros(16, int)
        for _ in range(200):
            obs, _, _, _, info = envs.recv()
            steps[info["env_id"]] += 1
            envs.send(push(obs), info["env_id"])
        assert steps.sum() == 800


def test_a_seed_repeats_an_episode_with_any_number_of_threads() -> None:
    runs = []
    for threads in (1, 3):
        with poolkit.make(TASK, num_envs=6, num_threads=threads, seed=5) as envs:
            obs, _ = envs.reset()
            for _ in range(20):
                obs, *_ = envs.step(push(obs))
            runs.append(obs)
    for key, part in runs[0].items():
        np.testing.assert_array_equal(part, runs[1][key])


def test_options_and_bad_input() -> None:
    with poolkit.make("acme/ReachExactly-v0", pixels=16) as envs:
        envs.reset()
        with pytest.raises(ValueError, match=r"1\.5"):
            envs.step([[0.0, 1.5]])
    with pytest.raises(TypeError, match="did you mean 'radius'"):
        poolkit.make(TASK, radios=1)


def test_render() -> None:
    with poolkit.make(TASK, num_envs=2, render_mode="rgb_array", pixels=32) as envs:
        envs.reset(seed=1)
        for image in envs.render():
            assert image.shape == (32, 32, 3)
            assert {tuple(pixel) for pixel in image.reshape(-1, 3)} >= {(0, 0, 0), (255, 255, 255)}


def test_a_saved_state_goes_on_as_the_original() -> None:
    with poolkit.make(TASK, num_envs=2) as envs:
        obs, _ = envs.reset(seed=1)
        for _ in range(5):
            obs, *_ = envs.step(push(obs))
        envs.load_state([1], envs.save_state([0]))
        for _ in range(250):  # over an end and the reset after it
            action = np.repeat(push(obs)[:1], 2, axis=0)
            obs, *_ = envs.step(action)
            for part in obs.values():
                np.testing.assert_array_equal(part[0], part[1])


def test_gymnasium_makes_one_and_many() -> None:
    env = gymnasium.make(TASK).unwrapped
    assert isinstance(env.observation_space, gymnasium.spaces.Dict)
    check_env(env, skip_render_check=True)
    assert gymnasium.make_vec(TASK, num_envs=3).reset(seed=0)[0]["target"].shape == (3, 2)
