"""Tells Gymnasium of them: `gymnasium.make_vec("poolkit/Pong-v5", num_envs=8)`."""

from . import atari, classic, toy_text  # they register their environments
from .gymnasium_registry import register_gymnasium
from .registry import list_all_envs

__all__ = ["atari", "classic", "toy_text"]

for _name in list_all_envs():  # ALE/Pong-v5 is poolkit/ALE-Pong-v5: ids have one slash
    register_gymnasium(_name, f"poolkit/{_name.replace('/', '-')}")
