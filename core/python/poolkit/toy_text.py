"""Toy text, number for number as Gymnasium's."""

import functools
from collections.abc import Sequence
from typing import Annotated, Any

from gymnasium.envs.toy_text.frozen_lake import MAPS, generate_random_map

from . import _core, drawing
from .registry import register


def _prepare_lake(
    *,
    desc: Annotated[Sequence[str] | None, "The map's rows, instead of a name."] = None,
    map_name: Annotated[str | None, "4x4 or 8x8; None without desc: a random map."] = "4x4",
    reward_schedule: Annotated[
        tuple[float, float, float] | None, "Rewards of the goal, a hole and a frozen cell."
    ] = None,
    **options: Any,
) -> dict[str, Any]:
    """From Gymnasium's arguments to the environment's own options."""
    if desc is None:
        if map_name is not None and map_name not in MAPS:
            raise ValueError(f"map_name: {map_name!r} must be one of {[None, *MAPS]}")
        desc = generate_random_map() if map_name is None else MAPS[map_name]
    chosen: dict[str, Any] = {"map": "/".join(desc)}
    if reward_schedule is not None:
        names = ("goal_reward", "hole_reward", "frozen_reward")
        chosen |= dict(zip(names, reward_schedule, strict=True))
    return chosen | options


_lake = functools.partial(
    register,
    env=_core.envs.FrozenLake,
    render=drawing.frozen_lake,
    render_text=drawing.frozen_lake_text,
    render_fps=4,
)
_lake("FrozenLake-v1", prepare=_prepare_lake)
_lake(
    "FrozenLake8x8-v1",
    prepare=functools.partial(_prepare_lake, map_name="8x8"),
    max_episode_steps=200,
)
register(
    "Taxi-v4",
    _core.envs.Taxi,
    render=drawing.taxi,
    render_text=drawing.taxi_text,
    render_fps=4,
)
_cliff = functools.partial(
    register,
    env=_core.envs.CliffWalking,
    render=drawing.cliff_walking,
    render_text=drawing.cliff_walking_text,
    render_fps=4,
)
_cliff("CliffWalking-v1")
_cliff("CliffWalkingSlippery-v1", is_slippery=True)
register("Blackjack-v1", _core.envs.Blackjack, render=drawing.blackjack, render_fps=4)
