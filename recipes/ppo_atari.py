r"""PPO on Atari with asynchronous collection: one algorithm, one file, top to bottom.

    python recipes/ppo_atari.py --env-id Breakout-v5 --cuda --bf16
    python recipes/ppo_atari.py --network nips --update-epochs 3 --clip-coef 0.2 \
        --learning-rate 7e-4 --total-timesteps 2500000  # Pong on two CPU cores

The policy answers the first `batch_size` of `num_envs` games that are ready while the others play
on, so neither waits for the other. With `--batch-size` equal to `--num-envs` this is synchronous
PPO, number for number. The algorithm is that of Schulman et al. 2017 (arXiv 1707.06347), with the
habits of CleanRL's `ppo_atari.py`.

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds the TensorBoard events, `args.json`,
`checkpoint.pt`, `curve.png` and `summary.json`; `--resume FOLDER` continues it.
"""

import ctypes
import json
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
    time_limit_minutes: float = float("inf")
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


def fail(message: object) -> NoReturn:
    print(f"ppo_atari: error: {message}", file=sys.stderr)
    sys.exit(2)


def parse_args() -> Args:
    args = tyro.cli(Args, description="PPO on Atari with asynchronous collection.")
    if args.resume is not None:
        run_dir, saved = args.resume, args.resume / "args.json"
        if not (saved.is_file() and (run_dir / "checkpoint.pt").is_file()):
            fail(f"--resume {run_dir}: no args.json and checkpoint.pt there")
        try:
            of_the_run = Args(**json.loads(saved.read_text()))
        except (ValueError, TypeError) as error:
            fail(f"--resume {run_dir}: its args.json is not this recipe's: {error}")
        of_the_run.runs_dir, of_the_run.resume = args.runs_dir, run_dir
        args = tyro.cli(Args, default=of_the_run)
    most = 1e9  # of numbers that are large only by mistake
    for name, low, high in (
        ("seed", 0, 2**63),
        ("total_timesteps", 1, 10**12),
        ("time_limit_minutes", 0.01, float("inf")),
        ("num_envs", 1, 10**6),
        ("batch_size", 1, args.num_envs),
        ("num_steps", 1, 10**6),
        ("num_minibatches", 1, args.num_envs * args.num_steps),
        ("update_epochs", 1, 1000),
        ("learning_rate", 0, 1),
        ("gamma", 0, 1),
        ("gae_lambda", 0, 1),
        ("clip_coef", 0, 1),
        ("ent_coef", 0, most),
        ("vf_coef", 0, most),
        ("max_grad_norm", 0, most),
        ("eval_games", 0, 1000),
        ("checkpoint_minutes", 0, most),
    ):
        value = getattr(args, name)
        if not isinstance(value, int | float) or not low <= value <= high:
            fail(f"--{name.replace('_', '-')} must be in {low}..{high}, not {value}")
    return args


if __name__ == "__main__":
    ARGS = parse_args()  # before the heavy imports: --help and mistakes are answered at once

# Else PyTorch's threads, between two of its operations, spin on the CPUs that the games need.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np  # noqa: E402
import poolkit  # noqa: E402
import torch  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.distributions import Categorical  # noqa: E402
from torch.utils.tensorboard import SummaryWriter  # noqa: E402


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


