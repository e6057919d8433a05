"""Agents of Stable-Baselines3 solve tasks on a PoolVecEnv. Hyperparameters after RL-Zoo's."""

from pathlib import Path
from typing import Any

from poolkit.adapters.sb3 import PoolVecEnv
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import EvalCallback, StopTrainingOnRewardThreshold
from stable_baselines3.common.evaluation import evaluate_policy


def best_of(
    model: BaseAlgorithm, task: str, steps: int, *, threshold: float, every: int, folder: Path
) -> BaseAlgorithm:
    """Trains, looking every so many vector steps, until the threshold is reached."""
    model.learn(
        steps,
        callback=EvalCallback(
            PoolVecEnv(task, 5, seed=100),
            callback_on_new_best=StopTrainingOnRewardThreshold(threshold, verbose=0),
            eval_freq=every,
            n_eval_episodes=10,
            best_model_save_path=str(folder),
            verbose=0,
        ),
    )
    return type(model).load(folder / "best_model", device="cpu")


def mean_return(model: BaseAlgorithm, task: str) -> Any:
    return evaluate_policy(model, PoolVecEnv(task, 10, seed=1000), 20)[0]


def test_ppo_holds_the_pole_up(tmp_path: Path) -> None:
    model = PPO(
        "MlpPolicy",
        PoolVecEnv("CartPole-v1", 8),
        n_steps=32,
        batch_size=256,
        n_epochs=20,
        gae_lambda=0.8,
        gamma=0.98,
        learning_rate=lambda left: 1e-3 * left,
        clip_range=lambda left: 0.2 * left,
        seed=1,
        device="cpu",
    )
    model = best_of(model, "CartPole-v1", 100_000, threshold=490, every=512, folder=tmp_path)
    assert mean_return(model, "CartPole-v1") >= 475


def test_dqn_holds_the_pole_up(tmp_path: Path) -> None:
    model = DQN(
        "MlpPolicy",
        PoolVecEnv("CartPole-v1", 4),
        learning_rate=2.3e-3,
        buffer_size=50_000,
        learning_starts=1000,
        target_update_interval=10,
        train_freq=64,
        gradient_steps=64,
        exploration_fraction=0.08,
        exploration_final_eps=0.04,
        policy_kwargs={"net_arch": [64, 64]},
        batch_size=64,
        seed=1,
        device="cpu",
    )
    model = best_of(model, "CartPole-v1", 120_000, threshold=490, every=512, folder=tmp_path)
    assert mean_return(model, "CartPole-v1") >= 475


def test_sac_swings_the_pendulum_up(tmp_path: Path) -> None:
    model = SAC(
        "MlpPolicy",
        PoolVecEnv("Pendulum-v1", 4),
        learning_rate=2e-3,
        learning_starts=400,
        gradient_steps=2,
        policy_kwargs={"net_arch": [64, 64]},
        batch_size=128,
        seed=1,
        device="cpu",
    )
    model = best_of(model, "Pendulum-v1", 16_000, threshold=-220, every=200, folder=tmp_path)
    assert mean_return(model, "Pendulum-v1") > -300
