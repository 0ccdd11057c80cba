"""How often each value of each categorical column occurs, by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallybayes._types import Bools, Counts, Floats, Name
from tallybayes.kernels.counting import count_codes, count_weighted_codes
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted, not_in, same_columns
from tallybayes.tallies.layout import checked, damaged, plain_values, require, spread, stored_classes, stored_names


def slot_starts(values: Sequence[Values]) -> Counts:
    """Return where the slots of each column begin: one for a missing cell, then one for each value."""
    return np.concatenate(([0], np.cumsum([len(v) + 1 for v in values], dtype=np.int64)))


@dataclass(frozen=True, eq=False)
class CountTally(Tally):
    """One table a column, all of them stacked: shape (slots, classes).

    The slots of a column are one for its missing cells, and then one for each of its values in order.
    """

    names: tuple[Name, ...]
    classes: Values
    values: tuple[Values, ...]
    rows: Counts
    weights: Floats

    @classmethod
    def empty(cls, names: Sequence[Name]) -> CountTally:
        """Return the tally of no rows."""
        p = len(names)
        return cls(tuple(names), Values(), (Values(),) * p, np.zeros((p, 0), np.int64), np.zeros((p, 0)))

    @cached_property
    def start(self) -> Counts:
        """Where the slots of each column begin, and one past the last."""
        return slot_starts(self.values)

    def count(self, batch: Batch) -> CountTally:
        labels, block = batch.labels, batch.codes(self.names)
        start = slot_starts(block.values)
        rows = np.zeros((int(start[-1]), len(labels.values)), np.int64)
        if batch.weights is None:
            count_codes(block.codes, block.low, start, labels.codes, rows)
            weights = rows.astype(np.float64)
        else:
            weights = np.zeros(rows.shape)
            count_weighted_codes(block.codes, block.low, start, labels.codes, batch.weights, rows, weights)
        return CountTally(self.names, labels.values, block.values, rows, weights)._supported()

    def __add__(self, other: CountTally) -> CountTally:
        other = other.like(self)
        if self.classes == other.classes and self.values == other.values:
            rows, weights = self.rows + other.rows, self.weights + other.weights
            return CountTally(self.names, self.classes, self.values, rows, weights)
        labels, here, there = self.classes.union(other.classes)
        united = [a.union(b) for a, b in zip(self.values, other.values, strict=True)]
        values = tuple(v for v, _, _ in united)
        ours = _slots(values, [places for _, places, _ in united])
        theirs = _slots(values, [places for _, _, places in united])
        size, k = int(slot_starts(values)[-1]), len(labels)
        rows = spread(spread(self.rows, 1, here, k), 0, ours, size)
        rows = rows + spread(spread(other.rows, 1, there, k), 0, theirs, size)
        weights = spread(spread(self.weights, 1, here, k), 0, ours, size)
        weights = weights + spread(spread(other.weights, 1, there, k), 0, theirs, size)
        return CountTally(self.names, labels, values, rows, weights)

    def __sub__(self, other: CountTally) -> CountTally:
        other = other.like(self)
        for name, ours, theirs in zip(self.names, self.values, other.values, strict=True):
            for value, place in zip(theirs, theirs.places_in(ours), strict=True):
                if place < 0:
                    raise never_counted(f"column {name!r} never had the value {value!r}")
        for label in other.classes:
            if label not in self.classes:
                raise never_counted(f"class {label!r} was never seen")
        theirs_in_ours = other.aligned(self.classes, self.values)
        rows = self.rows - theirs_in_ours.rows
        if (rows < 0).any():
            slot, c = np.argwhere(rows < 0)[0]
            j = int(np.searchsorted(self.start, slot, "right")) - 1
            raise never_counted(f"column {self.names[j]!r} of class {self.classes[c]!r} has fewer rows than that")
        odd = not_in(self.weights, theirs_in_ours.weights, rows)
        if odd.any():
            slot, c = np.argwhere(odd)[0]
            j = int(np.searchsorted(self.start, slot, "right")) - 1
            raise never_counted(
                f"the rows of column {self.names[j]!r} and class {self.classes[c]!r} have other weights"
            )
        weights = np.where(rows > 0, np.maximum(self.weights - theirs_in_ours.weights, 0.0), 0.0)
        return CountTally(self.names, self.classes, self.values, rows, weights)._supported()

    def arranged(self, names: Sequence[Name]) -> CountTally:
        order = same_columns(names, self.names)
        if order is None:
            return self
        slots = np.concatenate([np.arange(self.start[j], self.start[j + 1]) for j in order.tolist()])
        values = tuple(self.values[j] for j in order.tolist())
        return CountTally(tuple(names), self.classes, values, self.rows[slots], self.weights[slots])

    def aligned(self, classes: Values, values: Sequence[Values]) -> CountTally:
        """Return the tally laid out by other classes and values; what was never seen has zeros."""
        places = [a.places_in(b) for a, b in zip(self.values, values, strict=True)]
        slots, size = _slots(values, places), int(slot_starts(values)[-1])
        columns = self.classes.places_in(classes)
        rows = spread(spread(self.rows, 1, columns, len(classes)), 0, slots, size)
        weights = spread(spread(self.weights, 1, columns, len(classes)), 0, slots, size)
        return CountTally(self.names, classes, tuple(values), rows, weights)

    def state(self) -> State:
        header = {
            "names": list(self.names),
            "classes": list(self.classes),
            "values": [list(v) for v in self.values],
        }
        return State(header, {"rows": self.rows, "weights": self.weights})

    @classmethod
    def from_state(cls, state: State) -> CountTally:
        names, labels = stored_names(state), stored_classes(state)
        lists = state.header.get("values")
        if not isinstance(lists, list) or len(lists) != len(names):
            raise damaged("a table of counts has no list of values")
        values = tuple(plain_values(items, "values") for items in lists)
        shape = (int(slot_starts(values)[-1]), len(labels))
        rows, weights = checked(state, "rows", shape, np.int64), checked(state, "weights", shape)
        tally = cls(names, labels, values, rows, weights)
        require(tally._supported() is tally and not weights[rows == 0].any(), "a table of counts has rows and weights")
        return tally

    def agrees(self, classes: Values, rows: Counts) -> bool:
        if not self.names:
            return True
        # As floats, which do not overflow; each row has one slot of each column.
        total = np.add.reduceat(self.rows, self.start[:-1], axis=0, dtype=np.float64)
        return self.classes == classes and bool((total == rows).all())

    def _supported(self) -> CountTally:
        """Drop the values and the classes that no row supports."""
        kept = self.rows.sum(axis=1) > 0
        kept[self.start[:-1]] = True  # the slot for missing cells stays
        classes: Bools = self.rows.sum(axis=0) > 0
        if kept.all() and classes.all():
            return self
        bounds = zip(self.start[:-1] + 1, self.start[1:], strict=True)
        values = tuple(v.keep(kept[a:b]) for v, (a, b) in zip(self.values, bounds, strict=True))
        rows, weights = self.rows[np.ix_(kept, classes)], self.weights[np.ix_(kept, classes)]
        return CountTally(self.names, self.classes.keep(classes), values, rows, weights)


def _slots(values: Sequence[Values], places: Sequence[Counts]) -> Counts:
    """Return the new slot of each old one, given the new code of each old value of each column."""
    parts: list[Counts] = []
    for begin, codes in zip(slot_starts(values)[:-1], places, strict=True):
        parts.append(np.concatenate(([begin], np.where(codes >= 0, begin + 1 + codes, -1))))
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
