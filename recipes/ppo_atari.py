r"""PPO on Atari with asynchronous collection: one algorithm, one file, top to bottom.

    python recipes/ppo_atari.py --env-id Breakout-v5 --cuda --bf16
    python recipes/ppo_atari.py --network nips --update-epochs 3 --clip-coef 0.2 \
        --learning-rate 7e-4 --total-timesteps 2500000  # Pong on two CPU cores

The policy answers the first `batch_size` of `num_envs` games that are ready while the others play
on, so neither waits for the other. With `--batch-size` equal to `--num-envs` this is synchronous
PPO, number for number. The algorithm is that of Schulman et al. 2017 (arXiv 1707.06347), with the
habits of CleanRL's `ppo_atari.py`.

With `--overlap` the next rollout is collected while the learner works on the last one: for GPUs,

    python recipes/ppo_atari.py --cuda --bf16 --overlap --num-envs 256 --batch-size 128

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds the TensorBoard events, `args.json`,
`checkpoint.pt`, `curve.png` and `summary.json`; `--resume FOLDER` continues it, in lock-step
exactly, else with new games.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from poolkit.adapters.cleanrl import parse_args


@dataclass
class Args:
    exp_name: str = "ppo_atari"
    """the name of this experiment"""
    seed: int = 1
    """seeds the games, the network and the sampling"""
    env_id: str = "Pong-v5"
    """the game, as in `poolkit.list_all_envs()`"""
    total_timesteps: int = 10_000_000
    """agent steps to train for; each is 4 frames, and counts once its reward is known"""
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
    save_model: bool = False
    """write `policy.pt2` at the end: `poolkit play Pong-v5 --policy FOLDER/policy.pt2`"""

    bf16: bool = False
    """bfloat16 autocast: faster on GPUs and on CPUs with AVX-512 BF16 or AMX, slower on others"""
    network: Literal["nature", "nips"] = "nature"
    """the CNN of Mnih et al. 2015, or the smaller one of 2013: about 3 times faster on a CPU"""
    overlap: bool = False
    """collect the next rollout while the learner works, with a policy that is one update older"""
    num_envs: int = 64
    """games that are played at once"""
    batch_size: int = 16
    """games that the policy answers at a time; `num_envs` makes the collection synchronous"""
    num_threads: int | None = None
    """threads that step the games (default: the CPUs that this process may use)"""
    num_steps: int = 32
    """agent steps between two updates, for each game on average"""
    learning_rate: float = 2.5e-4
    """Adam's step size"""
    anneal_lr: bool = True
    """let the learning rate fall to zero over the training, linearly"""
    gamma: float = 0.99
    """the discount"""
    gae_lambda: float = 0.95
    """lambda of the generalized advantage estimation"""
    num_minibatches: int = 8
    """minibatches that an update's data is cut into"""
    update_epochs: int = 4
    """passes over an update's data"""
    norm_adv: bool = True
    """normalize the advantages of each minibatch"""
    clip_coef: float = 0.1
    """how far the policy's probability ratio may move from 1"""
    ent_coef: float = 0.01
    """weight of the entropy bonus"""
    vf_coef: float = 0.5
    """weight of the value loss"""
    max_grad_norm: float = 0.5
    """clip the gradient to this norm"""

    eval_games: int = 10
    """whole games, with unclipped rewards, that are played after the training; 0 for none"""
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
        "batch_size": (1, args.num_envs),
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
    ARGS = parse_args(Args, limits, "PPO on Atari with asynchronous collection.")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from gymnasium.spaces import Discrete  # noqa: E402
from poolkit.adapters.cleanrl.run import Curve, Run, Upload  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.distributions import Categorical  # noqa: E402


