"""Classic control, number for number as Gymnasium's."""

from . import _core
from .registry import register

register("CartPole-v0", _core.envs.CartPole, max_episode_steps=200)
register("CartPole-v1", _core.envs.CartPole)
register("Pendulum-v1", _core.envs.Pendulum)
register("Acrobot-v1", _core.envs.Acrobot)
register("MountainCar-v0", _core.envs.MountainCar)
register("MountainCarContinuous-v0", _core.envs.MountainCarContinuous)
