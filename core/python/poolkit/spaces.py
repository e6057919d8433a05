"""Gymnasium's spaces of an environment's named arrays."""

from typing import Any

import numpy as np
from gymnasium import spaces

from . import _core

Space = spaces.Space[Any]


def space_of(arrays: list[_core.ArrayInfo]) -> Space:
    """The space of one environment: Dict and Tuple as the arrays' names nest.

    >>> capsule = _core.envs.CartPole
    >>> space_of(_core.EnvType(capsule, {}).action)
    Discrete(2)
    """
    names = [array.name for array in arrays]
    return _nested(_core.nest(names, [_leaf(array) for array in arrays]))


def has_tuple(space: Space) -> bool:
    """Whether a Tuple is the space, or anywhere in a Dict.

    >>> has_tuple(spaces.Dict(a=spaces.Discrete(2), b=spaces.Tuple([])))
    True
    """
    if isinstance(space, spaces.Dict):
        return any(map(has_tuple, space.values()))
    return isinstance(space, spaces.Tuple)


def _nested(value: Any) -> Space:
    if isinstance(value, dict):
        return spaces.Dict({key: _nested(entry) for key, entry in value.items()})
    if isinstance(value, tuple):
        return spaces.Tuple([_nested(entry) for entry in value])
    space: Space = value
    return space


def _leaf(array: _core.ArrayInfo) -> Space:
    if array.space == "binary":
        return spaces.MultiBinary(array.shape[0] if len(array.shape) == 1 else array.shape)
    low, high = _bounds(array)
    if array.space == "box":
        return spaces.Box(low, high, array.shape, array.dtype.type)
    if array.shape == ():
        return spaces.Discrete(int(high - low) + 1, start=int(low))
    return spaces.MultiDiscrete(high - low + 1, dtype=array.dtype.type, start=low)


def _bounds(array: _core.ArrayInfo) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    if array.low is not None and array.high is not None:
        return array.low, array.high
    limits: tuple[float, float]
    if array.dtype.kind == "f":
        limits = (-np.inf, np.inf)
    elif array.dtype.kind == "b":
        limits = (False, True)
    else:
        limits = (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max)
    low, high = (np.full(array.shape, limit, array.dtype) for limit in limits)
    return low, high
