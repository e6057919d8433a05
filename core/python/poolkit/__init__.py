"""Reinforcement-learning environments, many at once, on a C++ engine."""

from . import atari, classic  # they register their environments
from ._core import __version__
from .config import PoolConfig
from .errors import EnvError
from .gymnasium_env import GymnasiumVectorEnv
from .factory import make, make_gymnasium
from .registry import list_all_envs, register

__all__ = [
    "EnvError",
    "GymnasiumVectorEnv",
    "PoolConfig",
    "__version__",
    "atari",
    "classic",
    "list_all_envs",
    "make",
    "make_gymnasium",
    "register",
]
