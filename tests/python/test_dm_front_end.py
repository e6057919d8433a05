"""The dm_env front end: TimeSteps of arrays, exact specs, and dm_env's own conventions for one."""

from collections.abc import Iterator
from typing import Any

import dm_env
import numpy as np
import poolkit
import pytest
import tree
from absl.testing import absltest
from dm_env import StepType, test_utils

FIRST, MID, LAST = map(int, (StepType.FIRST, StepType.MID, StepType.LAST))
TASKS = ["CartPole-v1", "Pendulum-v1", "Blackjack-v1", "Taxi-v4", "debug/EveryDtype-v0"]


class CartPoleTest(test_utils.EnvironmentTestMixin, absltest.TestCase):
    def make_object_under_test(self) -> dm_env.Environment:
        return poolkit.make_dm("CartPole-v1", squeeze=True)

    def make_action_sequence(self) -> Iterator[Any]:
        yield from np.random.default_rng(0).integers(0, 2, 200)  # over several ends


class PongTest(test_utils.EnvironmentTestMixin, absltest.TestCase):
    def make_object_under_test(self) -> dm_env.Environment:
        return poolkit.make_dm("Pong-v5", squeeze=True, max_episode_steps=30)

    def make_action_sequence(self) -> Iterator[Any]:
        yield from np.random.default_rng(0).integers(0, 6, 80)


def conforms(value: Any, spec: Any) -> None:
    tree.assert_same_structure(value, spec)
    tree.map_structure(lambda part, its_spec: its_spec.validate(part), value, spec)


@pytest.mark.parametrize("squeeze", [False, True])
@pytest.mark.parametrize("task", TASKS)
def test_specs_are_those_of_what_is_taken_and_returned(task: str, squeeze: bool) -> None:
    with poolkit.make_dm(task, num_envs=1 if squeeze else 3, squeeze=squeeze) as envs:
        envs.reset(seed=0)
        for _ in range(15):  # over an end
            action = tree.map_structure(lambda spec: spec.generate_value(), envs.action_spec())
            step = envs.step(action)
            conforms(step.observation, envs.observation_spec())
            if not (squeeze and step.first()):
                conforms(step.reward, envs.reward_spec())
                conforms(step.discount, envs.discount_spec())


def test_bounds_of_the_specs_are_the_spaces() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=2) as envs:
        spec = envs.observation_spec()
        assert spec.shape == (2, 4)
        assert spec.dtype == np.float32
        np.testing.assert_array_equal(
            spec.maximum[1], np.float32([4.8, np.inf, 0.41887903, np.inf])
        )
        assert envs.action_spec().shape == (2,)
        assert envs.action_spec().maximum.tolist() == [1, 1]
    with poolkit.make_dm("CartPole-v1", squeeze=True) as env:
        assert env.action_spec() == dm_env.specs.DiscreteArray(2, np.int64, "action")


def test_rows_go_from_first_to_last_and_to_first_again() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=2, max_episode_steps=2) as envs:
        steps = [envs.reset(seed=1)] + [envs.step([0, 1]) for _ in range(4)]
        types = [step.step_type.tolist() for step in steps]
        assert types == [[kind, kind] for kind in (FIRST, MID, LAST, FIRST, MID)]
        assert steps[0].step_type.dtype == np.int32
        for step in steps:
            assert step.reward.dtype == step.discount.dtype == np.float32
            assert step.reward.tolist() == [float(not first) for first in step.first()]
            assert step.discount.tolist() == [1, 1]  # also at the truncation


def test_discount_is_0_at_a_termination() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=2) as envs:
        envs.reset(seed=0)
        for _ in range(60):
            step = envs.step([0, 1])
            assert (step.discount == 0).tolist() == step.last().tolist()
            if step.last().any():
                return
    pytest.fail("no episode ended")


def test_rows_of_lost_lives_are_last_and_first() -> None:
    with poolkit.make_dm("Breakout-v5", num_envs=2, episodic_life=True, seed=1) as envs:
        before = envs.reset()
        lives, ends = envs.info["lives"], 0
        for _ in range(140):  # over the end of a game
            step = envs.step([1, 1])
            np.testing.assert_array_equal(step.first(), before.last())
            np.testing.assert_array_equal(step.last(), envs.info["lives"] < lives)
            np.testing.assert_array_equal(step.discount == 0, step.last())
            lives, before, ends = envs.info["lives"], step, ends + int(step.last().sum())
        assert ends >= 10


def test_an_environment_may_say_the_discount() -> None:
    with poolkit.make_dm("Breakout-v5", zero_discount_on_life_loss=True, seed=1) as envs:
        envs.reset()
        lives, lost = envs.info["lives"], 0
        for _ in range(140):
            step = envs.step([1])
            np.testing.assert_array_equal(step.discount == 0, envs.info["lives"] < lives)
            assert step.discount.dtype == np.float32
            lost += int((step.discount == 0).sum())
            lives = envs.info["lives"]
        assert lost > 4


