"""`make`, as scripts that were written for EnvPool call it."""

import sys
from typing import Any

import poolkit
from gymnasium import spaces


def make(task: str, env_type: str = "gym", **arguments: Any) -> Any:
    """A pool for a script that says `import envpool`.

    As `poolkit.make`, with EnvPool's default of env_type, and its 0 for "as many as is good" in
    num_threads and batch_size. Where the script has imported `gym`, the package before Gymnasium,
    the spaces of env_type="gym" are of its classes.

    >>> envs = make("Pong-v5", env_type="gym", num_envs=4, episodic_life=True, reward_clip=True)
    >>> envs.reset().shape, envs.single_action_space
    ((4, 4, 84, 84), Discrete(6))
    """
    for name in ("num_threads", "batch_size"):
        if arguments.get(name) == 0:
            del arguments[name]
    envs: Any = poolkit.make(task, env_type, **arguments)  # type: ignore[call-overload]
    if env_type == "gym" and "gym" in sys.modules:
        classes = sys.modules["gym"].spaces
        envs.observation_space = envs.single_observation_space = _as_classic(
            envs.observation_space, classes
        )
        envs.action_space = envs.single_action_space = _as_classic(envs.action_space, classes)
    return envs


def make_gym(task: str, **arguments: Any) -> Any:
    """`make(task, "gym", ...)`.

    >>> make_gym("CartPole-v1", num_envs=2).reset().shape
    (2, 4)
    """
    return make(task, "gym", **arguments)


def _as_classic(space: spaces.Space[Any], classes: Any) -> Any:
    """The same space, of the classes of the module `gym.spaces`."""
    if isinstance(space, spaces.Dict):
        return classes.Dict({key: _as_classic(part, classes) for key, part in space.items()})
    if isinstance(space, spaces.Tuple):
        return classes.Tuple([_as_classic(part, classes) for part in space])
    if isinstance(space, spaces.Box):
        return classes.Box(space.low, space.high, dtype=space.dtype.type)
    if isinstance(space, spaces.Discrete):
        return classes.Discrete(int(space.n), start=int(space.start))
    if isinstance(space, spaces.MultiBinary):
        return classes.MultiBinary(space.n)
    assert isinstance(space, spaces.MultiDiscrete)
    if space.start.any():
        raise ValueError(f"env_type: 'gym' cannot say {space}, which does not start at 0")
    return classes.MultiDiscrete(space.nvec, dtype=space.dtype.type)
