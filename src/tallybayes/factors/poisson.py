"""Columns of counts, each with a rate of its own for each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name
from tallybayes.errors import ValueRangeError
from tallybayes.factors.base import Conditional, Factor, logarithm, poisson, quotient
from tallybayes.kernels.sums import add_products, add_sparse_products
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.sums import Cells, SumTally, refuse_negative


@dataclass(frozen=True)
class PoissonFactor(Factor[SumTally]):
    """P(x | c) = rate**x exp(-rate) / x!, with rate = (total + smoothing * m) / (rows + smoothing).

    m is the mean over all classes: the rates are drawn towards it as by `smoothing` rows more, which is the
    mean of the posterior under a gamma prior. A column that is 0 in every row has m = smoothing / (rows +
    smoothing).
    """

    smoothing: float = 1.0

    def tally(self) -> SumTally:
        return SumTally.empty(self.names)

    def estimate(self, tally: SumTally, classes: Values) -> PoissonConditional:
        sums = tally.aligned(classes)
        rows = sums.present
        total, everything = sums.totals.sum(axis=0), rows.sum(axis=0)
        seen = np.where(total > 0, total, self.smoothing)
        extra = np.where(total > 0, 0.0, self.smoothing)
        mean = quotient(seen, everything + extra, 0.0)
        rate = quotient(sums.totals + self.smoothing * mean, rows + self.smoothing, mean)
        known = everything > 0
        log_rate = np.where(known, logarithm(rate), 0.0)
        rate = np.where(known, rate, 0.0)
        return PoissonConditional(self.names, np.ascontiguousarray(rate.T), np.ascontiguousarray(log_rate.T), known)


@dataclass(frozen=True, eq=False)
class PoissonConditional(Conditional):
    """Estimated rates and their logarithms, shape (columns, classes); 0 where a column says nothing.

    A column that is not `known` was missing in every row.
    """

    names: tuple[Name, ...]
    rate: Floats
    log_rate: Floats
    known: Bools

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        x = batch.terms(self.names)
        cells = x.data if isinstance(x, sparse.csr_array) else x
        self._check(x, cells, batch.first)
        out -= self.rate.sum(axis=0)
        missing = np.isnan(cells)
        said = ~missing & (self.known[x.indices] if isinstance(x, sparse.csr_array) else self.known)
        factorials = np.where(said, gammaln(cells + 1.0), 0.0)
        if isinstance(x, sparse.csr_array):
            add_sparse_products(x.data, x.indices, x.indptr, self.log_rate, out)
            row = np.repeat(np.arange(len(out)), np.diff(x.indptr))
            out -= np.bincount(row, factorials, len(out))[:, None]
            np.add.at(out, row[missing], self.rate[x.indices[missing]])
        else:
            add_products(x, self.log_rate, out)
            out -= factorials.sum(axis=1)[:, None]
            if missing.any():
                out += missing @ self.rate

    def contributions(self, batch: Batch) -> Floats:
        x = batch.numbers(self.names)
        self._check(x, x, batch.first)
        x = x[:, :, None]
        with np.errstate(invalid="ignore"):
            powers = np.where(x == 0, 0.0, x * self.log_rate)
        return np.where(np.isnan(x) | ~self.known[:, None], 0.0, powers - self.rate - gammaln(x + 1.0))

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        drawn = poisson(self.rate.T[classes], rng)
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {name: {"rate": line} for name, line in zip(self.names, self.rate.tolist(), strict=True)}

    def _check(self, x: Cells, cells: Floats, first: int) -> None:
        """Refuse numbers that count nothing."""
        if (cells < 0).any() or np.isinf(cells).any():
            refuse_negative(x, self.names, first)
        if ((np.floor(cells) != cells) & ~np.isnan(cells)).any():
            dense = x.toarray() if isinstance(x, sparse.csr_array) else x
            i, j = np.argwhere((np.floor(dense) != dense) & ~np.isnan(dense))[0].tolist()
            raise ValueRangeError(
                f"Column {self.names[j]!r} counts things, but row {first + i + 1} has {dense[i, j]:g}. "
                f"Say columns={{{self.names[j]!r}: 'numeric'}} if it is a measurement."
            )
