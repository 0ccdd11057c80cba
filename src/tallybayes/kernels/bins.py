"""Binning numbers on nested grids of powers of two.

The bin of x at the exponent k is floor(x / 2**k). Grids of this kind are nested: a bin index shifted right by one
is the bin of twice the width, so that what was binned finely and is coarsened later equals what was binned
coarsely. Indices lie from -2**52 up to 2**52, where they and the position inside the bin are exact.
"""

from __future__ import annotations

import math

from tallybayes._types import Counts, Floats
from tallybayes.kernels._jit import jit

LOWEST = -1022
"""The finest exponent: the reciprocal of its width is still an ordinary float."""

BITS = 52
"""How far indices reach; shifted by so much, only the two bins beside zero are left."""


@jit
def shift_within(keys: Counts, limit: int) -> int:
    """Return the least shift at which sorted indices have at most `limit` distinct values, `limit` at least 2."""
    low, high = 0, BITS
    if keys.shape[0] <= limit:
        return 0
    while low < high:
        shift = (low + high) // 2
        distinct = 1
        for i in range(1, keys.shape[0]):
            distinct += (keys[i] >> shift) != (keys[i - 1] >> shift)
        if distinct <= limit:
            high = shift
        else:
            low = shift + 1
    return low


@jit
def bin_sorted(
    values: Floats,
    masses: Floats,
    limit: int,
    keys: Counts,
    exponents: Counts,
    sizes: Counts,
    index: Counts,
    rows: Counts,
    sums: Floats,
) -> int:
    """Bin each row of `values`, ascending with NaN at the end, and return the number of entries in all.

    `masses` has a weight for each value, or is empty where each counts once. `keys` is room to work in. The other
    arrays are written: an exponent and a number of entries for each row of `values`, and the entries one row after
    the other: the bin, the rows in it, and the sums of w, w t, w t**2 and w t**3, where t is the offset from the
    centre of the bin in widths.
    """
    weighted = masses.shape[0] > 0
    end = 0
    for j in range(values.shape[0]):
        n = values.shape[1]
        while n > 0 and math.isnan(values[j, n - 1]):
            n -= 1
        if n == 0:
            continue
        # The finest grid whose indices are in range for the largest number.
        largest = max(-values[j, 0], values[j, n - 1])
        k = max(math.frexp(largest)[1] - BITS, LOWEST) if largest > 0.0 else LOWEST
        scale = math.ldexp(1.0, -k)
        for i in range(n):
            cell = math.floor(values[j, i] * scale)
            # A negative number that underflows still lies left of zero.
            keys[i] = min(cell, -1.0) if values[j, i] < 0.0 else cell
        shift = shift_within(keys[:n], limit)
        k += shift
        scale = math.ldexp(1.0, -k)
        begin = end
        for i in range(n):
            key = keys[i] >> shift
            if end == begin or index[end - 1] != key:
                index[end], rows[end] = key, 0
                for m in range(4):
                    sums[end, m] = 0.0
                end += 1
            offset = values[j, i] * scale - key - 0.5
            mass = masses[j, i] if weighted else 1.0
            rows[end - 1] += 1
            for m in range(4):
                sums[end - 1, m] += mass
                mass *= offset
        exponents[j], sizes[j] = k, end - begin
    return end
