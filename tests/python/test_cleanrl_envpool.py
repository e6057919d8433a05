"""CleanRL's scripts for EnvPool run with one line changed, and read true statistics of games."""

import sys

import numpy as np
import pytest
from poolkit.adapters import cleanrl

from tests import cleanrl_script as script
from tests import old_gym


@pytest.fixture(autouse=True)
def gym_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gym", old_gym)


def test_script_runs_and_own_statistics_are_those_of_its_wrapper() -> None:
    args = script.Args(num_envs=3, num_steps=250)
    theirs = script.synchronous(args, script.RecordEpisodeStatistics)
    # Five lives a game: most ends are not a game's.
    assert theirs["dones"].sum() > 3 * len(theirs["games"]) > 0
    assert theirs["rewards"].max() == 1  # clipped
    ours = script.synchronous(args, cleanrl.RecordEpisodeStatistics)
    np.testing.assert_array_equal(ours["rewards"], theirs["rewards"])
    # Nothing is truncated here. Theirs count the steps that only begin the next life, too.
    assert [total for total, _ in ours["games"]] == [total for total, _ in theirs["games"]]
    assert all(a < b for (_, a), (_, b) in zip(ours["games"], theirs["games"], strict=True))


def test_asynchronous_actor_runs() -> None:
    seen = script.asynchronous(script.Args())
    played = np.zeros(4, int)
    ends = 0
    for obs_shape, reward_shape, done, env_id in seen["batches"]:
        assert obs_shape == (2, 4, 84, 84)
        assert reward_shape == done.shape == (2,)
        played[env_id] += 1
        ends += int(done.sum())
    assert played.min() > 60
    assert ends > 4


def test_statistics_do_not_leak_over_a_truncation() -> None:
    envs = cleanrl.RecordEpisodeStatistics(
        cleanrl.make("CartPole-v1", num_envs=3, seed=2, max_episode_steps=7)
    )
    obs = envs.reset()
    assert obs.shape == (3, 4)
    for step in range(1, 25):
        _, _, done, info = envs.step(np.arange(3) % 2 == step % 2)
        # Seven steps, and one that resets.
        length = step % 8
        assert info["l"].tolist() == [length] * 3
        assert info["r"].tolist() == [length] * 3
        assert info["game_over"].tolist() == done.tolist() == [length == 7] * 3
    assert list(envs.return_queue) == [7] * 9
    assert list(envs.length_queue) == [7] * 9
    envs.close()


def test_a_truncated_game_of_atari_is_over() -> None:
    envs = cleanrl.RecordEpisodeStatistics(
        cleanrl.make("Breakout-v5", num_envs=2, episodic_life=True, max_episode_steps=3)
    )
    envs.reset()
    over = [envs.step([0, 0])[3]["game_over"].tolist() for _ in range(4)]
    assert over == [[False, False], [False, False], [True, True], [False, False]]
    envs.close()


def test_statistics_of_an_asynchronous_pool() -> None:
    envs = cleanrl.RecordEpisodeStatistics(
        cleanrl.make("Breakout-v5", num_envs=4, batch_size=2, episodic_life=True, reward_clip=True),
        deque_size=3,
    )
    rng = np.random.default_rng(0)
    returns = np.zeros(4)
    lives_lost, over = 0, []
    envs.async_reset()
    while len(over) < 4:
        _, _, done, info = envs.recv()
        returns[info["env_id"]] += info["reward"]
        np.testing.assert_array_equal(info["r"], returns[info["env_id"]])
        lives_lost += int((done & ~info["game_over"]).sum())
        over += info["r"][info["game_over"]].tolist()
        returns[info["env_id"][info["game_over"]]] = 0
        envs.send(rng.integers(0, 4, len(done)), info["env_id"])
    assert list(envs.return_queue) == over[-3:]
    assert lives_lost > 8
    envs.close()


def test_statistics_refuse_infos_of_the_next_game() -> None:
    with (
        cleanrl.make_gym("CartPole-v1", autoreset="same_step") as envs,
        pytest.raises(ValueError, match="autoreset"),
    ):
        cleanrl.RecordEpisodeStatistics(envs)


def test_envpools_zero_means_as_many_as_is_good() -> None:
    with cleanrl.make("CartPole-v1", "gym", num_envs=3, num_threads=0, batch_size=0) as envs:
        assert envs.batch_size == 3
    with pytest.raises(ValueError, match="num_threads"):
        cleanrl.make("CartPole-v1", num_threads=-1)


@pytest.mark.parametrize("task", ["Pong-v5", "Pendulum-v1", "Blackjack-v1", "debug/EveryDtype-v0"])
def test_spaces_are_of_gym_where_the_script_has_imported_it(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = cleanrl.make(task)
    monkeypatch.delitem(sys.modules, "gym")
    plain = cleanrl.make(task)
    for name in ("observation_space", "action_space"):
        space = getattr(envs, name)
        assert type(space).__module__ == "gym.spaces"
        assert space == getattr(plain, name)
        assert type(getattr(plain, name)).__module__.startswith("gymnasium.")
        assert getattr(envs, f"single_{name}") is space
    assert cleanrl.make(task, "gymnasium").single_action_space == plain.action_space
