"""The learning curve: whole games, over agent steps and over time."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray


class Game(NamedTuple):
    """A game that is over: a point of the curve. The return is the unclipped one."""

    step: int
    seconds: float
    episode_return: float
    episode_length: int


class Curve:
    """Counts agent steps, and keeps the games that were over by then.

    Attributes:
        steps: Agent steps so far: actions whose reward is known.
        games: Those that are over, in that order.

    >>> import poolkit
    >>> curve = Curve()
    >>> with poolkit.make("CartPole-v1", seed=1, autoreset="same_step") as envs:
    ...     obs, info = envs.reset()
    ...     while not curve.games:
    ...         obs, reward, terminated, truncated, info = envs.step([1])
    ...         curve.count(1, terminated | truncated, info)
    >>> curve.steps, curve.mean_return()
    (10, 10.0)
    """

    def __init__(self) -> None:
        self.steps = 0
        self.games: list[Game] = []
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time so far, that of earlier parts of a resumed run included."""
        return time.monotonic() - self._start

    def count(self, steps: int, ended: NDArray[np.bool_], info: dict[str, Any]) -> None:
        """Count what a pool with same-step autoreset has returned.

        Args:
            steps: How many of the rows are steps, not resets.
            ended: bool[n], the rows where an episode ended.
            info: The pool's.
        """
        self.steps += steps
        # An episode that ended because of a lost life goes on, as the same game.
        for row in np.flatnonzero(ended & (info["elapsed_step"] == 0)):
            final = info["final_info"]
            total, length = final["episode_return"][row], final["episode_length"][row]
            self.games.append(Game(self.steps, self.seconds, float(total), int(length)))

    def mean_return(self, last: int = 20) -> float | None:
        """Of the last games; None before the first is over."""
        returns = [game.episode_return for game in self.games[-last:]]
        return round(sum(returns) / len(returns), 2) if returns else None

    def mean_returns(self, last: int = 20) -> NDArray[np.float64]:
        """At each game's end, of the last games: float64[len(games)]."""
        sums = np.cumsum([0.0, *(game.episode_return for game in self.games)])
        ends = np.arange(1, len(sums))
        starts = np.maximum(ends - last, 0)
        means: NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
        return means

    def draw(self, path: Path, title: str) -> None:
        """Make a picture of it."""
        figure = Figure(figsize=(11, 4), layout="constrained")
        axes = figure.subplots(1, 2, sharey=True)
        returns = [game.episode_return for game in self.games]
        means = self.mean_returns()
        for axis, label, x in (
            (axes[0], "agent steps (millions)", [game.step / 1e6 for game in self.games]),
            (axes[1], "minutes of training", [game.seconds / 60 for game in self.games]),
        ):
            axis.plot(x, returns, ".", alpha=0.25, label="one game")
            axis.plot(x, means, color="tab:red", linewidth=2, label="mean of the last 20")
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        axes[0].set_ylabel("return (unclipped)")
        axes[0].legend()
        figure.suptitle(title)
        figure.savefig(path, dpi=120)

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        games = [tuple(game) for game in self.games]
        return {"steps": self.steps, "seconds": self.seconds, "games": games}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where the checkpoint was made."""
        self.steps = state["steps"]
        self.games = [Game(*game) for game in state["games"]]
        self._start = time.monotonic() - state["seconds"]
