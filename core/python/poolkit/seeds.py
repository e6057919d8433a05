"""Seeds of the environments' random streams, as the engine takes them.

A stream is `numpy.random.SeedSequence(entropy)`, or with a spawn key
`SeedSequence(entropy, spawn_key=(key,))`.
"""

import operator
import secrets
from collections.abc import Sequence
from typing import SupportsIndex, TypeVar

_T = TypeVar("_T")

Seed = tuple[int, int | None]
"""Entropy and spawn key."""


def pool_seeds(seed: SupportsIndex | Sequence[SupportsIndex] | None, num_envs: int) -> list[Seed]:
    """The streams of a new pool.

    An int gives env i the i-th stream spawned from it, so that pools with neighbouring seeds share
    no stream; a sequence seeds env i with exactly its entry; None draws an int.

    >>> pool_seeds(5, 2), pool_seeds([5, 6], 2)
    ([(5, 0), (5, 1)], [(5, None), (6, None)])
    """
    if seed is None:
        seed = secrets.randbits(64)
    if isinstance(seed, SupportsIndex):
        entropy = _checked(seed)
        return [(entropy, env) for env in range(num_envs)]
    return [(_checked(entry), None) for entry in _one_each(seed, num_envs)]


def reset_seeds(
    seed: SupportsIndex | Sequence[SupportsIndex | None] | None, num_envs: int
) -> list[Seed | None] | None:
    """The streams of a reset, by Gymnasium's rule: an int s means s, s + 1, ...

    None, as a whole or as an entry, lets a stream go on.

    >>> reset_seeds(5, 2), reset_seeds([7, None], 2)
    ([(5, None), (6, None)], [(7, None), None])
    """
    if seed is None:
        return None
    if isinstance(seed, SupportsIndex):
        first = operator.index(seed)
        return [(_checked(first + env), None) for env in range(num_envs)]
    entries = _one_each(seed, num_envs)
    return [None if entry is None else (_checked(entry), None) for entry in entries]


def _checked(seed: SupportsIndex) -> int:
    try:
        value = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed: must be an int, not {type(seed).__name__}") from None
    if not 0 <= value < 2**64:
        raise ValueError(f"seed: {value} is not in 0 .. 2**64 - 1")
    return value


def _one_each(seeds: Sequence[_T], num_envs: int) -> Sequence[_T]:
    if len(seeds) != num_envs:
        raise ValueError(f"seed: has {len(seeds)} entries; must have {num_envs}, one for each env")
    return seeds
