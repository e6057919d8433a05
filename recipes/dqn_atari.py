r"""DQN on Atari with asynchronous collection: one algorithm, one file, top to bottom.

    python recipes/dqn_atari.py --env-id Breakout-v5 --cuda
    python recipes/dqn_atari.py --env-id Freeway-v5 --network nips --buffer-size 200000 \
        --learning-starts 20000 --total-timesteps 1000000  # on two CPU cores

The network answers the first `batch_size` of `num_envs` games that are ready; all play on while the
learner works. The algorithm is that of Mnih et al. 2015 with the targets of van Hasselt et al. 2016
(arXiv 1509.06461), and the habits of CleanRL's `dqn_atari.py`. `ppo_atari.py` can be diffed.

A run's folder, `runs/{env}__{exp}__{seed}__{time}`, holds the TensorBoard events, `args.json`,
`checkpoint.pt` with the replay buffer, `curve.png` and `summary.json`; `--resume FOLDER` continues
it, in lock-step exactly, else with new games.
"""

import sys
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from poolkit.adapters.cleanrl import parse_args


@dataclass
class Args:
    exp_name: str = "dqn_atari"
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

    network: Literal["nature", "nips"] = "nature"
    """the CNN of Mnih et al. 2015, or the smaller one of 2013: about 3 times faster on a CPU"""

    num_envs: int = 32
    """games that are played at once"""
    batch_size: int = 8
    """games that the network answers at a time; `num_envs` makes the collection synchronous"""
    num_threads: int | None = None
    """threads that step the games (default: the CPUs that this process may use)"""
    buffer_size: int = 1_000_000
    """agent steps that are remembered; each takes 7 kB"""
    learning_starts: int = 80_000
    """agent steps of random play before the first update"""
    train_frequency: int = 4
    """agent steps for each update"""
    minibatch_size: int = 32
    """agent steps that an update learns from"""
    learning_rate: float = 1e-4
    """Adam's step size"""
    gamma: float = 0.99
    """the discount"""
    target_frequency: int = 250
    """updates between two copies of the network to the target network"""
    start_e: float = 1.0
    """how often actions are random at the start"""
    end_e: float = 0.01
    """how often they are after `exploration_fraction`"""
    exploration_fraction: float = 0.1
    """the part of the training in which random actions become rare, linearly"""
    eval_e: float = 0.01
    """how often actions are random in the evaluation"""

    eval_games: int = 10
    """whole games, with unclipped rewards, that are played after the training; 0 for none"""
    checkpoint_minutes: float = 15.0
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
        "buffer_size": (8 * args.num_envs, 10**9),
        "learning_starts": (4 * args.num_envs, args.buffer_size),
        "train_frequency": (1, 10**6),
        "minibatch_size": (1, 10**6),
        "learning_rate": (0, 1),
        "gamma": (0, 1),
        "target_frequency": (1, 10**9),
        "start_e": (0, 1),
        "end_e": (0, 1),
        "exploration_fraction": (0, 1),
        "eval_e": (0, 1),
        "eval_games": (0, 1000),
        "checkpoint_minutes": (0, 1e9),
    }


if __name__ == "__main__":
    ARGS = parse_args(Args, limits, "DQN on Atari with asynchronous collection.")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from gymnasium.spaces import Discrete  # noqa: E402
from poolkit.adapters.cleanrl.run import Curve, Run, Upload  # noqa: E402
from torch import Tensor, nn  # noqa: E402


class QNetwork(nn.Module):
    """A value for each action, of uint8 observations `(n, stack, 84, 84)`."""

    def __init__(self, stack: int, num_actions: int, network: str) -> None:
        super().__init__()
        if network == "nature":
            convolutions = [(stack, 32, 8, 4), (32, 64, 4, 2), (64, 64, 3, 1)]
            features, hidden = 64 * 7 * 7, 512
        else:
            convolutions = [(stack, 16, 8, 4), (16, 32, 4, 2)]
            features, hidden = 32 * 9 * 9, 256
        body: list[nn.Module] = []
        for channels, filters, kernel, stride in convolutions:
            body += [nn.Conv2d(channels, filters, kernel, stride), nn.ReLU()]
        body += [nn.Flatten(), nn.Linear(features, hidden), nn.ReLU()]
        self.layers = nn.Sequential(*body, nn.Linear(hidden, num_actions))
        self.to(memory_format=torch.channels_last)

    def forward(self, obs: Tensor) -> Tensor:
        values: Tensor = self.layers(obs / 255)
        return values


class Minibatch(NamedTuple):
    """What an update learns from: arrays, a row for each step."""

    obs: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    next_obs: np.ndarray
    terminated: np.ndarray


