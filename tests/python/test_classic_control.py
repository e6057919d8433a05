"""Classic control against Gymnasium's, from the same seeds: no difference, not in the last bit."""

from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from poolkit import _core

from tests.gymnasium_parity import random, spaces_are_equal, steps_are_equal

TASKS: dict[str, dict[str, Any]] = {
    "CartPole-v0": {},
    "CartPole-v1": {"sutton_barto_reward": True},
    "Pendulum-v1": {"g": 9.81},
    "Acrobot-v1": {},
    "MountainCar-v0": {"goal_velocity": 0.02},
    "MountainCarContinuous-v0": {"goal_velocity": 0.01},
}
"""With an option that changes what happens, where there is one."""


def with_the_velocity(obs: Any, _info: dict[str, Any], space: gymnasium.Space[Any]) -> Any:
    """Pushes whatever swings the way it moves: it reaches every goal and each velocity's limit."""
    sign = np.sign(obs[-1])
    if isinstance(space, gymnasium.spaces.Box):
        return sign * space.high
    return np.int64(sign + 1)


pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")


@pytest.mark.parametrize("task", TASKS)
def test_spaces_are_gymnasiums(task: str) -> None:
    spaces_are_equal(task)


@pytest.mark.parametrize("task", TASKS)
def test_5000_random_steps_are_gymnasiums(task: str) -> None:
    seen = steps_are_equal(task, 5_000)
    assert seen["terminated"] + seen["truncated"] >= 5


@pytest.mark.parametrize("task", [task for task in TASKS if not task.startswith("CartPole")])
def test_steps_of_a_policy_that_swings_up_are_gymnasiums(task: str) -> None:
    seen = steps_are_equal(task, 1_000, with_the_velocity)
    assert seen["truncated" if task == "Pendulum-v1" else "terminated"] >= 3


@pytest.mark.parametrize(("task", "options"), [(t, o) for t, o in TASKS.items() if o])
def test_options_change_what_they_change_in_gymnasium(task: str, options: dict[str, Any]) -> None:
    policy = random if task.startswith("CartPole") else with_the_velocity
    seen = steps_are_equal(task, 1_000, policy, **options)
    assert seen["terminated"] + seen["truncated"] >= 3


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0"])
def test_states_are_gymnasiums_in_double_precision(task: str) -> None:
    theirs = gymnasium.make(task).unwrapped
    with poolkit.make(task, autoreset="disabled", max_episode_steps=0) as pool:
        space = pool.single_action_space
        space.seed(2)
        theirs.reset(seed=3)
        pool.reset(seed=3)
        for step in range(1_500):
            action = space.sample()
            ended = theirs.step(action)[2]
            pool.step(action[np.newaxis])
            state = _core.own_state(pool.save_state([0])[0])
            size = len(theirs.state)
            assert tuple(np.frombuffer(state, np.float64, size)) == tuple(theirs.state), step
            if ended:
                theirs.reset()
                pool.reset()


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
