"""A sketch of one-dimensional distributions: bins on grids of powers of two, per class and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from mmap import mmap
from typing import Any, Final

import numpy as np

from tallybayes._types import Bools, Counts, Floats, Name
from tallybayes.errors import OptionError
from tallybayes.kernels.bins import BITS, LOWEST, bin_sorted
from tallybayes.kernels.merge_bins import Binned, merge_bins
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted, same_columns
from tallybayes.tallies.layout import LARGEST, checked, damaged, spread, stored_classes, stored_names

LIMIT: Final = 4096
"""How many bins of a column may be occupied in one class."""

_TOGETHER: Final = 8  # columns binned at a time: a cache line of a matrix in C order
_NO_WEIGHTS: Final = np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of one class and column: ``exponents``, ``index``, ``rows`` and ``sums`` of a sketch, cut out of it."""

    exponent: int
    index: Counts
    rows: Counts
    sums: Floats

    @property
    def weight(self) -> float:
        """The sum of weights."""
        return float(self.sums[:, 0].sum())


@dataclass(frozen=True, eq=False)
class SketchTally(Tally):
    """Where the numbers of each class and column lie, in a bounded number of bins.

    The bins of a class and column have the width 2**k and bounds at multiples of it; k is the smallest exponent at
    which at most `limit` bins are occupied and no bin is farther than 2**52 widths from zero. As rows come in, k can
    only grow, and a grid is nested in every finer one, so k and the counts depend on nothing but the rows: any
    chunks, in any order, added in any way, give the same exponents, the same bins and the same counts of rows, to
    the last bit. Beside its rows, a bin has the sums of w, w t, w t**2 and w t**3 over their weights w, with t the
    offset from the centre of the bin in widths; these are the same up to rounding.

    At most `limit` distinct numbers are all kept apart, unless some are 2**52 times as close to each other as to zero.
    An outlier costs one bin, however far away it is, until it is farther than 2**52 widths: then the width grows,
    and what lies closer together than 2**-52 of the outlier is no longer told apart. One class does not coarsen
    another.

    ``a - b`` takes rows out but keeps the width: the finer one that a fit without those rows would have cannot be
    had again from wider bins. What lost its last row, a class in a column, starts afresh.

    Missing cells, rows without a label and rows of weight zero leave no trace.

    Attributes
    ----------
    names
        The columns.
    classes
        The classes with a number in some column.
    limit
        The largest number of occupied bins.
    exponents
        k, shape (classes, columns); the least where there is no number.
    sizes
        How many bins are occupied, shape (classes, columns).
    index
        The bins, ascending, of one class and column after the other, in the order of ``sizes.ravel()``.
    rows
        The number of rows of each bin.
    sums
        The sums of w, w t, w t**2 and w t**3 of each bin, shape (bins, 4).
    """

    names: tuple[Name, ...]
    classes: Values
    limit: int
    exponents: Counts
    sizes: Counts
    index: Counts
    rows: Counts
    sums: Floats

    @classmethod
    def empty(cls, names: Sequence[Name], *, limit: int = LIMIT) -> SketchTally:
        """Return the sketch of no rows."""
        if not _sensible(limit):
            raise OptionError(f"limit={limit!r} is no sensible number of bins. Choose one from 2 to {2**20}.")
        shape, none = (0, len(names)), np.zeros(0, np.int64)
        exponents, sizes = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        return cls(tuple(names), Values(), limit, exponents, sizes, none, none, np.zeros((0, 4)))

    @cached_property
    def start(self) -> Counts:
        """Where the bins of each class and column begin, and the number of all: one more than there are cells."""
        return np.concatenate(([0], np.cumsum(self.sizes)))

    def bins(self, c: int, j: int) -> Bins:
        """Return the bins of class c and column j."""
        cell = c * len(self.names) + j
        at = slice(self.start[cell], self.start[cell + 1])
        return Bins(int(self.exponents[c, j]), self.index[at], self.rows[at], self.sums[at])

    def rows_present(self) -> Counts:
        """Return in how many rows of each class a column is not missing, shape (classes, columns)."""
        total = np.concatenate(([0], np.cumsum(self.rows)))[self.start]
        return np.diff(total).reshape(self.sizes.shape)

    def count(self, batch: Batch) -> SketchTally:
        x, labels, weights = batch.numbers(self.names), batch.labels, batch.weights
        shape = (len(labels.values), len(self.names))
        order = np.argsort(labels.codes)
        bounds = np.searchsorted(labels.codes, np.arange(shape[0] + 1), sorter=order)
        exponents, sizes = np.full(shape, LOWEST, np.int64), np.zeros(shape, np.int64)
        keys = np.empty(len(x), np.int64)
        room = shape[1] * int(np.minimum(np.diff(bounds), self.limit).sum())
        entries, end = _room_for(room), 0
        for c in range(shape[0]):
            own = order[bounds[c] : bounds[c + 1]]
            for j in range(0, shape[1], _TOGETHER):
                some = slice(j, j + _TOGETHER)
                values, masses = np.ascontiguousarray(x[own, some].T), _NO_WEIGHTS
                if weights is None:
                    values.sort(axis=1)
                else:
                    ascending = values.argsort(axis=1)
                    values = np.take_along_axis(values, ascending, 1)
                    masses = weights[own][ascending]
                if np.isinf(values).any():
                    refuse_infinite(x, self.names, batch.first)
                free = entries[0][end:], entries[1][end:], entries[2][end:]
                end += bin_sorted(values, masses, self.limit, keys, exponents[c, some], sizes[c, some], *free)
        filled = _cut(entries, end)
        return SketchTally(self.names, labels.values, self.limit, exponents, sizes, *filled)._supported()

    def __add__(self, other: SketchTally) -> SketchTally:
        other = other.like(self)
        if not len(self.index):
            return other
        if not len(other.index):
            return self
        classes, _, _ = self.classes.union(other.classes)
        return self.aligned(classes)._merged(other.aligned(classes), 1)

    def __sub__(self, other: SketchTally) -> SketchTally:
        other = other.like(self)
        if not len(other.index):
            return self
        for label in other.classes:
            if label not in self.classes:
                raise never_counted(f"class {label!r} was never seen")
        left = self._merged(other.aligned(self.classes), -1)
        # A weight below zero is rounding, unless it is of the size of what was taken out.
        short = (left.rows < 0) | ((left.rows > 0) & (left.sums[:, 0] < -1e-9 * other.sums[:, 0].max()))
        wrong = (left.exponents != self.exponents) | (left._by_cell(short) > 0)
        if wrong.any():
            c, j = np.argwhere(wrong)[0]
            raise never_counted(f"column {self.names[j]!r} of class {self.classes[c]!r} has other numbers")
        # Differences of sums carry rounding; no row lies outside its bin.
        weight = np.maximum(left.sums[:, :1], 0.0)
        most = weight * [1.0, 0.5, 0.25, 0.125]
        return replace(left, sums=np.clip(left.sums, -most, most))._without(left.rows == 0)

    def options(self) -> Mapping[str, Any]:
        return {"number of bins": self.limit}

    def arranged(self, names: Sequence[Name]) -> SketchTally:
        order = same_columns(names, self.names)
        if order is None:
            return self
        cells = np.arange(self.sizes.size).reshape(self.sizes.shape)[:, order]
        taken = np.concatenate([np.arange(self.start[i], self.start[i + 1]) for i in cells.flat] or [cells[:0, 0]])
        arrays = self.index[taken], self.rows[taken], self.sums[taken]
        return SketchTally(
            tuple(names), self.classes, self.limit, self.exponents[:, order], self.sizes[:, order], *arrays
        )

    def aligned(self, classes: Values) -> SketchTally:
        """Return the sketch laid out by more classes; one that was never seen has no bins."""
        places = self.classes.places_in(classes)
        # A class without numbers has exponents, too: the finest.
        exponents = LOWEST + spread(self.exponents - LOWEST, 0, places, len(classes))
        sizes = spread(self.sizes, 0, places, len(classes))
        return replace(self, classes=classes, exponents=exponents, sizes=sizes)

    def pooled(self) -> SketchTally:
        """Return the sketch of all classes together, as one class."""
        total, p = self.empty(self.names, limit=self.limit), len(self.names)
        for c in range(len(self.classes)):
            own = slice(self.start[c * p], self.start[(c + 1) * p])
            total += SketchTally(
                self.names,
                Values([0]),
                self.limit,
                self.exponents[c : c + 1],
                self.sizes[c : c + 1],
                self.index[own],
                self.rows[own],
                self.sums[own],
            )
        return total.aligned(Values([0]))

    def state(self) -> State:
        header = {"names": list(self.names), "classes": list(self.classes), "limit": self.limit}
        return State(header, {name: getattr(self, name) for name in ("exponents", "sizes", "index", "rows", "sums")})

    @classmethod
    def from_state(cls, state: State) -> SketchTally:
        names, classes, limit = stored_names(state), stored_classes(state), state.header.get("limit")
        if limit is None or not _sensible(limit):
            raise damaged("a sketch does not say how many bins it has")
        shape = (len(classes), len(names))
        exponents = checked(state, "exponents", shape, np.int64, signed=True)
        sizes = checked(state, "sizes", shape, np.int64)
        if (sizes > limit).any():
            raise damaged("a sketch has more bins than its limit")
        size = int(sizes.sum())
        index = checked(state, "index", (size,), np.int64, signed=True)
        rows = checked(state, "rows", (size,), np.int64)
        sums = checked(state, "sums", (size, 4), signed=True)
        # Copies that can be written to, so that the kernels need compiling only for such.
        sketch = cls(names, classes, limit, *(np.array(a) for a in (exponents, sizes, index, rows, sums)))
        if not sketch._sound():
            raise damaged("a sketch has bins, rows or sums that no numbers have")
        return sketch

    def agrees(self, classes: Values, rows: Counts) -> bool:
        places = self.classes.places_in(classes)
        if (places < 0).any() or (self.rows > rows.max(initial=0)).any():
            return False
        return bool((self.rows_present() <= rows[places, None]).all())

    def _sound(self) -> bool:
        """Whether the numbers can be those of a sketch."""
        ascending = np.diff(self.index) > 0
        ascending[self.start[1:-1][(self.start[1:-1] > 0) & (self.start[1:-1] < len(self.index))] - 1] = True
        weight = self.sums[:, :1]
        return bool(
            self.sizes.any(axis=1).all()
            and ((self.exponents >= LOWEST) & (self.exponents <= 1024)).all()
            and (self.exponents[self.sizes == 0] == LOWEST).all()
            and ((self.index >= -(2**BITS)) & (self.index < 2**BITS)).all()
            and ascending.all()
            and (self.rows > 0).all()
            and (weight >= 0.0).all()
            and (weight <= LARGEST).all()
            and (np.abs(self.sums[:, 1:]) <= weight * [0.5001, 0.2501, 0.1251]).all()
        )

    def _merged(self, other: SketchTally, sign: int) -> SketchTally:
        """Return the sketch with the other, of the same classes, added or taken away."""
        entries = _room_for(len(self.index) + len(other.index))
        exponents, start = np.empty(self.sizes.size, np.int64), np.zeros(self.sizes.size + 1, np.int64)
        end = merge_bins(self._binned(), other._binned(), sign, self.limit, (exponents, start, *entries))
        index, rows, sums = _cut(entries, end)
        shape = self.sizes.shape
        sizes = np.diff(start).reshape(shape)
        return SketchTally(self.names, self.classes, self.limit, exponents.reshape(shape), sizes, index, rows, sums)

    def _binned(self) -> Binned:
        return self.exponents.ravel(), self.start, self.index, self.rows, self.sums

    def _by_cell(self, entries: Bools) -> Counts:
        """Count the entries that are true in each class and column."""
        return np.diff(np.concatenate(([0], np.cumsum(entries)))[self.start]).reshape(self.sizes.shape)

    def _without(self, dropped: Bools) -> SketchTally:
        """Return the sketch without some of its entries, and without what then has none."""
        if not dropped.any():
            return self
        sizes = self.sizes - self._by_cell(dropped)
        exponents = np.where(sizes > 0, self.exponents, LOWEST)
        index, rows, sums = self.index[~dropped], self.rows[~dropped], self.sums[~dropped]
        return SketchTally(self.names, self.classes, self.limit, exponents, sizes, index, rows, sums)._supported()

    def _supported(self) -> SketchTally:
        kept = (self.sizes > 0).any(axis=1, keepdims=True).ravel()
        if kept.all():
            return self
        classes = self.classes.keep(kept)
        return replace(self, classes=classes, exponents=self.exponents[kept], sizes=self.sizes[kept])


def _room_for(entries: int) -> tuple[Counts, Counts, Floats]:
    """Return bins, rows and sums yet to be written.

    They lie in pages of their own, of which only those take memory that are written to, and all are given back at once.
    """
    pages = mmap(-1, 48 * max(entries, 1))
    index, rows = (np.frombuffer(pages, np.int64, entries, at) for at in (0, 8 * entries))
    return index, rows, np.frombuffer(pages, np.float64, 4 * entries, 16 * entries).reshape(entries, 4)


def _cut(arrays: tuple[Counts, Counts, Floats], end: int) -> tuple[Counts, Counts, Floats]:
    """Return what was written; the rest was never touched."""
    index, rows, sums = arrays
    return index[:end], rows[:end], sums[:end]


def _sensible(limit: object) -> bool:
    return isinstance(limit, int) and not isinstance(limit, bool) and 2 <= limit <= 2**20
