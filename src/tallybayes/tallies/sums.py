"""Sums of non-negative cells by class: term counts, presences, counts of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name, is_sparse
from tallybayes.errors import ValueRangeError
from tallybayes.kernels.sums import sum_dense, sum_sparse
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted, not_in, same_columns
from tallybayes.tallies.classes import count_classes
from tallybayes.tallies.layout import aligner, checked, damaged, require, spread, stored_classes, stored_names

if TYPE_CHECKING:
    from scipy import sparse

LARGEST = 1e290
"""The largest sum of a column: that of many such is still a number."""

Cells: TypeAlias = "Floats | sparse.csr_array"
"""A block of columns, dense or as CSR."""


@dataclass(frozen=True, eq=False)
class SumTally(Tally):
    """Totals of a block of columns; arrays have the shape (classes, columns) where nothing else is said.

    Attributes
    ----------
    rows
        How many rows have a cell that is not zero.
    totals
        The weighted sums of the cells.
    absent_rows, absent
        How many rows miss the cell, and their weight.
    n_rows, weights
        How many rows each class has, and their weight, shape (classes,).
    threshold
        With a threshold, a cell counts as 1 where it is above, and as 0 elsewhere.
    """

    names: tuple[Name, ...]
    classes: Values
    rows: Counts
    totals: Floats
    absent_rows: Counts
    absent: Floats
    n_rows: Counts
    weights: Floats
    threshold: float | None = None

    @classmethod
    def empty(cls, names: Sequence[Name], threshold: float | None = None) -> SumTally:
        """Return the tally of no rows."""
        shape = (0, len(names))
        counts, sums = np.zeros(shape, np.int64), np.zeros(shape)
        return cls(tuple(names), Values(), counts, sums, counts, sums, counts[:, 0], sums[:, 0], threshold)

    @property
    def present(self) -> Floats:
        """The weight of the rows of each class that have the cell, shape (classes, columns)."""
        there = self.n_rows[:, None] > self.absent_rows
        return np.where(there, np.maximum(self.weights[:, None] - self.absent, 0.0), 0.0)

    def count(self, batch: Batch) -> SumTally:
        labels, x = batch.labels, events(batch, self.names, self.threshold)
        shape = (len(labels.values), len(self.names))
        rows, absent_rows = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        totals, absent = np.zeros(shape), np.zeros(shape)
        weights = np.zeros(0) if batch.weights is None else batch.weights
        if is_sparse(x):
            cells = (x.data, x.indices, x.indptr)
            least = sum_sparse(*cells, labels.codes, weights, rows, totals, absent_rows, absent)
        else:
            least = sum_dense(x, labels.codes, weights, rows, totals, absent_rows, absent)
        if least < 0.0 or not (totals <= LARGEST).all():
            refuse_negative(x, self.names, batch.first)
            j = int(np.argmax(totals.max(axis=0)))
            raise ValueRangeError(
                f"Column {self.names[j]!r} has numbers whose sum is beyond {LARGEST:g}. Scale it down, or leave it out."
            )
        n_rows, mass = count_classes(batch)
        counted = SumTally(self.names, labels.values, rows, totals, absent_rows, absent, n_rows, mass, self.threshold)
        return counted._supported()

    def __add__(self, other: SumTally) -> SumTally:
        other = other.like(self)
        classes, here, there = self.classes.union(other.classes)

        def both(ours: AnyArray, theirs: AnyArray) -> AnyArray:
            total: AnyArray = spread(ours, 0, here, len(classes)) + spread(theirs, 0, there, len(classes))
            return total

        return SumTally(
            self.names,
            classes,
            both(self.rows, other.rows),
            both(self.totals, other.totals),
            both(self.absent_rows, other.absent_rows),
            both(self.absent, other.absent),
            both(self.n_rows, other.n_rows),
            both(self.weights, other.weights),
            self.threshold,
        )

    def __sub__(self, other: SumTally) -> SumTally:
        other = other.like(self)
        unknown = [label for label in other.classes if label not in self.classes]
        if unknown:
            raise never_counted(f"class {unknown[0]!r} was never seen")
        other = other.aligned(self.classes)
        n_rows = self.n_rows - other.n_rows
        rows, absent_rows = self.rows - other.rows, self.absent_rows - other.absent_rows
        if (n_rows < 0).any():
            raise never_counted(f"class {self.classes[int(np.argmin(n_rows))]!r} has fewer rows than that")
        if (rows < 0).any() or (absent_rows < 0).any():
            c, j = np.argwhere((rows < 0) | (absent_rows < 0))[0]
            raise never_counted(f"column {self.names[j]!r} of class {self.classes[c]!r} has fewer rows than that")
        odd = not_in(self.totals, other.totals, rows) | not_in(self.absent, other.absent, absent_rows)
        if odd.any():
            c, j = np.argwhere(odd)[0]
            raise never_counted(f"column {self.names[j]!r} of class {self.classes[c]!r} has other numbers or weights")
        left = SumTally(
            self.names,
            self.classes,
            rows,
            _what_is_left(self.totals, other.totals, rows),
            absent_rows,
            _what_is_left(self.absent, other.absent, absent_rows),
            n_rows,
            _what_is_left(self.weights, other.weights, n_rows),
            self.threshold,
        )
        return left._supported()

    def options(self) -> Mapping[str, Any]:
        return {"threshold": self.threshold}

    def arranged(self, names: Sequence[Name]) -> SumTally:
        order = same_columns(names, self.names)
        if order is None:
            return self
        return SumTally(
            tuple(names), self.classes, self.rows[:, order], self.totals[:, order],
            self.absent_rows[:, order], self.absent[:, order], self.n_rows, self.weights, self.threshold,
        )  # fmt: skip

    def aligned(self, classes: Values) -> SumTally:
        """Return the tally laid out by other classes; one that was never seen has zeros."""
        put = aligner(self.classes, classes, 0)
        return SumTally(
            self.names, classes, put(self.rows), put(self.totals), put(self.absent_rows), put(self.absent),
            put(self.n_rows), put(self.weights), self.threshold,
        )  # fmt: skip

    def state(self) -> State:
        header = {"names": list(self.names), "classes": list(self.classes), "threshold": self.threshold}
        arrays = {
            "rows": self.rows,
            "totals": self.totals,
            "absent_rows": self.absent_rows,
            "absent": self.absent,
            "n_rows": self.n_rows,
            "weights": self.weights,
        }
        return State(header, arrays)

    @classmethod
    def from_state(cls, state: State) -> SumTally:
        names, classes = stored_names(state), stored_classes(state)
        per_column, per_class = (len(classes), len(names)), (len(classes),)
        threshold = state.header.get("threshold")
        if threshold is not None and not isinstance(threshold, int | float):
            raise damaged("the threshold of a sum is no number")
        tally = cls(
            names,
            classes,
            checked(state, "rows", per_column, np.int64),
            checked(state, "totals", per_column),
            checked(state, "absent_rows", per_column, np.int64),
            checked(state, "absent", per_column),
            checked(state, "n_rows", per_class, np.int64),
            checked(state, "weights", per_class),
            threshold,
        )
        require(tally._sound(), "a sum has rows and weights")
        return tally

    def agrees(self, classes: Values, rows: Counts) -> bool:
        return self.classes == classes and bool((self.n_rows == rows).all())

    def _sound(self) -> bool:
        """Whether the numbers can be those of rows."""
        return bool(
            self._supported() is self
            and (self.rows + self.absent_rows <= self.n_rows[:, None]).all()
            and not self.totals[self.rows == 0].any()
            and not self.absent[self.absent_rows == 0].any()
        )

    def _supported(self) -> SumTally:
        kept = self.n_rows > 0
        return self if kept.all() else self.aligned(self.classes.keep(kept))


def _what_is_left(ours: Floats, theirs: Floats, rows: Counts) -> Floats:
    """Return the difference of two sums, exactly 0 where no row is left and never below."""
    return np.where(rows > 0, np.maximum(ours - theirs, 0.0), 0.0)


def events(batch: Batch, names: Sequence[Name], threshold: float | None) -> Cells:
    """Return the cells of a batch as they are, or, with a threshold, as 1 above it and 0 elsewhere."""
    x = batch.terms(names)
    if threshold is not None:
        # Above or not, an infinity is no number; it could no longer be seen afterwards.
        refuse_infinite(x, names, batch.first)
    return above(x, threshold)


def above(x: Cells, threshold: float | None) -> Cells:
    """Return 1 for cells above the threshold and 0 for the others; NaN stays NaN."""
    if threshold is None:
        return x
    if not is_sparse(x):
        return np.where(np.isnan(x), x, x > threshold)
    if threshold < 0:
        return above(x.toarray(), threshold)
    data = np.where(np.isnan(x.data), x.data, x.data > threshold)
    return type(x)((data, x.indices, x.indptr), shape=x.shape)


def refuse_negative(x: Cells, names: Sequence[Name], first: int) -> None:
    """Raise `ValueRangeError` for the first negative or infinite cell of counts, if there is one."""
    refuse_infinite(x, names, first)
    if is_sparse(x):
        entries = np.flatnonzero(x.data < 0)[:1]
        rows, columns = np.searchsorted(x.indptr, entries, side="right") - 1, x.indices[entries]
    else:
        rows, columns = np.argwhere(x < 0)[:1].T
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        raise ValueRangeError(
            f"Negative values in data: column {names[j]!r} has {x[i, j]:g} in row {first + i + 1}, and "
            "counts are never negative. Use a Gaussian factor for it, or leave the column out."
        )
