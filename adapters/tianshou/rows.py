"""Infos and Dict observations in the form that is quickest for Tianshou."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from tianshou.data import Batch


class Rows(Batch):
    """Arrays by name, to be read as an array of dicts too.

    Tianshou's own vector environments give an array of dicts, one for each environment, and its
    collectors make a `Batch` of arrays of them at every step, which takes longer than to step many
    of poolkit's environments. This is that `Batch` from the start.

    >>> rows = Rows.of({"env_id": np.array([4, 7]), "lives": np.array([3, 1])})
    >>> rows["lives"], rows[1]["lives"]
    (array([3, 1]), np.int64(1))
    >>> [row["env_id"].item() for row in rows]
    [4, 7]
    """

    dtype = np.dtype(object)  # what Collector asks an array of dicts

    @classmethod
    def of(cls, arrays: dict[str, Any]) -> Self:
        """Rows of arrays, and of dicts of them, that have as many rows each."""
        return cls(
            {
                name: cls.of(values) if isinstance(values, dict) else values
                for name, values in arrays.items()
            }
        )

    def __getitem__(self, index: Any) -> Any:
        """The array of a name, the dict of one row, or `Rows` of some."""
        if isinstance(index, str):
            return self.__dict__[index]
        picked = {name: values[index] for name, values in self.__dict__.items()}
        return picked if isinstance(index, int | np.integer) else type(self)(picked)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, int | np.integer) and isinstance(value, dict):
            for name, values in self.__dict__.items():  # a Batch of one row would take longer
                values[index] = value[name]
        else:
            super().__setitem__(index, value)

    def __copy__(self) -> Self:
        """As the copy of an array: what is written to it does not change this one."""
        copied: Self = self[np.arange(len(self))]
        return copied

    def __len__(self) -> int:
        return len(next(iter(self.__dict__.values())))

    def nonzero(self) -> tuple[NDArray[np.intp]]:
        """The rows that are not empty: all."""
        return (np.arange(len(self)),)


def in_rows(obs: Any) -> Any:
    """Observations, as `Rows` if they are a dict."""
    return Rows.of(obs) if isinstance(obs, dict) else obs


def concatenated(parts: list[Any]) -> Any:
    """One array, or `Rows`, with the rows of all."""
    if isinstance(parts[0], Rows):
        names = dict.fromkeys(name for part in parts for name in part.get_keys())
        return Rows({name: concatenated(_filled(name, parts)) for name in names})
    return np.concatenate(parts)


def _filled(name: str, parts: list[Rows]) -> list[Any]:
    """The values of each part; zeros or None where it has none."""
    like = next(part[name] for part in parts if name in part.get_keys())
    return [
        part[name] if name in part.get_keys() else _empty_like(like, len(part)) for part in parts
    ]


def _empty_like(rows: Any, size: int) -> Any:
    if isinstance(rows, Rows):
        return Rows({name: _empty_like(values, size) for name, values in rows.items()})
    filling = None if rows.dtype == object else 0
    return np.full((size, *rows.shape[1:]), filling, rows.dtype)


def table_like(rows: Any, size: int) -> Any:
    """An uninitialised array, or `Rows` of them, for `size` such rows."""
    if isinstance(rows, Rows):
        return Rows({name: table_like(values, size) for name, values in rows.items()})
    return np.empty((size, *rows.shape[1:]), rows.dtype)
