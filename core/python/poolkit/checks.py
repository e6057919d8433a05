"""Checks of arguments, with errors that name the argument and what is accepted."""

import operator
from typing import SupportsIndex

import numpy as np


def expect_int(name: str, value: SupportsIndex, low: int, high: int, otherwise: str = "") -> None:
    """An int in low .. high, NumPy's too; a bool is none."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name}: must be an int{otherwise}, not {kind}") from None
    if not low <= number <= high:
        raise ValueError(f"{name}: {number} must be in {low} .. {high}")


def expect_int_or_none(name: str, value: SupportsIndex | None, low: int, high: int) -> None:
    """The same, or None."""
    if value is not None:
        expect_int(name, value, low, high, " or None")
