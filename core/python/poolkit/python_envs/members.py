"""What workers do with an environment when the pool's front ends ask for it."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium


def call(env: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """As Gymnasium's vector environments: the method's result, or the attribute."""
    attribute = env.get_wrapper_attr(name)
    return attribute(*args, **kwargs) if callable(attribute) else attribute


def get_wrapper_attr(env: Any, name: str) -> Any:
    """The attribute of the outermost wrapper that has it, or of the environment."""
    return env.get_wrapper_attr(name)


def set_wrapper_attr(env: Any, name: str, value: Any) -> None:
    """Set it where it is, or else at the environment."""
    env.set_wrapper_attr(name, value)


def set_outer_attr(env: Any, name: str, value: Any) -> None:
    """Set it at the outermost wrapper."""
    setattr(env, name, value)


def is_wrapped(env: Any, wrapper: type) -> bool:
    """Whether one of its wrappers is of that class."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, wrapper):
            return True
        env = env.env
    return False


def render(env: Any) -> Any:
    """Its picture."""
    return env.render()
