"""Tianshou: a pool under its collectors."""

try:
    import tianshou  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "poolkit.adapters.tianshou needs Tianshou: pip install 'poolkit[tianshou]'", name=error.name
    ) from error

from .async_collector import PoolAsyncCollector
from .rows import Rows
from .vector_env import PoolVectorEnv

__all__ = ["PoolAsyncCollector", "PoolVectorEnv", "Rows"]
