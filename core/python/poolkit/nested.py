"""Values nested in dicts and tuples, with and without the axis of the envs."""

from typing import Any

import numpy as np


def row_of(value: Any, row: int = 0) -> Any:
    """One env's part, by default the first's.

    >>> row_of({"a": np.array([1.5]), "b": (np.array([[2, 3]]),)})
    {'a': np.float64(1.5), 'b': (array([2, 3]),)}
    """
    if isinstance(value, dict):
        return {key: row_of(entry, row) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(row_of(entry, row) for entry in value)
    return value[row]


def tuples_as_arrays(value: Any, rows: int) -> Any:
    """Of tuples of arrays, arrays of tuples: what an info may hold.

    >>> tuples_as_arrays({"a": (np.array([1, 2]), np.array([3, 4]))}, 2)["a"].shape
    (2,)
    """
    if isinstance(value, dict):
        return {key: tuples_as_arrays(entry, rows) for key, entry in value.items()}
    if not isinstance(value, tuple):
        return value
    out = np.empty(rows, object)
    for row in range(rows):
        out[row] = row_of(value, row)
    return out


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
