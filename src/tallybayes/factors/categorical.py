"""Categorical columns: a table of P(value | class)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count as numbers_from
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name
from tallybayes.errors import ValueRangeError
from tallybayes.factors.base import Conditional, Factor, logarithm, quotient
from tallybayes.factors.left_out import OwnRows, never_learned, own_rows
from tallybayes.kernels.counting import add_looked_up
from tallybayes.kernels.left_out import own_shares
from tallybayes.schema.batch import Batch
from tallybayes.schema.coded import CodedBlock
from tallybayes.schema.values import Values
from tallybayes.tallies.counts import CountTally, slot_starts

MOST_VALUES = 10
"""How many values of a column a digest has."""


@dataclass(frozen=True)
class CategoricalFactor(Factor[CountTally]):
    """P(x_j = v | c) = (count + smoothing) / (rows of c that have x_j + smoothing * number of values).

    The values are those declared and those seen in any class; any other scores what a zero count scores.

    Attributes
    ----------
    smoothing
        Lambda, at least 0: 1 is Laplace's rule, 0 is maximum likelihood.
    declared
        Values that belong to the event space of a column whether or not a row has them.
    missing_is_value
        Whether a missing cell is a value like any other; else it is marginalised, which for a naive factor
        means that it is skipped.
    least
        For columns of codes from 0 on, how many of them there are at least; then the number of values is one
        more than the largest code. None for columns of any values.
    """

    smoothing: float | Floats = 1.0
    declared: Mapping[Name, Values] | None = None
    missing_is_value: bool = False
    least: int | Sequence[int] | None = None

    def tally(self) -> CountTally:
        return CountTally.empty(self.names)

    def estimate(self, tally: CountTally, classes: Values) -> CategoricalConditional:
        declared = self.declared or {}
        values = tuple(
            v.union(declared[name])[0] if name in declared else v
            for name, v in zip(tally.names, tally.values, strict=True)
        )
        counted = tally.aligned(classes, values)
        counts = counted.weights
        start = slot_starts(values)
        table = np.zeros(counts.shape)
        unseen = np.zeros((len(values), len(classes)))
        sizes = self.sizes(values)
        smoothing: Floats = np.broadcast_to(np.asarray(self.smoothing, dtype=np.float64), len(values))
        for j, extra in enumerate(smoothing.tolist()):
            here = slice(start[j] + (0 if self.missing_is_value else 1), start[j + 1])
            sizes[j] += self.missing_is_value and bool(counts[start[j]].any())
            pooled = counts[here].sum(axis=1, keepdims=True)
            if sizes[j] == 0 or pooled.sum() + extra == 0:
                continue  # the column was missing in every row and says nothing
            total = counts[here].sum(axis=0) + extra * sizes[j]
            # A class that never has the column, without smoothing, has the distribution of all classes
            # together.
            lacking = total == 0
            count = np.where(lacking, pooled, counts[here])
            total = np.where(lacking, pooled.sum(), total)
            table[here] = logarithm((count + extra) / total)
            unseen[j] = logarithm(extra / total)
        places = np.array(sizes, dtype=np.float64)
        return CategoricalConditional(
            self.names, classes, values, table, unseen, self.least is not None, counted, smoothing, places,
            self.missing_is_value,
        )  # fmt: skip

    def sizes(self, values: Sequence[Values]) -> list[int]:
        """Return how many values each column may take, given those declared and seen."""
        if self.least is None:
            return [len(v) for v in values]
        refuse_negative_codes(self.names, values)
        least = np.broadcast_to(self.least, len(values)).tolist()
        return [max(few, max(code_places(v), default=-1) + 1) for v, few in zip(values, least, strict=True)]


@dataclass(frozen=True, eq=False)
class CategoricalConditional(Conditional):
    """An estimated table.

    Attributes
    ----------
    log_table, log_unseen
        The logarithms of the shares, in the slots of `CountTally`, and of values never seen, a line for each column.
    are_codes
        Whether columns hold codes from 0 on.
    counted, extra, places, missing_is_value
        What the table was estimated from: the counts by these classes and values, what was added to each, for how many
        values of each column, and whether a missing cell is one of them.
    """

    names: tuple[Name, ...]
    classes: Values
    values: tuple[Values, ...]
    log_table: Floats
    log_unseen: Floats
    are_codes: bool
    counted: CountTally
    extra: Floats
    places: Floats
    missing_is_value: bool

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        block = batch.codes(self.names)
        start, table = self._table_for(block)
        add_looked_up(block.codes, block.low, start, table, out)

    def contributions(self, batch: Batch) -> Floats:
        block = batch.codes(self.names)
        start, table = self._table_for(block)
        slots = start[:-1] + np.maximum(block.codes - block.low + 1, 0)
        picked: Floats = table[slots]
        return picked

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        if self._pooled.any():
            super().add_left_out(batch, out)
            return
        own = own_rows(batch, self.classes)
        mine = out[own.cells][:, None]
        self._add_own(batch, own, mine, 0)
        self.add_log_prob(batch, out)
        out[own.cells] = mine[:, 0]

    def left_out_contributions(self, batch: Batch) -> Floats:
        own = own_rows(batch, self.classes)
        mine = np.zeros((len(own.rows), len(self.names)))
        self._add_own(batch, own, mine, 1)
        out = self.contributions(batch)
        slots = self._slots(batch.codes(self.names))[own.rows]
        sums, start = self.counted.weights.sum(axis=1), self.counted.start
        for j in np.flatnonzero(self._pooled.any(axis=1)).tolist():
            there = slots[:, j] >= start[j] + (not self.missing_is_value)
            left = np.maximum(sums[slots[:, j]] - own.weights, 0.0)
            alone = self._totals[0][j].sum() <= 1
            shares = logarithm(quotient(left, np.maximum(self._totals[1][j].sum() - own.weights, 0.0), 1.0))
            for c in np.flatnonzero(self._pooled[j]).tolist():
                out[own.rows, j, c] = np.where(there & ~alone, shares, 0.0)
        out[own.rows, :, own.classes] = mine
        return out

    @cached_property
    def _totals(self) -> tuple[Counts, Floats]:
        """The rows of each class that have each column, and their weight, shape (columns, classes)."""
        first, start = self._first, self.counted.start
        parts = [slice(a, b) for a, b in zip(first.tolist(), start[1:].tolist(), strict=True)]
        shape = (len(parts), len(self.classes))
        rows = np.array([self.counted.rows[part].sum(axis=0) for part in parts], np.int64).reshape(shape)
        return rows, np.array([self.counted.weights[part].sum(axis=0) for part in parts]).reshape(shape)

    @cached_property
    def _first(self) -> Counts:
        """The first slot of each column that says something."""
        return self.counted.start[:-1] + (not self.missing_is_value)

    @cached_property
    def _pooled(self) -> Bools:
        """Which classes have the shares of all together, shape (columns, classes)."""
        pooled: Bools = self._totals[1] + (self.extra * self.places)[:, None] == 0
        return pooled

    def _add_own(self, batch: Batch, own: OwnRows, out: Floats, apart: int) -> None:
        """Add what each row says of its own class without it, shape (rows, columns) or (rows, 1)."""
        block = batch.codes(self.names)
        odd = own_shares(
            block.codes, block.low, slot_starts(block.values), self._slot_of(block), own.rows, own.classes, own.weights,
            self.counted.rows, self.counted.weights, self._first, *self._totals, self.extra, self.places, out, apart,
        )  # fmt: skip
        if odd >= 0:
            raise never_learned(f"column {self.names[odd]!r} has a value more often than it was learned")

    def _slot_of(self, block: CodedBlock) -> Counts:
        """Return our slot of each slot of a block, -1 where there is none."""
        parts = []
        for begin, values, ours in zip(self.counted.start.tolist(), block.values, self.values, strict=False):
            places = values.places_in(ours)
            parts.append(np.concatenate(([begin], np.where(places >= 0, begin + 1 + places, -1))))
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _slots(self, block: CodedBlock) -> Counts:
        """Return our slot of each cell."""
        theirs = slot_starts(block.values)
        slots: Counts = self._slot_of(block)[theirs[:-1] + np.maximum(block.codes - block.low + 1, 0)]
        return slots

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        start = slot_starts(self.values)
        drawn: dict[Name, AnyArray] = {}
        for j, name in enumerate(self.names):
            probability = np.exp(self.log_table[start[j] + 1 : start[j + 1]])
            values = np.array([*self.values[j], None], dtype=object)
            cumulated = probability.cumsum(axis=0)
            # A missing cell is drawn where it has a share in the whole, and not where it is skipped or was never seen.
            top = np.exp(self.log_table[start[j]])
            if len(cumulated):
                top = np.where(cumulated[-1] < 1.0 - 1e-9, cumulated[-1] + top, cumulated[-1])
            u = rng.random(len(classes)) * top[classes]
            place = (cumulated[:, classes] <= u).sum(axis=0)
            drawn[name] = values[place]
        return drawn

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        start = slot_starts(self.values)
        digests = {}
        for j, (name, values) in enumerate(zip(self.names, self.values, strict=True)):
            probability = np.exp(self.log_table[start[j] + 1 : start[j + 1]])
            likeliest = np.argsort(-probability.sum(axis=1), kind="stable")[:MOST_VALUES].tolist()
            pairs = [[values[place], probability[place].tolist()] for place in likeliest]
            digests[name] = {"values": pairs, "distinct": len(values)}
        return digests

    def _table_for(self, block: CodedBlock) -> tuple[Counts, Floats]:
        """Return the table laid out by the values of a block, which may lack some of ours and have others."""
        if block.values == self.values:
            return slot_starts(self.values), self.log_table
        if self.are_codes:
            refuse_negative_codes(self.names, block.values)
        ours, theirs = slot_starts(self.values), slot_starts(block.values)
        table = np.empty((int(theirs[-1]), len(self.classes)))
        for j, values in enumerate(block.values):
            places = values.places_in(self.values[j])
            table[theirs[j]] = self.log_table[ours[j]]
            known = self.log_table[np.where(places >= 0, ours[j] + 1 + places, 0)]
            table[theirs[j] + 1 : theirs[j + 1]] = np.where(places[:, None] >= 0, known, self.log_unseen[j])
        return theirs, table


def code_places(values: Values) -> list[int]:
    """Return the place of each value of a column of codes: its own, and for texts and fractions one after them."""
    codes = [int(v) for v in values if isinstance(v, int)]
    after = numbers_from(max(codes, default=-1) + 1)
    return [int(v) if isinstance(v, int) else next(after) for v in values]


def refuse_negative_codes(names: Sequence[Name], values: Sequence[Values]) -> None:
    """Raise `ValueRangeError` for the first column of codes that has a negative one."""
    for name, seen in zip(names, values, strict=True):
        # The values are sorted, numbers first.
        if len(seen) and not isinstance(seen[0], str) and seen[0] < 0:
            raise ValueRangeError(
                f"Negative values in data: column {name!r} has the code {seen[0]}, and codes count from 0. "
                "Recode it, or use NaiveBayes, which takes any values."
            )
