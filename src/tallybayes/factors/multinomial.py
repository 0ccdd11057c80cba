"""Columns of counts that are parts of one whole: the terms of a document, thrown as a die of many faces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Conditional, Factor, logarithm, poisson
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
        return MultinomialConditional(self.names, np.ascontiguousarray(log_prob.T), lengths)


@dataclass(frozen=True, eq=False)
class MultinomialConditional(Conditional):
    """Estimated log q, shape (columns, classes), and the mean number of tokens of a row of each class."""

    names: tuple[Name, ...]
    log_prob: Floats
    lengths: Floats

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        x = batch.terms(self.names)
        if sparse.issparse(x):
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

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        """Draw rows whose numbers of tokens are Poisson, with the mean of the class."""
        drawn = poisson(self.lengths[classes][:, None] * np.exp(self.log_prob.T[classes]), rng)
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {name: {"share": line} for name, line in zip(self.names, np.exp(self.log_prob).tolist(), strict=True)}
