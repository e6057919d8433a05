"""Reinforcement-learning environments, many at once, on a C++ engine."""

from . import builtin_envs  # registers them
from ._core import __version__
from .config import PoolConfig
from .dm_front_end import DmVectorEnv
from .env_spec import EnvSpec, OptionSpec, make_spec
from .errors import EnvError
from .factory import make, make_dm, make_gym, make_gymnasium
from .gym_front_end import GymVectorEnv
from .gymnasium_env import GymnasiumVectorEnv
from .gymnasium_registry import register_gymnasium
from .paths import cmake_dir, get_include
from .python_envs import PythonVectorEnv, make_python
from .registry import list_all_envs, register
from .stats import PoolStats
from .workers import Workers

__all__ = [
    "DmVectorEnv",
    "EnvError",
    "EnvSpec",
    "GymVectorEnv",
    "GymnasiumVectorEnv",
    "OptionSpec",
    "PoolConfig",
    "PoolStats",
    "PythonVectorEnv",
    "Workers",
    "__version__",
    "builtin_envs",
    "cmake_dir",
    "get_include",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_python",
    "make_spec",
    "register",
    "register_gymnasium",
]
