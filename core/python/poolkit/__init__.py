"""Reinforcement-learning environments, many at once, on a C++ engine."""

from . import builtin_envs  # registers them
from ._core import __version__
from .config import PoolConfig
from .errors import EnvError
from .factory import make, make_gymnasium
from .gymnasium_env import GymnasiumVectorEnv
from .registry import list_all_envs, register

__all__ = [
    "EnvError",
    "GymnasiumVectorEnv",
    "PoolConfig",
    "__version__",
    "builtin_envs",
    "list_all_envs",
    "make",
    "make_gymnasium",
    "register",
]
