"""A recipe's run, without its algorithm: folder, checkpoints, progress, logs and evaluation."""

import copy
import ctypes
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

try:
    import torch
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from torch.utils.tensorboard import SummaryWriter

    from .curve import Curve, Game
    from .device import Upload
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "poolkit.adapters.cleanrl.run needs PyTorch, TensorBoard and matplotlib: "
        "pip install 'poolkit[cleanrl]'",
        name=error.name,
    ) from error

import numpy as np
import poolkit
from gymnasium.spaces import Box

from ..command_line import fail
from .evaluation import Act, evaluate

__all__ = ["Act", "Curve", "Game", "Run", "Stateful", "Upload", "evaluate"]


class Stateful(Protocol):
    """What a checkpoint can hold: a network, an optimizer, a recipe's collector or buffer."""

    def state_dict(self) -> dict[str, Any]:
        """Tensors, numbers, strings, bytes, and lists and dicts of them."""

    def load_state_dict(self, state_dict: dict[str, Any], /) -> Any:
        """Go on where `state_dict` was called."""


class Run:
    """A training run in a folder of its own.

    The folder, `runs_dir/{env}__{exp}__{seed}__{time}`, gets `args.json`, TensorBoard's events,
    `checkpoint.pt`, `curve.png` and `summary.json`. The first Ctrl-C, or SIGTERM, ends the training
    after the update at work and saves; the second leaves at once.

    Args:
        args: A dataclass with the fields that the recipes have in common: `exp_name`, `seed`,
            `env_id`, `total_timesteps`, `time_limit_minutes`, `cuda`, `track`,
            `wandb_project_name`, `wandb_entity`, `capture_video`, `num_threads`, `eval_games`,
            `checkpoint_minutes`, `runs_dir` and `resume`.

    Attributes:
        device: Where the network belongs.
        curve: To be told of steps and games; see `Curve.count`.
        seed: For the environments. A resumed run that cannot go on with its games plays new ones.
    """

    def __init__(self, args: Any) -> None:
        self.args = args
        self._training = self._interrupted = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._interrupt)
        _keep_freed_memory()
        torch.manual_seed(args.seed)
        if args.cuda and not torch.cuda.is_available():
            fail("--cuda: no GPU that PyTorch can use")
        for flag, package in (("track", "wandb"), ("capture_video", "imageio_ffmpeg")):
            if getattr(args, flag):
                try:
                    importlib.import_module(package)
                except ModuleNotFoundError:
                    fail(f"--{flag.replace('_', '-')} needs {package}: pip install {package}")
        self.device = torch.device("cuda" if args.cuda else "cpu")
        self.curve = Curve()
        name = f"{args.env_id.replace('/', '-')}__{args.exp_name}__{args.seed}__{int(time.time())}"
        self.dir: Path = args.resume or args.runs_dir / name
        self._saved = self._checkpoint() if args.resume else {}
        self.seed = args.seed + self.curve.steps

    def _checkpoint(self) -> dict[str, Any]:
        try:
            saved: dict[str, Any] = torch.load(
                self.dir / "checkpoint.pt", map_location="cpu", weights_only=True
            )
            self.curve.load_state_dict(saved["curve"])
        except Exception as error:  # PyTorch's errors for a damaged file are of many kinds
            fail(f"--resume {self.dir}: its checkpoint.pt cannot be read: {error!r}")
        return saved

    def make(self, actions: type, **arguments: Any) -> poolkit.GymnasiumVectorEnv:
        """The environments to train in; mistakes end the program.

        Args:
            actions: The class of the action space that the recipe can do with.
            **arguments: Of `poolkit.make`.
        """
        args = self.args
        try:
            envs: poolkit.GymnasiumVectorEnv = poolkit.make(
                args.env_id,
                seed=self.seed,
                num_threads=args.num_threads,
                autoreset="same_step",
                **arguments,
            )
        except TypeError as error:
            fail(f"--env-id {args.env_id}: not an environment for this recipe: {error}")
        except (ValueError, OSError, poolkit.EnvError) as error:
            fail(error)
        for space, kind in (
            (envs.single_observation_space, Box),
            (envs.single_action_space, actions),
        ):
            if not isinstance(space, kind):
                needed = kind.__name__
                fail(f"--env-id {args.env_id}: {space}, where this recipe needs a {needed} space")
        return envs

    def updates(self, **parts: Stateful) -> Iterator[float]:
        """For each update, how much of the training is done, from 0 to 1.

        Args:
            **parts: What a checkpoint holds besides the curve and PyTorch's generators. A resumed
                run's are loaded into them first.
        """
        self._load(parts)
        self._training = True
        self._open_folder()
        console = Console()
        bar = Progress(
            BarColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,  # a log gets a line every half minute instead
        )
        task = bar.add_task("", total=1.0)
        last_save = last_line = last_time = time.monotonic()
        last_steps = self.curve.steps
        with bar:
            while (done := self._done()) < 1 and not self._interrupted:
                yield done
                self._log_games()
                now = time.monotonic()
                rate = (self.curve.steps - last_steps) / (now - last_time)
                last_steps, last_time = self.curve.steps, now
                self.log("charts/SPS", rate)
                line = f"{last_steps:,} steps  {rate:,.0f}/s  return {self.curve.mean_return()}"
                bar.update(task, completed=self._done(), description=line)
                if not console.is_terminal and now - last_line > 30:
                    last_line = now
                    left = (1 / self._done() - 1) * self.curve.seconds / 60
                    print(f"{line}  {left:.0f} min left", flush=True)
                if now - last_save >= 60 * self.args.checkpoint_minutes:
                    last_save = now
                    self._save(parts)
            self._save(parts)
        self._training = False

    def save_model(self, network: torch.nn.Module, space: Box) -> None:
        """Write `policy.pt2`, which `poolkit play --policy` and any program with PyTorch read.

        Args:
            network: From a batch of observations to logits, or to continuous actions.
            space: Of one env's observation.
        """
        copied: Any = copy.deepcopy(network).cpu()
        copied.to(memory_format=torch.contiguous_format)
        example = torch.from_numpy(np.zeros((1, *space.shape), space.dtype))
        torch.export.save(torch.export.export(copied, (example,)), self.dir / "policy.pt2")

    def log(self, name: str, value: float) -> None:
        """Draw a value over the agent steps, in TensorBoard."""
        self._writer.add_scalar(name, value, self.curve.steps)

    def finish(self, act: Act) -> int:
        """Evaluate, write summary.json, and give the program's exit status.

        Args:
            act: The actions, an array, for a batch of observations on the device.
        """
        args, returns = self.args, list[float]()
        try:
            if args.eval_games and not self._interrupted:
                print(f"evaluation: {args.eval_games} whole games ...", flush=True)
                video = self.dir / "evaluation.mp4" if args.capture_video else None
                returns = evaluate(act, args, self.device, video)
                mean = sum(returns) / len(returns)
                self.log("eval/episodic_return", mean)
                print(f"evaluation: mean return {mean:.2f}")
        except SystemExit:  # by _interrupt
            self._interrupted = True
        self._writer.close()
        status = "interrupted" if self._interrupted else "finished"
        summary = {
            "env_id": args.env_id,
            "seed": args.seed,
            "status": status,
            "steps": self.curve.steps,
            "seconds": round(self.curve.seconds, 1),
            "mean_return_of_last_20_games": self.curve.mean_return(),
            "evaluation_returns": returns,
        }
        (self.dir / "summary.json").write_text(json.dumps(summary, indent=2))
        print(f"{status} at {self.curve.steps:,} steps; {self.dir} has curve.png and summary.json")
        return 130 if self._interrupted else 0

    def _interrupt(self, *_: object) -> None:
        if not self._training or self._interrupted:
            sys.exit(130)
        self._interrupted = True
        print("saving after this update; Ctrl-C again leaves at once", flush=True)

    def _done(self) -> float:
        by_time = self.curve.seconds / 60 / self.args.time_limit_minutes
        return float(min(1.0, max(self.curve.steps / self.args.total_timesteps, by_time)))

    def _load(self, parts: dict[str, Stateful]) -> None:
        if not self._saved:
            return
        for name, part in parts.items():
            try:
                part.load_state_dict(self._saved[name])
            except (KeyError, ValueError, RuntimeError) as error:
                fail(f"--resume {self.dir}: its {name} does not fit these arguments: {error}")
        torch.set_rng_state(self._saved["rng"])
        torch.cuda.set_rng_state_all(self._saved["cuda_rng"])
        self._saved = {}

    def _save(self, parts: dict[str, Stateful]) -> None:
        state: dict[str, Any] = {name: part.state_dict() for name, part in parts.items()}
        state |= {
            "curve": self.curve.state_dict(),
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all(),
        }
        torch.save(state, self.dir / "checkpoint.tmp")
        os.replace(self.dir / "checkpoint.tmp", self.dir / "checkpoint.pt")  # whole, or the old one
        self.curve.draw(self.dir / "curve.png", f"{self.args.exp_name}, {self.args.env_id}")

    def _open_folder(self) -> None:
        args = self.args
        try:
            self.dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(error)
        (self.dir / "args.json").write_text(json.dumps(asdict(args), indent=2, default=str))
        if args.track:
            wandb: Any = importlib.import_module("wandb")
            wandb.init(
                project=args.wandb_project_name,
                entity=args.wandb_entity,
                name=self.dir.name,
                id=self.dir.name,
                resume="allow",
                config=asdict(args),
                sync_tensorboard=True,
            )
        self._writer = SummaryWriter(
            str(self.dir), purge_step=self.curve.steps if args.resume else None
        )
        self._logged = len(self.curve.games)
        print(f"{self.dir}: training on {self.device}", flush=True)

    def _log_games(self) -> None:
        for game in self.curve.games[self._logged :]:
            self._writer.add_scalar("charts/episodic_return", game.episode_return, game.step)
            self._writer.add_scalar("charts/episodic_length", game.episode_length, game.step)
        self._logged = len(self.curve.games)


def _keep_freed_memory() -> None:
    """Keep malloc from handing each minibatch's memory back to the kernel.

    Faulting it in again takes a third of the training time on a CPU.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(-4, 0)  # M_MMAP_MAX: no mapping of its own for a large block
        mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: the heap does not shrink
