"""What stands for the package `gym`, which Gymnasium replaced and NumPy 2 breaks.

Its wrapper forwards every attribute, and its spaces are of other classes than Gymnasium's.
"""

from types import ModuleType
from typing import Any

import gymnasium

spaces: Any = ModuleType("gym.spaces")
for _name in ("Box", "Discrete", "MultiBinary", "MultiDiscrete", "Dict", "Tuple"):
    _base = getattr(gymnasium.spaces, _name)
    setattr(spaces, _name, type(_name, (_base,), {"__module__": "gym.spaces"}))


class Wrapper:
    def __init__(self, env: Any) -> None:
        self.env = env

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def reset(self, **kwargs: Any) -> Any:
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> Any:
        return self.env.step(action)
