"""Histograms per class and feature, estimated from a sketch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Final

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import OptionError
from tallybayes.factors.base import Conditional, Factor, logarithm, quotient
from tallybayes.factors.kernel_table import in_units
from tallybayes.factors.left_out import less, never_learned, own_rows, too_much
from tallybayes.kernels.histogram import add_log_histogram
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.values import Values
from tallybayes.tallies.sketch import Bins, SketchTally

MOST: Final = 2**16
"""The most bins by the rule, which is far more than a sketch can tell apart."""


@dataclass(frozen=True)
class HistogramFactor(Factor[SketchTally]):
    """A histogram for each class and feature, with bins of about equal mass that all classes share.

    p(x | c) = (n_bc + smoothing) / ((n_c + smoothing B) width_b) for x in bin b, with n_bc the weight of the rows of
    class c in the bin, n_c their sum, and B the number of bins. Outside of all bins, x scores what a bin without
    rows scores that is as wide as the nearest.

    The bins are cut where all classes together have B equal shares, as nearly as the numbers allow: a cut lies halfway
    between two neighbouring numbers, so that equal numbers stay together, and one that is more frequent than a share
    stands in a bin of its own. B is ceil((2 W)**(1/3)), W the weight of all rows: what Terrell and Scott show to be
    the least that any density needs. Equal shares make every bin well supported, an outlier costs nothing but
    a wide last bin, and smoothing draws each class towards the density over all classes (Yang and Webb compare ways
    to cut for naive Bayes). The first and the last bin end as far beyond the outermost number as half its distance
    from the next; a feature that is constant has one bin around it, as wide as the number is large, or 1 for zero.

    Numbers stand in the bins of a `SketchTally`, and are only told apart as far as these are; as no cut goes through
    one of them, the counts are those of the rows, exactly.

    A class without any row of the feature has the density over all classes if there is no smoothing.

    Attributes
    ----------
    names
        The columns.
    smoothing
        Added to the count of each bin, at least 0. With 0 a bin without rows of a class has probability 0 there.
    bins
        B, at least 1, for every column, instead of the rule.

    References
    ----------
    G. R. Terrell and D. W. Scott, "Oversmoothed nonparametric density estimates", Journal of the American
    Statistical Association 80, 1985. Y. Yang and G. I. Webb, "Discretization for naive-Bayes learning: managing
    discretization bias and variance", Machine Learning 74, 2009.
    """

    smoothing: float = 1.0
    bins: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.smoothing < math.inf:
            raise OptionError(f"smoothing={self.smoothing!r} is none. Choose a number from 0 up.")
        if self.bins is not None and not (isinstance(self.bins, Integral) and self.bins >= 1):
            raise OptionError(f"bins={self.bins!r} is no number of bins. Choose 1 or more, or None for the rule.")

    def tally(self) -> SketchTally:
        return SketchTally.empty(self.names)

    def estimate(self, tally: SketchTally, classes: Values) -> HistogramConditional:
        pooled = tally.pooled()
        places = classes.places_in(tally.classes).tolist()
        edges, tables, counted = [], [], []
        for j in range(len(self.names)):
            every = pooled.bins(0, j)
            if not every.weight > 0.0:  # the column was missing in every row and says nothing
                edges.append(np.empty(0))
                tables.append(np.zeros((1, len(classes))))
                counted.append(InBins(np.zeros((0, len(classes)), np.int64), np.zeros((0, len(classes)))))
                continue
            cuts = _cuts(every, self.bins)
            counts, rows = np.zeros((len(cuts) + 1, len(classes))), np.zeros((len(cuts) + 1, len(classes)), np.int64)
            for c, place in enumerate(places):
                if place >= 0:
                    own = tally.bins(place, j)
                    widened = own.index >> min(every.exponent - own.exponent, 63)
                    slot = np.searchsorted(every.index[cuts], widened, side="right")
                    counts[:, c] = np.bincount(slot, own.sums[:, 0], len(counts))
                    rows[:, c] = np.bincount(slot, own.rows, len(counts))
            counted.append(InBins(rows, counts))
            if self.smoothing == 0.0:
                shares = np.add.reduceat(every.sums[:, 0], np.concatenate(([0], cuts)))
                counts = np.where(counts.any(axis=0), counts, shares[:, None])
            bounds = _edges(every, cuts)
            edges.append(bounds)
            tables.append(self._log_density(counts, bounds))
        return HistogramConditional(self.names, tuple(edges), tuple(tables), self, classes, tuple(counted))

    def _log_density(self, counts: Floats, edges: Floats) -> Floats:
        """Return the log density by bin and class, between rows for what lies before and after all bins."""
        outside = np.zeros((1, counts.shape[1]))
        smoothed = np.concatenate((outside, counts, outside)) + self.smoothing
        total = counts.sum(axis=0) + self.smoothing * len(counts)
        log_density: Floats = logarithm(smoothed / total) - np.pad(_log_width(edges), ((1, 1), (0, 0)), "edge")
        return log_density


def _log_width(edges: Floats) -> Floats:
    """Return the logarithms of the widths, shape (bins, 1)."""
    # Halves, because the distance of two floats may be none.
    width: Floats = np.log(np.diff(0.5 * edges)) + math.log(2.0)
    return width[:, None]


def _cuts(every: Bins, bins: int | None) -> Counts:
    """Return the bins of the sketch before which a bin of the histogram ends, as places among those occupied."""
    upto = np.concatenate(([0.0], np.cumsum(every.sums[:, 0])))
    total = upto[-1]
    # The small numbers keep what is equal but for rounding, which depends on the order of the rows, on one side.
    if bins is None:
        bins = min(math.ceil((2.0 * total) ** (1.0 / 3.0) - 1e-9), MOST)
    shares = total * (np.arange(1, bins) / bins - 1e-9)
    nearest = np.unique(np.searchsorted(0.5 * (upto[1:] + upto[:-1]), shares))
    cuts: Counts = nearest[(nearest > 0) & (nearest < len(every.index))]
    return cuts


def _edges(every: Bins, cuts: Counts) -> Floats:
    """Return the edges of the histogram: each cut halfway between the occupied bins of the sketch beside it.

    A bin stands where its left end is, which is where the numbers are that were rounded to few digits; no edge lies
    inside of one.
    """
    index = every.index
    if len(index) == 1:
        weight, first, second = every.sums[0, :3].tolist()
        offset = first / weight
        equal = second / weight - offset * offset < 1e-10  # which is rounding, in widths of a bin
        place = index[0] + 0.5 + offset
        centre, width = in_units(np.array([place if abs(place) > 1e-10 else 0.0, 1.0]), every.exponent).tolist()
        size = abs(centre) if equal else max(abs(centre), 2.0 * width)
        half = 0.5 * (size or 1.0)
        return np.array([centre - half, centre + half])
    inner = np.maximum(0.5 * (index[cuts - 1] + index[cuts]), index[cuts - 1] + 1)
    first = index[0] - 0.5 * (index[1] - index[0])
    last = index[-1] + max(0.5 * (index[-1] - index[-2]), 1.0)
    return in_units(np.concatenate(([first], inner, [last])), every.exponent)


@dataclass(frozen=True, eq=False)
class InBins:
    """How many rows of each class are in each bin of a column, and their weight, shape (bins, classes)."""

    rows: Counts
    weights: Floats


@dataclass(frozen=True, eq=False)
class HistogramConditional(Conditional):
    """Estimated histograms.

    Attributes
    ----------
    edges
        The edges of each column, ascending; none for a column that was missing in every row.
    log_density
        The log density of each column, one row more than edges: before the first edge, from each edge to the
        next, and from the last edge on; shape (edges + 1, classes).
    factor, classes, counted
        What they were estimated by, for and, for each column, from.
    """

    names: tuple[Name, ...]
    edges: tuple[Floats, ...]
    log_density: tuple[Floats, ...]
    factor: HistogramFactor
    classes: Values
    counted: tuple[InBins, ...]

    @cached_property
    def _laid_out(self) -> tuple[Counts, Floats, Floats]:
        start = np.concatenate(([0], np.cumsum([len(edges) for edges in self.edges], dtype=np.int64)))
        return start, np.concatenate((*self.edges, [])), np.concatenate(self.log_density)

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        self._add(batch, out.reshape(len(out), 1, -1), 0)

    def contributions(self, batch: Batch) -> Floats:
        out = np.zeros((len(batch), len(self.names), self.log_density[0].shape[1]))
        self._add(batch, out, 1)
        return out

    def _add(self, batch: Batch, out: Floats, apart: int) -> None:
        x = batch.numbers(self.names)
        if not add_log_histogram(x, *self._laid_out, out, apart):
            refuse_infinite(x, self.names, batch.first)

    def left_out_contributions(self, batch: Batch) -> Floats:
        out, x = self.contributions(batch), batch.numbers(self.names)
        own = own_rows(batch, self.classes)
        for j, (edges, bins) in enumerate(zip(self.edges, self.counted, strict=True)):
            numbers = x[own.rows, j]
            there = ~np.isnan(numbers)
            if not there.any():
                continue
            rows, classes, weights = own.rows[there], own.classes[there], own.weights[there]
            at = np.searchsorted(edges, numbers[there], side="right") - 1
            inside = (at >= 0) & (at < len(bins.rows))
            place = np.where(inside, at, 0)
            if not inside.all() or too_much(bins.weights[place, classes], weights, bins.rows[place, classes]).any():
                raise never_learned(f"column {self.names[j]!r} has a number more often than it was learned")
            log_width = _log_width(edges)[at, 0]
            counts, all_rows = bins.weights.sum(axis=0), bins.rows.sum(axis=0)
            pooled = less(bins.weights.sum(axis=1)[at], weights, bins.rows.sum(axis=1)[at])
            every = less(counts.sum(), weights, all_rows.sum())
            pooled = logarithm(quotient(pooled, every, 1.0)) - log_width
            count = less(bins.weights[at, classes], weights, bins.rows[at, classes]) + self.factor.smoothing
            total = less(counts[classes], weights, all_rows[classes]) + self.factor.smoothing * len(bins.rows)
            left = np.where(total > 0.0, logarithm(quotient(count, total, 1.0)) - log_width, pooled)
            alone = all_rows.sum() == 1  # a column that no other row has says nothing
            out[rows, j, classes] = 0.0 if alone else left
            for c in np.flatnonzero(counts + self.factor.smoothing == 0.0).tolist():
                out[rows, j, c] = np.where(classes == c, out[rows, j, c], 0.0 if alone else pooled)
        return out

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        drawn: dict[Name, AnyArray] = {}
        for name, edges, log_density in zip(self.names, self.edges, self.log_density, strict=True):
            drawn[name] = np.full(len(classes), np.nan)
            for c in np.unique(classes) if len(edges) else ():
                rows = np.flatnonzero(classes == c)
                mass = np.exp(log_density[1:-1, c] + _log_width(edges)[:, 0])
                at = rng.choice(len(mass), len(rows), p=mass / mass.sum())
                share = rng.random(len(rows))
                # Not left + share * width, because the width may be more than a float holds.
                drawn[name][rows] = (1.0 - share) * edges[at] + share * edges[at + 1]
        return drawn

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        """Return the number of bins of each column, and their edges."""
        return {
            name: {"bins": max(len(edges) - 1, 0), "edges": edges.tolist()}
            for name, edges in zip(self.names, self.edges, strict=True)
        }
