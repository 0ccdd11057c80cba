"""What a row says of its own class when it is taken out of the counts.

A row is `at[r]` of the batch, of the class ``classes[r]`` and with the weight ``weights[r]``. Sums come with the number
of rows that support them: where the row itself is the only one, nothing is left.
"""

from __future__ import annotations

import math

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit

ROUNDING = 1e-9
"""What part of a sum may be lacking where a row is taken out of it."""


@jit
def taken(total: float, part: float, rows: int) -> float:
    """Return a sum without the part of one row; NaN where that row cannot have been in it."""
    if rows < 1 or part - total > ROUNDING * total:
        return math.nan
    return max(total - part, 0.0) if rows > 1 else 0.0


@jit
def own_shares(
    codes: AnyArray,
    low: Counts,
    start: Counts,
    slot_of: Counts,
    at: Counts,
    classes: Counts,
    weights: Floats,
    rows: Counts,
    sums: Floats,
    first: Counts,
    total_rows: Counts,
    totals: Floats,
    extra: Floats,
    places: Floats,
    out: Floats,
    apart: int,
) -> int:
    """Add the log share of each cell in its own class, without the row, to ``out[r, j * apart]``.

    The share is (sum + extra) / (total + extra * places), with the sums by slot and class, and the totals by column and
    class. The cell of row i and column j has the slot ``slot_of[start[j] + max(codes[i, j] - low[j] + 1, 0)]``; those
    below ``first[j]`` in its column are of missing cells, which say nothing. A class of which nothing is left, and that
    no smoothing helps, has the shares of all classes together.

    Return the first column whose cell cannot have been counted, -1 if all have.
    """
    for r in range(at.shape[0]):
        c, weight = classes[r], weights[r]
        for j in range(codes.shape[1]):
            slot = slot_of[start[j] + max(codes[at[r], j] - low[j] + 1, 0)]
            if slot < 0:
                return j
            if slot < first[j]:
                continue
            part = taken(sums[slot, c], weight, rows[slot, c])
            if part != part:
                return j
            whole = taken(totals[j, c], weight, total_rows[j, c]) + extra[j] * places[j]
            if whole == 0.0:
                part, support = 0.0, 0
                for k in range(sums.shape[1]):
                    part += sums[slot, k]
                    whole += totals[j, k]
                    support += total_rows[j, k]
                if support == 1:
                    continue
                part, whole = max(part - weight, 0.0), whole - weight
            out[r, j * apart] += math.log((part + extra[j]) / whole)
    return -1