class Game(NamedTuple):
    """A game that is over: a point of the learning curve. The return is the unclipped one."""

    step: int
    seconds: float
    episode_return: float
    episode_length: int


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

    def __init__(self, pool: Any, policy: Policy, args: Args, device: torch.device) -> None:
        self.pool, self.policy, self.args, self.device = pool, policy, args, device
        self.steps = 0  # closed transitions, over the whole training
        self.start = time.monotonic()
        self.games: list[Game] = []
        rows = args.num_envs * args.num_steps + args.num_envs + args.batch_size
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
        self.rewards = np.zeros(rows, np.float32)
        self.ends = np.zeros(rows, np.float32)
        self.closed = np.zeros(rows, bool)
        self.env_ids = np.zeros(rows, np.int32)
        self.used = 0
        self.open_row = np.full(args.num_envs, -1)  # of each env; -1: none
        pool.async_reset()
        self._receive()

    @property
    def seconds(self) -> float:
        """Time of the training so far."""
        return time.monotonic() - self.start

    @torch.no_grad()
    def collect(self) -> Rollout:
        """Play until `num_envs * num_steps` transitions are closed, or up to a batch more."""
        self._carry_open_rows()
        full = self.steps + self.args.num_envs * self.args.num_steps
        while self.steps < full:
            self._act()
            self._receive()
        rows = np.flatnonzero(self.closed[: self.used])
        values = self.values.cpu().numpy()
        advantages = self._advantages(rows, values)
        return Rollout(
            torch.from_numpy(rows),
            self.obs,
            self.actions,
            self.log_probs,
            self.values,
            torch.from_numpy(advantages).to(self.device),
            torch.from_numpy(advantages + values).to(self.device),
        )

    def _carry_open_rows(self) -> None:
        envs = np.flatnonzero(self.open_row >= 0)
        for column in (self.obs, self.actions, self.log_probs, self.values):
            column[: len(envs)] = column[self.open_row[envs]]
        self.env_ids[: len(envs)] = envs
        self.open_row[envs] = np.arange(len(envs))
        self.closed[:] = False
        self.used = len(envs)

    def _act(self) -> None:
        distribution, value = self.policy(self.waiting_obs)
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

    def _receive(self) -> None:
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
        if not ended.any():
            return

        cut = truncated & ~terminated
        if (
            cut.any()
        ):  # the game would have gone on: the value of its last state stands for the rest
            value = self.policy(torch.from_numpy(info["final_obs"][cut]).to(self.device))[1]
            self.rewards[rows[cut]] += self.args.gamma * value.cpu().numpy()
        final = info["final_info"]
        # Where a lost life ends the trainer's episode, the game goes on.
        for i in np.flatnonzero(ended & (truncated | (final["terminated"] != 0))):
            self.games.append(
                Game(
                    self.steps,
                    self.seconds,
                    float(final["episode_return"][i]),
                    int(final["episode_length"][i]),
                )
            )

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


@torch.no_grad()
def evaluate(policy: Policy, args: Args, device: torch.device) -> list[float]:
    """The unclipped returns of whole games, one in each env: short ones do not count twice."""
    games: dict[int, float] = {}
    with poolkit.make(
        args.env_id,
        num_envs=args.eval_games,
        num_threads=args.num_threads,
        seed=args.seed + 1_000_000,
        autoreset="same_step",
    ) as pool:
        obs, _ = pool.reset()
        while len(games) < args.eval_games:
            action = policy(torch.from_numpy(obs).to(device))[0].sample()
            obs, _, terminated, truncated, info = pool.step(action.cpu().numpy())
            for env in np.flatnonzero(terminated | truncated):
                games.setdefault(int(env), float(info["final_info"]["episode_return"][env]))
    return list(games.values())


def mean_return(games: list[Game]) -> float | None:
    """Of the last 20 games; None before the first is over."""
    returns = [game.episode_return for game in games[-20:]]
    return round(sum(returns) / len(returns), 2) if returns else None


