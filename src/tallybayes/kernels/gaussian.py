"""The log density of independent normal columns."""

from __future__ import annotations

from tallybayes._types import Floats
from tallybayes.kernels._jit import jit_reassociating


@jit_reassociating
def add_log_normal(x: Floats, mean: Floats, scale: Floats, offset: Floats, out: Floats) -> None:
    """Add sum_j ``offset[c, j] - ((x[i, j] - mean[c, j]) * scale[c, j])**2 / 2`` to ``out[i, c]``.

    NaN adds nothing.
    """
    for i in range(x.shape[0]):
        for c in range(mean.shape[0]):
            total = 0.0
            for j in range(x.shape[1]):
                value = x[i, j]
                z = (value - mean[c, j]) * scale[c, j]
                term = offset[c, j] - 0.5 * z * z
                total += term if value == value else 0.0
            out[i, c] += total
