"""Cutting numbers where the classes change, as long as a shorter description comes of it."""

from __future__ import annotations

import heapq
import math

import numpy as np
from scipy.special import xlogy

from tallybayes._types import Counts, Floats

_TIE = 1e-12
"""Entropies that differ by less than this share of the rows are equal, but for rounding."""


def mdlp(rows: Counts, weights: Floats, *, most: int | None = None) -> list[int]:
    """Return where to cut points that lie in order, by their classes.

    An interval is cut where the entropy of the classes within the two parts is least, and only if that gains more than
    the cut costs to describe (Fayyad and Irani, "Multi-interval discretization of continuous-valued attributes for
    classification learning", IJCAI 1993):

        gain > (log2(N - 1) + log2(3**k - 2) - k H(S) + k1 H(S1) + k2 H(S2)) / N

    with N rows of k classes in the interval, k1 and k2 classes in its parts, and H the entropies in bits. The parts are
    cut in the same way. Rows count by their weights; of equally good places the first is taken.

    Parameters
    ----------
    rows, weights : array of shape (points, classes)
        How many rows of each class a point has, and what they weigh.
    most : int, optional
        The most intervals there may be; those cuts are made first that shorten the description most.

    Returns
    -------
    list of int
        The number of the first point of each interval but the first, ascending.

    Examples
    --------
    >>> table = np.repeat([[9, 0], [0, 9], [9, 0]], 4, axis=0)
    >>> mdlp(table, table.astype(float)), mdlp(table, table.astype(float), most=2)
    ([4, 8], [4])
    >>> mdlp(table[:1], table[:1].astype(float))
    []
    """
    n, k = weights.shape
    counts = np.concatenate([np.zeros((1, k), np.int64), np.cumsum(rows, axis=0)])
    masses = np.concatenate([np.zeros((1, k)), np.cumsum(weights, axis=0)])
    cuts: list[int] = []
    waiting: list[tuple[float, int, int, int]] = []

    def consider(begin: int, end: int) -> None:
        found = _best(counts[begin : end + 1], masses[begin : end + 1])
        if found is not None:
            heapq.heappush(waiting, (-found[1], begin, begin + found[0], end))

    consider(0, n)
    while waiting and (most is None or len(cuts) + 1 < most):
        _, begin, cut, end = heapq.heappop(waiting)
        cuts.append(cut)
        consider(begin, cut)
        consider(cut, end)
    return sorted(cuts)


def _best(counts: Counts, masses: Floats) -> tuple[int, float] | None:
    """Return the best place to cut one interval and the bits that are saved, None where none are.

    Both arrays are cumulated, and have a line for each end of a point.
    """
    present = counts[-1] > counts[0]
    if len(counts) < 3 or np.count_nonzero(present) < 2:
        return None
    below = masses[1:-1, present] - masses[0, present]
    above = masses[-1, present] - masses[1:-1, present]
    whole = masses[-1, present] - masses[0, present]
    mass = float(whole.sum())
    if mass <= 1.0:
        return None  # less than a row: there is nothing to be described
    inside, bits_below, bits_above = _bits(whole[None])[0], _bits(below), _bits(above)
    within = bits_below + bits_above
    at = int(np.flatnonzero(within <= within.min() + _TIE * mass)[0])
    k = int(np.count_nonzero(present))
    k1 = int(np.count_nonzero(counts[at + 1, present] > counts[0, present]))
    k2 = int(np.count_nonzero(counts[-1, present] > counts[at + 1, present]))
    per_row = [
        bits / m if m > 0 else 0.0
        for bits, m in ((inside, mass), (bits_below[at], below[at].sum()), (bits_above[at], above[at].sum()))
    ]
    choices = k * math.log2(3.0) + math.log1p(-2.0 * 3.0**-k) / math.log(2.0)  # log2(3**k - 2), for any k
    cost = math.log2(mass - 1.0) + choices - (k * per_row[0] - k1 * per_row[1] - k2 * per_row[2])
    saved = float(inside - within[at] - cost)
    return (at + 1, saved) if saved > 0 else None


def _bits(masses: Floats) -> Floats:
    """Return the entropy of the classes, times the mass, of each line."""
    masses = np.maximum(masses, 0.0)  # differences of sums
    total = masses.sum(axis=1)
    bits: Floats = (xlogy(total, total) - xlogy(masses, masses).sum(axis=1)) / math.log(2.0)
    return bits
