"""Sums of Gaussians at atoms, places with a mass: atoms from bins, tables of log densities, and looking them up.

Positions are relative to an origin among the atoms, so that nothing is lost far from zero.
"""

from __future__ import annotations

import math

from tallybayes._types import Counts, Floats
from tallybayes.kernels._jit import jit

NODES = 32
"""Nodes of a table per bandwidth."""


@jit
def atoms(index: Counts, sums: Floats, origin: int, place: Floats, mass: Floats) -> int:
    """Stand one or two atoms for each bin, with the bin's moments up to the third; return their number.

    This is Gauss quadrature with two nodes: exact for one or two distinct numbers in a bin, whatever their
    weights. For exp(a t), which is what a Gaussian kernel is far from a bin, its error is of the fourth order in a.
    Places ascend, and are in widths from the left end of the bin `origin`.
    """
    count = 0
    for e in range(index.shape[0]):
        w = sums[e, 0]
        if not w > 0.0:
            continue
        centre = (index[e] - origin) + 0.5
        mean = min(max(sums[e, 1] / w, -0.5), 0.5)
        variance = sums[e, 2] / w - mean * mean
        # What is less than this is rounding, or does not matter to a kernel anywhere near as wide as a bin.
        if variance < 1e-10:
            place[count], mass[count] = centre + mean, w
            count += 1
            continue
        skew = (sums[e, 3] / w - mean * (3.0 * sums[e, 2] / w - 2.0 * mean * mean)) / variance
        root = math.sqrt(0.25 * skew * skew + variance)
        # The nodes are mean + left and mean + right, with left * right = -variance and left + right = skew.
        if skew >= 0.0:
            right = 0.5 * skew + root
            left = -variance / right
        else:
            left = 0.5 * skew - root
            right = -variance / left
        place[count], mass[count] = centre + max(mean + left, -0.5), w * right / (right - left)
        place[count + 1], mass[count + 1] = centre + min(mean + right, 0.5), -w * left / (right - left)
        count += 2
    return count


@jit
def deposit(place: Floats, mass: Floats, low: float, step: float, grid: Floats) -> None:
    """Spread atoms over a grid from `low` by cubic Lagrange weights, which keep the moments up to the third."""
    for a in range(place.shape[0]):
        y = (place[a] - low) / step
        i = int(y)
        f = y - i
        w = mass[a]
        grid[i - 1] -= w * f * (f - 1.0) * (f - 2.0) / 6.0
        grid[i] += w * (f + 1.0) * (f - 1.0) * (f - 2.0) / 2.0
        grid[i + 1] -= w * (f + 1.0) * f * (f - 2.0) / 2.0
        grid[i + 2] += w * (f + 1.0) * f * (f - 1.0) / 6.0


@jit
def log_sum(t: float, place: Floats, mass: Floats, bandwidth: float) -> float:
    """Return log sum_a m_a exp(-z_a**2 / 2), z_a = (t - place_a) / bandwidth, to about 1e-5; the masses sum to 1.

    Atoms are left out where even all the mass there would not matter beside the nearest one.
    """
    low, high = 0, place.shape[0]
    while low < high:
        middle = (low + high) // 2
        if place[middle] < t:
            low = middle + 1
        else:
            high = middle
    nearest = low
    if low == place.shape[0] or (low > 0 and t - place[low - 1] < place[low] - t):
        nearest = low - 1
    z0 = abs(t - place[nearest]) / bandwidth
    top: float = -0.5 * z0 * z0
    if math.isinf(top):
        return top
    reach = 11.5 - math.log(mass[nearest])
    total = 0.0
    for step in (-1, 1):
        a = low if step > 0 else low - 1
        while 0 <= a < place.shape[0]:
            z = abs(t - place[a]) / bandwidth
            below = 0.5 * (z - z0) * (z + z0)
            if below > reach:
                break
            total += mass[a] * math.exp(-below)
            a += step
    return top + math.log(total)


@jit
def fill(table: Floats, low: float, step: float, place: Floats, mass: Floats, bandwidth: float) -> None:
    """Sum the atoms at each node of a table that has NaN."""
    for i in range(table.shape[0]):
        if math.isnan(table[i]):
            table[i] = log_sum(low + i * step, place, mass, bandwidth)


@jit
def add_log_density(
    x: Floats,
    which: Counts,
    bounds: Counts,
    scales: Floats,
    place: Floats,
    mass: Floats,
    table: Floats,
    out: Floats,
    apart: int,
) -> None:
    """Add log p(x_j | c), the density ``which[c, j]``, to ``out[i, j * apart, c]``; NaN adds nothing.

    A density has in `bounds` where its atoms and its nodes begin and end, and in `scales` its origin, bandwidth, the
    position of its first node and a number to add. Where there is no table, or NaN in it, the atoms are summed.
    """
    block = 1024
    for begin in range(0, x.shape[0], block):
        end = min(begin + block, x.shape[0])
        for c in range(which.shape[0]):
            for j in range(which.shape[1]):
                d = which[c, j]
                if d < 0:
                    continue
                node, nodes = bounds[d, 2], bounds[d, 3] - bounds[d, 2]
                origin, bandwidth, low, added = scales[d, 0], scales[d, 1], scales[d, 2], scales[d, 3]
                per_step = NODES / bandwidth
                for i in range(begin, end):
                    if math.isnan(x[i, j]):
                        continue
                    t = x[i, j] - origin
                    y = (t - low) * per_step
                    value = math.nan
                    if 1.0 <= y < nodes - 2:
                        at = int(y)
                        f = y - at
                        at += node
                        left, right = f * (f - 1.0), (f + 1.0) * (f - 2.0)
                        value = (
                            left * ((2.0 - f) * table[at - 1] + (f + 1.0) * table[at + 2]) / 6.0
                            + right * ((f - 1.0) * table[at] - f * table[at + 1]) / 2.0
                        )
                    if math.isnan(value):
                        first, last = bounds[d, 0], bounds[d, 1]
                        value = log_sum(t, place[first:last], mass[first:last], bandwidth)
                    out[i, j * apart, c] += value + added
