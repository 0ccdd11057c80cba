"""Normal densities given the class and the value of one more column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.factors.base import quotient
from tallybayes.factors.gaussian import FLOOR, LARGEST
from tallybayes.factors.left_out import never_learned
from tallybayes.kernels.moments import take_out_rows
from tallybayes.tallies.moments import MomentTally

LEAST = float(np.finfo(np.float64).tiny)
"""The least variance of all, as that of the Gaussian factor."""


class Moments(NamedTuple):
    """Weight, mean and sum of squared deviations, arrays of one shape whose last axis is of columns."""

    weight: Floats
    mean: Floats
    deviations: Floats

    def at(self, *places: Counts | slice | int) -> Moments:
        """Return the moments at some places."""
        return Moments(self.weight[places], self.mean[places], self.deviations[places])

    def broadcast(self, shape: tuple[int, ...]) -> Moments:
        """Return copies of the moments in another shape, which may be written into."""
        return Moments(*(np.broadcast_to(part, shape).copy() for part in self))

    def put(self, places: tuple[Counts | int, ...], moments: Moments) -> None:
        """Write moments at some places."""
        for part, new in zip(self, moments, strict=True):
            part[places] = new


def merged(a: Moments, b: Moments) -> Moments:
    """Return the moments of the rows of both."""
    weight, apart = a.weight + b.weight, b.mean - a.mean
    share = quotient(b.weight, weight, 0.0)
    mean = np.where(a.weight == 0, b.mean, np.where(b.weight == 0, a.mean, a.mean + share * apart))
    between = np.where((a.weight > 0) & (b.weight > 0), apart * apart * a.weight * share, 0.0)
    return Moments(weight, mean, a.deviations + b.deviations + between)


def shrunk(moments: Moments, extra: float, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of rows and of `extra` more of a distribution that is known.

    A single row without more has no spread to go by, and takes the variance of that distribution; no row takes both.
    """
    weight = moments.weight + extra
    share, apart = quotient(moments.weight, weight, 0.0), moments.mean - mean
    moved = np.where(moments.weight > 0, mean + share * apart, mean)
    spread = moments.deviations + extra * variance + np.where(moments.weight > 0, share * extra * apart * apart, 0.0)
    lone = (moments.deviations == 0) & (moments.weight <= 1) & (extra == 0)
    return moved, np.where(lone, variance, quotient(spread, weight, 0.0))


