"""Draws the start page's picture: python docs/draw_games.py."""

from pathlib import Path

import numpy as np
import poolkit

GAMES = (
    "Pong", "Breakout", "SpaceInvaders", "Seaquest", "Qbert", "MsPacman",
    "Enduro", "Freeway", "Boxing", "MontezumaRevenge", "Asteroids", "Pitfall",
)  # fmt: skip


def draw(games: tuple[str, ...] = GAMES, steps: int = 150) -> np.ndarray:
    """A pool of as many games, each in a picture of 210 x 160, six in a row."""
    envs = poolkit.make(
        "Pong-v5",
        num_envs=len(games),
        full_action_space=True,
        options=[{"task": f"{game}-v5"} for game in games],
        render_mode="rgb_array",
        seed=1,
    )
    envs.action_space.seed(1)
    envs.reset(seed=1)
    for _ in range(steps):
        envs.step(envs.action_space.sample())
    pictures = np.stack(envs.render())
    return np.vstack([np.hstack(pictures[row : row + 6]) for row in range(0, len(games), 6)])


if __name__ == "__main__":
    from matplotlib import image

    image.imsave(Path(__file__).parent / "results" / "games.png", draw())
