"""Whole games with unclipped rewards, after the training."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import poolkit
import torch
from numpy.typing import NDArray
from poolkit.video import Recorder

Act = Callable[[torch.Tensor], NDArray[Any]]
"""From observations on the device to actions: a row for each env."""


@torch.no_grad()
def evaluate(act: Act, args: Any, device: torch.device, video: Path | None = None) -> list[float]:
    """The returns of `args.eval_games` games, one in each env: short ones do not count twice.

    Args:
        act: Chooses the actions.
        args: As of `Run`.
        device: Where `act` wants the observations.
        video: Film the first env's game, at this path.
    """
    returns: dict[int, float] = {}
    with poolkit.make(
        args.env_id,
        num_envs=args.eval_games,
        num_threads=args.num_threads,
        seed=args.seed + 1_000_000,
        autoreset="same_step",
        render_mode="rgb_array" if video else None,
    ) as envs:
        film = Recorder(str(video), envs.metadata["render_fps"]) if video else None
        obs, _ = envs.reset()
        while len(returns) < args.eval_games:
            if film and 0 not in returns:
                film.add(*(envs.render([0]) or ()))
            obs, _, terminated, truncated, info = envs.step(act(torch.from_numpy(obs).to(device)))
            for env in np.flatnonzero(terminated | truncated):
                returns.setdefault(int(env), float(info["final_info"]["episode_return"][env]))
        if film:
            film.close()
    return list(returns.values())
