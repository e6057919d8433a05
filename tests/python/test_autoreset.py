"""The three autoreset modes, the time limit and the statistics of episodes."""

from typing import Any

import numpy as np
import poolkit
import pytest
from gymnasium.vector import AutoresetMode


def counter(**arguments: Any) -> poolkit.GymnasiumVectorEnv:
    return poolkit.make("debug/Counter-v0", **{"num_envs": 1, "length": 3} | arguments)


def rows(envs: poolkit.GymnasiumVectorEnv, steps: int) -> list[tuple[Any, ...]]:
    """(count, game, reward, terminated, truncated, elapsed, return) of each step."""
    out = []
    for _ in range(steps):
        obs, reward, terminated, truncated, info = envs.step(np.full(envs.num_envs, 5))
        statistics = info["elapsed_step"][0], info["episode_return"][0]
        out.append((*obs[0, :2], reward[0], terminated[0], truncated[0], *statistics))
    return out


def test_next_step_resets_in_the_step_after_the_end() -> None:
    with counter(autoreset="next_step") as envs:
        envs.reset()
        assert rows(envs, 5) == [
            (1, 1, 5, False, False, 1, 5),
            (2, 1, 5, False, False, 2, 10),
            (3, 1, 5, True, False, 3, 15),
            (0, 2, 0, False, False, 0, 0),
            (1, 2, 5, False, False, 1, 5),
        ]


def test_same_step_shows_the_new_episode_and_keeps_the_final_one() -> None:
    with counter(autoreset="same_step", num_envs=2) as envs:
        envs.reset()
        envs.step([1, 1])
        envs.reset(options={"reset_mask": np.array([False, True])})
        envs.step([1, 1])
        obs, reward, terminated, _, info = envs.step([1, 2])
        np.testing.assert_array_equal(obs[:, 0], [0, 2])
        np.testing.assert_array_equal(reward, [1, 2])
        np.testing.assert_array_equal(terminated, [True, False])
        np.testing.assert_array_equal(info["elapsed_step"], [0, 2])
        np.testing.assert_array_equal(info["_final_obs"], [True, False])
        np.testing.assert_array_equal(info["_final_info"], [True, False])
        np.testing.assert_array_equal(info["final_obs"][0, 0], 3)
        np.testing.assert_array_equal(info["final_obs"][1], 0)
        assert info["final_info"]["elapsed_step"][0] == 3
        assert info["final_info"]["episode_return"][0] == 3
        assert "final_obs" not in envs.step([1, 1])[4] or envs.step([1, 1])


def test_disabled_refuses_to_step_a_finished_env() -> None:
    with counter(autoreset="disabled", num_envs=2) as envs:
        envs.reset()
        envs.step([0, 0])
        envs.reset(options={"reset_mask": np.array([True, False])})
        envs.step([0, 0])
        envs.step([0, 0])
        with pytest.raises(RuntimeError, match="1"):
            envs.step([0, 0])
        envs.reset(options={"reset_mask": np.array([False, True])})
        np.testing.assert_array_equal(envs.step([0, 0])[0][:, 0], [3, 1])


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_mode_is_in_the_metadata_of_the_instance(mode: AutoresetMode) -> None:
    with counter(autoreset=mode) as envs, counter() as others:
        assert envs.metadata["autoreset_mode"] is mode
        assert others.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_time_limit_truncates() -> None:
    with counter(max_episode_steps=2, autoreset="next_step") as envs:
        envs.reset()
        flags = [row[3:5] for row in rows(envs, 4)]
        assert flags == [(False, False), (False, True), (False, False), (False, False)]
    with poolkit.make("CartPole-v1", max_episode_steps=0) as envs:
        assert envs.reset()[1]["elapsed_step"][0] == 0


def test_lost_life_ends_the_trainers_episode_only() -> None:
    with counter(lives=2, length=2, clip=True, autoreset="next_step") as envs:
        envs.reset()
        got = rows(envs, 6)
        assert [row[2] for row in got] == [1, 1, 0, 1, 1, 0]  # clipped
        assert [row[3] for row in got] == [False, True, False, False, True, False]
        assert [row[1] for row in got] == [1, 1, 1, 1, 1, 2]  # one game
        assert [row[5] for row in got] == [1, 2, 2, 3, 4, 0]  # one episode
        assert [row[6] for row in got] == [5, 10, 10, 15, 20, 0]  # unclipped


def test_explicit_reset_after_a_lost_life_is_a_new_game() -> None:
    with counter(lives=2, length=1, autoreset="next_step") as envs:
        envs.reset()
        envs.step([0])
        obs, info = envs.reset()
        assert obs[0, 1] == 2
        assert info["elapsed_step"][0] == 0
