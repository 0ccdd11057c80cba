"""Gaussian kernel densities per class and feature, estimated from a sketch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Final, Literal

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import OptionError
from tallybayes.factors.base import Conditional, Factor
from tallybayes.factors.kernel_table import KernelTable, in_units, kernel_table
from tallybayes.factors.left_out import never_learned, own_rows
from tallybayes.kernels.density import add_log_density
from tallybayes.kernels.left_out_density import left_out_density
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.values import Values
from tallybayes.tallies.sketch import Bins, SketchTally

Bandwidth = Literal["silverman", "scott"] | float

FLOOR: Final = math.sqrt(1e-9)
"""The bandwidth in a class that is constant, as a share of the deviation over all classes."""

LEAST: Final = 1e-300
"""The least bandwidth."""


@dataclass(frozen=True)
class KernelFactor(Factor[SketchTally]):
    """A kernel density for each class and feature.

    log p(x | c) = log( (1 / W) sum_i w_i N(x; x_i, h**2) ) over the rows i of class c, with W = sum_i w_i. The
    bandwidth is h = s f(W), s the deviation of the class (divided by W - 1), f(W) = (3 W / 4)**(-1/5) for
    "silverman" and W**(-1/5) for "scott", both as in `scipy.stats.gaussian_kde`; a number is taken as it is.

    Rows are not kept but counted in the bins of a `SketchTally`, and a bin stands for its rows by one or two atoms that
    have their weight, mean, variance and skewness. For bins of the width w, and z the distance from x to the nearest
    row in bandwidths, the result is within 1e-3 of the sum over the rows (or 1e-12 of a log density beyond 1e9) where

    - no bin holds more than two distinct numbers, as with up to 4,096 distinct numbers in a class, always;
    - otherwise, if max(z, 1) w / h < 1.1, as the error is 6.5e-4 (z w / h)**4 at most: what two nodes for three
      numbers, one in the middle of a bin and two at its ends, make of a moment generating function.

    A bandwidth by a rule keeps w / h small: with up to 100,000 rows in a class it is below 0.08 whatever the rows are,
    so that z may be 13, with up to 1,000,000 below 0.4; for a normal sample it is below 0.04 and 0.06, and z may be
    27 and 18. Weights that differ by orders of magnitude, or a bandwidth given as a number far below the rules', can
    break the condition. The price of an outlier is one bin; how far `forget` undoes a coarser grid, see `SketchTally`.

    A class that is constant in a feature has a narrow peak there: h = FLOOR s with s over all classes, or, where
    all are constant, the size of the number. A class of weight 1 or less has no deviation and takes s over all
    classes; one without any row of the feature has the density over all classes.

    Attributes
    ----------
    names
        The columns.
    bandwidth
        "silverman", "scott" or a positive number.

    References
    ----------
    B. W. Silverman, "Density Estimation for Statistics and Data Analysis", Chapman and Hall, 1986; the same
    author's "Kernel density estimation using the fast Fourier transform", Applied Statistics 31, 1982.
    """

    bandwidth: Bandwidth = "silverman"

    def __post_init__(self) -> None:
        if isinstance(self.bandwidth, str):
            known = self.bandwidth in ("silverman", "scott")
        else:
            known = isinstance(self.bandwidth, Real) and LEAST <= self.bandwidth < math.inf
        if not known:
            raise OptionError(f"bandwidth={self.bandwidth!r} is none. Choose 'silverman', 'scott' or a number above 0.")

    def tally(self) -> SketchTally:
        return SketchTally.empty(self.names)

    def estimate(self, tally: SketchTally, classes: Values) -> KernelConditional:
        pooled = tally.pooled()
        places = classes.places_in(tally.classes).tolist()
        tables: list[KernelTable] = []
        which = np.full((len(classes), len(self.names)), -1, np.int64)
        for j in range(len(self.names)):
            every = pooled.bins(0, j)
            if not every.weight > 0.0:
                continue  # the column was missing in every row and says nothing
            low, high = in_units(every.index[[0, -1]] + [0.0, 1.0], every.exponent).tolist()
            table_of: dict[int, int] = {}
            for c, place in enumerate(places):
                own = tally.bins(place, j) if place >= 0 else every
                if not own.weight > 0.0:
                    own, place = every, -1
                if place not in table_of:
                    table_of[place] = len(tables)
                    tables.append(kernel_table(own, self.bandwidth_of(own, every), low, high))
                which[c, j] = table_of[place]
        return KernelConditional(self.names, which, tables, self, tally, classes)

    def bandwidth_of(self, own: Bins, every: Bins) -> float:
        """Return the bandwidth for the numbers of a class among those of every class."""
        if not isinstance(self.bandwidth, str):
            return float(self.bandwidth)
        mean, overall = _mean_and_deviation(every)
        scale = overall or abs(mean) or 1.0
        deviation = _mean_and_deviation(own)[1] if own.weight > 1.0 else overall
        if deviation == 0.0:
            return max(FLOOR * scale, LEAST)
        weight = own.weight if self.bandwidth == "scott" else 0.75 * own.weight
        return max(math.pow(weight, -0.2) * deviation, LEAST)


def _mean_and_deviation(bins: Bins) -> tuple[float, float]:
    """Return the mean and the deviation of what was binned; 0 where all that is left of it is rounding."""
    first = bins.index[0]
    place, w, weight = bins.index - first + 0.5, bins.sums[:, 0], bins.weight
    mean = float((place * w + bins.sums[:, 1]).sum()) / weight
    away = place - mean
    square = float((bins.sums[:, 2] + away * (2.0 * bins.sums[:, 1] + away * w)).sum())
    # Weights that sum to less than 2 are no numbers of rows; W - 1 would make anything of them.
    variance = square / max(weight - 1.0, 0.5 * weight)
    deviation = math.sqrt(variance) if variance > 1e-10 else 0.0
    mean, deviation = in_units(np.array([mean + first, deviation]), bins.exponent).tolist()
    return mean, deviation


class KernelConditional(Conditional):
    """Estimated kernel densities: ``tables[which[c, j]]`` is that of class c and column j, and -1 is none.

    `factor`, `tally` and `classes` are what they were estimated by, from and for.
    """

    def __init__(
        self,
        names: tuple[Name, ...],
        which: Counts,
        tables: Sequence[KernelTable],
        factor: KernelFactor,
        tally: SketchTally,
        classes: Values,
    ) -> None:
        self.names = names
        self.factor, self.tally, self.classes = factor, tally, classes
        self.which = which
        self.tables = tuple(tables)
        atoms = np.cumsum([0] + [len(d.place) for d in tables])
        nodes = np.cumsum([0] + [len(d.table) for d in tables])
        log_scale = [-math.log(d.bandwidth) - 0.5 * math.log(2.0 * math.pi) for d in tables]
        scales = [(d.origin, d.bandwidth, d.low, s) for d, s in zip(tables, log_scale, strict=True)]
        self._densities = (
            np.stack((atoms[:-1], atoms[1:], nodes[:-1], nodes[1:]), axis=1),
            np.array(scales).reshape(-1, 4),
            np.concatenate([np.empty(0), *(d.place for d in tables)]),
            np.concatenate([np.empty(0), *(d.mass for d in tables)]),
            np.concatenate([np.empty(0), *(d.table for d in tables)]),
        )

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        self._add(batch, out.reshape(len(out), 1, -1), 0)

    def contributions(self, batch: Batch) -> Floats:
        out = np.zeros((len(batch), len(self.names), len(self.which)))
        self._add(batch, out, 1)
        return out

    def _add(self, batch: Batch, out: Floats, apart: int) -> None:
        x = batch.numbers(self.names)
        add_log_density(x, self.which, *self._densities, out, apart)
        if not np.isfinite(out).all():
            refuse_infinite(x, self.names, batch.first)

    def left_out_contributions(self, batch: Batch) -> Floats:
        """Return log densities without each row itself, as exact as the densities are; bandwidths are held."""
        out, x = self.contributions(batch), batch.numbers(self.names)
        own = own_rows(batch, self.classes)
        places = self.classes.places_in(self.tally.classes).tolist()
        for j, name in enumerate(self.names):
            pooled = self._pooled.bins(0, j)
            if not pooled.weight > 0.0:
                continue
            for c, place in enumerate(places):
                bins = self.tally.bins(place, j) if place >= 0 else pooled
                mine = own.classes == c
                rows = own.rows[mine]
                said = out[rows, j, c]
                if place < 0 or not bins.weight > 0.0:  # a class without numbers has the density of all together
                    mine, rows, bins = np.ones(len(own.rows), bool), own.rows, pooled
                    said = out[rows, j, c]
                elif bins.rows.sum() == 1:  # and so has one without its only one; what it has with it says nothing
                    bins, said = pooled, np.full(len(rows), -np.inf)
                numbers, left = x[rows, j], np.zeros(len(rows))
                odd = left_out_density(
                    numbers, own.weights[mine], bins.index, bins.rows, bins.sums, bins.exponent,
                    self.factor.bandwidth_of(bins, pooled), said, left,
                )  # fmt: skip
                if odd >= 0:
                    raise never_learned(f"column {name!r} has {numbers[odd]:g} more often than it was learned")
                out[rows, j, c] = left
        return out

    @cached_property
    def _pooled(self) -> SketchTally:
        return self.tally.pooled()

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        drawn: dict[Name, AnyArray] = {}
        for j, name in enumerate(self.names):
            drawn[name] = np.full(len(classes), np.nan)
            for c, d in enumerate(self.which[:, j].tolist()):
                rows = np.flatnonzero(classes == c)
                if d >= 0:
                    drawn[name][rows] = self.tables[d].sample(len(rows), rng)
        return drawn

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        """Return the bandwidths of each column, by class; None for a column that was missing in every row."""
        bandwidths = [None if d < 0 else self.tables[d].bandwidth for d in self.which.T.flat]
        classes = len(self.which)
        return {name: {"bandwidth": bandwidths[j * classes : (j + 1) * classes]} for j, name in enumerate(self.names)}
