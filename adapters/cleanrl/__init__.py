"""CleanRL: what its scripts import.

from poolkit.adapters import cleanrl as envpool  # was: import envpool
"""

from poolkit import list_all_envs, make_spec

from .envpool_api import make, make_gym
from .statistics import RecordEpisodeStatistics
from .vec import ScriptVectorEnv, make_vec

__all__ = [
    "RecordEpisodeStatistics",
    "ScriptVectorEnv",
    "list_all_envs",
    "make",
    "make_gym",
    "make_spec",
    "make_vec",
]
