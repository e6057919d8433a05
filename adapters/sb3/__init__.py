"""Stable-Baselines3: a pool in the place of `DummyVecEnv` or `SubprocVecEnv`."""

try:
    import stable_baselines3  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "poolkit.adapters.sb3 needs stable-baselines3: pip install 'poolkit[sb3]'", name=error.name
    ) from error

from .factory import make_pool_vec_env
from .pool_vec_env import PoolVecEnv

__all__ = ["PoolVecEnv", "make_pool_vec_env"]
