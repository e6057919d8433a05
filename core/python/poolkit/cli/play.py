"""`poolkit play`: episodes to look at."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from rich.console import Console

from ..factory import make_gymnasium
from ..gymnasium_env import GymnasiumVectorEnv

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
    if video is not None and Path(video).suffix != ".mp4":
        raise ValueError(f"--video: {video!r} must end in .mp4")
    mode = "human" if video is None else "rgb_array"
    console = Console()
    images: list[Any] = []
    with make_gymnasium(task, num_envs=1, render_mode=mode, seed=seed, **options) as envs:
        envs.action_space.seed(seed)
        act = _trained(envs, policy) if policy is not None else lambda _: envs.action_space.sample()
        obs, _ = envs.reset()
        for _ in range(steps):
            images += envs.render() or ()
            obs, _, terminated, truncated, info = envs.step(act(obs))
            if terminated[0] or truncated[0]:
                console.print(
                    f"episode of {info['episode_length'][0]} steps, "
                    f"return {info['episode_return'][0]:g}"
                )
        images += envs.render() or ()
        fps = envs.metadata["render_fps"]
    if video is not None:
        _write(video, images, fps)
        console.print(f"{video}: {len(images)} pictures")


def _trained(envs: GymnasiumVectorEnv, path: str) -> Policy:
    """An exported module as a policy: the largest logit for Discrete, clipped values for Box."""
    try:
        import torch
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("--policy needs torch", name="torch") from error
    module = torch.export.load(path).module()
    space = envs.single_action_space

    def act(obs: Any) -> Any:
        with torch.inference_mode():
            out = module(torch.as_tensor(np.asarray(obs))).numpy()
        if isinstance(space, spaces.Discrete):
            return space.start + out.argmax(axis=-1)
        if isinstance(space, spaces.Box):
            return np.clip(out, space.low, space.high).astype(space.dtype)
        raise TypeError(f"--policy: knows Discrete and Box actions, not {space}")

    return act


def _write(path: str, images: list[Any], fps: int) -> None:
    try:
        from moviepy.video.io.ImageSequenceClip import ImageSequenceClip
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "--video needs moviepy: pip install 'poolkit[render]'", name="moviepy"
        ) from error
    ImageSequenceClip(images, fps=fps).write_videofile(path, logger=None)
