"""`make_vec`: the infos that CleanRL's scripts for `gym.vector` read."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from poolkit.adapters.cleanrl import make_vec


def test_numbers_are_those_of_gymnasiums_same_step_vector_env() -> None:
    """In the manner of dqn.py: the observation behind a truncation is in final_observation."""
    envs = make_vec("CartPole-v1", num_envs=3, max_episode_steps=15)
    oracle: Any = gymnasium.vector.SyncVectorEnv(
        [
            lambda: gymnasium.wrappers.RecordEpisodeStatistics(
                gymnasium.make("CartPole-v1", max_episode_steps=15)
            )
        ]
        * 3,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    obs, _ = envs.reset(seed=7)
    np.testing.assert_array_equal(obs, oracle.reset(seed=7)[0])
    envs.action_space.seed(0)
    kinds = set()
    for _ in range(60):
        actions = np.array([envs.single_action_space.sample() for _ in range(envs.num_envs)])
        next_obs, rewards, terminations, truncations, infos = envs.step(actions)
        expected = oracle.step(actions)
        for ours, theirs in zip((next_obs, rewards, terminations), expected, strict=False):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(truncations, expected[3] & ~expected[2])
        theirs = expected[4]
        assert ("final_info" in infos) == ("final_info" in theirs)
        if "final_info" not in infos:
            continue
        for idx, info in enumerate(infos["final_info"]):
            assert (info is not None) == theirs["_final_info"][idx]
            if info and "episode" in info:
                kinds.add(bool(truncations[idx]))
                episode = theirs["final_info"]["episode"]
                for key in ("r", "l"):
                    assert info["episode"][key].shape == (1,)
                    assert info["episode"][key] == episode[key][idx] == infos["episode"][key][idx]
                np.testing.assert_array_equal(
                    infos["final_observation"][idx], theirs["final_obs"][idx]
                )
        assert infos["_episode"].tolist() == theirs["_final_info"].tolist()
    assert kinds == {False, True}
    envs.close()


def test_a_lost_life_is_no_game() -> None:
    envs = make_vec("Breakout-v5", num_envs=2, preset="dqn", seed=3)
    envs.reset(seed=3)
    rng = np.random.default_rng(0)
    lives_lost, games, returns = 0, 0, np.zeros(2)
    while games < 2:
        _, _, terminations, _, infos = envs.step(rng.integers(0, 4, 2))
        finals = infos.get("final_info", [None, None])
        for idx, final in enumerate(finals):
            returns[idx] += (final or {"reward": infos["reward"][idx]})["reward"]
            if final and "episode" in final:
                assert final["lives"] == 0
                assert final["episode"]["r"] == returns[idx]
                returns[idx] = 0
                games += 1
            elif final:
                assert terminations[idx]
                lives_lost += 1
    assert lives_lost >= 8
    envs.close()


def test_final_observations_keep_their_structure() -> None:
    envs = make_vec("debug/EveryDtype-v0", num_envs=2, max_episode_steps=1)
    envs.reset()
    infos = envs.step(envs.action_space.sample())[4]
    final = infos["final_observation"][1]
    assert envs.single_observation_space.contains(final)
    envs.close()


@pytest.mark.parametrize("argument", [{"batch_size": 1}, {"autoreset": "next_step"}])
def test_what_a_script_has_no_choice_of_is_refused(argument: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(argument))):
        make_vec("CartPole-v1", num_envs=2, **argument)
