"""Seeds of the environments' random streams, as the engine takes them."""

import operator
import secrets
from collections.abc import Mapping, Sequence, Set
from typing import Any, SupportsIndex, TypeGuard

import numpy as np


def pool_seed(
    seed: SupportsIndex | Sequence[SupportsIndex] | None, num_envs: int
) -> int | list[int]:
    """What seeds the streams of a new pool.

    An int gives env i the stream of `numpy.random.SeedSequence(seed, spawn_key=(i,))`, so that
    pools with neighbouring seeds share no stream; a sequence seeds env i with exactly its entry;
    None draws an int.

    >>> pool_seed(5, 2), pool_seed([5, 6], 2)
    (5, [5, 6])
    """
    if seed is None:
        seed = secrets.randbits(64)
    if _is_one(seed):
        return _checked(seed)
    return [_checked(entry) for entry in _one_each(seed, num_envs)]


def reset_seeds(
    seed: SupportsIndex | Sequence[SupportsIndex | None] | None, num_envs: int
) -> list[int | None] | None:
    """The streams of a reset, by Gymnasium's rule: an int s means s, s + 1, ...

    None, as a whole or as an entry, lets a stream go on.

    >>> reset_seeds(5, 2), reset_seeds([7, None], 2)
    ([5, 6], [7, None])
    """
    if seed is None:
        return None
    if _is_one(seed):
        first = _checked(seed)
        return [_checked(first + env) for env in range(num_envs)]
    entries = _one_each(seed, num_envs)
    return [None if entry is None else _checked(entry) for entry in entries]


def _is_one(seed: object) -> TypeGuard[SupportsIndex]:
    """Every NumPy array has an __index__; one with an axis is a sequence."""
    return isinstance(seed, SupportsIndex) and not getattr(seed, "ndim", 0)


def _checked(seed: SupportsIndex) -> int:
    try:
        if isinstance(seed, bool | np.bool_):
            raise TypeError
        value = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed: must be an int, not {type(seed).__name__}") from None
    if not 0 <= value < 2**64:
        raise ValueError(f"seed: {value} is not in 0 .. 2**64 - 1")
    return value


def _one_each(seeds: Any, num_envs: int) -> Any:
    if isinstance(seeds, str | bytes | Mapping | Set) or not hasattr(seeds, "__len__"):
        raise TypeError(f"seed: must be an int or a list of ints, not {type(seeds).__name__}")
    if len(seeds) != num_envs:
        raise ValueError(f"seed: has {len(seeds)} entries; must have {num_envs}, one for each env")
    return seeds
