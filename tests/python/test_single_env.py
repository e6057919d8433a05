"""gymnasium.make of ours: a plain Env that Gymnasium's checker and its own CartPole agree with."""

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium.utils.env_checker import check_env
from poolkit.single_env import GymnasiumEnv


@pytest.mark.filterwarnings("ignore:.*infinity. This is probably too")
@pytest.mark.parametrize("task", ["CartPole-v1", "Pong-v5"])
def test_gymnasiums_checker_is_content(task: str) -> None:
    env = gymnasium.make(f"poolkit/{task}").unwrapped
    assert isinstance(env, GymnasiumEnv)
    check_env(env, skip_render_check=True)
    env.close()


def test_episodes_are_gymnasiums() -> None:
    ours, theirs = gymnasium.make("poolkit/CartPole-v1"), gymnasium.make("CartPole-v1")
    for seed in (5, None, None):
        np.testing.assert_array_equal(ours.reset(seed=seed)[0], theirs.reset(seed=seed)[0])
        ended = False
        while not ended:
            got, expected = ours.step(1), theirs.step(np.int64(1))
            np.testing.assert_array_equal(got[0], expected[0])
            assert got[1:4] == expected[1:4]
            ended = got[2] or got[3]
    ours.close()


def test_nested_spaces_lose_the_axis_of_the_envs() -> None:
    env = GymnasiumEnv("debug/EveryDtype-v0")
    obs, _ = env.reset()
    assert obs in env.observation_space
    obs, _, _, _, info = env.step(env.action_space.sample())
    assert obs in env.observation_space
    assert info["action_mask"].shape == (3,)
    env.close()


def test_render_is_one_image() -> None:
    env = GymnasiumEnv("debug/Counter-v0", render_mode="rgb_array")
    env.reset()
    image = env.render()
    assert image is not None
    assert image.shape == (2, 3, 3)
    env.close()


def test_step_after_the_end_is_an_error() -> None:
    env = GymnasiumEnv("debug/Counter-v0", length=1)
    env.reset()
    assert env.step(0)[2]
    with pytest.raises(RuntimeError, match="0"):
        env.step(0)
    env.reset()
    env.step(0)
    env.close()


def test_options_arrive() -> None:
    env = gymnasium.make("poolkit/Pong-v5", preset="machado", stack_num=2)
    assert env.observation_space.shape == (2, 84, 84)
    assert poolkit.make("Pong-v5", preset="machado").single_action_space == env.action_space
    env.close()


@pytest.mark.parametrize("limit", [3, 300])
def test_gymnasiums_time_limit_is_the_only_one(limit: int) -> None:
    env = gymnasium.make("poolkit/Pendulum-v1", max_episode_steps=limit)
    env.reset(seed=0)
    assert [env.step([0.0])[3] for _ in range(limit)] == [False] * (limit - 1) + [True]
    env.close()


@pytest.mark.parametrize("name", ["num_envs", "autoreset", "env_type", "squeeze"])
def test_what_is_not_of_one_env_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}: not of one env; see poolkit.make"):
        gymnasium.make("poolkit/CartPole-v1", **{name: 1})


def test_a_state_continues_exactly() -> None:
    env = GymnasiumEnv("CartPole-v1")
    env.reset(seed=1)
    env.step(1)
    state = env.save_state()
    runs = []
    for _ in range(2):
        env.load_state(state)
        runs.append([env.step(k % 2)[0].tolist() for k in range(8)])
    assert runs[0] == runs[1]
    env.close()


def test_metadata_is_that_of_an_env() -> None:
    ours, theirs = gymnasium.make("poolkit/CartPole-v1"), gymnasium.make("CartPole-v1")
    assert ours.metadata == theirs.metadata
    ours.close()


def test_reset_options_are_refused() -> None:
    env = gymnasium.make("poolkit/CartPole-v1")
    env.reset(options={})
    with pytest.raises(ValueError, match="options: a reset knows none, not 'low'"):
        env.reset(options={"low": 0.1})
    env.close()
