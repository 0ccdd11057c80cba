"""The values that a column or a target takes: an immutable, sorted set with a number for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import numpy as np

from tallybayes._types import AnyArray, Counts, Value


def _order(value: Value) -> tuple[bool, Value]:
    """Numbers come before strings; within each, the natural order."""
    return isinstance(value, str), value


class Values:
    """A sorted set of values; the code of a value is its place in it.

    Two sets that hold the same values are equal whatever the order in which the values came, so tallies that
    are laid out by `Values` have one form only.

    Examples
    --------
    >>> seen = Values(["red", "green"])
    >>> both, ours, theirs = seen.union(Values(["blue", "red"]))
    >>> both, ours.tolist(), theirs.tolist()
    (Values('blue', 'green', 'red'), [1, 2], [0, 2])
    """

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self.items: Final[tuple[Value, ...]] = tuple(sorted(set(values), key=_order))

    @cached_property
    def index(self) -> dict[Value, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.items)}

    def union(self, other: Values) -> tuple[Values, Counts, Counts]:
        """Return the union, and where each of our and of their codes lies in it."""
        if self.items == other.items:
            here = np.arange(len(self))
            return self, here, here
        places = other.places_in(self)
        if (places >= 0).all():  # as for most pieces of a long table: nothing new, and nothing to sort
            return self, np.arange(len(self)), places
        both = Values((*self.items, *other.items))
        return both, self.places_in(both), other.places_in(both)

    def places_in(self, other: Values) -> Counts:
        """Return the code in `other` of each of these values, -1 where it is not there."""
        index = other.index
        return np.fromiter((index.get(v, -1) for v in self.items), np.int64, len(self.items))

    def keep(self, mask: AnyArray) -> Values:
        """Return the values at which `mask` is true."""
        return Values(v for v, kept in zip(self.items, mask.tolist(), strict=True) if kept)

    def to_array(self) -> AnyArray:
        """Return the values as an array: of int, float, bool or str, or of objects where they mix."""
        kinds = {type(v) for v in self.items}
        alike = len(kinds) == 1 or kinds == {int, float}
        if kinds == {str}:  # NumPy takes a null character at the end for padding
            alike = not any(v.endswith("\0") for v in self.items)  # type: ignore[union-attr]
        array = np.array(self.items, dtype=None if alike else object)
        if kinds == {int} and array.dtype.kind == "f":  # some need all 64 bits, and NumPy makes floats of the lot
            array = np.array(self.items, dtype=np.uint64 if self.items[0] >= 0 else object)  # type: ignore[operator]
        return array

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.items)

    def __getitem__(self, code: int) -> Value:
        return self.items[code]

    def __contains__(self, value: object) -> bool:
        return value in self.index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Values) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    def __repr__(self) -> str:
        return f"Values({', '.join(map(repr, self.items))})"
