"""The classic gym front end: what scripts written for EnvPool do with it."""

import inspect
from typing import Any

import envpool
import gymnasium
import numpy as np
import poolkit
import pytest


def test_reset_and_step_are_classic() -> None:
    with poolkit.make("CartPole-v1", env_type="gym", num_envs=3, seed=[4, 5, 6]) as envs:
        obs = envs.reset()
        assert obs.shape == (3, 4)
        obs, reward, done, info = envs.step(np.array([0, 1, 0]))
        assert (obs.shape, reward.dtype, done.dtype) == ((3, 4), np.float32, np.bool_)
        assert info["env_id"].tolist() == [0, 1, 2]
        assert info["elapsed_step"].tolist() == [1, 1, 1]


def test_numbers_are_those_of_gymnasiums_front_end() -> None:
    rng = np.random.default_rng(0)
    with (
        poolkit.make_gym("CartPole-v1", num_envs=4, seed=3, max_episode_steps=30) as gym,
        poolkit.make("CartPole-v1", num_envs=4, seed=3, max_episode_steps=30) as other,
    ):
        np.testing.assert_array_equal(gym.reset(), other.reset()[0])
        ends = 0
        for _ in range(100):
            action = rng.integers(0, 2, 4)
            obs, reward, done, info = gym.step(action)
            expected = other.step(action)
            np.testing.assert_array_equal(obs, expected[0])
            np.testing.assert_array_equal(reward, expected[1])
            np.testing.assert_array_equal(done, expected[2] | expected[3])
            np.testing.assert_array_equal(info["TimeLimit.truncated"], expected[3])
            ends += int(done.sum())
        assert ends > 4


def test_truncated_is_where_the_time_limit_ended_it() -> None:
    with poolkit.make_gym("debug/Counter-v0", length=3, max_episode_steps=2) as envs:
        envs.reset()
        seen = [envs.step([0])[2:] for _ in range(2)]
    assert [(bool(done[0]), bool(i["TimeLimit.truncated"][0])) for done, i in seen] == [
        (False, False),
        (True, True),
    ]
    with poolkit.make_gym("debug/Counter-v0", length=2, max_episode_steps=2) as envs:
        envs.reset()
        envs.step([0])
        _, _, done, info = envs.step([0])
        assert (done[0], info["TimeLimit.truncated"][0]) == (True, False)


def test_spaces_are_those_of_one_env() -> None:
    with poolkit.make_gym("Pong-v5", num_envs=2) as envs:
        assert envs.observation_space.shape == (4, 84, 84)
        assert envs.action_space == gymnasium.spaces.Discrete(6)
        assert envs.single_action_space is envs.action_space


