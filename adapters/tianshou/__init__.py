"""Tianshou: a pool under its collectors and its high-level API."""

try:
    import tianshou  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "poolkit.adapters.tianshou needs Tianshou: pip install 'poolkit[tianshou]'", name=error.name
    ) from error

from .async_collector import PoolAsyncCollector
from .factories import PoolCollectorFactory, PoolEnvFactory
from .rows import Rows
from .vector_env import PoolVectorEnv

__all__ = [
    "PoolAsyncCollector",
    "PoolCollectorFactory",
    "PoolEnvFactory",
    "PoolVectorEnv",
    "Rows",
]
