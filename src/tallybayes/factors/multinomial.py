"""Columns of counts that are parts of one whole: the terms of a document, thrown as a die of many faces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name, is_sparse
from tallybayes.errors import LeaveOneOutError
from tallybayes.factors.base import Conditional, Factor, logarithm, poisson
from tallybayes.factors.left_out import less, never_learned, own_rows, too_much
from tallybayes.kernels.sums import add_products, add_sparse_products
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.sums import SumTally, refuse_negative


@dataclass(frozen=True)
class MultinomialFactor(Factor[SumTally]):
    """P(x | c) proportional to prod_j q_jc ** x_j, with q_jc in proportion to total_jc + smoothing.

    This is the probability of the tokens in a given order; the multinomial coefficient, the same for all
    classes, is left out. The tokens of a missing cell are left out, and the others scored as they stand.

    Attributes
    ----------
    smoothing
        Lambda, at least 0; one for all columns or one for each.
    """

    smoothing: float | Floats = 1.0

    def tally(self) -> SumTally:
        return SumTally.empty(self.names)

    def estimate(self, tally: SumTally, classes: Values) -> MultinomialConditional:
        sums = tally.aligned(classes)
        smoothed = sums.totals + self.smoothing
        whole = smoothed.sum(axis=1, keepdims=True)
        # A class without a single token, and no smoothing, has the terms of all classes together.
        pooled = sums.totals.sum(axis=0)
        smoothed = np.where(whole > 0, smoothed, pooled)
        whole = np.where(whole > 0, whole, pooled.sum() or 1.0)
        log_prob = logarithm(smoothed / whole)
        lengths = np.divide(sums.totals.sum(axis=1), sums.weights, out=np.zeros(len(classes)), where=sums.weights > 0)
        return MultinomialConditional(self.names, np.ascontiguousarray(log_prob.T), lengths, sums, self.smoothing)


@dataclass(frozen=True, eq=False)
class MultinomialConditional(Conditional):
    """Estimated log q, shape (columns, classes), and the mean number of tokens of a row of each class.

    `counted`, by the classes, and `smoothing` are what it was estimated from, None where it was not.
    """

    names: tuple[Name, ...]
    log_prob: Floats
    lengths: Floats
    counted: SumTally | None = None
    smoothing: float | Floats = 0.0

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        x = batch.terms(self.names)
        if is_sparse(x):
            if x.data.min(initial=0.0) < 0 or np.isinf(x.data).any():
                refuse_negative(x, self.names, batch.first)
            add_sparse_products(x.data, x.indices, x.indptr, self.log_prob, out)
        else:
            if x.min(initial=0.0) < 0 or np.isinf(x).any():
                refuse_negative(x, self.names, batch.first)
            add_products(x, self.log_prob, out)

    def contributions(self, batch: Batch) -> Floats:
        x = batch.numbers(self.names)[:, :, None]
        with np.errstate(invalid="ignore"):
            return np.where(np.isnan(x) | (x == 0), 0.0, x * self.log_prob)

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        before, entries = out.copy(), self._left_out(batch)
        self.add_log_prob(batch, out)
        for at, classes, _, logs in entries:
            rows, places = np.unique(at, return_inverse=True)
            said = np.bincount(places, logs, len(rows))
            own = classes[np.unique(places, return_index=True)[1]]
            out[rows, own] = before[rows, own] + said

    def left_out_contributions(self, batch: Batch) -> Floats:
        out = self.contributions(batch)
        for rows, classes, columns, logs in self._left_out(batch):
            out[rows, columns, classes] = logs
        return out

    def _left_out(self, batch: Batch) -> Iterator[tuple[Counts, Counts, Counts, Floats]]:
        """Yield what is otherwise without the rows: the row, class and column of cells, and what each then says."""
        sums = self.counted
        if sums is None:
            raise LeaveOneOutError("These weights were not estimated from counts, so that no row can be taken out.")
        own = own_rows(batch, sums.classes)
        x = batch.terms(self.names)
        if is_sparse(x):
            picked: Any = x[own.rows]
            row, column, value = (
                np.repeat(np.arange(len(own.rows)), np.diff(picked.indptr)),
                picked.indices,
                picked.data,
            )
        else:
            dense: Any = x
            row, column = np.nonzero(dense[own.rows])
            value = dense[own.rows[row], column]
        there = ~np.isnan(value) & (value != 0.0)
        row, column, value = row[there], column[there], value[there]
        added = own.weights[row] * value
        length = np.bincount(row, added, len(own.rows)).astype(np.float64)
        cells = np.bincount(row, minlength=len(own.rows))
        totals, supported = sums.totals, sums.rows
        classes = own.classes[row]
        odd = too_much(totals[classes, column], added, supported[classes, column])
        if odd.any():
            raise never_learned(f"column {self.names[int(column[odd][0])]!r} has a greater count than was learned")
        extra = np.broadcast_to(np.asarray(self.smoothing, dtype=np.float64), len(self.names))
        tokens, rest = totals.sum(axis=1), supported.sum(axis=1)
        # What a class has without the row, and what all classes together have, which stands in where that is nothing.
        whole = less(tokens[own.classes], length, rest[own.classes] - cells + 1) + extra.sum()
        everything = less(tokens.sum(), length, rest.sum() - cells + 1)
        pooled = less(totals.sum(axis=0)[column], added, supported.sum(axis=0)[column])
        share = logarithm(pooled / np.where(everything > 0, everything, 1.0)[row])
        left = less(totals[classes, column], added, supported[classes, column]) + extra[column]
        empty = whole[row] == 0.0
        logs = np.where(empty, share, logarithm(left / np.where(empty, 1.0, whole[row])))
        yield own.rows[row], classes, column, value * logs
        for c in np.flatnonzero(tokens + extra.sum() == 0).tolist():
            yield own.rows[row], np.full(len(row), c), column, value * share

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        """Draw rows whose numbers of tokens are Poisson, with the mean of the class."""
        drawn = poisson(self.lengths[classes][:, None] * np.exp(self.log_prob.T[classes]), rng)
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {name: {"share": line} for name, line in zip(self.names, np.exp(self.log_prob).tolist(), strict=True)}
