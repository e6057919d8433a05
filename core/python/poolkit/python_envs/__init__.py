"""Python environments in a pool: in worker processes or threads, with shared memory."""

from .opening import make_python
from .vector_env import PythonVectorEnv

__all__ = ["PythonVectorEnv", "make_python"]
