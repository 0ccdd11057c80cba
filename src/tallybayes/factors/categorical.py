"""Categorical columns: a table of P(value | class)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count as numbers_from
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import ValueRangeError
from tallybayes.factors.base import Conditional, Factor, logarithm
from tallybayes.kernels.counting import add_looked_up
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
        counts = tally.aligned(classes, values).weights
        start = slot_starts(values)
        table = np.zeros(counts.shape)
        unseen = np.zeros((len(values), len(classes)))
        sizes = self.sizes(values)
        smoothing = np.broadcast_to(self.smoothing, len(values))
        for j, extra in enumerate(smoothing.tolist()):
            here = slice(start[j] + (0 if self.missing_is_value else 1), start[j + 1])
            size = sizes[j] + (self.missing_is_value and bool(counts[start[j]].any()))
            pooled = counts[here].sum(axis=1, keepdims=True)
            if size == 0 or pooled.sum() + extra == 0:
                continue  # the column was missing in every row and says nothing
            total = counts[here].sum(axis=0) + extra * size
            # A class that never has the column, without smoothing, has the distribution of all classes
            # together.
            lacking = total == 0
            count = np.where(lacking, pooled, counts[here])
            total = np.where(lacking, pooled.sum(), total)
            table[here] = logarithm((count + extra) / total)
            unseen[j] = logarithm(extra / total)
        return CategoricalConditional(self.names, classes, values, table, unseen, self.least is not None)

    def sizes(self, values: Sequence[Values]) -> list[int]:
        """Return how many values each column may take, given those declared and seen."""
        if self.least is None:
            return [len(v) for v in values]
        refuse_negative_codes(self.names, values)
        least = np.broadcast_to(self.least, len(values)).tolist()
        return [max(few, max(code_places(v), default=-1) + 1) for v, few in zip(values, least, strict=True)]


@dataclass(frozen=True, eq=False)
class CategoricalConditional(Conditional):
    """An estimated table; `log_table` has the slots of `CountTally`, `log_unseen` a line for each column."""

    names: tuple[Name, ...]
    classes: Values
    values: tuple[Values, ...]
    log_table: Floats
    log_unseen: Floats
    are_codes: bool = False

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
