"""Normal densities without one row: moments that the row is taken out of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tallybayes._types import Bools, Counts, Floats
from tallybayes.factors.base import quotient
from tallybayes.factors.left_out import OwnRows, never_learned, own_rows, portions_of
from tallybayes.kernels.left_out_normal import own_log_normal
from tallybayes.kernels.moments import take_out_rows
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.tallies.moments import MomentTally

if TYPE_CHECKING:
    from tallybayes.factors.gaussian import GaussianFactor

Moments = tuple[Counts, Floats, Floats, Floats]
"""The number of rows, their weight, mean and sum of squared deviations."""

LEAST_VARIANCE = np.finfo(np.float64).tiny
"""The least variance of all."""


@dataclass(frozen=True, eq=False)
class GaussianLeftOut:
    """What a Gaussian factor says without single rows.

    Attributes
    ----------
    factor, counted
        What is estimated, and from what, by the classes.
    """

    factor: GaussianFactor
    counted: MomentTally

    def put_sums(self, batch: Batch, before: Floats, out: Floats) -> None:
        """Put what rows say of their classes, added to `before`, in the place of what they say with themselves."""
        own, x = own_rows(batch, self.counted.classes), batch.numbers(self.counted.names)
        refuse_infinite(x, self.counted.names, batch.first)
        if not self._moved(own).any():
            out[own.cells] = before[own.cells] + self._own(x, own, 0)[:, 0]
            return
        for part in portions_of(len(own.rows), before.shape[1] * x.shape[1]):
            some = OwnRows(own.rows[part], own.classes[part], own.weights[part], own.even)
            out[some.rows] = before[some.rows] + self._every(x, some).sum(axis=1)

    def put(self, batch: Batch, out: Floats) -> None:
        """Put what rows say, shape (rows, columns, classes), in the place of what they say with themselves."""
        own, x = own_rows(batch, self.counted.classes), batch.numbers(self.counted.names)
        refuse_infinite(x, self.counted.names, batch.first)
        if not self._moved(own).any():
            out[own.rows, :, own.classes] = self._own(x, own, 1)
            return
        for part in portions_of(len(own.rows), out.shape[1] * out.shape[2]):
            some = OwnRows(own.rows[part], own.classes[part], own.weights[part], own.even)
            out[some.rows] = self._every(x, some)

    def _own(self, x: Floats, own: OwnRows, apart: int) -> Floats:
        """Return what rows say of their own classes, by column, or, if not `apart`, added up."""
        tally, odd = self.counted, np.zeros(len(own.rows), bool)
        out = np.zeros((len(own.rows), x.shape[1] if apart else 1))
        own_log_normal(
            x, own.rows, own.classes, own.weights, tally.rows, tally.moments, float(self.factor.ddof),
            self._floor(own), out, apart, odd,
        )  # fmt: skip
        if odd.any():
            some = OwnRows(own.rows[odd], own.classes[odd], own.weights[odd], own.even)
            said = self._exactly(x, some)
            out[odd] = said if apart else said.sum(axis=1, keepdims=True)
        return out

    def _exactly(self, x: Floats, own: OwnRows) -> Floats:
        """Return what rows say of their own classes, by column, in double-double and with all that may stand in."""
        mine = self._without(x, own, self.counted, own.classes)
        together = self._without(x, own, self._pooled, np.zeros(len(own.rows), np.int64))
        return _log_density(x[own.rows], *self.factor.normal(mine, together), together[0])

    def _every(self, x: Floats, own: OwnRows) -> Floats:
        """Return what rows say of all classes, which depend on all together, shape (rows, columns, classes)."""
        tally, shape = self.counted, (len(own.rows), *self.counted.rows.shape)
        together = self._without(x, own, self._pooled, np.zeros(len(own.rows), np.int64))
        rows = np.broadcast_to(tally.rows, shape)
        weight, mean, deviations = (np.broadcast_to(a, shape) for a in (tally.weight, tally.mean, tally.deviations))
        every = together[0][:, None], together[1][:, None], together[2][:, None], together[3][:, None]
        means, variances = self.factor.normal((rows, weight, mean, deviations), every)
        said = _log_density(x[own.rows][:, None], means, variances, every[0])
        said[np.arange(len(own.rows)), own.classes] = self._exactly(x, own)
        return said.swapaxes(1, 2)

    def _without(self, x: Floats, own: OwnRows, tally: MomentTally, classes: Counts) -> Moments:
        rows, left = np.zeros((len(own.rows), x.shape[1]), np.int64), np.zeros((3, len(own.rows), x.shape[1]))
        odd = take_out_rows(x, own.rows, classes, own.weights, tally.rows, tally.moments, rows, left)
        if odd >= 0:
            raise never_learned(f"column {tally.names[odd]!r} has other numbers or weights")
        return rows, left[0], left[1], left[2]

    @cached_property
    def _pooled(self) -> MomentTally:
        return self.counted.pooled()

    def _floor(self, own: OwnRows) -> Floats:
        """Return the variance of each column below which a floor may matter, whichever row is left out."""
        left = np.maximum(self._pooled.weight[0] - own.weights.max(initial=0.0), 0.0)
        # The variance over all classes without a row is at most that of all rows, divided by the weight that is left.
        most = quotient(self._pooled.deviations[0], left, np.inf)
        return np.maximum(self.factor.floor * most if self.factor.floor > 0 else 0.0, LEAST_VARIANCE)

    def _moved(self, own: OwnRows) -> Bools:
        """Return in which columns a row may matter to other classes than its own, by floors and what stands in."""
        tally, factor = self.counted, self.factor
        freedom = tally.weight - factor.ddof
        variance = quotient(tally.deviations, np.maximum(freedom, 0.0), 0.0)
        stays = (tally.rows > 0) & (freedom > 0) & (variance > self._floor(own))
        moved: Bools = ~stays.all(axis=0) | np.full(len(tally.names), factor.var_smoothing > 0)
        return moved


def _log_density(x: Floats, mean: Floats, variance: Floats, rows: Counts) -> Floats:
    """Return the log density of each number, 0 for a missing one and where no row is left to say anything."""
    with np.errstate(over="ignore", invalid="ignore"):
        z = (x - mean) / np.sqrt(variance)
        said = -0.5 * np.log(2.0 * math.pi * variance) - 0.5 * z * z
    return np.where(np.isnan(x) | (rows == 0), 0.0, said)
