"""PPO on Atari with asynchronous collection: one algorithm, one file, top to bottom.

    python recipes/ppo_atari.py --env-id Pong-v5 --num-envs 64 --batch-size 16

The policy answers the first `batch_size` of `num_envs` games that are ready while the others play
on, so neither waits for the other. With `--batch-size` equal to `--num-envs` this is synchronous
PPO, number for number. The algorithm is that of Schulman et al. 2017 (arXiv 1707.06347), with the
habits of CleanRL's `ppo_atari.py`.

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds the TensorBoard events, `args.json`,
`checkpoint.pt`, `curve.png` and `summary.json`; `--resume FOLDER` continues it.
"""

import contextlib
import ctypes
import json
import math
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

import tyro


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
    time_limit_minutes: float | None = None
    """end training (and the annealing) after this time, if it comes before `total_timesteps`"""
    cuda: bool = False
    """train on the GPU"""
    bf16: bool = False
    """bfloat16 autocast: faster on GPUs and on CPUs with AVX-512 BF16 or AMX, slower on others"""
    network: Literal["nature", "nips"] = "nature"
    """the CNN of Mnih et al. 2015, or the smaller one of 2013: about 3 times faster on a CPU"""

    num_envs: int = 64
    """games that are played at once"""
    batch_size: int = 16
    """games that the policy answers at a time; `num_envs` makes the collection synchronous"""
    num_threads: int | None = None
    """threads that step the games (default: the CPUs that this process may use)"""
    num_steps: int = 128
    """agent steps between two updates, for each game on average"""
    learning_rate: float = 2.5e-4
    """Adam's step size"""
    anneal_lr: bool = True
    """let the learning rate fall to zero over the training, linearly"""
    gamma: float = 0.99
    """the discount"""
    gae_lambda: float = 0.95
    """lambda of the generalized advantage estimation"""
    num_minibatches: int = 32
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


def fail(message: object) -> NoReturn:
    print(f"ppo_atari: error: {message}", file=sys.stderr)
    sys.exit(2)


def parse_args() -> Args:
    args = tyro.cli(Args, description="PPO on Atari with asynchronous collection.")
    if args.resume is not None:
        run_dir, saved = args.resume, args.resume / "args.json"
        if not (saved.is_file() and (run_dir / "checkpoint.pt").is_file()):
            fail(f"--resume {run_dir}: no args.json and checkpoint.pt there")
        of_the_run = json.loads(saved.read_text()) | {"runs_dir": args.runs_dir, "resume": run_dir}
        args = tyro.cli(Args, default=Args(**of_the_run))
    if not 1 <= args.batch_size <= args.num_envs:
        fail(f"--batch-size must be in 1..{args.num_envs} (--num-envs), not {args.batch_size}")
    positive = ("total_timesteps", "num_steps", "num_minibatches", "update_epochs", "learning_rate")
    for name in positive:
        if getattr(args, name) <= 0:
            fail(f"--{name.replace('_', '-')} must be positive, not {getattr(args, name)}")
    if args.num_minibatches > args.num_envs * args.num_steps:
        fail("--num-minibatches must not exceed --num-envs times --num-steps")
    return args


if __name__ == "__main__":
    ARGS = parse_args()  # before the heavy imports: --help and mistakes are answered at once

# PyTorch's threads would spin, between two of its operations, on the CPUs that the games need.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
import poolkit  # noqa: E402
import torch  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.distributions import Categorical  # noqa: E402
from torch.utils.tensorboard import SummaryWriter  # noqa: E402


