"""Single environments in Python, for the vector environments that are made of them."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np


class Timed(gymnasium.Env[Any, Any]):
    """Observes nothing, for a while."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-1, 1, (4,))
        self.action_space = gymnasium.spaces.Discrete(2)
        self._nothing = np.zeros(4, np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self._nothing, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.spend()
        return self._nothing, 0.0, False, False, {}

    def spend(self) -> None:
        """What a step takes."""
        raise NotImplementedError


class Busy(Timed):
    """Computes for 1 ms."""

    def spend(self) -> None:
        end = time.thread_time_ns() + 1_000_000
        while time.thread_time_ns() < end:
            pass


class Latent(Timed):
    """Waits, as for a simulator elsewhere: 5 ms on average, now and then far longer."""

    def spend(self) -> None:
        time.sleep(self.np_random.exponential(0.005))


def make_atari(task: str) -> Any:
    """Gymnasium's wrappers, with EnvPool's defaults."""
    import ale_py
    from gymnasium import wrappers

    if hasattr(gymnasium, "register_envs"):  # else ale-py registers itself
        gymnasium.register_envs(ale_py)
    stack = getattr(wrappers, "FrameStackObservation", None) or wrappers.FrameStack
    return stack(wrappers.AtariPreprocessing(gymnasium.make(ale_id(task))), 4)


def ale_id(task: str) -> str:
    return f"{task.removesuffix('-v5')}NoFrameskip-v4"


def maker_of(task: str) -> Callable[[], Any]:
    return {
        "CartPole-v1": partial(gymnasium.make, "CartPole-v1"),
        "Busy1ms-v0": Busy,
        "Latency5ms-v0": Latent,
    }.get(task) or partial(make_atari, task)
