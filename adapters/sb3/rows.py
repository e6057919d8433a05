"""Batches, and what they say of each env."""

from typing import Any


def row_of(batch: Any, row: int) -> Any:
    """A copy of one row of an array, or of arrays in dicts and tuples."""
    if isinstance(batch, dict):
        return {key: row_of(entry, row) for key, entry in batch.items()}
    if isinstance(batch, tuple):
        return tuple(row_of(entry, row) for entry in batch)
    return batch[row].copy()


def rows_of(batch: Any) -> list[Any]:
    """All rows, as Python numbers where they are scalars.

    >>> import numpy as np
    >>> rows_of({"lives": np.array([3, 2])})
    [{'lives': 3}, {'lives': 2}]
    """
    if isinstance(batch, dict):
        columns = zip(*(rows_of(entry) for entry in batch.values()), strict=True)
        return [dict(zip(batch, row, strict=True)) for row in columns]
    if isinstance(batch, tuple):
        return list(zip(*(rows_of(entry) for entry in batch), strict=True))
    rows: list[Any] = batch.tolist() if batch.ndim == 1 else list(batch)
    return rows
