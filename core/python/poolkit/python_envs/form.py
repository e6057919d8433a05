"""The values of a Gymnasium space as flat arrays, for shared memory, and the rest, for pickling."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

Space = spaces.Space[Any]
Described = tuple[str, np.dtype[Any], int, tuple[int, ...], Any, Any]
"""Name, dtype, kind, shape, and bounds of that shape and dtype or None: `_core.Segment`'s."""

BOX, DISCRETE, BINARY = 0, 1, 2
NOTHING = np.uint8(0)
CARRIERS = {np.dtype(code): np.dtype(code) for code in "?bBhHiIqQfd"} | {
    np.dtype(np.float16): np.dtype(np.uint16)
}
"""As what the engine carries an array of a dtype."""


@dataclass(frozen=True)
class Leaf:
    """A space that is neither a Dict nor a Tuple, and the keys that lead to it."""

    path: tuple[Any, ...]
    space: Space

    @property
    def name(self) -> str:
        """The path in letters, without the "/" that the engine nests by."""
        return "".join(f"[{key!r}]" for key in self.path).replace("/", "\u2215")

    @property
    def is_array(self) -> bool:
        """Whether its values are arrays of one shape, with a dtype that the engine carries."""
        known = spaces.Box | spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary
        return isinstance(self.space, known) and self.dtype in CARRIERS and 0 not in self.shape

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one value."""
        return tuple(self.space.shape or ())

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its values."""
        return np.dtype(self.space.dtype)

    @property
    def empty(self) -> Any:
        """In the place of an object that is not there."""
        return np.zeros(self.shape, self.dtype) if isinstance(self.space, spaces.Box) else None

    def describe(self) -> Described:
        """The array in the engine's terms."""
        carrier = CARRIERS[self.dtype]
        kind, low, high = BOX, None, None
        space = self.space
        if isinstance(space, spaces.Box):
            low, high = space.low, space.high
        elif isinstance(space, spaces.Discrete):
            kind, low, high = DISCRETE, space.start, space.start + space.n - 1
        elif isinstance(space, spaces.MultiDiscrete):
            kind, low, high = DISCRETE, space.start, space.start + space.nvec - 1
        else:
            kind, low, high = BINARY, np.zeros(self.shape), np.ones(self.shape)
        if carrier != self.dtype:  # its numbers mean something else
            low = high = None
        if low is not None:
            low, high = (
                np.ascontiguousarray(bound, carrier).reshape(self.shape) for bound in (low, high)
            )
        return self.name, carrier, kind, self.shape, low, high


class Form:
    """How values of a space are taken apart and put together.

    Attributes:
        arrays: Leaves that are arrays.
        objects: The others: Text, Sequence, Graph and what Gymnasium does not know.
        bare: Whether the space is one array.
        plain: Whether it is that in the engine, too: there is nothing to take apart.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        leaves = list(_leaves(space, ()))
        self.arrays = [leaf for leaf in leaves if leaf.is_array]
        self.objects = [leaf for leaf in leaves if not leaf.is_array]
        self.bare = bool(self.arrays) and leaves[0].path == ()
        self.plain = self.bare and CARRIERS[leaves[0].dtype] == leaves[0].dtype
        self.dtypes = [leaf.dtype for leaf in self.arrays] or [np.dtype(np.uint8)]

    def describe(self) -> list[Described]:
        """The arrays for the engine; it must have one, so where there is none it gets a zero."""
        if not self.arrays:
            return [("", np.dtype(np.uint8), BOX, (), None, None)]
        return [leaf.describe() for leaf in self.arrays]

    # One env's value, in its worker.

    def arrays_of(self, value: Any) -> Any:
        """The only array, or a list of them."""
        if not self.arrays:
            return NOTHING
        picked = [_pick(value, leaf.path) for leaf in self.arrays]
        return picked[0] if len(picked) == 1 else picked

    def objects_of(self, value: Any) -> list[Any]:
        """What is not an array."""
        return [_pick(value, leaf.path) for leaf in self.objects]

    def value_of(self, arrays: Sequence[Any], objects: Sequence[Any] = ()) -> Any:
        """The value again."""
        return _build(self.space, iter(arrays), iter(objects))

    # Batches, in the pool.

    def batch_of(self, given: Any, objects: Sequence[Sequence[Any] | None], rows: int) -> Any:
        """The engine's batch, and each row's objects, in the structure of the space.

        Where a row's objects are None, that row is empty.
        """
        arrays = self.columns_of(given)
        if self.bare:
            return arrays[0]
        columns = []
        for k, leaf in enumerate(self.objects):
            room: Any = create_empty_array(leaf.space, rows, fn=np.zeros)
            values = [leaf.empty if row is None else row[k] for row in objects]
            columns.append(concatenate(leaf.space, values, room))
        return _build(self.space, iter(arrays), iter(columns))

    def columns_of(self, given: Any) -> list[Any]:
        """The arrays of the engine's batch."""
        if not self.arrays:
            return []
        named = [given] if self.bare else given.values()
        return [
            array if array.dtype == dtype else array.view(dtype)
            for array, dtype in zip(named, self.dtypes, strict=True)
        ]

    def split_batch(self, batch: Any, rows: int) -> tuple[Any, list[tuple[Any, ...]]]:
        """The engine's batch of a batch, and each row's objects, of which there may be none.

        Raises:
            ValueError: For objects that are not in their space, or too few or many of them.
        """
        columns = []
        for leaf in self.objects:
            column = list(iterate(batch_space(leaf.space, rows), _pick(batch, leaf.path)))
            if len(column) != rows:
                raise ValueError(f"action{leaf.name}: has {len(column)} entries; must have {rows}")
            for row, value in enumerate(column):
                if not leaf.space.contains(value):
                    raise ValueError(
                        f"action{leaf.name}: row {row}: {value!r} is not in {leaf.space}"
                    )
            columns.append(column)
        objects = list(zip(*columns, strict=True)) if columns else []
        if not self.arrays:
            return np.zeros(rows, np.uint8), objects
        arrays = {leaf.name: _carried(_pick(batch, leaf.path), leaf) for leaf in self.arrays}
        return arrays[""] if self.bare else arrays, objects


def _leaves(space: Space, path: tuple[Any, ...]) -> Any:
    if isinstance(space, spaces.Dict):
        for key, entry in space.spaces.items():
            yield from _leaves(entry, (*path, key))
    elif isinstance(space, spaces.Tuple):
        for index, entry in enumerate(space.spaces):
            yield from _leaves(entry, (*path, index))
    else:
        yield Leaf(path, space)


def _pick(value: Any, path: tuple[Any, ...]) -> Any:
    for depth, key in enumerate(path):
        try:
            value = value[key]
        except (LookupError, TypeError):
            at = "".join(f"[{above!r}]" for above in path[:depth])
            kind = type(value).__name__
            raise ValueError(f"the value{at} of {kind} has no [{key!r}] of its space") from None
    return value


def _build(space: Space, arrays: Any, objects: Any) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: _build(entry, arrays, objects) for key, entry in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_build(entry, arrays, objects) for entry in space.spaces)
    return next(arrays if Leaf((), space).is_array else objects)


def _carried(value: Any, leaf: Leaf) -> Any:
    """The same numbers where the engine carries the dtype, else their bits."""
    if CARRIERS[leaf.dtype] == leaf.dtype:
        return value
    return np.asarray(value).astype(leaf.dtype, casting="same_kind").view(CARRIERS[leaf.dtype])