@pytest.mark.parametrize("front_end", ["dm", "gym", "gymnasium"])
def test_a_state_of_any_front_end_goes_on_exactly(front_end: Any) -> None:
    """Also one that was saved at an end, whose next row is a FIRST one."""
    arguments = {"num_envs": 2, "max_episode_steps": 3, "seed": 5}
    with (
        poolkit.make("CartPole-v1", front_end, **arguments) as saved,
        poolkit.make_dm("CartPole-v1", **arguments) as expected,
        poolkit.make_dm("CartPole-v1", **arguments) as loaded,
    ):
        saved.reset()
        expected.reset()
        for count in range(9):
            action = [count % 2, 0]
            saved.step(action)
            expected.step(action)
            before = expected.save_state()
            following = expected.step([1, 1])
            expected.load_state(None, before)
            for _ in range(2):  # the second time it was further already
                loaded.load_state(None, saved.save_state())
                step = loaded.step([1, 1])
                np.testing.assert_array_equal(step.step_type, following.step_type)
                np.testing.assert_array_equal(step.observation, following.observation)


def test_step_before_a_reset_resets() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=2) as envs:
        assert envs.step([0, 0]).first().all()
        assert envs.step([0, 0]).mid().all()


def test_seeds_are_those_of_gymnasiums_front_end() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=2) as dm, poolkit.make("CartPole-v1") as other:
        np.testing.assert_array_equal(dm.reset(seed=4).observation[1], other.reset(seed=5)[0][0])


def test_asynchronous_rows_have_their_own_first_and_last() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=4, batch_size=2, max_episode_steps=3) as envs:
        envs.async_reset()
        expected = {env: iter((FIRST, MID, MID, LAST) * 20) for env in range(4)}
        for _ in range(80):
            step = envs.recv()
            env_id = envs.info["env_id"]
            assert step.step_type.tolist() == [next(expected[env]) for env in env_id]
            envs.send(np.zeros(len(env_id), np.int64))
        assert envs.is_async
        assert envs.pending == 4


def test_a_partial_reset_makes_first_rows() -> None:
    with poolkit.make_dm("CartPole-v1", num_envs=4, batch_size=2) as envs:
        envs.reset()
        envs.recv()
        envs.async_reset([1, 3])
        assert envs.recv().first().all()
        envs.send([0, 0, 0, 0], [0, 1, 2, 3])
        assert envs.recv().mid().all()


def test_first_row_after_an_error_is_that_of_the_reset() -> None:
    with poolkit.make_dm("debug/Failing-v0", num_envs=2) as envs:
        envs.reset()
        with pytest.raises(poolkit.EnvError, match="env 1"):
            envs.step([0, 1])
        assert envs.recv().mid().tolist() == [True]
        envs.async_reset([1])
        assert envs.recv().first().tolist() == [True]
        envs.send([0, 0], [0, 1])
        assert envs.recv().mid().tolist() == [True, True]


def test_squeezed_time_steps_are_dm_envs() -> None:
    with poolkit.make_dm("CartPole-v1", squeeze=True, max_episode_steps=2) as env:
        steps = [env.reset(), *(env.step(1) for _ in range(3))]
    assert [step.step_type for step in steps] == [
        StepType.FIRST,
        StepType.MID,
        StepType.LAST,
        StepType.FIRST,
    ]
    assert (steps[0].reward, steps[0].discount) == (None, None)
    assert (steps[2].reward, steps[2].discount) == (1, 1)
    assert steps[1].observation.shape == (4,)


def test_info_and_picture_are_squeezed_too() -> None:
    with poolkit.make_dm("debug/Counter-v0", squeeze=True, render_mode="rgb_array") as env:
        env.reset()
        env.step(0)
        assert (env.info["env_id"], env.info["elapsed_step"]) == (0, 1)
        assert env.render().shape == (2, 3, 3)
        assert repr(env) == "DmVectorEnv(debug/Counter-v0, num_envs=1)"
        assert not env.closed
    assert env.closed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"squeeze": True, "num_envs": 2}, "squeeze: needs num_envs=1, not 2"),
        ({"autoreset": "same_step"}, "autoreset: the dm front end has only 'next_step'"),
        ({"autoreset": "disabled"}, "autoreset: the dm front end has only 'next_step'"),
    ],
)
def test_what_dm_env_does_not_have_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        poolkit.make_dm("CartPole-v1", **arguments)


def test_squeeze_is_for_dm_only() -> None:
    with pytest.raises(ValueError, match="squeeze: is for env_type='dm' only"):
        poolkit.make("CartPole-v1", squeeze=True)