class Statistics(gymnasium.Wrapper[Any, Any, Any, Any]):
    """As the one in CleanRL's ppo_atari_envpool.py."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.num_envs = getattr(env, "num_envs", 1)

    def reset(self, **kwargs: Any) -> Any:
        observations = super().reset(**kwargs)
        self.returns = np.zeros(self.num_envs, np.float32)
        self.lives = np.zeros(self.num_envs, np.int32)
        return observations

    def step(self, action: Any) -> Any:
        observations, rewards, dones, infos = super().step(action)
        self.returns += infos["reward"]
        infos["r"] = self.returns.copy()
        self.returns *= (1 - infos["terminated"]) * (1 - infos["TimeLimit.truncated"])
        return observations, rewards, dones, infos


def test_attributes_may_be_assigned_and_wrappers_put_around() -> None:
    envs = poolkit.make(
        "Breakout-v5",
        env_type="gym",
        num_envs=2,
        episodic_life=True,
        reward_clip=True,
        seed=1,
    )
    envs.num_envs = 2
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs.is_vector_env = True
    wrapped = Statistics(envs)
    assert wrapped.reset().shape == (2, 4, 84, 84)
    obs, _, _, infos = wrapped.step(np.array([1, 1]))
    assert obs.dtype == np.uint8
    assert {"lives", "reward", "terminated", "r", "elapsed_step", "env_id"} <= infos.keys()
    wrapped.close()
    with pytest.raises(RuntimeError, match="closed"):
        envs.reset()


def test_asynchronous_calls_give_four_parts() -> None:
    with poolkit.make_gym("CartPole-v1", num_envs=4, batch_size=2) as envs:
        envs.async_reset()
        for _ in range(20):
            obs, _, _, info = envs.recv()
            assert obs.shape == (2, 4)
            envs.send(np.zeros(2, np.int64), info["env_id"])
        assert len(envs) == 4
        assert envs.pending == 4


def test_some_envs_are_stepped_and_reset() -> None:
    with poolkit.make_gym("CartPole-v1", num_envs=4) as envs:
        envs.reset()
        info = envs.step([0, 1], env_id=[3, 1])[3]
        assert info["env_id"].tolist() == [3, 1]
        assert envs.reset(env_id=[2]).shape == (1, 4)
        with pytest.raises(ValueError, match="env_id: takes neither seed nor options"):
            envs.reset(env_id=[2], seed=1)


def test_a_seeded_reset_is_gymnasiums() -> None:
    with poolkit.make_gym("CartPole-v1", num_envs=2) as gym, poolkit.make("CartPole-v1") as other:
        np.testing.assert_array_equal(gym.reset(seed=4)[1], other.reset(seed=5)[0][0])


def test_seed_is_for_the_next_reset() -> None:
    with poolkit.make_gym("CartPole-v1", num_envs=2) as envs:
        expected, *others = envs.reset(seed=4), envs.reset(), envs.reset()
        assert envs.seed(4) == [4, 5]
        for obs in (expected, *others):
            np.testing.assert_array_equal(envs.reset(), obs)
        assert envs.seed([1, None]) == [1, None]
        assert envs.seed() == [None, None]
        with pytest.raises(ValueError, match="seed: -1 is not in"):
            envs.seed(-1)


def test_has_what_envpools_scripts_ask_for() -> None:
    with poolkit.make_gym("CartPole-v1", num_envs=3, render_mode="rgb_array") as envs:
        assert envs.all_env_ids.tolist() == [0, 1, 2]
        assert len(envs) == 3
        envs.reset()
        assert [picture.shape for picture in envs.render([2, 0])] == [(400, 600, 3)] * 2
        assert repr(envs) == "GymVectorEnv(CartPole-v1, num_envs=3)"
        assert not envs.closed


def test_a_state_continues_exactly() -> None:
    with poolkit.make_gym("CartPole-v1", num_envs=2) as envs:
        envs.reset()
        envs.load_state([1], envs.save_state([0]))
        for _ in range(40):  # over an end and the reset after it
            obs, *_ = envs.step([1, 1])
            np.testing.assert_array_equal(obs[0], obs[1])


def test_arguments_and_infos_have_envpools_names_and_defaults() -> None:
    config = dict(envpool.make_spec("Pong-v5").config._asdict())
    # What docs/front_ends.md says of EnvPool's that are not ours.
    for name in ("base_path", "env_seed", "gym_reset_return_info", "max_num_players"):
        del config[name]
    assert config.pop("task") == "pong"
    assert config.pop("use_inter_area_resize")
    spec = poolkit.make_spec("Pong-v5")
    ours = {option.name: option.default for option in spec.options}
    ours |= {
        name: parameter.default
        for name, parameter in inspect.signature(poolkit.make).parameters.items()
    }
    ours["max_episode_steps"] = spec.max_episode_steps
    for name, default in config.items():
        none = {"mode": -1, "difficulty": -1, "num_threads": 0, "batch_size": 1}.get(name)
        assert ours[name] == (None if default == none else default), name

    pool = envpool.make("Pong-v5", env_type="gym", num_envs=2)
    pool.reset()
    theirs = pool.step(np.zeros(2, np.int64))[-1]
    pool.close()
    with poolkit.make_gym("Pong-v5", num_envs=2, ram=True) as envs:
        envs.reset()
        info = envs.step([0, 0])[3]
    for name in theirs.keys() - {"players"}:
        assert info[name].dtype == theirs[name].dtype, name
        assert info[name].shape == theirs[name].shape, name
    assert {"lives", "reward", "terminated", "elapsed_step", "env_id"} <= theirs.keys()