def layer(module: nn.Module, std: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(module.weight, std)  # type: ignore[arg-type]
    nn.init.zeros_(module.bias)  # type: ignore[arg-type]
    return module


class Policy(nn.Module):
    """Action logits and value of uint8 observations `(n, stack, 84, 84)`, in float32."""

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
        self.body = nn.Sequential(
            *body, nn.Flatten(), layer(nn.Linear(features, hidden)), nn.ReLU()
        )
        self.actor = layer(nn.Linear(hidden, num_actions), std=0.01)
        self.critic = layer(nn.Linear(hidden, 1), std=1.0)
        self.to(memory_format=torch.channels_last)

    def forward(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(obs.device.type, torch.bfloat16, enabled=self.bf16):
            hidden = self.body(obs / 255)
            return self.actor(hidden).float(), self.critic(hidden).float().flatten()

    def distribution_and_value(self, obs: Tensor) -> tuple[Categorical, Tensor]:
        logits, value = self(obs)
        return Categorical(logits=logits, validate_args=False), value


def advantages_of(
    rewards: np.ndarray,
    ends: np.ndarray,
    values: np.ndarray,
    env_ids: np.ndarray,
    next_values: np.ndarray,
    gamma: float,
    gae_lambda: float,
) -> np.ndarray:
    """GAE of rows in the order of time, the envs mixed as they came.

    A row whose `ends` is 1 does not look beyond itself. `next_values` has, for each env, the value
    of its state after its last row.
    """
    advantages = np.zeros_like(rewards)
    next_values, next_advantages = next_values.copy(), np.zeros_like(next_values)
    for row in reversed(range(len(rewards))):
        env = env_ids[row]
        goes_on = np.float32(1.0) - ends[row]
        delta = rewards[row] + gamma * next_values[env] * goes_on - values[row]
        advantages[row] = delta + gamma * gae_lambda * goes_on * next_advantages[env]
        next_values[env], next_advantages[env] = values[row], advantages[row]
    return advantages


class Rollout(NamedTuple):
    """What an update learns from: those `rows` of the other tensors that are closed."""

    rows: Tensor
    obs: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    advantages: Tensor
    returns: Tensor


class Game(NamedTuple):
    """A game that is over, and its unclipped return."""

    step: int
    episode_return: float
    episode_length: int


def games_over(last: dict[str, Any], ended: Any, truncated: Any, step: int) -> list[Game]:
    """The games that end in a batch; a lost life, which ends the trainer's episode, ends none."""
    rows = np.flatnonzero(ended & (last["terminated"].astype(bool) | truncated))
    return [
        Game(step, float(last["episode_return"][i]), int(last["episode_length"][i])) for i in rows
    ]


class Collector:
    """Collects closed transitions from a pool with same-step autoreset.

    Acting opens a row for each env: observation, action, log-probability, value. The env's next
    result closes it, because the reward that comes with an observation belongs to the action before
    it. Rows that are open when a rollout is full are carried into the next one, with the
    log-probabilities of the policy that chose their actions.
    """

    def __init__(self, pool: Any, args: Args, device: torch.device, steps: int = 0) -> None:
        self.pool, self.args, self.device = pool, args, device
        self.steps = steps  # closed transitions, over the whole training
        self.games: list[Game] = []
        self.target = args.num_envs * args.num_steps
        rows = self.target + args.num_envs + args.batch_size
        # The only copy of the observations. Channels last, as the convolutions want them.
        self.obs = torch.empty(
            (rows, *pool.single_observation_space.shape),
            dtype=torch.uint8,
            device=device,
            memory_format=torch.channels_last,
        )
        self.actions = torch.zeros(rows, dtype=torch.int64, device=device)
        self.log_probs = torch.zeros(rows, device=device)
        self.values = torch.zeros(rows, device=device)
        self.advantages = torch.zeros(rows, device=device)
        self.returns = torch.zeros(rows, device=device)
        self.rewards = np.zeros(rows, np.float32)
        self.ends = np.zeros(rows, np.float32)
        self.closed = np.zeros(rows, bool)
        self.env_ids = np.zeros(rows, np.int32)
        self.used = 0
        self.open_row = np.full(args.num_envs, -1)  # of each env; -1: none
        pool.async_reset()
        self._receive()

    @torch.no_grad()
    def collect(self, policy: Policy) -> Rollout:
        """Play until `num_envs * num_steps` transitions are closed, or up to a batch more."""
        self._carry_open_rows()
        full = self.steps + self.target
        while self.steps < full:
            self._act(policy)
            self._receive(policy)

        # An env's state after its last closed row: where its open row began, or what has just come.
        next_values = self.values[self.open_row].cpu().numpy()
        next_values[self.waiting_ids] = policy(self.waiting_obs)[1].cpu().numpy()
        rows = np.flatnonzero(self.closed[: self.used])
        values = self.values[rows].cpu().numpy()
        advantages = advantages_of(
            self.rewards[rows],
            self.ends[rows],
            values,
            self.env_ids[rows],
            next_values,
            self.args.gamma,
            self.args.gae_lambda,
        )
        self.advantages[rows] = torch.from_numpy(advantages).to(self.device)
        self.returns[rows] = torch.from_numpy(advantages + values).to(self.device)
        return Rollout(
            torch.from_numpy(rows),
            self.obs,
            self.actions,
            self.log_probs,
            self.values,
            self.advantages,
            self.returns,
        )

    def _carry_open_rows(self) -> None:
        envs = np.flatnonzero(self.open_row >= 0)
        for column in (self.obs, self.actions, self.log_probs, self.values):
            column[: len(envs)] = column[self.open_row[envs]]
        self.env_ids[: len(envs)] = envs
        self.open_row[envs] = np.arange(len(envs))
        self.closed[:] = False
        self.used = len(envs)

    def _act(self, policy: Policy) -> None:
        distribution, value = policy.distribution_and_value(self.waiting_obs)
        action = distribution.sample()
        self.pool.send(action.cpu().numpy(), self.waiting_ids)  # first: the games go on meanwhile
        rows = slice(self.used, self.used + len(action))
        self.used = rows.stop
        self.obs[rows] = self.waiting_obs
        self.actions[rows] = action
        self.log_probs[rows] = distribution.log_prob(action)
        self.values[rows] = value
        self.env_ids[rows] = self.waiting_ids
        self.open_row[self.waiting_ids] = np.arange(rows.start, rows.stop)

    def _receive(self, policy: Policy | None = None) -> None:
        obs, reward, terminated, truncated, info = self.pool.recv()
        self.waiting_obs, self.waiting_ids = torch.from_numpy(obs).to(self.device), info["env_id"]
        rows = self.open_row[self.waiting_ids]
        closing = rows >= 0  # the first result after a reset closes nothing
        ended = terminated | truncated
        self.rewards[rows[closing]] = reward[closing]
        self.ends[rows[closing]] = ended[closing]
        self.closed[rows[closing]] = True
        self.open_row[self.waiting_ids] = -1
        self.steps += int(closing.sum())
        if policy is None or not ended.any():
            return
        cut = np.flatnonzero(truncated & ~terminated)
        if len(cut):  # the game would have gone on: the value of its last state stands for the rest
            final_obs = torch.from_numpy(info["final_obs"][cut]).to(self.device)
            self.rewards[rows[cut]] += self.args.gamma * policy(final_obs)[1].cpu().numpy()
        self.games += games_over(info["final_info"], ended, truncated, self.steps)


def learn(
    policy: Policy, optimizer: torch.optim.Optimizer, rollout: Rollout, args: Args
) -> dict[str, float]:
    """Improve the policy on a rollout; gives the last minibatch's losses."""
    clip_fractions = []
    for _ in range(args.update_epochs):
        shuffled = rollout.rows[torch.randperm(len(rollout.rows))]
        for rows in shuffled.chunk(args.num_minibatches):
            distribution, value = policy.distribution_and_value(rollout.obs[rows])
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


@torch.no_grad()
def evaluate(policy: Policy, args: Args, device: torch.device) -> list[float]:
    """The unclipped returns of whole games, one in each env: short ones do not count twice."""
    games: dict[int, float] = {}
    pool = poolkit.make(
        args.env_id,
        num_envs=args.eval_games,
        num_threads=args.num_threads,
        seed=args.seed + 1_000_000,
        autoreset="same_step",
    )
    with contextlib.closing(pool):
        obs, _ = pool.reset()
        while len(games) < args.eval_games:
            distribution, _ = policy.distribution_and_value(torch.from_numpy(obs).to(device))
            obs, _, terminated, truncated, info = pool.step(distribution.sample().cpu().numpy())
            for env in np.flatnonzero(terminated | truncated):
                games.setdefault(int(env), float(info["final_info"]["episode_return"][env]))
    return list(games.values())


class Point(NamedTuple):
    """A finished game on the learning curve."""

    step: int
    seconds: float
    episode_return: float


def mean_return(curve: list[Point]) -> float:
    """Of the last 20 games; NaN before the first is over."""
    return (
        float(np.mean([point.episode_return for point in curve[-20:]])) if curve else float("nan")
    )


def draw_curve(path: Path, curve: list[Point], title: str) -> None:
    matplotlib.use("Agg")
    returns = [point.episode_return for point in curve]
    means = [mean_return(curve[: i + 1]) for i in range(len(curve))]
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
    steps, minutes = [p.step / 1e6 for p in curve], [p.seconds / 60 for p in curve]
    for axis, x, label in zip(
        axes, (steps, minutes), ("agent steps (millions)", "minutes of training"), strict=True
    ):
        axis.plot(x, returns, ".", color="tab:blue", alpha=0.25, label="one game")
        axis.plot(x, means, color="tab:red", linewidth=2, label="mean of the last 20")
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("return (unclipped)")
    axes[0].legend()
    figure.suptitle(title)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def keep_freed_memory() -> None:
    """Keep malloc from handing each minibatch's memory back to the kernel.

    Faulting it in again takes a third of the training time on a CPU.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(-4, 0)  # M_MMAP_MAX: no mapping of its own for a large block
        mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: the heap does not shrink


def main(args: Args) -> int:
    keep_freed_memory()
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if args.cuda else "cpu")
    if args.cuda and not torch.cuda.is_available():
        fail("--cuda: no GPU that PyTorch can use")
    saved: dict[str, Any] = {}
    if args.resume:
        saved = torch.load(args.resume / "checkpoint.pt", map_location="cpu", weights_only=True)
    steps, seconds_before = saved.get("steps", 0), saved.get("seconds", 0.0)
    curve = [Point(*point) for point in saved.get("curve", [])]

    try:
        pool = poolkit.make(
            args.env_id,
            num_envs=args.num_envs,
            batch_size=args.batch_size,
            num_threads=args.num_threads,
            seed=args.seed + steps,  # a resumed run plays new games
            autoreset="same_step",
            episodic_life=True,
            reward_clip=True,
        )
    except (ValueError, TypeError, KeyError) as error:
        fail(error)

    name = f"{args.env_id.replace('/', '-')}__{args.exp_name}__{args.seed}__{int(time.time())}"
    run_dir = args.resume or args.runs_dir / name
    run_dir.mkdir(parents=True, exist_ok=True)
    (run_dir / "args.json").write_text(json.dumps(asdict(args), indent=2, default=str))
    writer = SummaryWriter(str(run_dir), purge_step=steps if saved else None)

    stack = pool.single_observation_space.shape[0]
    policy = Policy(stack, int(pool.single_action_space.n), args.network, args.bf16).to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    if saved:
        policy.load_state_dict(saved["policy"])
        optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["rng"])
    collector = Collector(pool, args, device, steps)

    start = time.monotonic()

    def seconds() -> float:
        return seconds_before + time.monotonic() - start

    def progress() -> float:
        by_time = seconds() / 60 / args.time_limit_minutes if args.time_limit_minutes else 0.0
        return min(1.0, max(collector.steps / args.total_timesteps, by_time))

    def save() -> None:
        state = {
            "policy": policy.state_dict(),
            "optimizer": optimizer.state_dict(),
            "rng": torch.get_rng_state(),
            "steps": collector.steps,
            "seconds": seconds(),
            "curve": [tuple(point) for point in curve],
        }
        torch.save(state, run_dir / "checkpoint.tmp")
        os.replace(run_dir / "checkpoint.tmp", run_dir / "checkpoint.pt")  # whole, or the old one
        draw_curve(run_dir / "curve.png", curve, f"PPO, {args.env_id}")

    console = Console()
    bar = Progress(
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,  # a log gets a line every half minute instead
    )
    task = bar.add_task("", total=1.0)
    last_save = last_line = time.monotonic()
    status = "finished"
    # A scheduler's SIGTERM is a Ctrl-C; and a shell's background jobs start with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parameters = sum(weights.numel() for weights in policy.parameters())
    print(f"{run_dir}: a network of {parameters:,} parameters, on {device}", flush=True)
    try:
        with bar:
            while (done := progress()) < 1.0:
                update_start, update_steps = time.monotonic(), collector.steps
                learning_rate = args.learning_rate * (1 - done if args.anneal_lr else 1)
                optimizer.param_groups[0]["lr"] = learning_rate
                losses = learn(policy, optimizer, collector.collect(policy), args)
                sps = (collector.steps - update_steps) / (time.monotonic() - update_start)

                for game in collector.games:
                    curve.append(Point(game.step, seconds(), game.episode_return))
                    writer.add_scalar("charts/episodic_return", game.episode_return, game.step)
                    writer.add_scalar("charts/episodic_length", game.episode_length, game.step)
                collector.games.clear()
                writer.add_scalar("charts/SPS", sps, collector.steps)
                writer.add_scalar("charts/learning_rate", learning_rate, collector.steps)
                for key, loss in losses.items():
                    writer.add_scalar(f"losses/{key}", loss, collector.steps)

                line = f"{collector.steps:,} steps  {sps:,.0f}/s  return {mean_return(curve):.1f}"
                bar.update(task, completed=progress(), description=line)
                if not console.is_terminal and time.monotonic() - last_line > 30:
                    last_line = time.monotonic()
                    left = (1 / progress() - 1) * seconds() / 60
                    print(f"{line}  {left:.0f} min left", flush=True)
                if time.monotonic() - last_save > 60 * args.checkpoint_minutes:
                    last_save = time.monotonic()
                    save()
    except KeyboardInterrupt:
        status = "interrupted"

    save()
    trained_seconds = seconds()
    games = []
    if status == "finished" and args.eval_games:
        with contextlib.suppress(KeyboardInterrupt):
            games = evaluate(policy, args, device)
            writer.add_scalar("eval/episodic_return", float(np.mean(games)), collector.steps)
            print(f"evaluation: {len(games)} games, mean return {np.mean(games):.1f}")
    pool.close()
    writer.close()
    trained = mean_return(curve)
    summary = {
        "env_id": args.env_id,
        "status": status,
        "steps": collector.steps,
        "seconds": round(trained_seconds, 1),
        "return_of_last_20_games": None if math.isnan(trained) else trained,
        "evaluation": games,
    }
    (run_dir / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"{status}: {collector.steps:,} steps, mean return of the last 20 games {trained:.1f}")
    print(f"{run_dir}: curve.png, summary.json, checkpoint.pt, TensorBoard events")
    return 0 if status == "finished" else 130


if __name__ == "__main__":
    sys.exit(main(ARGS))
