"""p(x, c) = P(c) prod_j P(x_j | c, parents of x_j), where columns may have any number of parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import TooLargeError
from tallybayes.factors.left_out import OwnRows, never_learned, own_rows
from tallybayes.kernels.ladders import add_logs, each_log, fill_left_out, own_logs, read_slots
from tallybayes.models.base import Joint
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.hidden import Patterns
from tallybayes.models.ladders import FACTOR, HIERARCHICAL, Smoothing, ladders, stronger
from tallybayes.models.summing import Own, knot_logs
from tallybayes.schema.batch import Batch

MOST_VALUES = 10
"""How many values of a column a digest has."""


class GraphJoint(Joint):
    """An estimated graph without cycles.

    Parameters
    ----------
    prior
        P(c).
    columns
        What was counted: each column together with all of its parents.
    parents
        The parents of each column, the strongest first.
    order
        The columns, parents before their children.
    smoothing, factor
        How tables are smoothed, as `ladders` says.
    weight
        What the graph weighs, where it was chosen by weight.
    """

    is_product = False

    def __init__(
        self,
        prior: ClassPrior,
        columns: CountedColumns,
        parents: Sequence[Sequence[int]],
        order: Sequence[int],
        smoothing: Smoothing,
        factor: float = FACTOR,
        weight: float | None = None,
    ) -> None:
        self.weight = weight
        self.classes = columns.classes
        self.names = columns.names
        self.log_prior = prior.log()
        self.prior = prior
        self._columns = columns
        self.order = tuple(order)
        # A column without any value tells nothing apart.
        self.parents = tuple(tuple(i for i in those if columns.sizes[i]) for those in parents)
        self.edges = tuple((self.names[i], self.names[j]) for j, those in enumerate(self.parents) for i in those)
        self.ladders = ladders(columns, parents, smoothing, factor)

    def stronger(self, factor: float) -> GraphJoint:
        """Return the same with the strengths of its tables multiplied by a factor."""
        other = copy(self)
        other.__dict__.pop("_left_out", None)
        other.ladders = stronger(self.ladders, factor)
        return other

    def log_joint(self, batch: Batch) -> Floats:
        return self._log_joint(self.slots(batch))

    def contributions(self, batch: Batch) -> Floats:
        slots = self.slots(batch)
        whole = self._log_joint(slots)
        out = np.zeros((len(batch), len(self.names), len(self.classes)))
        for j in range(len(self.names)):
            rows = np.flatnonzero(slots[:, j] != 0)
            without = slots[rows]
            without[:, j] = 0
            rest = self._log_joint(without)
            # Where a class has probability zero with a column and without it, the column adds nothing.
            out[rows, j] = np.subtract(whole[rows], rest, out=np.zeros(rest.shape), where=~np.isneginf(rest))
        return out

    def left_out(self, batch: Batch) -> Floats:
        slots, learned, own = self._own(batch)
        out = self.left_out_log_prior(batch)
        whole = np.empty(len(slots), np.bool_)
        add_logs(slots, learned.classes, own, self.ladders, whole, out)
        self._add_knots(slots, whole, learned, out)
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        return self.prior.left_out(batch, self.log_prior)

    def left_out_contributions(self, batch: Batch) -> Floats:
        slots, learned, own = self._own(batch)
        return self._parts(slots, learned, own)

    def parts(self, batch: Batch) -> Floats:
        """Return the log factors, which add up with the prior to the log joint, shape (rows, columns, classes).

        What has to be summed out together stands with the first column that is summed out.
        """
        return self._parts(self.slots(batch), None, None)

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        found: dict[Name, Mapping[str, Any]] = {}
        for j, name in enumerate(self.names):
            shares = self._marginal(j)
            likeliest = np.argsort(-shares.sum(axis=1), kind="stable")[:MOST_VALUES].tolist()
            given = {"given": ", ".join(str(self.names[i]) for i in self.parents[j])} if self.parents[j] else {}
            values = self._values(j)
            pairs = [[values[place], shares[place].tolist()] for place in likeliest]
            found[name] = {**given, "values": pairs, "distinct": len(values)}
        return [("categorical", found)]

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        places: dict[int, Counts] = {}
        for j in self.order:
            e, line = self._columns.sizes[j], np.zeros(len(classes), np.int64)
            if not e:
                places[j] = np.full(len(classes), -1)
                continue
            for i in self.parents[j]:
                line = line * self._columns.sizes[i] + places[i]
            first = self.ladders.cell_start[j, len(self.parents[j])] + line * (e + 2) + 1
            cumulated = np.zeros(len(classes))
            drawn, top = np.zeros(len(classes), np.int64), rng.random(len(classes))
            for v in range(e - 1):  # so that it is the last value where sums are rounded
                cumulated += self.ladders.shares[first + v, classes]
                drawn += cumulated <= top
            places[j] = drawn
        values = [np.array([*self._values(j), None], dtype=object) for j in range(len(self.names))]
        return {name: values[j][places[j]] for j, name in enumerate(self.names)}

    def slots(self, batch: Batch) -> AnyArray:
        """Return the slot of each cell: 0 where it is summed out, one for each value, and one for any other."""
        block = batch.codes(self.names)
        maps = [self._columns.slot_map(j, values) for j, values in enumerate(block.values)]
        start = np.cumsum([0, *map(len, maps)])[:-1]
        most = max(self._columns.sizes, default=0) + 1
        slots: AnyArray = np.empty((len(batch), len(self.names)), np.uint8 if most < 2**8 else np.uint32)
        read_slots(block.codes, block.low, start, np.concatenate([np.zeros(0, np.int64), *maps]), slots)
        return slots

    def left_out_table(self, even: bool) -> Floats:
        """Return what cells say without one of their rows, or nothing where these do not all weigh 1."""
        return self._left_out if even else np.empty((0, len(self.classes)))

    @cached_property
    def _left_out(self) -> Floats:
        out = np.full(self.ladders.logs.shape, np.nan)
        fill_left_out(self.ladders, np.empty(self.ladders.shares.shape), out)
        return out

    def _marginal(self, j: int) -> Floats:
        """Return P(x_j | c), all others summed out; where that is too much, of the table of the column alone."""
        e = self._columns.sizes[j]
        slots: AnyArray = np.zeros((e, len(self.names)), np.int64)
        slots[:, j] = np.arange(1, e + 1)
        try:
            return np.exp(self._log_joint(slots, np.zeros(len(self.classes))))
        except TooLargeError:
            first = int(self.ladders.cell_start[j, 0]) + 1
            return self.ladders.shares[first : first + e]

    def _values(self, column: int) -> list[Any]:
        """Return the values of a column, None standing for a missing cell where it is one."""
        own = list(self._columns.tally.values[column])
        return own if self._columns.first[column] else [None, *own]

    @cached_property
    def _nobody(self) -> Floats:
        return np.empty((0, len(self.names)))

    def _log_joint(self, slots: AnyArray, log_prior: Floats | None = None) -> Floats:
        out: Floats = np.tile(self.log_prior if log_prior is None else log_prior, (len(slots), 1))
        whole = np.empty(len(slots), np.bool_)
        add_logs(slots, np.full(len(slots), -1), self._nobody, self.ladders, whole, out)
        self._add_knots(slots, whole, None, out)
        return out

    def _add_knots(self, slots: AnyArray, whole: AnyArray, learned: Own | None, out: Floats) -> None:
        """Add what has to be summed out to rows that are not whole."""
        for at, logs, _ in self._knots(slots, whole, learned):
            out[at] += logs

    def _knots(self, slots: AnyArray, whole: AnyArray, learned: Own | None) -> list[tuple[Counts, Floats, int]]:
        """Return rows, what a knot says of them, and its first column."""
        at = np.flatnonzero(~whole)
        found = []
        for knot, rows in Patterns(self.parents, self.order, self.ladders.n_values, slots[at]):
            here = at[rows]
            own = None if learned is None else learned.of(here)
            found.append((here, knot_logs(knot, slots[here], self.ladders, self.names, own), knot.hidden[0]))
        return found

    def _own(self, batch: Batch) -> tuple[AnyArray, Own, Floats]:
        """Return slots, what rows were learned with, and what each column says of those without them."""
        slots, rows = self.slots(batch), own_rows(batch, self.classes)
        own = np.empty((len(rows.rows), len(self.names)))
        none, table = np.zeros(len(rows.rows), np.int64), self.left_out_table(rows.even)
        odd = own_logs(slots, rows.rows, rows.classes, rows.weights, none, self.ladders, table, own)
        if odd >= 0:
            raise never_learned(f"column {self.names[odd]!r} has a value more often than it was learned")
        return slots, learned_of(rows, len(slots)), own

    def _parts(self, slots: AnyArray, learned: Own | None, own: Floats | None) -> Floats:
        out = np.empty((len(slots), len(self.names), len(self.classes)))
        whole = np.empty(len(slots), np.bool_)
        each_log(slots, self.ladders, whole, out)
        if learned is not None and own is not None:
            at = np.flatnonzero(learned.classes >= 0)
            out[at, :, learned.classes[at]] = own
        for at, logs, first in self._knots(slots, whole, learned):
            out[at, first] += logs
        return out


def leaning_tree(
    prior: ClassPrior, columns: CountedColumns, parents: Sequence[int | None], weight: float | None = None
) -> GraphJoint:
    """Return columns with at most one parent each, whose tables lean on those without it."""
    order = [j for j, above in enumerate(parents) if above is None]
    for i in order:  # which grows while it is read
        order += [j for j, above in enumerate(parents) if above == i]
    above = [() if i is None else (i,) for i in parents]
    return GraphJoint(prior, columns, above, order, HIERARCHICAL, weight=weight)


def learned_of(rows: OwnRows, n: int) -> Own:
    """Return the classes and weights of the rows of a batch, -1 and 1 where a row was not learned."""
    classes, weights = np.full(n, -1), np.ones(n)
    classes[rows.rows], weights[rows.rows] = rows.classes, rows.weights
    return Own(classes, weights, np.zeros(n, np.int64))
