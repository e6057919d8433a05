"""The command `poolkit`."""

from .main import main

__all__ = ["main"]
