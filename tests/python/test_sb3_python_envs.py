"""PoolVecEnv over functions stands for SubprocVecEnv: with SB3's own make_vec_env, and its PPO."""

from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from poolkit.adapters.sb3 import PoolVecEnv
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.results_plotter import load_results
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from tests.python_zoo import Zoo

# Forked workers start fastest; Python 3.12 and later warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def pair(make: list[Any], **how: Any) -> tuple[PoolVecEnv, DummyVecEnv]:
    return PoolVecEnv(make, workers="thread", monitor=False, **how), DummyVecEnv(make)


def test_it_says_what_dummy_vec_env_says() -> None:
    make = [partial(Zoo, "dict", length=4)] * 3
    ours, theirs = pair(make)
    ours.seed(5), theirs.seed(5)
    np.testing.assert_equal(ours.reset(), theirs.reset())
    assert ours.reset_infos == theirs.reset_infos
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = rng.integers(-1, 3, 3)
        one, other = ours.step(actions), theirs.step(actions)
        np.testing.assert_equal(one[0], other[0])
        np.testing.assert_equal(one[1:3], other[1:3])
        np.testing.assert_equal(one[3], other[3])
        np.testing.assert_equal(ours.reset_infos, theirs.reset_infos)
    ours.close()


def test_attributes_methods_and_wrappers_are_the_envs_own() -> None:
    make = [lambda k=k: Monitor(Zoo(length=3 + k)) for k in range(3)]
    with_own = PoolVecEnv(make, start_method="fork")
    ours, theirs = with_own, DummyVecEnv(make)
    for envs in (ours, theirs):
        envs.reset()
        assert envs.get_attr("length", [2, 0]) == [5, 3]
        envs.set_attr("length", 9, indices=1)
        assert envs.env_method("get_wrapper_attr", "length") == [3, 9, 5]
        assert envs.env_method("twice", 3, more=1, indices=[1]) == [7]
        assert envs.env_is_wrapped(Monitor) == [True] * 3
        assert envs.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False] * 3
        assert [image.shape for image in envs.get_images()] == [(2, 3, 3)] * 3
        assert envs.has_attr("length")
        assert not envs.has_attr("nothing")
        with pytest.raises(AttributeError):
            envs.get_attr("nothing")
    ours.close()


def test_options_of_a_reset_reach_each_env() -> None:
    ours, theirs = pair([Zoo] * 2)
    for envs in (ours, theirs):
        envs.seed(0)
        envs.set_options([{"level": 1}, {"level": 2}])
        envs.reset()
        assert envs.get_attr("options") == [{"level": 1}, {"level": 2}]
        envs.reset()
        assert envs.get_attr("options") == [None, None]
    ours.close()


def test_a_monitor_of_an_envs_own_is_the_one_that_counts(tmp_path: Path) -> None:
    envs = make_vec_env(
        "CartPole-v1",
        n_envs=2,
        seed=1,
        vec_env_cls=PoolVecEnv,
        vec_env_kwargs={"start_method": "fork"},
        monitor_dir=str(tmp_path),
    )
    envs.reset()
    episodes = []
    for _ in range(60):
        _, _, _, infos = envs.step(np.ones(2, int))
        episodes += [info["episode"] for info in infos if "episode" in info]
    envs.close()
    assert sorted(load_results(str(tmp_path))["l"]) == sorted(e["l"] for e in episodes)


def test_ppo_learns_exactly_what_it_learns_with_dummy_vec_env() -> None:
    def learned(kind: type[VecEnv], **how: Any) -> dict[str, Any]:
        envs = make_vec_env("CartPole-v1", 4, seed=0, vec_env_cls=kind, vec_env_kwargs=how)
        model = PPO("MlpPolicy", envs, n_steps=32, batch_size=32, n_epochs=2, seed=0)
        model.learn(512)
        envs.close()
        return {name: value.numpy() for name, value in model.policy.state_dict().items()}

    np.testing.assert_equal(learned(PoolVecEnv, start_method="fork"), learned(DummyVecEnv))
