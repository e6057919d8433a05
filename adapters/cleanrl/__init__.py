"""CleanRL: what its scripts import, and helpers for scripts of that kind.

    from poolkit.adapters import cleanrl as envpool  # was: import envpool

`poolkit.adapters.cleanrl.run`, which needs PyTorch, has the rest of a recipe that is no algorithm.
"""

from poolkit import list_all_envs, make_spec

from ..command_line import fail
from .arguments import parse_args
from .envpool_api import make, make_gym
from .statistics import RecordEpisodeStatistics
from .vec import ScriptVectorEnv, make_vec

__all__ = [
    "RecordEpisodeStatistics",
    "ScriptVectorEnv",
    "fail",
    "list_all_envs",
    "make",
    "make_gym",
    "make_spec",
    "make_vec",
    "parse_args",
]
