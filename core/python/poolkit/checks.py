"""Checks of arguments, with errors that name the argument and what is accepted."""

import operator
from collections.abc import Set
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


def check_reset_options(options: object, known: Set[str] = frozenset()) -> None:
    """A dict without other keys than these, or None: what is not known must not be overlooked."""
    if options is None:
        return
    if not isinstance(options, dict):
        raise TypeError(f"options: must be a dict or None, not {type(options).__name__}")
    if unknown := sorted(map(repr, options.keys() - known)):
        raise ValueError(
            f"options: a reset knows {', '.join(map(repr, known)) or 'none'}, not "
            f"{', '.join(unknown)}; an environment's options are arguments of make()"
        )
