r"""PPO with discrete actions, in lock-step: one algorithm, one file, top to bottom.

    python recipes/ppo.py --env-id CartPole-v1

The algorithm is that of Schulman et al. 2017 (arXiv 1707.06347), with the habits of CleanRL's
`ppo.py`. `ppo_continuous.py` is the same for continuous actions, `ppo_atari.py` for Atari, with
asynchronous collection: they can be diffed.

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds the TensorBoard events, `args.json`,
`checkpoint.pt`, `curve.png` and `summary.json`; `--resume FOLDER` continues it.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from poolkit.adapters.cleanrl import parse_args


@dataclass
class Args:
    exp_name: str = "ppo"
    """the name of this experiment"""
    seed: int = 1
    """seeds the environments, the network and the sampling"""
    env_id: str = "CartPole-v1"
    """the environment, as in `poolkit.list_all_envs()`"""
    total_timesteps: int = 100_000
    """agent steps to train for"""
    time_limit_minutes: float = float("inf")
    """end training (and the annealing) after this time, if it comes before `total_timesteps`"""
    cuda: bool = False
    """train on the GPU"""
    track: bool = False
    """log to Weights and Biases, too"""
    wandb_project_name: str = "poolkit"
    """the project there"""
    wandb_entity: str | None = None
    """the team there"""
    capture_video: bool = False
    """film the evaluation's first game, as `evaluation.mp4`"""

    num_envs: int = 64
    """environments that are stepped at once"""
    num_threads: int | None = None
    """threads that step them (default: the CPUs that this process may use)"""
    num_steps: int = 32
    """agent steps between two updates, for each environment"""
    learning_rate: float = 5e-3
    """Adam's step size"""
    anneal_lr: bool = True
    """let the learning rate fall to zero over the training, linearly"""
    gamma: float = 0.99
    """the discount"""
    gae_lambda: float = 0.95
    """lambda of the generalized advantage estimation"""
    num_minibatches: int = 4
    """minibatches that an update's data is cut into"""
    update_epochs: int = 8
    """passes over an update's data"""
    norm_adv: bool = True
    """normalize the advantages of each minibatch"""
    clip_coef: float = 0.2
    """how far the policy's probability ratio may move from 1"""
    ent_coef: float = 0.01
    """weight of the entropy bonus"""
    vf_coef: float = 0.5
    """weight of the value loss"""
    max_grad_norm: float = 0.5
    """clip the gradient to this norm"""

    eval_games: int = 10
    """whole games that are played after the training; 0 for none"""
    checkpoint_minutes: float = 5.0
    """save a checkpoint this often, and at the end"""
    runs_dir: Path = Path("runs")
    """the folder for the runs' folders"""
    resume: Path | None = None
    """continue the run of this folder with its own arguments; those given here replace them"""


def limits(args: Args) -> dict[str, tuple[float, float]]:
    return {
        "seed": (0, 2**63),
        "total_timesteps": (1, 10**12),
        "time_limit_minutes": (0.01, float("inf")),
        "num_envs": (1, 10**6),
        "num_steps": (1, 10**6),
        "num_minibatches": (1, args.num_envs * args.num_steps),
        "update_epochs": (1, 1000),
        "learning_rate": (0, 1),
        "gamma": (0, 1),
        "gae_lambda": (0, 1),
        "clip_coef": (0, 1),
        "ent_coef": (0, 1e9),
        "vf_coef": (0, 1e9),
        "max_grad_norm": (0, 1e9),
        "eval_games": (0, 1000),
        "checkpoint_minutes": (0, 1e9),
    }


if __name__ == "__main__":
    ARGS = parse_args(Args, limits, "PPO with discrete actions, in lock-step.")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from gymnasium.spaces import Discrete  # noqa: E402
from poolkit.adapters.cleanrl.run import Curve, Run  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.distributions import Categorical  # noqa: E402


def layer(inputs: int, outputs: int, std: float = 2**0.5) -> nn.Linear:
    module = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(module.weight, std)
    nn.init.zeros_(module.bias)
    return module