def layer(module: nn.Conv2d | nn.Linear, std: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(module.weight, std)
    assert module.bias is not None
    nn.init.zeros_(module.bias)
    return module


class Policy(nn.Module):
    """Action distribution and value of uint8 observations `(n, stack, 84, 84)`, in float32."""

    def __init__(self, stack: int, num_actions: int, network: str, bf16: bool) -> None:
        super().__init__()
        self.bf16 = bf16
        if network == "nature":
            convolutions = [(stack, 32, 8, 4), (32, 64, 4, 2), (64, 64, 3, 1)]
            features, hidden = 64 * 7 * 7, 512
        else:
            convolutions = [(stack, 16, 8, 4), (16, 32, 4, 2)]
            features, hidden = 32 * 9 * 9, 256
        body: list[nn.Module] = []
        for channels, filters, kernel, stride in convolutions:
            body += [layer(nn.Conv2d(channels, filters, kernel, stride)), nn.ReLU()]
        body += [nn.Flatten(), layer(nn.Linear(features, hidden)), nn.ReLU()]
        self.body = nn.Sequential(*body)
        self.actor = layer(nn.Linear(hidden, num_actions), std=0.01)
        self.critic = layer(nn.Linear(hidden, 1), std=1.0)
        self.to(memory_format=torch.channels_last)

    def forward(self, obs: Tensor) -> tuple[Categorical, Tensor]:
        with torch.autocast(obs.device.type, torch.bfloat16, enabled=self.bf16):
            hidden = self.body(obs / 255)
            logits, value = self.actor(hidden).float(), self.critic(hidden).float()
        return Categorical(logits=logits, validate_args=False), value.flatten()


class Player(nn.Module):
    """Of a policy what playing needs: from observations to logits."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.body, self.actor = policy.body, policy.actor

    def forward(self, obs: Tensor) -> Tensor:
        return self.actor(self.body(obs / 255))


class Table(NamedTuple):
    """A row for each action."""

    obs: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor


class Rollout(NamedTuple):
    """What an update learns from: those `rows` of the other tensors that are closed."""

    rows: Tensor
    obs: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    advantages: Tensor
    returns: Tensor


class Collector:
    """Collects closed transitions from a pool with same-step autoreset.

    Acting opens a row for each env: observation, action, log-probability, value. The env's next
    result closes it, because the reward that comes with an observation belongs to the action before
    it. Rows that are open when a rollout is full are carried into the next one, with the
    log-probabilities of the policy that chose their actions.
    """

    def __init__(
        self, envs: Any, policy: Policy, curve: Curve, args: Args, device: torch.device
    ) -> None:
        self.envs, self.policy, self.curve = envs, policy, curve
        self.args, self.device = args, device
        self.upload = Upload(device)
        # The only copies of the observations. The learner has one rollout while the other fills.
        self.tables = [self._table() for _ in range(2 if args.overlap else 1)]
        self.table = self.tables[0]
        rows = len(self.table.values)
        self.rewards = np.zeros(rows, np.float32)
        self.ends = np.zeros(rows, np.float32)
        self.closed = np.zeros(rows, bool)
        self.env_ids = np.zeros(rows, np.int32)
        self.used = 0
        self.open_row = np.full(args.num_envs, -1)  # of each env; -1: none
        envs.async_reset()
        self._receive()

    def _table(self) -> Table:
        rows = self.args.num_envs * self.args.num_steps + self.args.num_envs + self.args.batch_size
        return Table(
            # Channels last, as the convolutions want them.
            torch.empty(
                (rows, *self.envs.single_observation_space.shape),
                dtype=torch.uint8,
                device=self.device,
                memory_format=torch.channels_last,
            ),
            torch.zeros(rows, dtype=torch.int64, device=self.device),
            torch.zeros(rows, device=self.device),
            torch.zeros(rows, device=self.device),
        )

    @torch.no_grad()
    def collect(self) -> Rollout:
        """Play until `num_envs * num_steps` transitions are closed, or up to a batch more."""
        self._carry_open_rows()
        full = self.curve.steps + self.args.num_envs * self.args.num_steps
        while self.curve.steps < full:
            self._act()
            self._receive()
        rows = np.flatnonzero(self.closed[: self.used])
        values = self.table.values.cpu().numpy()
        advantages = self._advantages(rows, values)
        return Rollout(
            torch.from_numpy(rows),
            *self.table,
            torch.from_numpy(advantages).to(self.device),
            torch.from_numpy(advantages + values).to(self.device),
        )

    def _carry_open_rows(self) -> None:
        envs = np.flatnonzero(self.open_row >= 0)
        full, self.table = self.table, self.tables[0]
        self.tables.append(self.tables.pop(0))
        for column, old in zip(self.table, full, strict=True):
            column[: len(envs)] = old[self.open_row[envs]]
        self.env_ids[: len(envs)] = envs
        self.open_row[envs] = np.arange(len(envs))
        self.closed[:] = False
        self.used = len(envs)

    def _act(self) -> None:
        distribution, value = self.policy(self.waiting_obs)
        action = distribution.sample()
        self.envs.send(action.cpu().numpy(), self.waiting_ids)  # first: the games go on meanwhile
        rows = slice(self.used, self.used + len(action))
        self.used = rows.stop
        self.table.obs[rows] = self.waiting_obs
        self.table.actions[rows] = action
        self.table.log_probs[rows] = distribution.log_prob(action)
        self.table.values[rows] = value
        self.env_ids[rows] = self.waiting_ids
        self.open_row[self.waiting_ids] = np.arange(rows.start, rows.stop)

    def _receive(self) -> None:
        obs, reward, terminated, truncated, info = self.envs.recv()
        self.waiting_obs, self.waiting_ids = self.upload(obs), info["env_id"]
        rows = self.open_row[self.waiting_ids]
        closing = rows >= 0  # the first result after a reset closes nothing
        ended = terminated | truncated
        self.rewards[rows[closing]] = reward[closing]
        self.ends[rows[closing]] = ended[closing]
        self.closed[rows[closing]] = True
        self.open_row[self.waiting_ids] = -1
        self.curve.count(int(closing.sum()), ended, info)
        cut = truncated & ~terminated
        if cut.any():  # the game would have gone on: its last state's value stands for the rest
            value = self.policy(torch.from_numpy(info["final_obs"][cut]).to(self.device))[1]
            self.rewards[rows[cut]] += self.args.gamma * value.cpu().numpy()

    def _advantages(self, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """GAE of each env: backwards over the rows, the envs mixed as they came."""
        # An env's state after its last closed row: where its open row began, or what has just come.
        next_values = values[self.open_row]
        next_values[self.waiting_ids] = self.policy(self.waiting_obs)[1].cpu().numpy()
        next_advantages = np.zeros_like(next_values)
        advantages = np.zeros_like(values)
        gamma, gae_lambda = self.args.gamma, self.args.gae_lambda
        for row in reversed(rows):
            env = self.env_ids[row]
            goes_on = 1.0 - self.ends[row]
            delta = self.rewards[row] + gamma * next_values[env] * goes_on - values[row]
            advantages[row] = delta + gamma * gae_lambda * goes_on * next_advantages[env]
            next_values[env], next_advantages[env] = values[row], advantages[row]
        return advantages

    def state_dict(self) -> dict[str, Any]:
        if self.envs.is_async or self.args.overlap:
            return {}  # games are being played, and cannot be saved
        return {"envs": self.envs.save_state(), "obs": self.waiting_obs}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state:
            self.envs.load_state(None, state["envs"])
            self.waiting_obs = state["obs"].to(self.device)


def rollouts(collector: Collector, policy: Policy) -> Iterator[Rollout]:
    """Rollouts without end; with `--overlap` each is collected while the last is learned from."""
    if not collector.args.overlap:
        while True:
            yield collector.collect()
    stream = torch.cuda.Stream() if collector.device.type == "cuda" else None

    def collect() -> Rollout:
        with torch.cuda.stream(stream):
            rollout = collector.collect()
        if stream:
            stream.synchronize()
        return rollout

    collector.policy = deepcopy(policy)
    with ThreadPoolExecutor(1) as thread:
        ahead = thread.submit(collect)
        while True:
            rollout = ahead.result()
            collector.policy.load_state_dict(policy.state_dict())
            if stream:
                torch.cuda.synchronize()
            ahead = thread.submit(collect)
            yield rollout


def learn(
    policy: Policy, optimizer: torch.optim.Optimizer, rollout: Rollout, args: Args
) -> dict[str, float]:
    """Improve the policy on a rollout; gives the last minibatch's losses."""
    clip_fractions = []
    for _ in range(args.update_epochs):
        shuffled = rollout.rows[torch.randperm(len(rollout.rows))]
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

    values, returns = rollout.values[rollout.rows], rollout.returns[rollout.rows]
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
    envs = run.make(
        Discrete,
        num_envs=args.num_envs,
        batch_size=args.batch_size,
        episodic_life=True,
        reward_clip=True,
    )
    stack, num_actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    policy = Policy(stack, num_actions, args.network, args.bf16).to(run.device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    collector = Collector(envs, policy, run.curve, args, run.device)
    source = rollouts(collector, policy)

    for done in run.updates(policy=policy, optimizer=optimizer, collector=collector):
        learning_rate = args.learning_rate * (1 - done if args.anneal_lr else 1)
        optimizer.param_groups[0]["lr"] = learning_rate
        losses = learn(policy, optimizer, next(source), args)
        run.log("charts/learning_rate", learning_rate)
        for name, loss in losses.items():
            run.log(f"losses/{name}", loss)

    source.close()
    envs.close()
    if args.save_model:
        run.save_model(Player(policy), envs.single_observation_space)
    return run.finish(lambda obs: policy(obs)[0].sample().cpu().numpy())


if __name__ == "__main__":
    sys.exit(main(ARGS))
