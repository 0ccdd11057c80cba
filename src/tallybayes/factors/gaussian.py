"""Numeric columns with a normal density for each class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import warn
from tallybayes.factors.base import Conditional, Factor, quotient
from tallybayes.factors.gaussian_left_out import LEAST_VARIANCE, GaussianLeftOut, Moments
from tallybayes.kernels.gaussian import add_log_normal
from tallybayes.schema.batch import Batch
from tallybayes.schema.field import listed
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.values import Values
from tallybayes.tallies.moments import MomentTally

FLOOR = 1e-9
"""The least variance of a column within a class, as a share of its variance over all classes."""

LEAST = LEAST_VARIANCE
"""The least variance of all: numbers so small that their squares vanish are told apart no further."""

LARGEST = 1e300
"""The greatest variance that is reckoned with."""


@dataclass(frozen=True)
class GaussianFactor(Factor[MomentTally]):
    """N(mean, variance) with the mean of the class and the variance M2 / (weight - ddof).

    The variance is at least `floor` times the variance of the same column over all classes: a maximum, never
    an addition, so that a column of small scale keeps its say beside one of large scale. A class that never
    has the column, or too few rows for `ddof`, takes what is missing from all classes together; so does one with a
    single row, unless there is no floor.

    Attributes
    ----------
    ddof
        0 for maximum likelihood, 1 for the unbiased variance.
    floor
        The share of the overall variance of the column that a class has at least.
    var_smoothing
        The share of the greatest variance of all columns that is added to every variance, as scikit-learn
        does.
    """

    ddof: float = 0.0
    floor: float = FLOOR
    var_smoothing: float = 0.0

    def tally(self) -> MomentTally:
        return MomentTally.empty(self.names)

    def estimate(self, tally: MomentTally, classes: Values) -> GaussianConditional:
        pooled, moments = tally.pooled(), tally.aligned(classes)
        overall_mean = pooled.mean[0]
        together = pooled.rows[0], pooled.weight[0], overall_mean, pooled.deviations[0]
        mean, variance = self.normal((moments.rows, moments.weight, moments.mean, moments.deviations), together)
        overall, added = self._overall(together)
        known = pooled.rows[0] > 0
        apart = np.where(moments.rows > 0, np.abs(moments.mean - overall_mean), 0.0)
        differ = (apart > 1e-12 * np.abs(overall_mean)).any(axis=0)
        vanished = known & (overall < LEAST) & ((overall > 0) | differ)
        if vanished.any():
            names = tuple(name for name, gone in zip(self.names, vanished, strict=True) if gone)
            warn(
                f"The numbers of column {listed(names)} are so close to each other that the squares of their "
                "differences vanish, and they tell no class from another. Scale them up."
            )
        return GaussianConditional(self.names, np.where(known, mean, 0.0), variance, known, float(added), self, moments)

    def normal(self, moments: Moments, together: Moments) -> tuple[Floats, Floats]:
        """Return means and variances from the moments of classes, shape (..., columns), and of all of them together."""
        rows, weight, means, deviations = moments
        overall_mean = together[2]
        overall, added = self._overall(together)
        # Numbers of one class have squares, or they would have been refused; those of all together may overflow.
        spread = np.nan_to_num(together[3], nan=LARGEST, posinf=LARGEST)
        # What is all but constant is measured against its own size, and a column of zeros against 1.
        square = np.minimum(np.abs(overall_mean), LARGEST**0.5) ** 2
        scale = np.where(overall > 0, overall, np.where(overall_mean != 0, square, 1.0))
        unbiased = quotient(spread, np.maximum(together[1] - self.ddof, 0.0), 0.0)
        freedom = np.maximum(weight - self.ddof, 0.0)
        if self.floor > 0:
            # One row has no spread to go by, which is not the same as having none.
            freedom[(deviations == 0) & (weight <= 1)] = 0.0
        variance = quotient(deviations, freedom, unbiased) + added
        variance = np.maximum(variance, self.floor * scale)
        variance = np.where(variance > 0, variance, np.broadcast_to(FLOOR * scale, variance.shape))
        return np.where(rows > 0, means, overall_mean), np.maximum(variance, LEAST)

    def _overall(self, together: Moments) -> tuple[Floats, Floats]:
        """Return the variance of each column over all classes, and what is added to all variances."""
        spread = np.nan_to_num(together[3], nan=LARGEST, posinf=LARGEST)
        overall = quotient(spread, together[1], 0.0)
        return overall, self.var_smoothing * overall.max(axis=-1, keepdims=overall.ndim > 1, initial=0.0)


@dataclass(frozen=True, eq=False)
class GaussianConditional(Conditional):
    """Estimated normal densities; `mean` and `variance` have the shape (classes, columns).

    A column that is not `known` was missing in every row, and says nothing. `factor` and `counted`, by the classes, are
    what they were estimated by and from.
    """

    names: tuple[Name, ...]
    mean: Floats
    variance: Floats
    known: AnyArray
    added: float
    factor: GaussianFactor
    counted: MomentTally

    @cached_property
    def scale(self) -> Floats:
        """1 / deviation, 0 for a column that says nothing."""
        return np.where(self.known, 1.0 / np.sqrt(self.variance), 0.0)

    @cached_property
    def offset(self) -> Floats:
        """The log density at the mean."""
        return np.where(self.known, -0.5 * np.log(2.0 * math.pi * self.variance), 0.0)

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        x = batch.numbers(self.names)
        add_log_normal(x, self.mean, self.scale, self.offset, out)
        if not np.isfinite(out).all():
            # An infinite cell is refused; what is left is a number so far out that its square overflowed.
            refuse_infinite(x, self.names, batch.first)
            np.nan_to_num(out, copy=False, nan=-math.inf, neginf=-math.inf, posinf=math.inf)

    def contributions(self, batch: Batch) -> Floats:
        x = batch.numbers(self.names)
        refuse_infinite(x, self.names, batch.first)
        with np.errstate(over="ignore"):
            z = (x[:, :, None] - self.mean.T) * self.scale.T
            return np.where(np.isnan(z), 0.0, self.offset.T - 0.5 * z * z)

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        before = out.copy()
        self.add_log_prob(batch, out)
        self._left_out.put_sums(batch, before, out)

    def left_out_contributions(self, batch: Batch) -> Floats:
        out = self.contributions(batch)
        self._left_out.put(batch, out)
        return out

    @cached_property
    def _left_out(self) -> GaussianLeftOut:
        return GaussianLeftOut(self.factor, self.counted)

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        drawn = rng.normal(self.mean[classes], np.sqrt(self.variance[classes]))
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        deviation = np.sqrt(self.variance)
        return {
            name: {"mean": self.mean[:, j].tolist(), "deviation": deviation[:, j].tolist()}
            for j, name in enumerate(self.names)
            if self.known[j]
        }
