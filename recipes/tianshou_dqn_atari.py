"""DQN of Tianshou on Atari, collected asynchronously, with the settings of Tianshou's example.

    python recipes/tianshou_dqn_atari.py --env-id Breakout-v5

The network answers the first `batch_size` of `num_envs` games that are ready while the others play
on. A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds TensorBoard's events and `policy.pt`,
the best policy of the evaluations; an interrupted run leaves `last_policy.pt` too. The same with
PPO is `tianshou_ppo_atari.py`: the two can be diffed.
"""

import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import tyro
from poolkit.adapters.command_line import expect_in, fail


@dataclass
class Args:
    exp_name: str = "tianshou_dqn_atari"
    """the name of this experiment"""
    seed: int = 1
    """seeds the games, the network and the sampling"""
    env_id: str = "Pong-v5"
    """the game, as in `poolkit.list_all_envs()`"""
    max_epochs: int = 100
    """how many epochs, with an evaluation after each"""
    epoch_steps: int = 100_000
    """agent steps in an epoch; each is 4 frames"""
    device: Literal["cpu", "cuda"] = "cpu"
    """where the network is"""

    num_envs: int = 32
    """games that are played at once"""
    batch_size: int = 8
    """games that the network answers at a time; `num_envs` makes the collection synchronous"""
    num_threads: int | None = None
    """threads that step the games (default: the CPUs that this process may use)"""
    buffer_size: int = 100_000
    """agent steps that are remembered; each takes 7 kB"""
    learning_starts: int = 10_000
    """agent steps of random play before the first update"""
    collect_steps: int = 32
    """agent steps between two updates"""
    gradient_steps: float = 0.1
    """minibatches for each agent step"""
    minibatch_size: int = 32
    """agent steps in a minibatch"""
    learning_rate: float = 1e-4
    """Adam's step size"""
    gamma: float = 0.99
    """the discount"""
    n_step: int = 3
    """rewards before a return is bootstrapped"""
    target_update: int = 500
    """updates between two copies to the target network"""
    eps_steps: int = 1_000_000
    """agent steps in which random actions go from all to `eps_final`"""
    eps_final: float = 0.05
    """how often actions are random after that"""
    eps_eval: float = 0.005
    """how often actions are random in an evaluation"""

    eval_games: int = 10
    """whole games, with unclipped rewards, in an evaluation"""
    progress: bool = True
    """show a progress bar"""
    runs_dir: Path = Path("runs")
    """the folder for the runs' folders"""


def parse_args() -> Args:
    args = tyro.cli(Args, description=__doc__)
    most = 10**9  # of numbers that are large only by mistake
    for name, low, high in (
        ("seed", 0, 2**31),
        ("max_epochs", 1, 10**6),
        ("epoch_steps", 1, most),
        ("num_envs", 1, 10**6),
        ("batch_size", 1, args.num_envs),
        ("buffer_size", 16 * args.num_envs, most),
        ("learning_starts", 1, most),
        ("collect_steps", 1, most),
        ("gradient_steps", 1e-6, 1000),
        ("minibatch_size", 1, most),
        ("learning_rate", 0, 1),
        ("gamma", 0, 1),
        ("n_step", 1, 1000),
        ("target_update", 0, most),
        ("eps_steps", 1, 10**12),
        ("eps_final", 0, 1),
        ("eps_eval", 0, 1),
        ("eval_games", 1, 1000),
    ):
        expect_in(name, getattr(args, name), low, high)
    if args.num_threads is not None:
        expect_in("num_threads", args.num_threads, 1, 10**6)
    return args


if __name__ == "__main__":
    ARGS = parse_args()  # before the heavy imports: --help and mistakes are answered at once

import numpy as np  # noqa: E402
import poolkit  # noqa: E402
import torch  # noqa: E402
from poolkit.adapters.tianshou import PoolAsyncCollector, PoolVectorEnv  # noqa: E402
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy  # noqa: E402
from tianshou.algorithm.optim import AdamOptimizerFactory  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env.atari.atari_network import DQNet, ScaledObsInputActionReprNet  # noqa: E402
from tianshou.trainer import OffPolicyTrainerParams  # noqa: E402
from tianshou.utils import TensorboardLogger  # noqa: E402
from torch.utils.tensorboard import SummaryWriter  # noqa: E402


