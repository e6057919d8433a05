"""Pictures of classic control and toy text, and texts: Gymnasium's drawing, of our states.

A function here takes what the environment's `save` wrote, in the order written there, and the
options that it was made with.
"""

import functools
from typing import Any

import gymnasium
import numpy as np

from .window import Image

Options = dict[str, Any]


@functools.cache
def _canvas(task: str, render_mode: str = "rgb_array", **options: Any) -> Any:
    return gymnasium.make(task, render_mode=render_mode, **options).unwrapped


def _picture(canvas: Any) -> Image:
    return np.ascontiguousarray(canvas.render())


def _of_reals(task: str, count: int, state: bytes, _options: Options) -> Image:
    canvas = _canvas(task)
    canvas.state = np.frombuffer(state, np.float64, count)
    return _picture(canvas)


cart_pole = functools.partial(_of_reals, "CartPole-v1", 4)
acrobot = functools.partial(_of_reals, "Acrobot-v1", 4)
mountain_car = functools.partial(_of_reals, "MountainCar-v0", 2)
mountain_car_continuous = functools.partial(_of_reals, "MountainCarContinuous-v0", 2)


def pendulum(state: bytes, _options: Options) -> Image:
    """The rod, and an arrow for the last torque."""
    canvas = _canvas("Pendulum-v1")
    canvas.state = np.frombuffer(state, np.float64, 2)
    torque = np.frombuffer(state, np.float32, 1, offset=16)[0]
    canvas.last_u = torque if torque != 0 else None
    return _picture(canvas)


def frozen_lake(state: bytes, options: Options) -> Image:
    """The map, and where one stands."""
    return _picture(_lake(state, options, "rgb_array"))


def frozen_lake_text(state: bytes, options: Options) -> str:
    """The same, in letters."""
    return str(_lake(state, options, "ansi").render())


def _lake(state: bytes, options: Options, mode: str) -> Any:
    canvas = _canvas("FrozenLake-v1", mode, desc=tuple(options["map"].split("/")))
    canvas.s, action = np.frombuffer(state, np.int64, 2).tolist()
    canvas.lastaction = None if action < 0 else action
    return canvas


def cliff_walking(state: bytes, _options: Options) -> Image:
    """The cliff, and where one stands."""
    return _picture(_cliff(state, "rgb_array"))


def cliff_walking_text(state: bytes, _options: Options) -> str:
    """The same, in letters."""
    return str(_cliff(state, "ansi").render())


def _cliff(state: bytes, mode: str) -> Any:
    canvas = _canvas("CliffWalking-v1", mode)
    canvas.s = int(np.frombuffer(state, np.int64, 1)[0])
    return canvas


def taxi(state: bytes, _options: Options) -> Image:
    """The town, the taxi as it last headed, and the passenger."""
    return _picture(_taxi(state, "rgb_array"))


def taxi_text(state: bytes, _options: Options) -> str:
    """The same, in letters."""
    return str(_taxi(state, "ansi").render())


def _taxi(state: bytes, mode: str) -> Any:
    canvas = _canvas("Taxi-v4", mode)
    canvas.s, action, heading = np.frombuffer(state, np.int64, 3).tolist()
    canvas.lastaction = None if action < 0 else action
    canvas.taxi_orientation = heading
    return canvas


def blackjack(state: bytes, _options: Options) -> Image:
    """The dealer's first card and the player's sum."""
    canvas = _canvas("Blackjack-v1")
    _, total, has_ace, *_, shown, suit, face = np.frombuffer(state, np.int64, 9).tolist()
    canvas.player = [1, total - 1] if has_ace else [total]
    canvas.dealer = [shown]
    canvas.dealer_top_card_suit = "CDHS"[suit]
    values = {1: "A", 10: "JQK"[face]}
    canvas.dealer_top_card_value_str = values.get(shown, str(shown))
    return _picture(canvas)
