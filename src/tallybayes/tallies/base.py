"""The monoid that everything is learned by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name
from tallybayes.errors import MergeError
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values


@dataclass(frozen=True)
class State:
    """A tally as plain data: what JSON can hold, and arrays. This is what a model file keeps."""

    header: Mapping[str, Any]
    arrays: Mapping[str, AnyArray]


class Tally(ABC):
    """Sums over rows, per class: a commutative monoid, immutable.

    ``empty.update(batch)`` counts a batch, ``a + b`` is the tally of the rows of both, ``a - b`` takes rows
    out again. Integer row counts stand beside weighted sums: what no row supports is dropped, and an
    empty tally is the identity to the last bit.
    """

    grows: ClassVar[bool] = False
    """Whether it grows with the rows, as a dictionary does; then many are added in pairs."""

    @property
    def entries(self) -> int | None:
        """How many entries it has, where it grows and can say so; then those are added that are about as large."""
        return None

    names: tuple[Name, ...]
    """The columns that are counted; the tally of the classes has none."""

    classes: Values
    """The classes that some row supports."""

    @abstractmethod
    def count(self, batch: Batch) -> Self:
        """Return the tally of a batch alone."""

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """Return the tally of the rows of both, in the order of our columns."""

    @abstractmethod
    def __sub__(self, other: Self) -> Self:
        """Take rows out; `MergeError` where some of them were never counted."""

    @abstractmethod
    def state(self) -> State:
        """Return the tally as plain data."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: State) -> Self:
        """Rebuild a tally; `ModelFileError` where shapes or numbers cannot be those of one."""

    def arranged(self, names: Sequence[Name]) -> Self:
        """Return the tally with its columns in another order; `MergeError` where it has others."""
        same_columns(names, self.names)
        return self

    def agrees(self, classes: Values, rows: Counts) -> bool:
        """Whether the tally can be of so many rows of each class, those of a file being whatever they are."""
        return True

    def options(self) -> Mapping[str, Any]:
        """Return what besides its columns decides what is counted, by the words that messages use."""
        return {}

    def like(self, other: Self) -> Self:
        """Return this tally with the columns in the order of another; `MergeError` where it counts other things."""
        if type(self) is not type(other):
            raise MergeError(
                f"A {type(other).__name__} and a {type(self).__name__} do not add. Fit both with the same factors."
            )
        ours, theirs = self.options(), other.options()
        for word in ours:
            if ours[word] != theirs[word]:
                raise MergeError(
                    f"Tallies with the {word} {theirs[word]!r} and {ours[word]!r} do not add. Fit both models with "
                    f"the same {word}."
                )
        return self.arranged(other.names)

    def update(self, batch: Batch) -> Self:
        """Return this tally with the rows of a batch added."""
        return self + self.count(batch)


def same_columns(ours: Sequence[Name], theirs: Sequence[Name]) -> Counts | None:
    """Return where each of our columns stands among theirs, None where all stand in the same place.

    Raises
    ------
    MergeError
        Where one has a column that the other lacks.
    """
    if tuple(ours) == tuple(theirs):
        return None
    places = {name: j for j, name in enumerate(theirs)}
    if set(ours) != set(theirs):
        odd = sorted(set(ours) ^ set(theirs), key=str)
        raise MergeError(
            f"Tallies of different columns do not add: only one of them has {odd}. Fit both models on the same columns."
        )
    return np.array([places[name] for name in ours], dtype=np.int64)


def never_counted(what: str) -> MergeError:
    """Return the error for rows that are taken out but were never put in."""
    return MergeError(
        f"Some of these rows were never learned ({what}), so they cannot be forgotten. "
        "The model is unchanged; pass exactly the rows, labels and weights that were learned."
    )


def not_in(ours: Floats, theirs: Floats, rows: Counts) -> Bools:
    """Return where sums that are taken out cannot be of rows that were put in; `rows` says how many are left.

    More than there is cannot be taken out, and where no row is left nothing else may be; rounding apart.
    """
    left = ours - theirs
    rounding = 1e-9 * np.abs(ours)
    wrong: Bools = (left < -rounding) | ((rows == 0) & (left > rounding))
    return wrong