@dataclass(frozen=True, eq=False)
class GivenNormal:
    """N(mean, variance) for each class, value and column.

    Where few rows tell, mean and variance shrink: those of a class and a value by as many rows of the class as counts
    are smoothed by, and those of a class by as many of all classes together. A variance has the floor of the Gaussian
    factor.

    Attributes
    ----------
    tally
        The moments of all pairs of a class and a value, the classes slower.
    classes, values
        How many of each there are.
    smoothing
        By how many rows.
    """

    tally: MomentTally
    classes: int
    values: int
    smoothing: float

    @cached_property
    def pairs(self) -> Moments:
        """The moments, shape (classes, values, columns)."""
        shape = (self.classes, self.values, len(self.tally.names))
        parts = (self.tally.weight, self.tally.mean, self.tally.deviations)
        return Moments(*(part.reshape(shape) for part in parts))

    @cached_property
    def of_classes(self) -> Moments:
        """The moments of each class, shape (classes, columns)."""
        return _together(self.pairs)

    @cached_property
    def whole(self) -> Moments:
        """The moments of all rows, shape (columns,)."""
        return _together(Moments(*(part[None] for part in self.of_classes))).at(0)

    def normal(self, pairs: Moments, of_classes: Moments, whole: Moments) -> tuple[Floats, Floats]:
        """Return means and variances from moments of shapes that broadcast."""
        overall = quotient(np.minimum(whole.deviations, LARGEST), whole.weight, 0.0)
        square = np.minimum(np.abs(whole.mean), LARGEST**0.5) ** 2
        scale = np.where(overall > 0, overall, np.where(whole.mean != 0, square, 1.0))
        least = np.maximum(FLOOR * scale, LEAST)
        mean, variance = shrunk(of_classes, self.smoothing, whole.mean, np.maximum(overall, least))
        mean, variance = shrunk(pairs, self.smoothing, mean, variance)
        return mean, np.maximum(variance, least)

    @cached_property
    def parameters(self) -> tuple[Floats, Floats]:
        """Means and variances, shape (classes, values, columns)."""
        classes = Moments(*(part[:, None] for part in self.of_classes))
        return self.normal(self.pairs, classes, Moments(*(part[None, None] for part in self.whole)))

    def log_density(self, x: Floats, places: Counts) -> Floats:
        """Return the log density of numbers given the places of values, shape (rows, columns, classes)."""
        mean, variance = self.parameters
        out = np.empty((*x.shape, self.classes))
        for j in range(x.shape[1]):
            out[:, j] = _log_density(x[:, j, None], mean[:, places, j].T, variance[:, places, j].T)
        out[:, self.whole.weight == 0] = 0.0
        return out

    def left_out(self, x: Floats, places: Counts, classes: Counts, weights: Floats) -> Floats:
        """Return the same without each row itself, which is of a class and has a weight."""
        n, k = len(x), self.classes
        own, shape = classes * self.values + places, (n, k, x.shape[1])
        rows, left = np.zeros((n, x.shape[1]), np.int64), np.zeros((3, n, x.shape[1]))
        at = np.arange(n)
        tally = self.tally
        odd = take_out_rows(x, at, own, weights, tally.rows, tally.moments, rows, left)
        if odd >= 0:
            raise never_learned(f"column {tally.names[odd]!r} has other numbers or weights")
        rest = Moments(*left)
        in_class, anywhere = self._others
        pairs = Moments(*(part[:, places].swapaxes(0, 1).copy() for part in self.pairs))
        of_classes = Moments(*(part[None] for part in self.of_classes)).broadcast(shape)
        pairs.put((at, classes), rest)
        of_classes.put((at, classes), merged(in_class.at(classes, places), rest))
        whole = merged(anywhere.at(classes, places), rest)
        mean, variance = self.normal(pairs, of_classes, Moments(*(part[:, None] for part in whole)))
        said = _log_density(x[:, None], mean, variance)
        said = np.where(whole.weight[:, None] > 0, said, 0.0)
        return said.swapaxes(1, 2)

    @cached_property
    def _others(self) -> tuple[Moments, Moments]:
        """The moments of all other values of the class, and of all other pairs, shape (classes, values, columns)."""
        k, e = self.classes, self.values
        shape = (k, e, len(self.tally.names))
        in_class, anywhere = (Moments(*(np.zeros(shape) for _ in range(3))) for _ in range(2))
        for c in range(k):
            elsewhere = _together(Moments(*(part[None, np.arange(k) != c] for part in self.of_classes))).at(0)
            for v in range(e):
                own = _together(self.pairs.at(slice(c, c + 1), np.arange(e) != v)).at(0)
                in_class.put((c, v), own)
                anywhere.put((c, v), merged(own, elsewhere))
        return in_class, anywhere


def _together(moments: Moments) -> Moments:
    """Return the moments of all along the second axis."""
    if not moments.mean.shape[1]:
        return Moments(*(part.sum(axis=1) for part in moments))
    weight = moments.weight.sum(axis=1)
    # Far from zero, the differences from one of the means keep the digits that a sum would lose.
    start = np.take_along_axis(moments.mean, moments.weight.argmax(axis=1)[:, None], axis=1)
    apart = quotient((moments.weight * (moments.mean - start)).sum(axis=1), weight, 0.0)
    mean = start[:, 0] + apart
    between = moments.weight * (moments.mean - mean[:, None]) ** 2
    return Moments(weight, np.where(weight > 0, mean, 0.0), (moments.deviations + between).sum(axis=1))


def _log_density(x: Floats, mean: Floats, variance: Floats) -> Floats:
    """Return the log density, 0 for what is missing."""
    with np.errstate(over="ignore", invalid="ignore"):
        z = (x - mean) / np.sqrt(variance)
        said = -0.5 * np.log(2.0 * math.pi * variance) - 0.5 * z * z
    return np.where(np.isnan(x), 0.0, said)
