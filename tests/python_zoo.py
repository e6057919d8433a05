"""Python environments of every kind of space, for tests of pools of them."""

import ctypes
import os
import pickle
import signal
import time
import zlib
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

ARRAY_SPACES: dict[str, spaces.Space[Any]] = {
    "float32": spaces.Box(-1, 1, (3,), np.float32),
    "float64": spaces.Box(np.array([-1.0, 0.0]), np.array([1.0, np.inf]), dtype=np.float64),
    "float16": spaces.Box(-2, 2, (2, 2), np.float16),
    "uint8": spaces.Box(0, 255, (4, 5, 1), np.uint8),
    "int8": spaces.Box(-5, 5, (), np.int8),
    "int16": spaces.Box(-500, 500, (2,), np.int16),
    "uint16": spaces.Box(0, 60000, (2,), np.uint16),
    "int32": spaces.Box(-(2**31), 2**31 - 1, (1,), np.int32),
    "uint32": spaces.Box(0, 2**32 - 1, (2,), np.uint32),
    "int64": spaces.Box(-(2**62), 2**62, (2,), np.int64),
    "uint64": spaces.Box(0, 2**62, (2,), np.uint64),
    "bool": spaces.Box(0, 1, (3,), np.bool_),
    "discrete": spaces.Discrete(4, start=-1),
    "multi_discrete": spaces.MultiDiscrete([3, 4, 5], start=[0, -2, 1]),
    "multi_discrete 2d": spaces.MultiDiscrete([[3, 4], [5, 6]], dtype=np.int32),
    "multi_binary": spaces.MultiBinary(5),
    "multi_binary 2d": spaces.MultiBinary((2, 3)),
    "dict": spaces.Dict(
        {"b/c": spaces.Discrete(3), "0": spaces.Box(0, 1, (2,)), "": spaces.MultiBinary(2)}
    ),
    "tuple": spaces.Tuple([spaces.Discrete(3, start=5), spaces.Box(0, 1, (2,))]),
    "nested": spaces.Dict(
        arm=spaces.Dict(angle=spaces.Box(0, 1, (2,)), on=spaces.Discrete(2)),
        pair=spaces.Tuple([spaces.Box(0, 9, (), np.int64), spaces.Dict(x=spaces.Discrete(2))]),
    ),
}
OBJECT_SPACES: dict[str, spaces.Space[Any]] = {
    "empty box": spaces.Box(0, 1, (0, 2)),
    "text": spaces.Text(6),
    "sequence": spaces.Sequence(spaces.Box(0, 1, (2,))),
    "graph": spaces.Graph(spaces.Box(0, 1, (2,)), spaces.Discrete(3)),
    "dict with text": spaces.Dict(words=spaces.Text(4), number=spaces.Box(0, 1, (2,))),
    "tuple with all": spaces.Tuple(
        [
            spaces.Text(4),
            spaces.Discrete(2),
            spaces.Sequence(spaces.Discrete(3)),
            spaces.Discrete(5),
        ]
    ),
}
SPACES = ARRAY_SPACES | OBJECT_SPACES


def letters(value: Any) -> str:
    """The value with its types; Gymnasium does not keep the order of a dict's keys."""
    if isinstance(value, dict):
        return str({key: letters(value[key]) for key in sorted(value)})
    return repr(value)


class Zoo(gymnasium.Env[Any, Any]):
    """Shows samples of its space; the reward is a checksum of the action, type and all."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 7}  # noqa: RUF012

    def __init__(
        self, observation: str = "float32", action: str = "discrete", length: int = 4, **said: Any
    ) -> None:
        self.observation_space = pickle.loads(pickle.dumps(SPACES[observation]))
        self.action_space = pickle.loads(pickle.dumps(SPACES[action]))
        self.render_mode = "rgb_array"
        self.length = length
        self.said = said
        self.count = 0
        self.options: Any = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed % 2**31)
        self.count = 0
        self.options = options
        info = {"start": int(self.np_random.integers(100)), "options": options}
        return self.observation_space.sample(), info if self.np_random.random() < 0.7 else {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.count += 1
        draw = self.np_random.random(3)
        terminated = bool(draw[0] < 1 / self.length)
        truncated = bool(draw[1] < 0.5 / self.length)
        info: dict[str, Any] = {}
        if draw[2] < 0.5:
            info = {
                "count": self.count,
                "draw": draw,
                "half": float(draw[0]),
                "flag": terminated,
                "word": f"w{self.count}",
                "nested": {"deep": {"count": np.int32(self.count)}},
                **self.said,
            }
        elif draw[2] < 0.6:
            info = {"rare": None}
        reward = zlib.crc32(letters(action).encode()) / 2**32
        return self.observation_space.sample(), reward, terminated, truncated, info

    def render(self) -> Any:
        return np.full((2, 3, 3), self.count, np.uint8)

    def twice(self, value: Any, *, more: int = 0) -> Any:
        """For tests of calls."""
        return 2 * value + more

    def complain(self) -> None:
        """The same."""
        raise LookupError("never found")


class Trouble(gymnasium.Env[Any, Any]):
    """Does what the action says; an episode's observation is how often it was stepped."""

    GOOD, RAISE, EXIT, KILL, SEGFAULT, HANG, WRONG_SHAPE, SYSTEM_EXIT, PID = range(9)
    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, broken: str = "") -> None:
        self.observation_space = spaces.Box(0, np.inf, (1,), np.float64)
        self.action_space = spaces.Discrete(9)
        self.broken = broken
        self.count = 0
        if broken == "constructor":
            raise ValueError("no such level")
        if broken == "dies in constructor":
            os._exit(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if self.broken == "reset":
            raise ValueError("no such start")
        self.count = 0
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.count += 1
        seen = self._seen()
        if action == self.RAISE:
            raise ValueError("told to raise")
        if action == self.SYSTEM_EXIT:
            raise SystemExit(4)
        if action == self.EXIT:
            os._exit(3)
        if action == self.KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if action == self.SEGFAULT:
            ctypes.string_at(0)
        while action == self.HANG:
            time.sleep(1000)
        if action == self.WRONG_SHAPE:
            seen = np.zeros(2)
        return seen, float(os.getpid()), False, False, {}

    def _seen(self) -> Any:
        return np.array([float(self.count)])
