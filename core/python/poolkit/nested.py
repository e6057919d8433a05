"""Values nested in dicts and tuples, with and without the axis of the envs."""

from typing import Any

import numpy as np


def first_row(value: Any) -> Any:
    """The first env's part.

    >>> first_row({"a": np.array([1.5]), "b": (np.array([[2, 3]]),)})
    {'a': np.float64(1.5), 'b': (array([2, 3]),)}
    """
    if isinstance(value, dict):
        return {key: first_row(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(first_row(entry) for entry in value)
    return value[0]


def one_row(value: Any) -> Any:
    """A batch of one.

    >>> one_row((1, [2, 3]))
    (array([1]), array([[2, 3]]))
    """
    if isinstance(value, dict):
        return {key: one_row(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(one_row(entry) for entry in value)
    return np.asarray(value)[np.newaxis]