def main(args: Args) -> int:
    # A scheduler's SIGTERM is a Ctrl-C; and a shell's background jobs start with SIGINT ignored.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if args.device == "cuda" and not torch.cuda.is_available():
        fail("--device cuda: no GPU that PyTorch can use")
    name = f"{args.env_id.replace('/', '-')}__{args.exp_name}__{args.seed}__{int(time.time())}"
    run_dir = args.runs_dir / name
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # noqa: NPY002  Tianshou's exploration draws from it

    # A lost life ends a training episode and rewards are clipped; the evaluation plays whole games.
    try:
        envs = PoolVectorEnv(
            args.env_id,
            args.num_envs,
            batch_size=args.batch_size,
            num_threads=args.num_threads,
            preset="dqn",
        )
        eval_envs = PoolVectorEnv(args.env_id, args.eval_games, num_threads=args.num_threads)
        run_dir.mkdir(parents=True, exist_ok=True)
    except TypeError as error:
        fail(f"--env-id {args.env_id}: not an Atari game: {error}")
    except (ValueError, OSError, poolkit.EnvError) as error:
        fail(error)
    envs.seed(args.seed)
    eval_envs.seed(args.seed + 10_000)

    pictures, height, width = envs.observation_space[0].shape
    actions = int(envs.action_space[0].n)
    policy = DiscreteQLearningPolicy(
        model=ScaledObsInputActionReprNet(DQNet(pictures, height, width, actions)),
        action_space=envs.action_space[0],
        eps_training=1.0,
        eps_inference=args.eps_eval,
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=args.learning_rate),
        gamma=args.gamma,
        n_step_return_horizon=args.n_step,
        target_update_freq=args.target_update,
    ).to(args.device)

    # One picture a step: the buffer puts the four of an observation together again.
    buffer = VectorReplayBuffer(
        args.buffer_size,
        args.num_envs,
        stack_num=pictures,
        save_only_last_obs=True,
        ignore_obs_next=True,
    )
    kind = PoolAsyncCollector if envs.is_async else Collector
    collector = kind(policy, envs, buffer, exploration_noise=True)
    eval_collector = Collector(policy, eval_envs, exploration_noise=True)

    def anneal_exploration(epoch: int, env_step: int) -> None:
        done = min(1.0, env_step / args.eps_steps)
        policy.set_eps_training(1.0 + done * (args.eps_final - 1.0))

    def save(what: torch.nn.Module, name: str) -> None:
        torch.save(what.state_dict(), run_dir / name)

    writer = SummaryWriter(str(run_dir))
    writer.add_text("args", str(asdict(args)))
    try:
        print(f"{run_dir}: training on {args.device}", flush=True)
        collector.reset()
        collector.collect(n_step=args.learning_starts, random=True)
        result = algorithm.run_training(
            OffPolicyTrainerParams(
                training_collector=collector,
                test_collector=eval_collector,
                max_epochs=args.max_epochs,
                epoch_num_steps=args.epoch_steps,
                collection_step_num_env_steps=args.collect_steps,
                update_step_num_gradient_steps_per_sample=args.gradient_steps,
                batch_size=args.minibatch_size,
                test_step_num_episodes=args.eval_games,
                training_fn=anneal_exploration,
                save_best_fn=lambda best: torch.save(
                    best.policy.state_dict(), run_dir / "policy.pt"
                ),
                logger=TensorboardLogger(writer),
                show_progress=args.progress,
            )
        )
    except KeyboardInterrupt:
        writer.close()
        save(policy, "last_policy.pt")
        print(f"interrupted; {run_dir} has last_policy.pt and TensorBoard's events")
        return 130
    envs.close()
    eval_envs.close()
    writer.close()
    print(f"best evaluation: mean return {result.best_reward:.2f}")
    print(f"{run_dir} has policy.pt and TensorBoard's events")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(ARGS))
    except KeyboardInterrupt:  # before there was anything to keep
        sys.exit(130)
    except MemoryError as error:
        fail(f"--buffer-size {ARGS.buffer_size}: {error}")
