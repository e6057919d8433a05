"""Stable-Baselines3's algorithms, wrappers and callbacks work on a PoolVecEnv.

Where its own DummyVecEnv does, too, both train: the parameters must come out equal.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
import torch
from poolkit.adapters.sb3 import PoolVecEnv
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3, HerReplayBuffer
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import (
    CheckpointCallback,
    EvalCallback,
    StopTrainingOnRewardThreshold,
)
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
    VecTransposeImage,
    VecVideoRecorder,
    is_vecenv_wrapped,
)

ON_POLICY = {"n_steps": 32}
PROXIMAL = {"n_steps": 32, "batch_size": 32, "n_epochs": 1}
OFF_POLICY = {"learning_starts": 50, "batch_size": 16, "buffer_size": 1000}
ALGORITHMS: list[tuple[type[BaseAlgorithm], str, str, dict[str, Any], int]] = [
    (PPO, "MlpPolicy", "CartPole-v1", PROXIMAL, 256),
    (PPO, "MlpPolicy", "Pendulum-v1", PROXIMAL, 448),
    (A2C, "MlpPolicy", "CartPole-v1", ON_POLICY, 256),
    (RecurrentPPO, "MlpLstmPolicy", "CartPole-v1", PROXIMAL, 128),
    (DQN, "MlpPolicy", "CartPole-v1", OFF_POLICY, 200),
    (QRDQN, "MlpPolicy", "CartPole-v1", OFF_POLICY, 200),
    (SAC, "MlpPolicy", "Pendulum-v1", OFF_POLICY | {"learning_starts": 390}, 450),
    (TD3, "MlpPolicy", "Pendulum-v1", OFF_POLICY | {"learning_starts": 390}, 450),
]


class Constant:
    """A policy that always chooses one action."""

    def __init__(self, action: int) -> None:
        self.action = action

    def predict(self, observation: Any, **_: Any) -> tuple[Any, None]:
        return np.full(len(observation), self.action), None


def dummy(make: Callable[[], gymnasium.Env[Any, Any]], num_envs: int = 2) -> DummyVecEnv:
    return DummyVecEnv([lambda: Monitor(make())] * num_envs)


def gym_env(task: str) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(task, disable_env_checker=True)


def learned(algorithm: Any, policy: str, envs: VecEnv, steps: int, **options: Any) -> Any:
    """Parameters and episodes of a small policy after its training."""
    size = {"net_arch": [8]} | ({"lstm_hidden_size": 8} if "Lstm" in policy else {})
    model = algorithm(policy, envs, seed=3, device="cpu", policy_kwargs=size, **options)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(steps)
    pairs = zip(before, model.policy.parameters(), strict=True)
    assert any(not torch.equal(old, new) for old, new in pairs)
    episodes = [(episode["r"], episode["l"]) for episode in model.ep_info_buffer]
    assert episodes
    return model.policy.state_dict(), episodes


def assert_learn_the_same(ours: VecEnv, theirs: VecEnv, *arguments: Any, **options: Any) -> None:
    algorithm, policy, steps = arguments
    parameters, episodes = learned(algorithm, policy, ours, steps, **options)
    expected, expected_episodes = learned(algorithm, policy, theirs, steps, **options)
    assert episodes == expected_episodes
    for name in expected:
        torch.testing.assert_close(parameters[name], expected[name], rtol=0, atol=0, msg=name)


@pytest.mark.parametrize(
    ("algorithm", "policy", "task", "options", "steps"),
    ALGORITHMS,
    ids=[f"{entry[0].__name__}-{entry[2]}" for entry in ALGORITHMS],
)
def test_learns_the_same_as_on_dummy_vec_env(
    algorithm: Any, policy: str, task: str, options: dict[str, Any], steps: int
) -> None:
    envs = PoolVecEnv(task, 2), dummy(lambda: gym_env(task))
    assert_learn_the_same(*envs, algorithm, policy, steps, **options)


class TaxiWithMasks(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Offers the mask of Gymnasium's Taxi as sb3_contrib asks for it."""

    def action_masks(self) -> Any:
        taxi: Any = self.unwrapped
        return taxi.action_mask(taxi.s).astype(bool)


