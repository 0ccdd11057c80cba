"""Columns that are there or not: the presence of a term, a boolean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Conditional, Factor, logarithm, quotient
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
        rows = sums.present
        if self.style == "laplace":
            cells: float = 2.0
        else:
            ones, weight = sums.totals.sum(), sums.weights.sum()
            cells = len(self.names) * weight / ones if ones > 0 else np.inf
        extra = np.where(np.asarray(self.smoothing) > 0, cells * np.asarray(self.smoothing), 0.0)
        pooled = quotient(sums.totals.sum(axis=0), rows.sum(axis=0), 0.0)
        present = quotient(sums.totals + self.smoothing, rows + extra, pooled)
        # Counted from the zeros, so that 1 - p keeps its last digits where p is all but 1.
        zeros = rows - sums.totals + (extra - self.smoothing)
        with np.errstate(invalid="ignore"):  # infinite by infinite, where no row has any term
            absent = np.where(np.isfinite(zeros), quotient(zeros, rows + extra, 1.0 - pooled), 1.0)
        # A column that no row has says nothing.
        known = rows.sum(axis=0) > 0
        log_present = np.where(known, logarithm(present), 0.0)
        log_absent = np.where(known, logarithm(np.maximum(absent, 0.0)), 0.0)
        return BernoulliConditional(
            self.names,
            np.ascontiguousarray(log_present.T),
            np.ascontiguousarray(log_absent.T),
            self.threshold,
        )


@dataclass(frozen=True, eq=False)
class BernoulliConditional(Conditional):
    """Estimated log P(1 | c) and log P(0 | c), shape (columns, classes)."""

    names: tuple[Name, ...]
    log_present: Floats
    log_absent: Floats
    threshold: float | None

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

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        probability = np.exp(self.log_present.T[classes])
        drawn = rng.random(probability.shape) < probability
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {
            name: {"probability": line}
            for name, line in zip(self.names, np.exp(self.log_present).tolist(), strict=True)
        }
