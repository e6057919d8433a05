"""CartPole against Gymnasium's, from the same seeds: no difference, not even in the last bit."""

import gymnasium
import numpy as np
import poolkit

NUM_ENVS = 8
STEPS = 5_000


def test_spaces_are_gymnasiums() -> None:
    theirs = gymnasium.make("CartPole-v1")
    with poolkit.make("CartPole-v1", num_envs=3) as ours:
        assert ours.single_observation_space == theirs.observation_space
        assert ours.single_action_space == theirs.action_space
        assert ours.observation_space.shape == (3, 4)


def test_5000_steps_are_gymnasiums() -> None:
    theirs = gymnasium.make_vec("CartPole-v1", NUM_ENVS, vectorization_mode="sync")
    actions = np.random.default_rng(0)
    with poolkit.make("CartPole-v1", num_envs=NUM_ENVS, num_threads=2) as ours:
        np.testing.assert_array_equal(ours.reset(seed=7)[0], theirs.reset(seed=7)[0])
        ends = 0
        for _ in range(STEPS):
            action = actions.integers(0, 2, NUM_ENVS)
            got, expected = ours.step(action), theirs.step(action)
            for mine, other in zip(got[:4], expected[:4], strict=True):
                np.testing.assert_array_equal(mine, other)
            ends += int(got[2].sum())
    assert ends > 100


def test_time_limit_truncates_as_gymnasiums() -> None:
    theirs = gymnasium.make_vec("CartPole-v1", 1, vectorization_mode="sync", max_episode_steps=5)
    with poolkit.make("CartPole-v1", max_episode_steps=5) as ours:
        ours.reset(seed=1)
        theirs.reset(seed=1)
        for step in range(20):
            got, expected = ours.step([step % 2]), theirs.step(np.array([step % 2]))
            for mine, other in zip(got[:4], expected[:4], strict=True):
                np.testing.assert_array_equal(mine, other)


def test_same_step_shows_what_gymnasium_shows() -> None:
    theirs = gymnasium.make_vec(
        "CartPole-v1",
        NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP},
    )
    with poolkit.make("CartPole-v1", num_envs=NUM_ENVS, autoreset="same_step") as ours:
        ours.reset(seed=3)
        theirs.reset(seed=3)
        ends = 0
        for step in range(300):
            action = np.arange(NUM_ENVS) % (step % 3 + 1) % 2
            got, expected = ours.step(action), theirs.step(action)
            for mine, other in zip(got[:4], expected[:4], strict=True):
                np.testing.assert_array_equal(mine, other)
            assert ("final_obs" in got[4]) == ("final_obs" in expected[4])
            if "final_obs" in got[4]:
                ended = got[4]["_final_obs"]
                np.testing.assert_array_equal(ended, expected[4]["_final_obs"])
                np.testing.assert_array_equal(
                    got[4]["final_obs"][ended], np.stack(expected[4]["final_obs"][ended])
                )
                ends += int(ended.sum())
    assert ends > 20