def test_maskable_ppo_learns_the_same_as_on_dummy_vec_env() -> None:
    envs = PoolVecEnv("Taxi-v4", 2), dummy(lambda: TaxiWithMasks(gym_env("Taxi-v4")))
    assert_learn_the_same(*envs, MaskablePPO, "MlpPolicy", 448, **PROXIMAL)


def test_masked_actions_are_never_chosen() -> None:
    envs = PoolVecEnv("debug/BitFlip-v0", 3, bits=5, seed=1)
    model = MaskablePPO("MultiInputPolicy", envs, seed=3, device="cpu", **PROXIMAL)
    # A bit that is 1 is masked: so nothing is undone, and each episode ends solved.
    returns, lengths = evaluate_masked(model, envs, 30, return_episode_rewards=True)
    assert isinstance(lengths, list)
    assert max(lengths) <= 5
    assert returns == [1 - length for length in lengths]


@pytest.mark.parametrize("action", ["multi_discrete", "multi_binary", "box"])
def test_ppo_and_a2c_choose_every_kind_of_action(action: str) -> None:
    for algorithm in (PPO, A2C):
        envs = PoolVecEnv("debug/BitFlip-v0", 2, action=action, seed=1)
        model: Any = algorithm("MultiInputPolicy", envs, device="cpu", **ON_POLICY)
        model.learn(128)
        assert model.ep_info_buffer
        assert len(model.ep_success_buffer) == len(model.ep_info_buffer)


def goal_reward(achieved: Any, desired: Any, _: Any) -> Any:
    return -(achieved != desired).any(axis=-1).astype(np.float32)


def test_her_asks_for_the_reward_of_other_goals() -> None:
    envs = PoolVecEnv("debug/BitFlip-v0", 2, bits=6, seed=1)
    envs.set_attr("compute_reward", goal_reward)
    model = DQN(
        "MultiInputPolicy",
        envs,
        replay_buffer_class=HerReplayBuffer,
        replay_buffer_kwargs={"n_sampled_goal": 4, "copy_info_dict": True},
        seed=3,
        device="cpu",
        **OFF_POLICY,
    )
    model.learn(400)
    assert model.replay_buffer is not None
    samples = model.replay_buffer.sample(500)
    next_obs: Any = samples.next_observations
    reached = (next_obs["achieved_goal"] == next_obs["desired_goal"]).all(dim=1)
    torch.testing.assert_close(samples.rewards[:, 0], reached.float() - 1)
    # Most goals were put there afterwards, so that many are reached.
    assert 0.2 < reached.float().mean() < 1
    assert not (next_obs["desired_goal"] == 1).all()


WRAPPERS: dict[str, Callable[[VecEnv], VecEnv]] = {
    "VecNormalize": VecNormalize,
    "VecFrameStack": lambda envs: VecFrameStack(envs, 3),
    "VecCheckNan": lambda envs: VecCheckNan(envs, raise_exception=True),
    "all": lambda envs: VecNormalize(VecFrameStack(VecCheckNan(envs), 2)),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_give_the_same_as_on_dummy_vec_env(name: str) -> None:
    ours, theirs = (
        WRAPPERS[name](envs)
        for envs in (PoolVecEnv("CartPole-v1", 2), dummy(lambda: gym_env("CartPole-v1")))
    )
    for envs in (ours, theirs):
        envs.seed(5)
    np.testing.assert_array_equal(np.asarray(ours.reset()), np.asarray(theirs.reset()))
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(100):
        actions = rng.integers(0, 2, 2)
        a, b = ours.step(actions), theirs.step(actions)
        for got, expected in zip(a[:3], b[:3], strict=True):
            np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))
        for info, expected in zip(a[3], b[3], strict=True):
            assert info.keys() == expected.keys()
            if "terminal_observation" in info:
                ends += 1
                np.testing.assert_array_equal(
                    info["terminal_observation"], expected["terminal_observation"]
                )
    assert ends


