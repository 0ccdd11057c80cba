"""How probable rows are when each is left out, by how much tables lean on one another."""

from __future__ import annotations

import math

from tallybayes._types import Floats
from tallybayes.kernels._jit import jit


@jit
def left_out_sum(n: Floats, rest: Floats, total: Floats, base: float, strengths: Floats) -> float:
    """Return the sum of n log P over some cells, with P = (rest + s P') / (total + s) from one level to the next.

    Parameters
    ----------
    n
        The rows of each cell.
    rest, total
        What is left of the counts of the cell and of its line without one row, shape (cells, levels).
    base
        P' on the lowest level.
    strengths
        The s of each level.
    """
    whole = 0.0
    for i in range(n.shape[0]):
        share = base
        for d in range(strengths.shape[0]):
            share = (rest[i, d] + strengths[d] * share) / (total[i, d] + strengths[d])
        whole += n[i] * math.log(share)
    return whole
