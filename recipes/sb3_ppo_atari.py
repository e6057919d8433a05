"""PPO of Stable-Baselines3 on Atari, with RL-Zoo's hyperparameters.

    python recipes/sb3_ppo_atari.py --env-id Breakout-v5

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds the TensorBoard events, checkpoints, the
best model of the evaluations (`best_model.zip`), `evaluations.npz`, the last model (`model.zip`)
and a video of it. `sb3_dqn_atari.py` is the same with DQN: the two can be diffed.
"""

import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro
from poolkit.adapters.command_line import expect_in, fail


@dataclass
class Args:
    exp_name: str = "sb3_ppo_atari"
    """the name of this experiment"""
    seed: int = 1
    """seeds the games, the network and the sampling"""
    env_id: str = "Pong-v5"
    """the game, as in `poolkit.list_all_envs()`"""
    total_timesteps: int = 10_000_000
    """agent steps to train for; each is 4 frames"""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """where the network is; "auto" is the best there is"""

    num_envs: int = 8
    """games that are played at once"""
    num_steps: int = 128
    """agent steps of each game between two updates"""
    batch_size: int = 256
    """agent steps in a minibatch"""
    num_epochs: int = 4
    """passes over an update's data"""
    learning_rate: float = 2.5e-4
    """Adam's step size at the start; it falls to zero, linearly"""
    clip_range: float = 0.1
    """how far the policy's probability ratio may move from 1 at the start; it falls, too"""
    vf_coef: float = 0.5
    """weight of the value loss"""
    ent_coef: float = 0.01
    """weight of the entropy bonus"""

    eval_every: int = 250_000
    """agent steps between two evaluations"""
    eval_games: int = 10
    """whole games, with unclipped rewards, in an evaluation"""
    checkpoint_every: int = 1_000_000
    """agent steps between two checkpoints"""
    video_steps: int = 2000
    """agent steps that the video shows"""
    runs_dir: Path = Path("runs")
    """the folder for the runs' folders"""


def parse_args() -> Args:
    args = tyro.cli(Args, description=__doc__)
    most = 10**9  # of numbers that are large only by mistake
    for name, low, high in (
        ("seed", 0, 2**31),
        ("total_timesteps", 1, 10**12),
        ("num_envs", 1, 10**6),
        ("num_steps", 1, 10**6),
        ("batch_size", 2, args.num_envs * args.num_steps),
        ("num_epochs", 1, 1000),
        ("learning_rate", 0, 1),
        ("clip_range", 0, 1),
        ("vf_coef", 0, most),
        ("ent_coef", 0, most),
        ("eval_every", 1, 10**12),
        ("eval_games", 1, 1000),
        ("checkpoint_every", 1, 10**12),
        ("video_steps", 1, 10**6),
    ):
        expect_in(name, getattr(args, name), low, high)
    return args


if __name__ == "__main__":
    ARGS = parse_args()  # before the heavy imports: --help and mistakes are answered at once

import poolkit  # noqa: E402
import torch  # noqa: E402
from poolkit.adapters.sb3 import PoolVecEnv  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.callbacks import CheckpointCallback, EvalCallback  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import VecVideoRecorder  # noqa: E402


def main(args: Args) -> int:
    # A scheduler's SIGTERM is a Ctrl-C; and a shell's background jobs start with SIGINT ignored.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if args.device == "cuda" and not torch.cuda.is_available():
        fail("--device cuda: no GPU that PyTorch can use")
    name = f"{args.env_id.replace('/', '-')}__{args.exp_name}__{args.seed}__{int(time.time())}"
    run_dir = args.runs_dir / name

    # The protocol of Mnih et al. 2015: a lost life ends an episode, rewards are clipped. The
    # evaluation is under the same rules and yet counts whole games and points, as `monitor` does.
    try:
        envs = PoolVecEnv(args.env_id, args.num_envs, preset="dqn")
        eval_envs = PoolVecEnv(args.env_id, min(args.num_envs, args.eval_games), preset="dqn")
        run_dir.mkdir(parents=True, exist_ok=True)
    except TypeError as error:
        fail(f"--env-id {args.env_id}: not an Atari game: {error}")
    except (ValueError, OSError, poolkit.EnvError) as error:
        fail(error)

    model = PPO(
        "CnnPolicy",
        envs,
        n_steps=args.num_steps,
        batch_size=args.batch_size,
        n_epochs=args.num_epochs,
        learning_rate=lambda left: args.learning_rate * left,
        clip_range=lambda left: args.clip_range * left,
        vf_coef=args.vf_coef,
        ent_coef=args.ent_coef,
        tensorboard_log=str(run_dir),
        seed=args.seed,
        device=args.device,
    )
    eval_envs.seed(args.seed + 10_000)
    try:
        print(f"{run_dir}: training on {model.device}", flush=True)
        model.learn(
            args.total_timesteps,
            callback=[
                EvalCallback(
                    eval_envs,
                    n_eval_episodes=args.eval_games,
                    eval_freq=max(1, args.eval_every // args.num_envs),
                    best_model_save_path=str(run_dir),
                    log_path=str(run_dir),
                    deterministic=False,
                ),
                CheckpointCallback(
                    max(1, args.checkpoint_every // args.num_envs), str(run_dir / "checkpoints")
                ),
            ],
            progress_bar=True,
        )
    except KeyboardInterrupt:
        model.save(run_dir / "model")
        print(f"interrupted at {model.num_timesteps:,} steps; {run_dir} has model.zip")
        return 130
    model.save(run_dir / "model")
    mean, deviation = evaluate_policy(model, eval_envs, args.eval_games, deterministic=False)
    print(f"evaluation: mean return {mean:.2f}, standard deviation {deviation:.2f}")

    film = VecVideoRecorder(
        PoolVecEnv(args.env_id, 1, seed=args.seed, render_mode="rgb_array"),
        str(run_dir),
        record_video_trigger=lambda step: step == 0,
        video_length=args.video_steps,
        name_prefix="agent",
    )
    obs = film.reset()
    for _ in range(args.video_steps):
        actions, _ = model.predict(obs, deterministic=False)
        obs, _, _, _ = film.step(actions)
    film.close()
    envs.close()
    eval_envs.close()
    print(f"{run_dir} has the models, the video and TensorBoard's events")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(ARGS))
    except KeyboardInterrupt:  # before there was anything to keep
        sys.exit(130)
