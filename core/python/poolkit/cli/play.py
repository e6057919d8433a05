"""`poolkit play`: episodes to look at."""

import logging
import signal
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from gymnasium import spaces
from rich.console import Console

from ..env_spec import make_spec
from ..factory import make_gymnasium
from ..gymnasium_env import GymnasiumVectorEnv
from ..video import Recorder

Policy = Callable[[Any], Any]


def play(
    task: str,
    options: dict[str, Any],
    policy: str | None,
    video: str | None,
    steps: int,
    seed: int,
) -> None:
    """Step one env, show or record it, and tell how its episodes ended."""
    if steps < 1:
        raise ValueError(f"--steps: {steps} must be at least 1")
    spec = make_spec(task, **options)
    if "rgb_array" not in spec.render_modes:
        raise ValueError(f"{task} has no pictures to show")
    mode = "human" if video is None else "rgb_array"
    console = Console(soft_wrap=True)
    with make_gymnasium(task, num_envs=1, render_mode=mode, seed=seed, **options) as envs:
        envs.action_space.seed(seed)
        act = _trained(envs, policy) if policy is not None else lambda _: envs.action_space.sample()
        if video is None:
            for _ in _episodes(envs, act, steps, console):
                pass
            return
        if Path(video).suffix != ".mp4":
            raise ValueError(f"--video: {video!r} must end in .mp4")
        recorder = Recorder(video, envs.metadata["render_fps"])
        with _interruptible() as interrupted:
            for pictures in _episodes(envs, act, steps, console):
                recorder.add(*pictures)
                if interrupted.is_set():
                    break
            recorder.close()
        console.print(f"{video}: {recorder.pictures} pictures")
        if interrupted.is_set():
            raise KeyboardInterrupt


def _episodes(
    envs: GymnasiumVectorEnv, act: Policy, steps: int, console: Console
) -> Iterator[tuple[Any, ...]]:
    """Before the first step and after each what there is to see."""
    obs, _ = envs.reset()
    yield envs.render() or ()
    for _ in range(steps):
        obs, _, terminated, truncated, info = envs.step(act(obs))
        if terminated[0] or truncated[0]:
            console.print(
                f"episode of {info['episode_length'][0]} steps, "
                f"return {info['episode_return'][0]:g}"
            )
        yield envs.render() or ()


@contextmanager
def _interruptible() -> Iterator[Event]:
    """The first Ctrl-C sets the event, so that a file is finished; the second interrupts."""
    interrupted = Event()

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()

    before = signal.signal(signal.SIGINT, first)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _trained(envs: GymnasiumVectorEnv, path: str) -> Policy:
    """An exported module as a policy: the largest logit for Discrete, clipped values for Box."""
    observed, space = envs.single_observation_space, envs.single_action_space
    if not isinstance(space, spaces.Discrete | spaces.Box):
        raise TypeError(f"--policy: knows Discrete and Box actions, not {space}")
    if not isinstance(observed, spaces.Discrete | spaces.Box):
        raise TypeError(f"--policy: knows Discrete and Box observations, not {observed}")
    module = _exported(path)

    def act(obs: Any) -> Any:
        out = module(obs)
        if isinstance(space, spaces.Discrete):
            return space.start + out.argmax(axis=-1)
        return np.clip(out, space.low, space.high).astype(space.dtype)

    return act


def _exported(path: str) -> Policy:
    """What `torch.export.save` wrote, as a function of arrays."""
    try:
        import torch
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("--policy needs torch", name="torch") from error
    with Path(path).open("rb") as file:
        known = zipfile.is_zipfile(file)
    logger = logging.getLogger("torch.export")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # it logs pages about other files
    try:
        module = torch.export.load(path).module() if known else None
    except Exception:  # of as many kinds as there are files
        module = None
    finally:
        logger.setLevel(level)
    if module is None:
        raise ValueError(f"--policy: {path} is not a file that torch.export.save wrote")

    def answers(obs: Any) -> Any:
        with torch.inference_mode():
            return module(torch.as_tensor(obs)).numpy()

    return answers
