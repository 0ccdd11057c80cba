"""How many rows each class has: the tally behind the prior."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tallybayes._types import Counts, Floats, Name
from tallybayes.kernels.counting import count_labels, count_weighted_labels
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted, not_in
from tallybayes.tallies.layout import MOST_ROWS, aligner, checked, require, stored_classes

HEAVIEST = 1e120
"""The most that all weights of a stored tally may sum to; a fold is refused long before."""


def count_classes(batch: Batch) -> tuple[Counts, Floats]:
    """Return the number of rows and the weight of each class of a batch."""
    labels = batch.labels
    rows = np.zeros(len(labels.values), np.int64)
    if batch.weights is None:
        count_labels(labels.codes, rows)
        return rows, rows.astype(np.float64)
    weights = np.zeros(len(rows))
    count_weighted_labels(labels.codes, batch.weights, rows, weights)
    return rows, weights


@dataclass(frozen=True, eq=False)
class ClassTally(Tally):
    """Rows and weight of each class.

    Attributes
    ----------
    rows, weights
        The number of rows of each class, and the sum of their weights.
    """

    classes: Values
    rows: Counts
    weights: Floats
    names: tuple[Name, ...] = field(default=(), init=False)

    @classmethod
    def empty(cls) -> ClassTally:
        """Return the tally of no rows."""
        return cls(Values(), np.zeros(0, np.int64), np.zeros(0))

    @property
    def n_rows(self) -> int:
        """How many rows were counted."""
        return int(self.rows.sum())

    def count(self, batch: Batch) -> ClassTally:
        return ClassTally(batch.labels.values, *count_classes(batch))._supported()

    def __add__(self, other: ClassTally) -> ClassTally:
        values, here, there = self.classes.union(other.classes)
        rows = np.zeros(len(values), np.int64)
        weights = np.zeros(len(values))
        rows[here] += self.rows
        rows[there] += other.rows
        weights[here] += self.weights
        weights[there] += other.weights
        return ClassTally(values, rows, weights)

    def __sub__(self, other: ClassTally) -> ClassTally:
        places = other.classes.places_in(self.classes)
        known = places >= 0
        rows = self.rows.copy()
        rows[places[known]] -= other.rows[known]
        if not known.all() or (rows < 0).any():
            short = [v for v, p in zip(other.classes, places, strict=True) if p < 0 or rows[p] < 0]
            raise never_counted(f"class {short[0]!r} has fewer rows than that")
        weights = self.weights.copy()
        weights[places] -= other.weights
        odd = not_in(self.weights, self.weights - weights, rows)
        if odd.any():
            raise never_counted(f"the rows of class {self.classes[int(np.argmax(odd))]!r} have other weights")
        return ClassTally(self.classes, rows, np.where(rows > 0, np.maximum(weights, 0.0), 0.0))._supported()

    def aligned(self, classes: Values) -> tuple[Counts, Floats]:
        """Return rows and weights by other classes; one that was never seen has zeros."""
        put = aligner(self.classes, classes, 0)
        return put(self.rows), put(self.weights)

    def state(self) -> State:
        return State({"classes": list(self.classes)}, {"rows": self.rows, "weights": self.weights})

    @classmethod
    def from_state(cls, state: State) -> ClassTally:
        values = stored_classes(state)
        shape = (len(values),)
        tally = cls(values, checked(state, "rows", shape, np.int64), checked(state, "weights", shape))
        require((tally.rows > 0).all(), "the classes have numbers of rows")
        require(tally.rows.sum(dtype=np.float64) <= MOST_ROWS, "the classes have numbers of rows")
        require(tally.weights.sum() <= HEAVIEST, "the classes have weights")
        return tally

    def _supported(self) -> ClassTally:
        kept = self.rows > 0
        if kept.all():
            return self
        return ClassTally(self.classes.keep(kept), self.rows[kept], self.weights[kept])
