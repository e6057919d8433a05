"""Classic control, number for number as Gymnasium's."""

from . import _core, drawing
from .registry import register

register(
    "CartPole-v0",
    _core.envs.CartPole,
    render=drawing.cart_pole,
    render_fps=50,
    max_episode_steps=200,
)
register("CartPole-v1", _core.envs.CartPole, render=drawing.cart_pole, render_fps=50)
register("Pendulum-v1", _core.envs.Pendulum, render=drawing.pendulum, render_fps=30)
register("Acrobot-v1", _core.envs.Acrobot, render=drawing.acrobot, render_fps=15)
register("MountainCar-v0", _core.envs.MountainCar, render=drawing.mountain_car, render_fps=30)
register(
    "MountainCarContinuous-v0",
    _core.envs.MountainCarContinuous,
    render=drawing.mountain_car_continuous,
    render_fps=30,
)
