"""Classic control against Gymnasium's, from the same seeds: no difference, not in the last bit."""

from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest

STEPS = 5_000
NUM_ENVS = 2

TASKS: dict[str, dict[str, Any]] = {
    "CartPole-v0": {},
    "CartPole-v1": {"sutton_barto_reward": True},
    "Pendulum-v1": {"g": 9.81},
    "Acrobot-v1": {},
    "MountainCar-v0": {"goal_velocity": 0.02},
    "MountainCarContinuous-v0": {"goal_velocity": 0.01},
}
"""With an option that changes what happens, where there is one."""


def steps_are_equal(task: str, steps: int, policy: Any, **options: Any) -> tuple[int, int]:
    """How many episodes were terminated and truncated in the steps that were compared."""
    theirs = gymnasium.make_vec(task, NUM_ENVS, vectorization_mode="sync", **options)
    ended, cut = 0, 0
    with poolkit.make(task, num_envs=NUM_ENVS, **options) as ours:
        ours.action_space.seed(1)
        got, expected = ours.reset(seed=7)[0], theirs.reset(seed=7)[0]
        np.testing.assert_array_equal(got, expected)
        obs = got
        for step in range(steps):
            action = policy(obs, ours.action_space)
            got, expected = ours.step(action), theirs.step(action)
            for mine, other in zip(got[:4], expected[:4], strict=True):
                assert np.array_equal(mine, other.astype(mine.dtype)), step
            obs = got[0]
            ended += int(got[2].sum())
            cut += int(got[3].sum())
    theirs.close()
    return ended, cut


def random(_obs: Any, space: gymnasium.Space[Any]) -> Any:
    return space.sample()


def with_the_velocity(obs: Any, space: gymnasium.Space[Any]) -> Any:
    """Pushes whatever swings the way it moves: it reaches every goal and each velocity's limit."""
    sign = np.sign(obs[:, -1])
    if isinstance(space, gymnasium.spaces.Box):
        return (sign[:, np.newaxis] * space.high[0]).astype(np.float32)
    return (sign + 1).astype(np.int64)


pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")


@pytest.mark.parametrize("task", TASKS)
def test_spaces_are_gymnasiums(task: str) -> None:
    theirs = gymnasium.make(task)
    with poolkit.make(task) as ours:
        assert ours.single_observation_space == theirs.observation_space
        assert ours.single_action_space == theirs.action_space


@pytest.mark.parametrize("task", TASKS)
def test_5000_random_steps_are_gymnasiums(task: str) -> None:
    ended, cut = steps_are_equal(task, STEPS, random)
    assert ended + cut >= 10


@pytest.mark.parametrize("task", [task for task in TASKS if not task.startswith("CartPole")])
def test_steps_of_a_policy_that_swings_up_are_gymnasiums(task: str) -> None:
    ended, cut = steps_are_equal(task, 1000, with_the_velocity)
    assert (cut if task == "Pendulum-v1" else ended) > 3


@pytest.mark.parametrize(("task", "options"), [(t, o) for t, o in TASKS.items() if o])
def test_options_change_what_they_change_in_gymnasium(task: str, options: dict[str, Any]) -> None:
    policy = random if task.startswith("CartPole") else with_the_velocity
    ended, cut = steps_are_equal(task, 600, policy, **options)
    assert ended + cut > 3


@pytest.mark.parametrize("task", TASKS)
def test_a_state_continues_exactly(task: str) -> None:
    with poolkit.make(task, num_envs=2, max_episode_steps=30) as envs:
        envs.action_space.seed(0)
        envs.reset()
        envs.step(envs.action_space.sample())
        envs.load_state([1], envs.save_state([0]))
        for _ in range(40):  # over an end and the reset after it
            action = envs.action_space.sample()
            action[1] = action[0]
            obs, reward, *_ = envs.step(action)
            np.testing.assert_array_equal(obs[0], obs[1])
            assert reward[0] == reward[1]
