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
from tallybayes.factors.left_out import less, never_learned, own_rows, portions_of, too_much
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
        rate, known = self.rates(sums.totals, sums.present)
        log_rate = np.where(known, logarithm(rate), 0.0)
        rate = np.where(known, rate, 0.0)
        return PoissonConditional(
            self.names, np.ascontiguousarray(rate.T), np.ascontiguousarray(log_rate.T), known, self, sums
        )

    def rates(self, totals: Floats, rows: Floats) -> tuple[Floats, Bools]:
        """Return the rates, from totals and weights of rows of the shape (..., classes, columns).

        And which columns some row has, shape (..., columns).
        """
        total, everything = totals.sum(axis=-2), rows.sum(axis=-2)
        seen = np.where(total > 0, total, self.smoothing)
        extra = np.where(total > 0, 0.0, self.smoothing)
        mean = quotient(seen, everything + extra, 0.0)[..., None, :]
        return quotient(totals + self.smoothing * mean, rows + self.smoothing, mean), everything > 0


@dataclass(frozen=True, eq=False)
class PoissonConditional(Conditional):
    """Estimated rates and their logarithms, shape (columns, classes); 0 where a column says nothing.

    A column that is not `known` was missing in every row. `factor` and `counted`, by the classes, are what they were
    estimated by and from.
    """

    names: tuple[Name, ...]
    rate: Floats
    log_rate: Floats
    known: Bools
    factor: PoissonFactor
    counted: SumTally

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

    def left_out_contributions(self, batch: Batch) -> Floats:
        sums, out = self.counted, self.contributions(batch)
        own = own_rows(batch, sums.classes)
        x = batch.numbers(self.names)[own.rows]
        for part in portions_of(len(x), self.rate.size):
            out[own.rows[part]] = self._without(x[part], own.classes[part], own.weights[part, None])
        return out

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        before = out.copy()
        self.add_log_prob(batch, out)
        own = own_rows(batch, self.counted.classes)
        cells: Any = batch.terms(self.names)
        x = cells[own.rows]
        for part in portions_of(len(own.rows), self.rate.size):
            some = x[part]
            dense = some.toarray() if isinstance(some, sparse.csr_array) else some
            said = self._without(dense, own.classes[part], own.weights[part, None]).sum(axis=1)
            out[own.rows[part]] = before[own.rows[part]] + said

    def _without(self, x: Floats, classes: Counts, weights: Floats) -> Floats:
        """Return what rows say without themselves, shape (rows, columns, classes): the mean rate changes, so all do."""
        sums, each = self.counted, (np.arange(len(x)), classes)
        there = ~np.isnan(x)
        cells, taken = np.where(there, x, 0.0), np.where(there, weights, 0.0)
        present = sums.n_rows[:, None] - sums.absent_rows
        odd = there & (
            too_much(sums.present[classes], taken, present[classes])
            | ((cells > 0) & too_much(sums.totals[classes], taken * cells, sums.rows[classes]))
        )
        if odd.any():
            name = self.names[int(np.argmax(odd.any(axis=0)))]
            raise never_learned(f"column {name!r} has a greater count than was learned")
        totals = np.repeat(sums.totals[None], len(x), axis=0)
        rows = np.repeat(sums.present[None], len(x), axis=0)
        totals[each] = less(totals[each], taken * cells, sums.rows[classes] + (cells == 0))
        rows[each] = less(rows[each], taken, present[classes] + ~there)
        rates, known = self.factor.rates(totals, rows)
        value = cells[:, :, None]
        with np.errstate(invalid="ignore"):
            powers = np.where(value == 0, 0.0, value * logarithm(rates).swapaxes(-1, -2))
        said: Floats = np.where(
            (there & known)[:, :, None], powers - rates.swapaxes(-1, -2) - gammaln(value + 1.0), 0.0
        )
        return said

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
