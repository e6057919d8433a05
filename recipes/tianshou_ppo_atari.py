"""PPO of Tianshou on Atari, with the settings of Tianshou's example.

    python recipes/tianshou_ppo_atari.py --env-id Breakout-v5

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds TensorBoard's events and `policy.pt`,
the best policy of the evaluations; an interrupted run leaves `last_policy.pt` too. The same with
DQN is `tianshou_dqn_atari.py`: the two can be diffed.
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
    exp_name: str = "tianshou_ppo_atari"
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

    num_envs: int = 16
    """games that are played at once"""
    num_threads: int | None = None
    """threads that step the games (default: the CPUs that this process may use)"""
    collect_steps: int = 1024
    """agent steps between two updates"""
    update_epochs: int = 4
    """passes over an update's data"""
    minibatch_size: int = 256
    """agent steps in a minibatch"""
    learning_rate: float = 2.5e-4
    """Adam's step size; falls to zero over the training, linearly"""
    gamma: float = 0.99
    """the discount"""
    gae_lambda: float = 0.95
    """lambda of the generalized advantage estimation"""
    clip_coef: float = 0.1
    """how far the policy's probability ratio may move from 1"""
    ent_coef: float = 0.01
    """weight of the entropy bonus"""
    vf_coef: float = 0.25
    """weight of the value loss"""
    max_grad_norm: float = 0.5
    """clip the gradient to this norm"""

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
        ("collect_steps", 1, most),
        ("update_epochs", 1, 1000),
        ("minibatch_size", 2, most),
        ("learning_rate", 0, 1),
        ("gamma", 0, 1),
        ("gae_lambda", 0, 1),
        ("clip_coef", 1e-6, 1),
        ("ent_coef", 0, most),
        ("vf_coef", 0, most),
        ("max_grad_norm", 0, most),
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
from poolkit.adapters.tianshou import PoolVectorEnv  # noqa: E402
from tianshou.algorithm.modelfree.ppo import PPO  # noqa: E402
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy  # noqa: E402
from tianshou.algorithm.optim import (  # noqa: E402
    AdamOptimizerFactory,
    LRSchedulerFactoryLinear,
)
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env.atari.atari_network import (  # noqa: E402
    DQNet,
    ScaledObsInputActionReprNet,
    layer_init,
)
from tianshou.trainer import OnPolicyTrainerParams  # noqa: E402
from tianshou.utils import TensorboardLogger  # noqa: E402
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic  # noqa: E402
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
    np.random.seed(args.seed)  # noqa: NPY002  Tianshou shuffles with it

    # A lost life ends a training episode and rewards are clipped; the evaluation plays whole games.
    try:
        envs = PoolVectorEnv(args.env_id, args.num_envs, num_threads=args.num_threads, preset="dqn")
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
    net = ScaledObsInputActionReprNet(
        DQNet(
            pictures,
            height,
            width,
            actions,
            features_only=True,
            output_dim_added_layer=512,
            layer_init=layer_init,
        )
    )
    actor = DiscreteActor(preprocess_net=net, action_shape=actions, softmax_output=False)
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    algorithm = PPO(
        policy=policy,
        critic=DiscreteCritic(preprocess_net=net),
        optim=AdamOptimizerFactory(lr=args.learning_rate, eps=1e-5).with_lr_scheduler_factory(
            LRSchedulerFactoryLinear(args.max_epochs, args.epoch_steps, args.collect_steps)
        ),
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        eps_clip=args.clip_coef,
        value_clip=True,
        vf_coef=args.vf_coef,
        ent_coef=args.ent_coef,
        max_grad_norm=args.max_grad_norm,
    ).to(args.device)

    # One picture a step: the buffer puts the four of an observation together again.
    buffer = VectorReplayBuffer(
        2 * args.collect_steps,
        args.num_envs,
        stack_num=pictures,
        save_only_last_obs=True,
        ignore_obs_next=True,
    )
    collector = Collector(policy, envs, buffer)
    eval_collector = Collector(policy, eval_envs)

    def save(what: torch.nn.Module, name: str) -> None:
        torch.save(what.state_dict(), run_dir / name)

    writer = SummaryWriter(str(run_dir))
    writer.add_text("args", str(asdict(args)))
    try:
        print(f"{run_dir}: training on {args.device}", flush=True)
        result = algorithm.run_training(
            OnPolicyTrainerParams(
                training_collector=collector,
                test_collector=eval_collector,
                max_epochs=args.max_epochs,
                epoch_num_steps=args.epoch_steps,
                collection_step_num_env_steps=args.collect_steps,
                update_step_num_repetitions=args.update_epochs,
                batch_size=args.minibatch_size,
                test_step_num_episodes=args.eval_games,
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