class Policy(nn.Module):
    """Action distribution and value of observations `(n, *shape)`."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        inputs = int(np.prod(envs.single_observation_space.shape))
        self.actor = nn.Sequential(
            nn.Flatten(),
            layer(inputs, 64),
            nn.Tanh(),
            layer(64, 64),
            nn.Tanh(),
            layer(64, int(envs.single_action_space.n), std=0.01),
        )
        self.critic = nn.Sequential(
            nn.Flatten(),
            layer(inputs, 64),
            nn.Tanh(),
            layer(64, 64),
            nn.Tanh(),
            layer(64, 1, std=1.0),
        )

    def forward(self, obs: Tensor) -> tuple[Categorical, Tensor]:
        obs = obs.float()
        return Categorical(logits=self.actor(obs), validate_args=False), self.critic(obs).flatten()


class Rollout(NamedTuple):
    """What an update learns from."""

    obs: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    advantages: Tensor
    returns: Tensor


class Collector:
    """Collects rollouts from a pool with same-step autoreset."""

    def __init__(
        self, envs: Any, policy: Policy, curve: Curve, args: Args, device: torch.device
    ) -> None:
        self.envs, self.policy, self.curve = envs, policy, curve
        self.args, self.device = args, device
        self.obs = torch.from_numpy(envs.reset()[0]).to(device)

    @torch.no_grad()
    def collect(self) -> Rollout:
        """Step all envs `num_steps` times."""
        steps = [self._step() for _ in range(self.args.num_steps)]
        obs, actions, log_probs, values, rewards, ends = (
            torch.stack(column) for column in zip(*steps, strict=True)
        )
        gamma, gae_lambda = self.args.gamma, self.args.gae_lambda
        next_value, next_advantage = self.policy(self.obs)[1], torch.zeros_like(values[0])
        advantages = torch.zeros_like(values)
        for t in reversed(range(self.args.num_steps)):
            goes_on = 1.0 - ends[t]
            delta = rewards[t] + gamma * next_value * goes_on - values[t]
            next_advantage = delta + gamma * gae_lambda * goes_on * next_advantage
            advantages[t], next_value = next_advantage, values[t]
        columns = (obs, actions, log_probs, values, advantages, advantages + values)
        return Rollout(*(column.flatten(0, 1) for column in columns))

    def _step(self) -> tuple[Tensor, ...]:
        obs = self.obs
        distribution, value = self.policy(obs)
        action = distribution.sample()
        next_obs, reward, terminated, truncated, info = self.envs.step(action.cpu().numpy())
        ended = terminated | truncated
        self.obs = torch.from_numpy(next_obs).to(self.device)
        self.curve.count(len(obs), ended, info)
        rewards = torch.from_numpy(reward).to(self.device)
        cut = truncated & ~terminated
        if cut.any():  # the episode would have gone on: its last state's value stands for the rest
            final_obs = torch.from_numpy(info["final_obs"][cut]).to(self.device)
            rewards[cut] += self.args.gamma * self.policy(final_obs)[1]
        ends = torch.from_numpy(ended).to(self.device).float()
        return obs, action, distribution.log_prob(action), value, rewards, ends

    def state_dict(self) -> dict[str, Any]:
        return {"envs": self.envs.save_state(), "obs": self.obs}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.envs.load_state(None, state["envs"])
        self.obs = state["obs"].to(self.device)


def learn(
    policy: Policy, optimizer: torch.optim.Optimizer, rollout: Rollout, args: Args
) -> dict[str, float]:
    """Improve the policy on a rollout; gives the last minibatch's losses."""
    clip_fractions = []
    for _ in range(args.update_epochs):
        shuffled = torch.randperm(len(rollout.obs))
        for rows in shuffled.chunk(args.num_minibatches):
            distribution, value = policy(rollout.obs[rows])
            log_ratio = distribution.log_prob(rollout.actions[rows]) - rollout.log_probs[rows]
            ratio = log_ratio.exp()
            advantages = rollout.advantages[rows]
            if args.norm_adv and len(rows) > 1:
                advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
            value_loss = 0.5 * (value - rollout.returns[rows]).square().mean()
            entropy = distribution.entropy().mean()
            loss = policy_loss - args.ent_coef * entropy + args.vf_coef * value_loss

            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), args.max_grad_norm)
            optimizer.step()
            with torch.no_grad():
                approx_kl = (ratio - 1 - log_ratio).mean()
                clip_fractions.append(((ratio - 1).abs() > args.clip_coef).float().mean().item())

    values, returns = rollout.values, rollout.returns
    return {
        "value_loss": value_loss.item(),
        "policy_loss": policy_loss.item(),
        "entropy": entropy.item(),
        "approx_kl": approx_kl.item(),
        "clipfrac": float(np.mean(clip_fractions)),
        "explained_variance": 1 - ((returns - values).var() / returns.var()).item(),
    }


def main(args: Args) -> int:
    run = Run(args)
    envs = run.make(Discrete, num_envs=args.num_envs)
    policy = Policy(envs).to(run.device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    collector = Collector(envs, policy, run.curve, args, run.device)

    for done in run.updates(policy=policy, optimizer=optimizer, collector=collector):
        learning_rate = args.learning_rate * (1 - done if args.anneal_lr else 1)
        optimizer.param_groups[0]["lr"] = learning_rate
        losses = learn(policy, optimizer, collector.collect(), args)
        run.log("charts/learning_rate", learning_rate)
        for name, loss in losses.items():
            run.log(f"losses/{name}", loss)

    envs.close()
    return run.finish(lambda obs: policy(obs)[0].sample().cpu().numpy())


if __name__ == "__main__":
    sys.exit(main(ARGS))
