"""Looking numbers up between sorted edges."""

from __future__ import annotations

import math

from tallybayes._types import Counts, Floats
from tallybayes.kernels._jit import jit


@jit
def add_log_histogram(x: Floats, start: Counts, edges: Floats, log_density: Floats, out: Floats, apart: int) -> bool:
    """Add the log density of x_j to ``out[i, j * apart]`` for each class, and return whether all x are finite.

    Column j has its edges at ``start[j]`` to ``start[j + 1]``, and one row of `log_density` more than edges, from
    ``start[j] + j``: before the first, from each to the next, and from the last. NaN adds nothing.
    """
    finite = True
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = x[i, j]
            low, high = start[j], start[j + 1]
            # Halving down to a few edges, and counting those, is quicker than either alone.
            while high - low > 32:
                middle = (low + high) // 2
                right = edges[middle] <= value
                low = middle if right else low
                high = high if right else middle
            at = low + j
            for e in range(low, high):
                at += edges[e] <= value
            finite &= not math.isinf(value)
            if not math.isnan(value):
                for c in range(log_density.shape[1]):
                    out[i, j * apart, c] += log_density[at, c]
    return finite
