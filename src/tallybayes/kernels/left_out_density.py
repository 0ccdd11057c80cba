"""The kernel density at a number that is one of those that it was estimated from, without that number."""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.density import atoms


@jit
def left_out_density(
    x: Floats,
    weights: Floats,
    index: Counts,
    rows: Counts,
    sums: Floats,
    exponent: int,
    bandwidth: float,
    log_density: Floats,
    out: Floats,
) -> int:
    """Write the log density of each number without itself, the bandwidth held; NaN, which is missing, is passed over.

    The bins are those of one class and column, as in a sketch, with the width 2**exponent; `log_density` is that with
    the number. Where the number makes up less than half of it, its part is subtracted; elsewhere, little of what would
    be left is right, so that its bin is made anew and all of them are summed.

    Return the place of the first number that no bin can have counted, -1 if there is none.
    """
    peak = -math.log(bandwidth) - 0.5 * math.log(2.0 * math.pi)
    count, total = 0, 0.0
    for e in range(index.shape[0]):
        count += rows[e]
        total += sums[e, 0]
    place, mass, left = np.empty(2 * index.shape[0]), np.empty(2 * index.shape[0]), np.empty(sums.shape)
    for r in range(x.shape[0]):
        if x[r] != x[r]:
            continue
        scaled = math.ldexp(x[r], -exponent)
        bin_ = math.floor(scaled)
        own = np.searchsorted(index, np.int64(bin_))
        if own == index.shape[0] or index[own] != bin_ or weights[r] - sums[own, 0] > 1e-9 * sums[own, 0]:
            return r
        if count == 1:
            out[r] = 0.0
            continue
        rest = total - weights[r]
        share = math.exp(peak - log_density[r]) * weights[r] / total
        if share <= 0.5 and rest > 0.0:
            out[r] = log_density[r] + math.log1p(-share) + math.log(total / rest)
            continue
        left[:] = sums
        # The offset from the centre of the bin, in widths.
        t = (scaled - bin_) - 0.5
        weight = max(sums[own, 0] - weights[r], 0.0) if rows[own] > 1 else 0.0
        left[own, 0] = weight
        power, most = weights[r], weight
        for k in range(1, 4):
            power *= t
            most *= 0.5
            left[own, k] = min(max(sums[own, k] - power, -most), most)
        n = atoms(index, left, bin_, place, mass)
        out[r] = peak + _log_mean(scaled - bin_, place[:n], mass[:n], math.ldexp(bandwidth, -exponent))
    return -1


@jit
def _log_mean(t: float, place: Floats, mass: Floats, bandwidth: float) -> float:
    """Return the logarithm of the mean of exp(-z_a**2 / 2), z_a = (t - place_a) / bandwidth, weighed by the masses."""
    nearest = math.inf
    for a in range(place.shape[0]):
        nearest = min(nearest, abs(t - place[a]) / bandwidth)
    top = -0.5 * nearest * nearest
    total, whole = 0.0, 0.0
    for a in range(place.shape[0]):
        z = abs(t - place[a]) / bandwidth
        total += mass[a] * math.exp(-0.5 * (z - nearest) * (z + nearest))
        whole += mass[a]
    return top + math.log(total / whole) if whole > 0.0 and top > -math.inf else -math.inf
