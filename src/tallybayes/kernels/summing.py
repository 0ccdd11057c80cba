"""Tables of columns of which some are known and others are not, as products and sums over these want them."""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.ladders import Ladders, share_of
from tallybayes.kernels.left_out import taken


@jit
def fill_table(
    slots: AnyArray, j: int, free: bool, free_parents: Bools, ladders: Ladders, classes: Counts, weights: Floats,
    left: Counts, out: Floats,
) -> None:  # fmt: skip
    """Write P(x_j | parents, class) for each row and each combination of values of what is not known.

    Parameters
    ----------
    slots
        The slot of each cell.
    j, free, free_parents
        The column, whether it is not known itself, and which of its parents are not.
    ladders
        The tables.
    classes, weights, left
        For a row of a class that is not -1, what is taken out of what is said of that class, and how many rows are left
        of it; none of them where nothing is taken out.
    out
        Shape (rows, combinations, classes), the values of the first parent slowest, those of the column fastest.
    """
    e, depth = ladders.n_values[j], ladders.depth[j]
    wide = e + 2
    digit = np.zeros(depth + 1, np.int64)
    line_of = np.zeros(depth + 1, np.int64)
    known = 0  # the levels on which a row without what is not known was counted
    while known < depth and not free_parents[known]:
        known += 1
    first = ladders.cell_start[j, depth]
    for i in range(slots.shape[0]):
        digit[:] = 0
        mine = -1
        if classes.shape[0] > 0 and not free and slots[i, j] <= e:
            mine = classes[i]
        for g in range(out.shape[1]):
            for d in range(depth):
                above = ladders.parents[j, d]
                place = digit[d] if free_parents[d] else slots[i, above] - 1
                line_of[d + 1] = line_of[d] * ladders.n_values[above] + place
            slot = digit[depth] + 1 if free else slots[i, j]
            cell = first + line_of[depth] * wide + slot
            for c in range(out.shape[2]):
                out[i, g, c] = ladders.shares[cell, c]
            if mine >= 0:
                share = 0.0
                for d in range(0 if ladders.nested else depth, depth + 1):
                    cell, at = (
                        ladders.cell_start[j, d] + line_of[d] * wide + slot,
                        ladders.line_start[j, d] + line_of[d],
                    )
                    part, total = ladders.sums[cell, mine], ladders.totals[at, mine]
                    if d <= known:
                        part = taken(part, weights[i], ladders.rows[cell, mine] + left[i])
                        total = taken(total, weights[i], ladders.total_rows[at, mine] + left[i])
                    q = share if ladders.nested and d > 0 else 1.0 / e
                    share = share_of(part, total, ladders.strengths[j, d], q)
                out[i, g, mine] = share
            d = depth
            while d >= 0:
                if d == depth and free:
                    digit[d] += 1
                    if digit[d] < e:
                        break
                    digit[d] = 0
                elif d < depth and free_parents[d]:
                    digit[d] += 1
                    if digit[d] < ladders.n_values[ladders.parents[j, d]]:
                        break
                    digit[d] = 0
                d -= 1
