"""Weight, mean and squared deviations of numeric columns, by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallybayes._types import Counts, Floats, Name
from tallybayes.errors import ValueRangeError
from tallybayes.kernels import moments as kernel
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted, same_columns
from tallybayes.tallies.layout import aligner, checked, require, spread, stored_classes, stored_names


@dataclass(frozen=True, eq=False)
class MomentTally(Tally):
    """The moments of a block of columns, in double-double; missing cells leave no trace.

    Attributes
    ----------
    rows
        How many rows have the column, shape (classes, columns).
    moments
        Shape (6, classes, columns): the high and low parts of the weight, the mean and M2, the sum of
        squared deviations from the mean. See `tallybayes.kernels.moments`.
    """

    names: tuple[Name, ...]
    classes: Values
    rows: Counts
    moments: Floats

    @classmethod
    def empty(cls, names: Sequence[Name]) -> MomentTally:
        """Return the tally of no rows."""
        shape = (0, len(names))
        return cls(tuple(names), Values(), np.zeros(shape, np.int64), np.zeros((6, *shape)))

    @property
    def weight(self) -> Floats:
        """The sum of weights, shape (classes, columns)."""
        weight: Floats = self.moments[0] + self.moments[1]
        return weight

    @property
    def mean(self) -> Floats:
        """The means, shape (classes, columns); 0 where no row has the column."""
        mean: Floats = self.moments[2] + self.moments[3]
        return mean

    @property
    def deviations(self) -> Floats:
        """M2, the sums of squared deviations from the mean, shape (classes, columns)."""
        deviations: Floats = self.moments[4] + self.moments[5]
        return deviations

    def count(self, batch: Batch) -> MomentTally:
        labels = batch.labels
        x = batch.numbers(self.names)
        shape = (len(labels.values), len(self.names))
        rows, moments = np.zeros(shape, np.int64), np.zeros((6, *shape))
        weights = np.zeros(0) if batch.weights is None else batch.weights
        kernel.moments(x, weights, labels.codes, rows, moments)
        if not np.isfinite(moments).all():
            refuse_infinite(x, self.names, batch.first)
            j = int(np.argmin(np.isfinite(moments).all(axis=(0, 1))))
            largest = np.nanmax(np.abs(x[:, j]))
            raise ValueRangeError(
                f"Column {self.names[j]!r} has numbers whose squares overflow, up to {largest:g}. Scale it down."
            )
        return MomentTally(self.names, labels.values, rows, moments)._supported()

    def __add__(self, other: MomentTally) -> MomentTally:
        other = other.like(self)
        values, here, there = self.classes.union(other.classes)
        ours = spread(self.moments, 1, here, len(values))
        theirs = spread(other.moments, 1, there, len(values))
        moments = np.zeros_like(ours)
        kernel.merge(ours, theirs, moments)
        rows = spread(self.rows, 0, here, len(values)) + spread(other.rows, 0, there, len(values))
        return MomentTally(self.names, values, rows, moments)

    def __sub__(self, other: MomentTally) -> MomentTally:
        other = other.like(self)
        both, _, _ = self.classes.union(other.classes)
        if both != self.classes:
            raise never_counted(f"class {both.keep(both.places_in(self.classes) < 0)[0]!r} was never seen")
        put = aligner(other.classes, self.classes, 0)
        rows = self.rows - put(other.rows)
        if (rows < 0).any():
            c, j = np.argwhere(rows < 0)[0]
            raise never_counted(f"column {self.names[j]!r} of class {self.classes[c]!r} has fewer rows than that")
        moments = np.zeros_like(self.moments)
        theirs = aligner(other.classes, self.classes, 1)(other.moments)
        odd = kernel.take_out(self.moments, theirs, rows, moments)
        if odd >= 0:
            c, j = divmod(odd, len(self.names))
            raise never_counted(f"column {self.names[j]!r} of class {self.classes[c]!r} has other numbers or weights")
        return MomentTally(self.names, self.classes, rows, moments)._supported()

    def arranged(self, names: Sequence[Name]) -> MomentTally:
        order = same_columns(names, self.names)
        if order is None:
            return self
        return MomentTally(tuple(names), self.classes, self.rows[:, order], self.moments[:, :, order])

    def aligned(self, classes: Values) -> MomentTally:
        """Return the tally laid out by other classes; one that was never seen has zeros."""
        put_rows, put_moments = aligner(self.classes, classes, 0), aligner(self.classes, classes, 1)
        return MomentTally(self.names, classes, put_rows(self.rows), put_moments(self.moments))

    def pooled(self) -> MomentTally:
        """Return the tally of all classes together, as one class."""
        one = Values([0])
        total = MomentTally.empty(self.names)
        for c in range(len(self.classes)):
            total = total + MomentTally(self.names, one, self.rows[c : c + 1], self.moments[:, c : c + 1])
        return total.aligned(one)

    def state(self) -> State:
        header = {"names": list(self.names), "classes": list(self.classes)}
        return State(header, {"rows": self.rows, "moments": self.moments})

    @classmethod
    def from_state(cls, state: State) -> MomentTally:
        names, values = stored_names(state), stored_classes(state)
        shape = (len(values), len(names))
        moments = checked(state, "moments", (6, *shape), signed=True)
        tally = cls(names, values, checked(state, "rows", shape, np.int64), moments)
        require(tally._sound(), "a tally has moments")
        return tally

    def agrees(self, classes: Values, rows: Counts) -> bool:
        places = self.classes.places_in(classes)
        return bool((places >= 0).all() and (self.rows <= rows[places, None]).all())

    def _sound(self) -> bool:
        """Whether the numbers can be those of rows."""
        high, low = self.moments[::2], self.moments[1::2]
        weight, _, deviations = high
        return bool(
            self._supported() is self
            and not self.moments[:, self.rows == 0].any()
            and (weight >= 0.0).all()
            and (deviations >= 0.0).all()
            and not deviations[self.rows == 1].any()
            and (np.abs(low) <= 2.0**-40 * np.abs(high) + 1e-290).all()
        )

    def _supported(self) -> MomentTally:
        kept = self.rows.sum(axis=1) > 0
        if kept.all():
            return self
        return MomentTally(self.names, self.classes.keep(kept), self.rows[kept], self.moments[:, kept])