def draw_curve(path: Path, games: list[Game], title: str) -> None:
    figure = Figure(figsize=(11, 4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    means = [mean_return(games[max(0, i - 19) : i + 1]) for i in range(len(games))]
    for axis, label, x in (
        (axes[0], "agent steps (millions)", [game.step / 1e6 for game in games]),
        (axes[1], "minutes of training", [game.seconds / 60 for game in games]),
    ):
        axis.plot(x, [game.episode_return for game in games], ".", alpha=0.25, label="one game")
        axis.plot(x, means, color="tab:red", linewidth=2, label="mean of the last 20")
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("return (unclipped)")
    axes[0].legend()
    figure.suptitle(title)
    figure.savefig(path, dpi=120)


def keep_freed_memory() -> None:
    """Keep malloc from handing each minibatch's memory back to the kernel.

    Faulting it in again takes a third of the training time on a CPU.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(-4, 0)  # M_MMAP_MAX: no mapping of its own for a large block
        mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: the heap does not shrink


def main(args: Args) -> int:
    # A scheduler's SIGTERM is a Ctrl-C; and a shell's background jobs start with SIGINT ignored.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    keep_freed_memory()
    torch.manual_seed(args.seed)
    if args.cuda and not torch.cuda.is_available():
        fail("--cuda: no GPU that PyTorch can use")
    device = torch.device("cuda" if args.cuda else "cpu")
    name = f"{args.env_id.replace('/', '-')}__{args.exp_name}__{args.seed}__{int(time.time())}"
    run_dir = args.resume or args.runs_dir / name
    saved: dict[str, Any] = {}
    if args.resume:
        try:
            saved = torch.load(run_dir / "checkpoint.pt", map_location="cpu", weights_only=True)
        except Exception as error:  # PyTorch's errors for a damaged file are of many kinds
            fail(f"--resume {run_dir}: its checkpoint.pt cannot be read: {error!r}")

    try:
        pool = poolkit.make(
            args.env_id,
            num_envs=args.num_envs,
            batch_size=args.batch_size,
            num_threads=args.num_threads,
            seed=args.seed + saved.get("steps", 0),  # a resumed run plays new games
            autoreset="same_step",
            episodic_life=True,
            reward_clip=True,
        )
        run_dir.mkdir(parents=True, exist_ok=True)
    except TypeError as error:
        fail(f"--env-id {args.env_id}: not an Atari game: {error}")
    except (ValueError, OSError, poolkit.EnvError) as error:
        fail(error)
    num_actions = int(pool.single_action_space.n)
    stack = pool.single_observation_space.shape[0]
    policy = Policy(stack, num_actions, args.network, args.bf16).to(device)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    collector = Collector(pool, policy, args, device)
    if saved:
        try:
            policy.load_state_dict(saved["policy"])
        except RuntimeError:
            fail(f"--resume {args.resume}: its network is not that of --network and --env-id")
        optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["rng"])
        torch.cuda.set_rng_state_all(saved["cuda_rng"])
        collector.steps = saved["steps"]
        collector.start -= saved["seconds"]
        collector.games += [Game(*game) for game in saved["games"]]

    (run_dir / "args.json").write_text(json.dumps(asdict(args), indent=2, default=str))
    writer = SummaryWriter(str(run_dir), purge_step=collector.steps if saved else None)

    def progress() -> float:
        by_time = collector.seconds / 60 / args.time_limit_minutes
        return min(1.0, max(collector.steps / args.total_timesteps, by_time))

    def save() -> None:
        state = {
            "policy": policy.state_dict(),
            "optimizer": optimizer.state_dict(),
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all(),
            "steps": collector.steps,
            "seconds": collector.seconds,
            "games": [tuple(game) for game in collector.games],
        }
        torch.save(state, run_dir / "checkpoint.tmp")
        os.replace(run_dir / "checkpoint.tmp", run_dir / "checkpoint.pt")  # whole, or the old one
        draw_curve(run_dir / "curve.png", collector.games, f"PPO, {args.env_id}")

    console = Console()
    bar = Progress(
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,  # a log gets a line every half minute instead
    )
    task = bar.add_task("", total=1.0)
    logged, last_save, last_line = len(collector.games), time.monotonic(), time.monotonic()
    status, evaluation = "finished", list[float]()
    parameters = sum(weights.numel() for weights in policy.parameters())
    try:
        print(f"{run_dir}: a network of {parameters:,} parameters, on {device}", flush=True)
        with bar:
            while (done := progress()) < 1.0:
                update_start, update_steps = time.monotonic(), collector.steps
                learning_rate = args.learning_rate * (1 - done if args.anneal_lr else 1)
                optimizer.param_groups[0]["lr"] = learning_rate
                losses = learn(policy, optimizer, collector.collect(), args)
                sps = (collector.steps - update_steps) / (time.monotonic() - update_start)

                for game in collector.games[logged:]:
                    writer.add_scalar("charts/episodic_return", game.episode_return, game.step)
                    writer.add_scalar("charts/episodic_length", game.episode_length, game.step)
                logged = len(collector.games)
                writer.add_scalar("charts/SPS", sps, collector.steps)
                writer.add_scalar("charts/learning_rate", learning_rate, collector.steps)
                for key, loss in losses.items():
                    writer.add_scalar(f"losses/{key}", loss, collector.steps)

                recent = mean_return(collector.games)
                line = f"{collector.steps:,} steps  {sps:,.0f}/s  return {recent}"
                bar.update(task, completed=progress(), description=line)
                if not console.is_terminal and time.monotonic() - last_line > 30:
                    last_line = time.monotonic()
                    left = (1 / progress() - 1) * collector.seconds / 60
                    print(f"{line}  {left:.0f} min left", flush=True)
                if time.monotonic() - last_save > 60 * args.checkpoint_minutes:
                    last_save = time.monotonic()
                    save()
        save()
        if args.eval_games:
            print(f"evaluation: {args.eval_games} whole games ...", flush=True)
            evaluation = evaluate(policy, args, device)
            mean = sum(evaluation) / len(evaluation)
            writer.add_scalar("eval/episodic_return", mean, collector.steps)
            print(f"evaluation: mean return {mean:.2f}")
    except KeyboardInterrupt:
        status = "interrupted"
        save()
    pool.close()
    writer.close()
    summary = {
        "env_id": args.env_id,
        "status": status,
        "steps": collector.steps,
        "seconds": round(collector.seconds, 1),
        "mean_return_of_last_20_games": mean_return(collector.games),
        "evaluation_returns": evaluation,
    }
    (run_dir / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"{status} at {collector.steps:,} steps; {run_dir} has curve.png and summary.json")
    return 0 if status == "finished" else 130


if __name__ == "__main__":
    try:
        sys.exit(main(ARGS))
    except KeyboardInterrupt:  # before there was anything to save
        sys.exit(130)
