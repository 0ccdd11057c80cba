"""Moments of numeric columns by class and by the value of another column."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tallybayes._types import Counts, Floats, Name, Value
from tallybayes.schema.batch import Batch
from tallybayes.schema.coded import Labels
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally
from tallybayes.tallies.layout import damaged, require
from tallybayes.tallies.moments import MomentTally


@dataclass(frozen=True, eq=False)
class GivenTally(Tally):
    """The moments of a block of columns, by class and by the value of one more column.

    Rows in which that column is missing are not counted, unless a missing cell is a value.

    Attributes
    ----------
    given
        The column by whose values is counted.
    missing_is_value
        Whether a missing cell is one of them.
    moments
        The moments, whose "classes" are pairs of a class and a value, as `key` writes them.

    Examples
    --------
    >>> GivenTally.empty(["size"], "hue").moments.classes
    Values()
    """

    given: Name
    missing_is_value: bool
    moments: MomentTally

    @classmethod
    def empty(cls, names: Sequence[Name], given: Name, *, missing_is_value: bool = False) -> GivenTally:
        """Return the tally of no rows."""
        return cls(given, missing_is_value, MomentTally.empty(names))

    @property
    def names(self) -> tuple[Name, ...]:  # type: ignore[override]
        """The numeric columns."""
        return self.moments.names

    @property
    def classes(self) -> Values:  # type: ignore[override]
        """The classes that some row supports."""
        return Values(_pair(word)[0] for word in self.moments.classes)

    def count(self, batch: Batch) -> GivenTally:
        return self._with(self.moments.count(cast(Batch, _Paired(batch, self.labels(batch)))))

    def labels(self, batch: Batch) -> Labels:
        """Return the pair of each row, as a label."""
        own, block = batch.labels, batch.codes([self.given])
        values: list[Value | None] = [None, *block.values[0]]
        slots = np.maximum(block.codes[:, 0] - block.low[0] + 1, 0).astype(np.int64)
        used = (own.codes >= 0) & (self.missing_is_value | (slots > 0))
        found, codes = np.unique(own.codes[used] * len(values) + slots[used], return_inverse=True)
        words = [key(own.values[pair // len(values)], values[pair % len(values)]) for pair in found.tolist()]
        pairs = Values(words)
        all_codes = np.full(len(batch), -1)
        all_codes[used] = np.array([pairs.index[word] for word in words], np.int64)[codes]
        return Labels(all_codes, pairs)

    def __add__(self, other: GivenTally) -> GivenTally:
        return self._with(self.moments + other.like(self).moments)

    def __sub__(self, other: GivenTally) -> GivenTally:
        return self._with(self.moments - other.like(self).moments)

    def arranged(self, names: Sequence[Name]) -> GivenTally:
        return self._with(self.moments.arranged(names))

    def options(self) -> Mapping[str, Any]:
        return {"super-parent": self.given, "use of missing cells as values": self.missing_is_value}

    def table(self, classes: Values, values: Sequence[Value | None]) -> MomentTally:
        """Return the moments of all pairs of some classes and values, the classes slower."""
        pairs = [key(c, value) for c in classes for value in values]
        laid = self.moments.aligned(order := Values(pairs))
        places = np.array([order.index[pair] for pair in pairs], np.int64)
        return MomentTally(self.names, order, laid.rows[places], laid.moments[:, places])

    def state(self) -> State:
        inner = self.moments.state()
        header = {**inner.header, "given": self.given, "missing_is_value": self.missing_is_value}
        return State(header, inner.arrays)

    @classmethod
    def from_state(cls, state: State) -> GivenTally:
        given, missing = state.header.get("given"), state.header.get("missing_is_value")
        if type(given) not in (str, int) or type(missing) is not bool:
            raise damaged("the column by whose values moments are kept has no name")
        moments = MomentTally.from_state(state)
        for word in moments.classes:
            try:
                sound = isinstance(word, str) and key(*_pair(word)) == word
            except (ValueError, TypeError):
                sound = False
            require(sound, "moments are of pairs of a class and a value")
        return cls(cast(Name, given), missing, moments)

    def agrees(self, classes: Values, rows: Counts) -> bool:
        total = np.zeros((len(classes), len(self.names)))
        for own, word in zip(self.moments.rows, self.moments.classes, strict=True):
            place = classes.index.get(_pair(word)[0], -1)
            if place < 0:
                return False
            total[place] += own
        return bool((total <= rows[:, None]).all())

    def _with(self, moments: MomentTally) -> GivenTally:
        return GivenTally(self.given, self.missing_is_value, moments)


def key(label: Value, value: Value | None) -> str:
    """Return a class and a value as one text; equal ones have equal texts, whatever their types.

    Examples
    --------
    >>> key("ham", None), key(1.0, True) == key(1, 1)
    ('["ham", null]', True)
    """
    return json.dumps([_plain(label), _plain(value)])


def _plain(value: Value | None) -> Value | None:
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _pair(word: Value) -> tuple[Value, Value | None]:
    label, value = json.loads(str(word))
    return label, value


class _Paired:
    """A batch with other labels."""

    def __init__(self, batch: Batch, labels: Labels) -> None:
        self._batch = batch
        self.labels = labels
        self.weights: Floats | None = batch.weights
        self.first = batch.first

    def __len__(self) -> int:
        return len(self._batch)

    def numbers(self, names: Sequence[Name]) -> Floats:
        """Return the columns as the batch does."""
        return self._batch.numbers(names)