def test_vec_monitor_counts_the_trainers_episodes(tmp_path: Path) -> None:
    """Without SB3's Monitor inside: a lost life is an episode, its rewards are clipped."""
    envs = PoolVecEnv("debug/Counter-v0", 1, length=2, lives=2, clip=True, monitor=False)
    monitored = VecMonitor(envs, str(tmp_path / "log"))
    rewards, lengths = evaluate_policy(Constant(5), monitored, 3, return_episode_rewards=True)
    assert rewards == [2, 2, 2]
    assert lengths == [2, 2, 2]
    monitored.close()


def test_evaluation_counts_whole_games() -> None:
    envs = PoolVecEnv("debug/Counter-v0", 2, length=2, lives=2, clip=True)
    rewards, lengths = evaluate_policy(Constant(5), envs, 5, return_episode_rewards=True)
    assert rewards == [20] * 5
    assert lengths == [4] * 5


def test_images_are_left_channel_first() -> None:
    envs = PoolVecEnv("Pong-v5", 2)
    model = PPO("CnnPolicy", envs, n_steps=2, batch_size=2, n_epochs=1, device="cpu")
    assert not is_vecenv_wrapped(model.get_env(), VecTransposeImage)
    model.learn(4)
    assert envs.observation_space.shape == (4, 84, 84)
    stacked = VecFrameStack(PoolVecEnv("Pong-v5", 2, stack_num=1), 4, channels_order="first")
    obs = stacked.reset()
    assert isinstance(obs, np.ndarray)
    assert obs.shape == (2, 4, 84, 84)


def test_video_of_a_pool(tmp_path: Path) -> None:
    envs = VecVideoRecorder(
        PoolVecEnv("Pong-v5", 2, render_mode="rgb_array"),
        str(tmp_path),
        record_video_trigger=lambda step: step == 0,
        video_length=3,
    )
    envs.reset()
    for _ in range(4):
        envs.step([0, 0])
    envs.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


def test_eval_callback_stops_at_the_threshold(tmp_path: Path) -> None:
    evaluation = EvalCallback(
        PoolVecEnv("CartPole-v1", 2),
        callback_on_new_best=StopTrainingOnRewardThreshold(5, verbose=0),
        eval_freq=32,
        n_eval_episodes=3,
        log_path=str(tmp_path),
        best_model_save_path=str(tmp_path),
        verbose=0,
    )
    checkpoints = CheckpointCallback(32, str(tmp_path))
    model = PPO("MlpPolicy", PoolVecEnv("CartPole-v1", 2), device="cpu", **PROXIMAL)
    model.learn(10_000, callback=[checkpoints, evaluation])
    assert model.num_timesteps == 64
    assert len(np.load(tmp_path / "evaluations.npz")["results"][0]) == 3
    assert (tmp_path / "best_model.zip").exists()
    assert (tmp_path / "rl_model_64_steps.zip").exists()


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_saved_model_goes_on_with_another_number_of_envs(algorithm: Any, tmp_path: Path) -> None:
    options = PROXIMAL if algorithm is PPO else OFF_POLICY
    model = algorithm("MlpPolicy", PoolVecEnv("CartPole-v1", 2), device="cpu", **options)
    model.learn(128)
    model.save(tmp_path / "model")
    envs = PoolVecEnv("CartPole-v1", 3, seed=1)
    loaded = algorithm.load(tmp_path / "model", env=envs, device="cpu")
    assert loaded.n_envs == 3
    obs = envs.reset()
    np.testing.assert_array_equal(
        loaded.predict(obs, deterministic=True)[0], model.predict(obs, deterministic=True)[0]
    )
    loaded.learn(96, reset_num_timesteps=False)
    assert loaded.num_timesteps >= 128 + 96
    model.set_env(PoolVecEnv("CartPole-v1", 2))
    model.learn(64)
    with pytest.raises(ValueError, match="spaces do not match"):
        model.set_env(PoolVecEnv("Acrobot-v1", 2))


def test_training_stops_at_an_error_and_goes_on_after_it() -> None:
    envs = PoolVecEnv("debug/Failing-v0", 2)
    model = PPO("MlpPolicy", envs, seed=1, device="cpu", **PROXIMAL)
    with pytest.raises(poolkit.EnvError):
        model.learn(1000)
    envs.reset()
    np.testing.assert_array_equal(envs.step([0, 0])[0][:, 0], [1, 1])
