"""Tells Gymnasium of them: `gymnasium.make_vec("poolkit/Pong-v5", num_envs=8)`."""

import gymnasium

from . import atari, classic, toy_text  # they register their environments
from .registry import list_all_envs

__all__ = ["atari", "classic", "toy_text"]

for _name in list_all_envs():
    if "/" not in _name:
        gymnasium.register(
            f"poolkit/{_name}",
            entry_point="poolkit.single_env:GymnasiumEnv",
            vector_entry_point="poolkit:make",
            kwargs={"task": _name},
        )
