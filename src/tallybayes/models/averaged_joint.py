"""Estimated averages over super-parents: log p(x, c), evidence, rows left out, and draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import logarithm
from tallybayes.factors.left_out import never_learned, own_rows
from tallybayes.kernels.aode import place_rows
from tallybayes.kernels.subsumption import pass_over
from tallybayes.models.averages import Averages, PlacedRows
from tallybayes.models.base import Joint
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.drawing import draw_family
from tallybayes.models.prior import Prior
from tallybayes.models.super_parents import CountedParents, states_of
from tallybayes.models.tree_joint import TreeJoint
from tallybayes.schema.batch import Batch

if TYPE_CHECKING:
    from tallybayes.models.aode import AveragedModel


class AveragedJoint(Joint):
    """Estimated averages.

    The scores of a row are divided by the number of its super-parents, so that they are log p(x, c) where all values
    are super-parents, however rare; else they are it but for a factor that all classes of the row have in common.

    Parameters
    ----------
    prior
        P(c).
    columns
        What was counted.
    model
        What is averaged, and how.
    lazy
        Whether shares are worked out row by row; None leaves it to the number of rows.
    """

    is_product = False

    def __init__(
        self, prior: ClassPrior, columns: CountedColumns, model: AveragedModel, *, lazy: bool | None = None
    ) -> None:
        self.classes = columns.classes
        self.names = columns.names
        self._prior = prior
        self._columns = columns
        self._model = model
        # A prior that is counted with the columns is smoothed like them.
        plain = prior if model.own_prior else replace(prior, prior=Prior("empirical", columns.smoothing))
        self._plain = plain
        parents = CountedParents(columns, max(1, min(model.order, len(columns.names))))
        self._class_shares = np.exp(prior.log()) if model.own_prior else None
        self._lazy = lazy
        # Of two columns of which one has no values, the other one is left.
        self.averages = self._averages(parents if parents.members or parents.order == 1 else parents.below)
        self.log_prior = self._log_prior()

    # What is asked --------------------------------------------------------------------------------------

    def log_joint(self, batch: Batch) -> Floats:
        return self._scores(self._placed(batch), _Naive(self, batch))

    def contributions(self, batch: Batch) -> Floats:
        placed, naive = self._placed(batch), _Naive(self, batch)
        whole = self._scores(placed, naive)
        out = np.zeros((len(batch), len(self.names), len(self.classes)))
        for j in range(len(self.names)):
            rows = np.flatnonzero(placed.values[:, j] != -1)
            fewer = placed.pick(rows).without(j, int(self._starts[j]))
            with np.errstate(invalid="ignore"):  # nothing is taken from nothing where a class is impossible anyway
                change = whole[rows] - self._scores(fewer, naive.picked(rows, j))
            out[rows, j] = np.where(np.isnan(change), 0.0, change)
        return out

    def left_out(self, batch: Batch) -> Floats:
        placed = self._left_out(batch)
        out = self._scores(placed, _Naive(self, batch, left_out=True))
        learned = placed.own >= 0
        if np.isnan(out).any() or (placed.values[learned] == -2).any():
            raise never_learned("some values occur together more often than they were learned")
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        if self._model.own_prior or not len(self.averages.arrays.members):
            return self._plain.left_out(batch, self.log_prior)
        placed = self._left_out(batch)
        out = np.tile(self.log_prior, (len(batch), 1))
        learned = np.flatnonzero(placed.own >= 0)
        for rows in np.array_split(learned, len(learned) // 1024 + 1):
            some = placed.pick(rows)
            there = states_of(some.values, self.averages.arrays) >= 0
            taken = there[:, :, None] * (some.weights[:, None] * np.eye(len(self.classes))[some.own])[:, None]
            out[rows] = self._class_logs(self.averages.weights_for(some), taken)
        return out

    def left_out_contributions(self, batch: Batch) -> Floats:
        """Return the one part that the model has, which is no product: its log joint less the log prior."""
        with np.errstate(invalid="ignore"):
            part = self.left_out(batch) - self.left_out_log_prior(batch)
        return np.where(np.isnan(part), 0.0, part)[:, None]

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        return self.naive.digests()

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        places = np.full((len(classes), len(self.names)), -1)
        arrays, columns = self.averages.arrays, self.averages.parents.columns
        shares = self._group_shares(self.averages.weights, 0.0)[0]
        chosen = _draw(shares.T[classes], rng) if len(shares) else np.full(len(classes), -1)
        for g, group in enumerate(self.averages.parents.members):
            rows = np.flatnonzero(chosen == g)
            of_group = slice(int(arrays.state_start[g]), int(arrays.state_start[g + 1]))
            table = arrays.state_sums[of_group] + columns.smoothing
            table = np.where(table.sum(axis=0) > 0, table, 1.0)
            states = _draw(table.T[classes[rows]], rng)
            given = np.unravel_index(states, [self._columns.sizes[j] for j in group])
            for j in range(len(self.names)):
                if j in group:
                    places[rows, j] = given[group.index(j)]
                else:
                    places[rows, j] = draw_family(columns.family(j, group), given, classes[rows], rng)
        found = {}
        for j, name in enumerate(self.names):
            own = list(self._columns.tally.values[j])
            found[name] = np.array([*(own if self._columns.first[j] else [None, *own]), None], dtype=object)[
                places[:, j]
            ]
        return found

    @cached_property
    def naive(self) -> TreeJoint:
        """Naive Bayes, which answers the rows of which no value is a super-parent."""
        return TreeJoint(self._plain, self._columns, [None] * len(self.names))

    @cached_property
    def below(self) -> Averages:
        """The averages over single columns, for rows of which no two values were seen together often enough."""
        return self._averages(self.averages.parents.below)

    @property
    def superparents(self) -> tuple[tuple[Name, ...], ...]:
        """The super-parents, those first that say most of the class."""
        order = np.argsort(-self.averages.parents.information, kind="stable").tolist()
        members = self.averages.parents.members
        return tuple(tuple(self.names[j] for j in members[g]) for g in order)

    @property
    def edges(self) -> tuple[tuple[Name, Name], ...]:  # type: ignore[override]
        """Which column depends on which, where the super-parent is the one that says most of the class."""
        return self.edges_of(self.superparents[0]) if self.superparents else ()

    def edges_of(self, superparent: tuple[Name, ...]) -> tuple[tuple[Name, Name], ...]:
        """Return which column depends on which with one super-parent."""
        within = tuple((superparent[0], other) for other in superparent[1:])
        others = [name for name in self.names if name not in superparent]
        return within + tuple((above, name) for name in others for above in superparent)

    # How it is answered ---------------------------------------------------------------------------------

    def _averages(self, parents: CountedParents) -> Averages:
        model = self._model
        return Averages(parents, self._class_shares, model.min_count, weighted=model.weighted, lazy=self._lazy)

    def _scores(self, rows: PlacedRows, naive: _Naive) -> Floats:
        """Return the scores of placed rows: by pairs of columns, by single columns, or naive, as far as they go."""
        if self._model.subsumed is not None:
            rows = self._less_said(rows)
        out, there = self.averages.log_means(rows)
        rest = np.flatnonzero(~there)
        if len(rest) and self.averages.parents.order > 1:
            out[rest], answered = self.below.log_means(rows.pick(rest))
            rest = rest[~answered]
        if len(rest):
            out[rest] = naive.log_joint[rest]
        return out

    def _less_said(self, rows: PlacedRows) -> PlacedRows:
        """Return rows in which what other values imply takes no part."""
        singles = self.averages if self.averages.parents.order == 1 else self.below
        places, values = rows.places.copy(), rows.values.copy()
        group_of = np.full(len(self.names), -1)
        for g, (j,) in enumerate(singles.parents.members):
            group_of[j] = g
        least = max(self._model.subsumed or 0, 1)
        pass_over(singles.arrays, group_of, self._cell_rows, least, rows.own, places, values)
        return replace(rows, places=places, values=values)

    @cached_property
    def _cell_rows(self) -> Counts:
        singles = self.averages if self.averages.parents.order == 1 else self.below
        total: Counts = singles.arrays.rows.sum(axis=1)
        return total

    @cached_property
    def _starts(self) -> Counts:
        """Where the shares of each column begin in a line."""
        starts: Counts = 4 * np.cumsum([0, *(size + 2 for size in self._columns.sizes)])[:-1]
        return starts

    def _placed(self, batch: Batch) -> PlacedRows:
        block, p = batch.codes(self.names), len(self.names)
        maps = [self._columns.slot_map(j, values) for j, values in enumerate(block.values)]
        start = np.cumsum([0, *map(len, maps)])[:-1]
        slot_map = np.concatenate([np.zeros(0, np.int64), *maps])
        places, values = np.empty((len(batch), p), np.uint32), np.empty((len(batch), p + 1), np.int32)
        place_rows(block.codes, block.low, start, slot_map, self.averages.arrays.n_values, places, values)
        return PlacedRows(places, values, np.full(len(batch), -1), np.zeros(len(batch)), self.averages.prior)

    def _left_out(self, batch: Batch) -> PlacedRows:
        learned = own_rows(batch, self.classes)
        placed = self._placed(batch)
        placed.own[learned.rows], placed.weights[learned.rows] = learned.classes, learned.weights
        prior = np.exp(self._prior.left_out(batch, self.log_prior)) if self._model.own_prior else placed.prior
        return replace(placed, prior=prior, even=learned.even)

    # P(c) -----------------------------------------------------------------------------------------------

    def _log_prior(self) -> Floats:
        if self._model.own_prior or not len(self.averages.arrays.members):
            return self._plain.log()
        logs: Floats = self._class_logs(self.averages.weights, 0.0)[0]
        return logs

    def _class_logs(self, weights: Floats, taken: Floats | float) -> Floats:
        """Return log P(c), all columns being summed out, shape (rows, classes)."""
        shares: Floats = self._group_shares(weights, taken).sum(axis=1)
        return logarithm(shares / shares.sum(axis=1, keepdims=True))

    def _group_shares(self, weights: Floats, taken: Floats | float) -> Floats:
        """Return the part of each group in P(c), shape (rows, groups, classes), without what is taken out of it."""
        arrays, smoothing = self.averages.arrays, self._columns.smoothing
        states = np.diff(arrays.state_start)[:, None]
        if self._class_shares is not None:
            shares = np.broadcast_to(self._class_shares, arrays.totals.shape)[None]
        else:
            some = np.maximum(arrays.totals - taken, 0.0) + smoothing * states
            whole = some.sum(axis=-1, keepdims=True)
            shares = np.where(whole > 0, some, 1.0) / np.where(whole > 0, whole, len(self.classes))
            shares = shares[None] if shares.ndim == 2 else shares
        weighed: Floats = shares * weights[:, :, None]
        return weighed


@dataclass(eq=False)
class _Naive:
    """What naive Bayes says of rows, worked out where it is needed."""

    of: AveragedJoint
    batch: Batch
    rows: Counts | None = None
    column: int | None = None
    left_out: bool = False

    def picked(self, rows: Counts, column: int) -> _Naive:
        """Return the same of some rows, with a column summed out."""
        return _Naive(self.of, self.batch, rows, column)

    @cached_property
    def log_joint(self) -> Floats:
        joint = self.of.naive
        table = joint.left_out(self.batch) if self.left_out else joint.log_joint(self.batch)
        if self.column is not None:
            with np.errstate(invalid="ignore"):
                table = table - joint.contributions(self.batch)[:, self.column]
            table = np.where(np.isnan(table), -np.inf, table)
        return table if self.rows is None else table[self.rows]


def _draw(shares: Floats, rng: np.random.Generator) -> Counts:
    """Draw a place of each row in proportion to its entries."""
    cumulated = shares.cumsum(axis=1)
    drawn: Counts = (cumulated <= (rng.random(len(shares)) * cumulated[:, -1])[:, None]).sum(axis=1)
    last: Counts = np.minimum(drawn, shares.shape[1] - 1)
    return last