class ReplayBuffer:
    """The last steps of each env, in a ring of its own; a picture is kept once.

    A row is a picture and, when the result is known, the action that was taken there, its reward
    and whether it ended the episode. The last picture of an episode has a row from which no action
    was taken. An observation is the `stack` last pictures, the episode's first one repeated where
    there are fewer.
    """

    def __init__(self, size: int, num_envs: int, stack: int, picture: tuple[int, ...]) -> None:
        self.length, self.stack = size // num_envs, stack
        shape = (self.length, num_envs)
        self.pictures = np.zeros((*shape, *picture), np.uint8)
        self.actions = np.zeros(shape, np.uint8)
        self.rewards = np.zeros(shape, np.float32)
        self.terminated = np.zeros(shape, bool)
        self.closed = np.zeros(shape, bool)
        self.age = np.zeros(shape, np.uint8)  # pictures before it in its episode, below `stack`
        self.next = np.zeros(num_envs, np.int64)  # where each env's next row goes: the oldest is
        self.used = 0  # rows, of the env that has most

    @property
    def columns(self) -> dict[str, np.ndarray]:
        names = ("pictures", "actions", "rewards", "terminated", "closed", "age")
        return {name: getattr(self, name) for name in names}

    def append(self, envs: np.ndarray, pictures: np.ndarray, first: np.ndarray) -> None:
        """Add a picture of each of these envs, the first of an episode or the next one."""
        rows, before = self.next[envs], (self.next[envs] - 1) % self.length
        self.pictures[rows, envs] = pictures
        age = np.minimum(self.age[before, envs] + 1, self.stack - 1)
        self.age[rows, envs] = np.where(first, 0, age)
        self.closed[rows, envs] = False
        self.next[envs] = (rows + 1) % self.length
        self.used = max(self.used, int(rows.max()) + 1)

    def close(
        self, envs: np.ndarray, actions: np.ndarray, rewards: np.ndarray, terminated: np.ndarray
    ) -> None:
        """Tell what came of the actions at these envs' last pictures."""
        rows = (self.next[envs] - 1) % self.length
        self.actions[rows, envs] = actions
        self.rewards[rows, envs] = rewards
        self.terminated[rows, envs] = terminated
        self.closed[rows, envs] = True

    def sample(self, size: int, rng: np.random.Generator) -> Minibatch:
        """Steps drawn uniformly from those that are known and whole."""
        rows, envs = np.empty((2, 0), np.int64)
        while len(rows) < size:
            drawn = rng.integers((self.length, len(self.next)), size=(size, 2)).T
            # The oldest pictures of an observation may have been overwritten.
            whole = (drawn[0] - self.next[drawn[1]]) % self.length >= self.age[tuple(drawn)]
            good = self.closed[tuple(drawn)] & whole
            rows, envs = np.concatenate([[rows, envs], drawn[:, good]], axis=1)
        rows, envs = rows[:size], envs[:size]
        age = self.age[rows, envs]
        return Minibatch(
            self._observations(rows, envs, age),
            self.actions[rows, envs],
            self.rewards[rows, envs],
            self._observations(rows + 1, envs, np.minimum(age + 1, self.stack - 1)),
            self.terminated[rows, envs],
        )

    def _observations(self, rows: np.ndarray, envs: np.ndarray, age: np.ndarray) -> np.ndarray:
        back = np.minimum(np.arange(self.stack)[::-1], age[:, None])
        return self.pictures[(rows[:, None] - back) % self.length, envs[:, None]]

    def state_dict(self) -> dict[str, Any]:
        used = {name: torch.from_numpy(rows[: self.used]) for name, rows in self.columns.items()}
        return used | {"next": torch.from_numpy(self.next)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["pictures"].shape[1:] != self.pictures.shape[1:]:
            raise ValueError("its buffer is of another number of envs")
        if len(state["pictures"]) > self.length:
            raise ValueError("its buffer is larger")
        for name, column in self.columns.items():
            column[: len(state[name])] = state[name].numpy()
        self.next[:] = state["next"].numpy()
        self.used = len(state["pictures"])


class Collector:
    """Plays in a pool with same-step autoreset, and fills the buffer.

    The reward that comes with an observation belongs to the action before it.
    """

    def __init__(
        self, envs: Any, network: QNetwork, curve: Curve, args: Args, device: torch.device
    ) -> None:
        self.envs, self.network, self.curve = envs, network, curve
        self.upload = Upload(device)
        self.rng = np.random.default_rng(args.seed)
        stack, *picture = envs.single_observation_space.shape
        self.buffer = ReplayBuffer(args.buffer_size, args.num_envs, stack, tuple(picture))
        self.actions = np.full(args.num_envs, -1)  # whose results are awaited; -1: none
        self.learned = 0  # steps that updates were made for
        envs.async_reset()
        self.receive()

    @torch.no_grad()
    def act(self, epsilon: float) -> None:
        """Send actions to the envs that wait for them."""
        envs = self.waiting_ids
        actions = self.rng.integers(self.envs.single_action_space.n, size=len(envs))
        greedy = self.rng.random(len(envs)) >= epsilon
        if greedy.any():
            values = self.network(self.upload(self.waiting_obs))
            actions = np.where(greedy, values.argmax(1).cpu().numpy(), actions)
        self.envs.send(actions, envs)
        self.actions[envs] = actions

    def receive(self) -> None:
        """Wait for the next batch, and remember it."""
        obs, reward, terminated, truncated, info = self.envs.recv()
        self.waiting_obs, self.waiting_ids = obs, info["env_id"]
        envs = self.waiting_ids
        known = self.actions[envs] >= 0  # the first result after a reset tells of no action
        ended = terminated | truncated
        closing = envs[known]
        self.buffer.close(closing, self.actions[closing], reward[known], terminated[known])
        if ended.any():
            last = info["final_obs"][ended, -1]
            self.buffer.append(envs[ended], last, np.zeros(ended.sum(), bool))
        self.buffer.append(envs, obs[:, -1], ended | ~known)
        self.actions[envs] = -1
        self.curve.count(int(known.sum()), ended, info)

    def state_dict(self) -> dict[str, Any]:
        state = {
            "buffer": self.buffer.state_dict(),
            "rng": self.rng.bit_generator.state,
            "learned": self.learned,
        }
        if self.envs.is_async:  # games are being played, and cannot be saved
            return state
        obs = torch.from_numpy(self.waiting_obs)
        return state | {"envs": self.envs.save_state(), "obs": obs}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.buffer.load_state_dict(state["buffer"])
        self.rng.bit_generator.state, self.learned = state["rng"], state["learned"]
        if "envs" in state:
            self.envs.load_state(None, state["envs"])
            self.waiting_obs = state["obs"].numpy()
        else:
            first = np.ones(len(self.waiting_ids), bool)
            self.buffer.append(self.waiting_ids, self.waiting_obs[:, -1], first)


def learn(
    network: QNetwork,
    target: QNetwork,
    optimizer: torch.optim.Optimizer,
    minibatch: list[Tensor],
    args: Args,
) -> dict[str, Tensor]:
    """Improve the network on a minibatch; gives the loss and the mean value."""
    obs, actions, rewards, next_obs, terminated = minibatch
    with torch.no_grad():
        best = network(next_obs).argmax(1, keepdim=True)  # valued by the other network
        next_values = target(next_obs).gather(1, best).flatten()
        goal = rewards + args.gamma * next_values * ~terminated
    values = network(obs).gather(1, actions.long()[:, None]).flatten()
    loss = nn.functional.smooth_l1_loss(values, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"td_loss": loss.detach(), "q_values": values.detach().mean()}


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
    network = QNetwork(stack, num_actions, args.network).to(run.device)
    target = deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    collector = Collector(envs, network, run.curve, args, run.device)
    uploads = [Upload(run.device) for _ in Minibatch._fields]

    def updates(steps: int) -> int:
        """Those that are due after so many steps."""
        return max(0, steps - args.learning_starts) // args.train_frequency

    def epsilon() -> float:
        explored = run.curve.steps / max(1.0, args.exploration_fraction * args.total_timesteps)
        return args.start_e + min(1.0, explored) * (args.end_e - args.start_e)

    for _ in run.updates(network=network, target=target, optimizer=optimizer, collector=collector):
        losses: dict[str, Tensor] = {}
        for _ in range(100):  # batches of the pool
            collector.act(epsilon() if run.curve.steps >= args.learning_starts else 1.0)
            # The games go on while the learner works.
            for update in range(updates(collector.learned), updates(run.curve.steps)):
                minibatch = collector.buffer.sample(args.minibatch_size, collector.rng)
                tensors = [upload(part) for upload, part in zip(uploads, minibatch, strict=True)]
                losses = learn(network, target, optimizer, tensors, args)
                if update % args.target_frequency == 0:
                    target.load_state_dict(network.state_dict())
            collector.learned = run.curve.steps
            collector.receive()
        run.log("charts/epsilon", epsilon())
        for name, loss in losses.items():
            run.log(f"losses/{name}", loss.item())

    def act(obs: Tensor) -> np.ndarray:
        random = collector.rng.integers(num_actions, size=len(obs))
        greedy = collector.rng.random(len(obs)) >= args.eval_e
        return np.where(greedy, network(obs).argmax(1).cpu().numpy(), random)

    envs.close()
    return run.finish(act)


if __name__ == "__main__":
    sys.exit(main(ARGS))
