"""Columns that are there or not: the presence of a term, a boolean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Conditional, Factor, logarithm, quotient
from tallybayes.factors.left_out import OwnRows, less, never_learned, own_rows, portions_of, too_much
from tallybayes.kernels.sums import add_events, add_sparse_events
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.sums import SumTally, above, events

Style = Literal["laplace", "sparse"]
STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True)
class BernoulliFactor(Factor[SumTally]):
    """P(x_j = 1 | c) = (m + smoothing) / (n + k * smoothing), with m of the n rows of c having x_j.

    For ``style="laplace"`` k is 2, the number of values of x_j. For ``style="sparse"`` it is d / d_a, where d
    is the number of columns and d_a the mean number of ones in a training row, so that what was never seen
    has the probability that a term has on average (Aggarwal, *Machine Learning for Text*, 2018, section 5.3).

    Attributes
    ----------
    smoothing
        Gamma, at least 0; one for all columns or one for each.
    threshold
        A cell is 1 where it is above; None where the cells are 0 and 1 already.
    """

    smoothing: float | Floats = 1.0
    style: Style = "laplace"
    threshold: float | None = 0.0

    def tally(self) -> SumTally:
        return SumTally.empty(self.names, self.threshold)

    def estimate(self, tally: SumTally, classes: Values) -> BernoulliConditional:
        sums = tally.aligned(classes)
        cells = self.cells(sums.totals.sum(), sums.weights.sum())
        log_present, log_absent = self.logs(sums.totals, zeros_of(sums), sums.present, cells)
        return BernoulliConditional(
            self.names,
            np.ascontiguousarray(log_present.T),
            np.ascontiguousarray(log_absent.T),
            self.threshold,
            self,
            sums,
        )

    def cells(self, ones: Floats, weight: Floats) -> Floats:
        """Return k, from the weights of all ones and of all rows."""
        if self.style == "laplace":
            return np.full(np.shape(ones), 2.0)
        return quotient(len(self.names) * np.asarray(weight), np.asarray(ones), np.inf)

    def logs(self, totals: Floats, zeros: Floats, rows: Floats, cells: Floats) -> tuple[Floats, Floats]:
        """Return log P(1 | c) and log P(0 | c), from the weights of ones, zeros and rows.

        These have the shape (..., classes, columns), and `cells` the shape (...).
        """
        smoothing, cells = np.asarray(self.smoothing, dtype=np.float64), np.asarray(cells)[..., None, None]
        with np.errstate(invalid="ignore"):  # infinite by nothing
            extra = np.where(smoothing > 0, cells * smoothing, 0.0)
        every = rows.sum(axis=-2)
        pooled, rest = (quotient(s.sum(axis=-2), every, no)[..., None, :] for s, no in ((totals, 0.0), (zeros, 1.0)))
        present = quotient(totals + smoothing, rows + extra, pooled)
        # Counted from the zeros, so that 1 - p keeps its last digits where p is all but 1.
        zeros = zeros + (extra - smoothing)
        with np.errstate(invalid="ignore"):  # infinite by infinite, where no row has any term
            absent = np.where(np.isfinite(zeros), quotient(zeros, rows + extra, rest), 1.0)
        # A column that no row has says nothing.
        known = rows.sum(axis=-2, keepdims=True) > 0
        log_present = np.where(known, logarithm(present), 0.0)
        return log_present, np.where(known, logarithm(np.maximum(absent, 0.0)), 0.0)


def zeros_of(sums: SumTally) -> Floats:
    """Return the weight of the zeros by class and column; where no row has one, rounding leaves nothing."""
    zeros = sums.present - sums.totals
    none = (sums.n_rows[:, None] - sums.absent_rows == sums.rows) & (np.abs(zeros) <= 1e-9 * sums.present)
    return np.where(none, 0.0, zeros)


@dataclass(frozen=True, eq=False)
class BernoulliConditional(Conditional):
    """Estimated log P(1 | c) and log P(0 | c), shape (columns, classes).

    `factor` and `counted`, by the classes, are what they were estimated by and from.
    """

    names: tuple[Name, ...]
    log_present: Floats
    log_absent: Floats
    threshold: float | None
    factor: BernoulliFactor
    counted: SumTally

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        x = events(batch, self.names, self.threshold)
        if sparse.issparse(x):
            add_sparse_events(x.data, x.indices, x.indptr, self.log_absent, self.log_present, out)
        else:
            add_events(x, self.log_absent, self.log_present, out)

    def contributions(self, batch: Batch) -> Floats:
        dense: Any = above(batch.numbers(self.names), self.threshold)
        x = dense[:, :, None]
        return np.where(np.isnan(x), 0.0, np.where(x != 0, self.log_present, self.log_absent))

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        before = out.copy()
        self.add_log_prob(batch, out)
        own = own_rows(batch, self.counted.classes)
        cells: Any = events(batch, self.names, self.threshold)
        x = cells[own.rows]
        if self._only_own:
            said = self._own_sums(x, own) if sparse.issparse(x) else self._own(x, own).sum(axis=1)
            out[own.cells] = before[own.cells] + said
            return
        for part in portions_of(len(own.rows), self.log_present.size):
            some = x[part]
            dense = some.toarray() if isinstance(some, sparse.csr_array) else some
            said = self._without(dense, own.classes[part], own.weights[part, None]).sum(axis=1)
            out[own.rows[part]] = before[own.rows[part]] + said

    def left_out_contributions(self, batch: Batch) -> Floats:
        out = self.contributions(batch)
        own = own_rows(batch, self.counted.classes)
        dense: Any = above(batch.numbers(self.names), self.threshold)
        x = dense[own.rows]
        if self._only_own:
            out[own.rows, :, own.classes] = self._own(x, own)
            return out
        for part in portions_of(len(x), self.log_present.size):
            out[own.rows[part]] = self._without(x[part], own.classes[part], own.weights[part, None])
        return out

    @property
    def _only_own(self) -> bool:
        """Whether a row matters to its own class alone."""
        sums = self.counted
        several = sums.n_rows.sum() - sums.absent_rows.sum(axis=0) > 1  # else the column is unknown without the row
        smoothed = (np.asarray(self.factor.smoothing) > 0).all()
        return self.factor.style == "laplace" and bool(smoothed and several.all())

    def _groups(self, own: OwnRows) -> tuple[list[tuple[float, float]], Counts]:
        """Return the classes and weights that rows have, and which of these each row has."""
        pairs, which = np.unique(np.stack((own.classes, own.weights), axis=1), axis=0, return_inverse=True)
        return [(c, weight) for c, weight in pairs.tolist()], which.ravel()

    def _tables(self, c: int, weight: float) -> tuple[Floats, Floats]:
        """Return log P(1 | c) and log P(0 | c) without a row of a weight that has a 1, or a 0; NaN if there is none."""
        sums, smoothing = self.counted, np.asarray(self.factor.smoothing)
        rows = sums.n_rows[c] - sums.absent_rows[c]
        whole = less(sums.present[c], weight, rows) + 2.0 * smoothing
        ones = less(sums.totals[c], weight, sums.rows[c]) + smoothing
        zeros = less(zeros_of(sums)[c], weight, rows - sums.rows[c]) + smoothing
        no_one = too_much(sums.totals[c], weight, sums.rows[c])
        no_zero = too_much(zeros_of(sums)[c], weight, rows - sums.rows[c])
        known = sums.n_rows.sum() - sums.absent_rows.sum(axis=0) > 1  # of a column that no other row has, nothing is
        present, absent = (np.where(known, np.log(share / whole), 0.0) for share in (ones, zeros))
        return np.where(no_one, np.nan, present), np.where(no_zero, np.nan, absent)

    def _own(self, x: Floats, own: OwnRows) -> Floats:
        """Return what each row says of its own class without itself, shape (rows, columns)."""
        said = np.zeros(x.shape)
        groups, which = self._groups(own)
        for g, (c, weight) in enumerate(groups):
            rows = np.flatnonzero(which == g)
            present, absent = self._tables(int(c), weight)
            said[rows] = np.where(x[rows] != 0, present, absent)
        said[np.isnan(x)] = 0.0
        self._refuse(np.isnan(said).any(axis=0))
        return said

    def _own_sums(self, x: Any, own: OwnRows) -> Floats:
        """Return the same for a sparse matrix, added up over the columns."""
        said = np.zeros(x.shape[0])
        groups, which = self._groups(own)
        for g, (c, weight) in enumerate(groups):
            rows = np.flatnonzero(which == g)
            present, absent = self._tables(int(c), weight)
            some = x[rows]
            stored = some.data != 0
            column, value = some.indices[stored], some.data[stored]
            row = np.repeat(np.arange(len(rows)), np.diff(some.indptr))[stored]
            # A column that has no zero in the class must be stored in each of its rows.
            full = np.isnan(absent)
            lacking = int(full.sum()) - np.bincount(row, full[column], len(rows))
            ones = np.where(np.isnan(value), 0.0, present[column])
            absent = np.where(full, 0.0, absent)
            self._refuse(np.isin(np.arange(len(full)), column[np.isnan(ones)]) | (full & bool((lacking > 0).any())))
            said[rows] = absent.sum() + np.bincount(row, ones - absent[column], len(rows))
        return said

    def _refuse(self, odd: Any) -> None:
        if odd.any():
            raise never_learned(f"column {self.names[int(np.argmax(odd))]!r} has a value more often than was learned")

    def _without(self, x: Floats, classes: Counts, weights: Floats) -> Floats:
        """Return what rows say without themselves, shape (rows, columns, classes), where that concerns all classes."""
        sums, each = self.counted, (np.arange(len(x)), classes)
        there = ~np.isnan(x)
        taken, ones = np.where(there, weights, 0.0), np.where(there & (x != 0), weights, 0.0)
        present = sums.n_rows[:, None] - sums.absent_rows
        self._refuse(
            (
                (there & too_much(sums.present[classes], taken, present[classes]))
                | ((ones > 0) & too_much(sums.totals[classes], ones, sums.rows[classes]))
            ).any(axis=0)
        )
        totals = np.repeat(sums.totals[None], len(x), axis=0)
        rows, zeros = (np.repeat(array[None], len(x), axis=0) for array in (sums.present, zeros_of(sums)))
        blank = present[classes] - sums.rows[classes]
        zeros[each] = less(zeros[each], taken - ones, blank + (taken == ones))
        totals[each] = less(totals[each], ones, sums.rows[classes] + (ones == 0))
        rows[each] = less(rows[each], taken, present[classes] + ~there)
        alone = sums.n_rows.sum() == 1
        weight = np.zeros(len(x)) if alone else sums.weights.sum() - weights[:, 0]
        log_present, log_absent = self.factor.logs(
            totals, zeros, rows, self.factor.cells(totals.sum(axis=(1, 2)), weight)
        )
        said = np.where((x != 0)[:, None], log_present, log_absent).swapaxes(-1, -2)
        return np.where(there[:, :, None], said, 0.0)

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        probability = np.exp(self.log_present.T[classes])
        drawn = rng.random(probability.shape) < probability
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {
            name: {"probability": line}
            for name, line in zip(self.names, np.exp(self.log_present).tolist(), strict=True)
        }
