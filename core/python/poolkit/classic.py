"""Classic control, number for number as Gymnasium's."""

from . import _core
from .registry import register

register("CartPole-v1", _core.envs.CartPole)
