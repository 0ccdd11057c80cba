"""Adding two sets of binned columns, at the finest common grid that keeps the bins within the limit."""

from __future__ import annotations

import math
from typing import TypeAlias

from tallybayes._types import Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.bins import shift_within

Binned: TypeAlias = tuple[Counts, Counts, Counts, Counts, Floats]
"""By cell the exponent, and where its entries begin; by entry the bin, the rows and the four sums."""

Sums: TypeAlias = tuple[float, float, float, float]


@jit
def _widened(index: int, shift: int, w: Sums) -> Sums:
    """Return the sums of a bin about the centre of the bin 2**shift times as wide."""
    if shift == 0:
        return w
    # The offset t from the old centre is r t + g from the new one.
    r = math.ldexp(1.0, -shift)
    g = (index + 0.5) * r - (index >> min(shift, 63)) - 0.5
    w1, w2, w3 = r * w[1], r * r * w[2], r * r * r * w[3]
    w3 += g * (3.0 * w2 + g * (3.0 * w1 + g * w[0]))
    w2 += g * (2.0 * w1 + g * w[0])
    return w[0], w1 + g * w[0], w2, w3


@jit
def merge_bins(a: Binned, b: Binned, sign: int, limit: int, out: Binned) -> int:
    """Add b to a, or take it away with sign -1, and return the number of entries.

    Both have the same cells, and `out` has room for the entries of both. What is taken away may leave entries without
    rows, for the caller to drop, and a coarser grid only where it was never there.
    """
    exponents_a, start_a, index_a, rows_a, sums_a = a
    exponents_b, start_b, index_b, rows_b, sums_b = b
    exponents, start, index, rows, sums = out
    end = 0
    for cell in range(exponents.shape[0]):
        k = max(exponents_a[cell], exponents_b[cell])
        shift_a, shift_b = k - exponents_a[cell], k - exponents_b[cell]
        at_a, last_a = start_a[cell], start_a[cell + 1]
        at_b, last_b = start_b[cell], start_b[cell + 1]
        begin = last = end
        while at_a < last_a or at_b < last_b:
            ours = at_b == last_b
            if not ours and at_a < last_a:
                ours = index_a[at_a] >> min(shift_a, 63) <= index_b[at_b] >> min(shift_b, 63)
            if ours:
                key, shift, rows[last] = index_a[at_a], shift_a, rows_a[at_a]
                w = sums_a[at_a, 0], sums_a[at_a, 1], sums_a[at_a, 2], sums_a[at_a, 3]
                at_a += 1
            else:
                key, shift, rows[last] = index_b[at_b], shift_b, sign * rows_b[at_b]
                w = sign * sums_b[at_b, 0], sign * sums_b[at_b, 1], sign * sums_b[at_b, 2], sign * sums_b[at_b, 3]
                at_b += 1
            index[last] = key >> min(shift, 63)
            sums[last, 0], sums[last, 1], sums[last, 2], sums[last, 3] = _widened(key, shift, w)
            last += 1
        # All entries stand in order on the common grid; widen them as the limit asks, and add up those of one bin.
        shift = shift_within(index[begin:last], limit)
        for at in range(begin, last):
            key, more = index[at] >> shift, rows[at]
            w0, w1, w2, w3 = _widened(index[at], shift, (sums[at, 0], sums[at, 1], sums[at, 2], sums[at, 3]))
            if end > begin and index[end - 1] == key:
                rows[end - 1] += more
                sums[end - 1, 0] += w0
                sums[end - 1, 1] += w1
                sums[end - 1, 2] += w2
                sums[end - 1, 3] += w3
            else:
                index[end], rows[end] = key, more
                sums[end, 0], sums[end, 1], sums[end, 2], sums[end, 3] = w0, w1, w2, w3
                end += 1
        exponents[cell], start[cell], start[cell + 1] = k + shift, begin, end
    return end
