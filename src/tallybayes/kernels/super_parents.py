"""Groups of super-parents: their counts, P(c, parents), and the shares P(x_j | c, parents).

A group is one column, or two; each combination of values of its members is a state. Column j has the slots 0 for a cell
that is summed out, 1 to ``n_values[j]`` for its values, and one more for a value that was never seen.

The classes stand in blocks of four, which fill a vector of floats: a look-up reads one, and what is read for one block
stays in the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.left_out import taken


class SuperParents(NamedTuple):
    """Groups of super-parents, and the counts of them and of their children, as the kernels want them.

    Attributes
    ----------
    rows, sums
        The numbers of rows and the weights of all cells, shape (cells, classes).
    smoothing
        What is added to each count.
    n_values, first
        How many values each column has, and which of its slots in the tables is the first of them; a last column of one
        value stands for a second member of groups that have none.
    members
        The two columns of each group, shape (groups, 2).
    base, strides
        Where the table of each group and child begins, counted in cells, and how far apart the slots of the first
        member, the second and the child are, shapes (groups, columns) and (groups, columns, 3).
    state_start
        Where the states of each group begin.
    state_rows, state_sums, seen
        The numbers of rows and the weights of each state by class, and the rows over all classes.
    total_rows, totals
        Those of each group by class, all of its members being present.
    """

    rows: Counts
    sums: Floats
    smoothing: float
    n_values: Counts
    first: Counts
    members: Counts
    base: Counts
    strides: Counts
    state_start: Counts
    state_rows: Counts
    state_sums: Floats
    seen: Counts
    total_rows: Counts
    totals: Floats


@jit
def fill_shares(
    parents: SuperParents, first: int, last: int, left_out: bool, scale: float, start: Counts, shares: Floats
) -> None:
    """Write the shares of all values of the children for the states of the groups from `first` up to `last`.

    The table of a group is ``shares[start[g - first]:]``, with a line for each block of classes and each state of the
    group, and in it four numbers for each slot of each column; those of no class are left as they are. If `left_out`,
    each number is without one row of the weight 1, which is taken out of the count of the very cell; NaN where there is
    none.
    """
    classes, p = parents.sums.shape[1], parents.first.shape[0]
    width = 0
    for j in range(p):
        width += 4 * (parents.n_values[j] + 2)
    whole, rows = np.empty(4), np.empty(4, np.int64)
    for g in range(first, last):
        a, b = parents.members[g]
        states = parents.n_values[a] * parents.n_values[b]
        for v in range(parents.n_values[a]):
            for u in range(parents.n_values[b]):
                for c in range(0, classes, 4):
                    at = start[g - first] + ((c >> 2) * states + v * parents.n_values[b] + u) * width
                    for j in range(p):
                        values = parents.n_values[j]
                        if j != a and j != b:
                            cell = child_cell(parents, g, v, u, j)
                            _fill_child(parents, g, j, cell, c, left_out, scale, at, shares, whole, rows)
                        else:
                            shares[at : at + 4 * (values + 2)] = scale
                        at += 4 * (values + 2)


@jit
def _fill_child(
    parents: SuperParents, g: int, j: int, cell: int, c: int, left_out: bool, scale: float, at: int, shares: Floats,
    whole: Floats, rows: Counts,
) -> None:  # fmt: skip
    """Write the shares of the values of one column for one state and a block of classes, from `c` on."""
    stride, values, smoothing = parents.strides[g, j, 2], parents.n_values[j], parents.smoothing
    lanes = min(4, parents.sums.shape[1] - c)
    whole[:], rows[:] = 0.0, 0
    for k in range(values):
        for lane in range(lanes):
            whole[lane] += parents.sums[cell + k * stride, c + lane]
    if left_out:
        for k in range(values):
            for lane in range(lanes):
                rows[lane] += parents.rows[cell + k * stride, c + lane]
        for lane in range(lanes):
            whole[lane] = taken(whole[lane], 1.0, rows[lane])
    for lane in range(lanes):
        shares[at + lane] = scale
        shares[at + 4 * (values + 1) + lane] = share_of_cell(0.0, whole[lane], smoothing, values, scale)
    for k in range(values):
        for lane in range(lanes):
            part = parents.sums[cell + k * stride, c + lane]
            if left_out:
                part = taken(part, 1.0, parents.rows[cell + k * stride, c + lane])
            shares[at + 4 * (k + 1) + lane] = share_of_cell(part, whole[lane], smoothing, values, scale)


@jit
def child_cell(parents: SuperParents, g: int, v: int, u: int, j: int) -> int:
    """Return the cell of the first value of a child for a state."""
    a, b = parents.members[g]
    strides = parents.strides[g, j]
    cell: int = parents.base[g, j] + (parents.first[a] + v) * strides[0] + parents.first[j] * strides[2]
    if b < parents.first.shape[0]:
        cell += (parents.first[b] + u) * strides[1]
    return cell


@jit
def share_of_cell(part: float, whole: float, smoothing: float, values: int, scale: float) -> float:
    """Return a share; where nothing was counted, all values are alike."""
    bottom = whole + smoothing * values
    if bottom == 0.0:
        return scale / max(values, 1)
    return (part + smoothing) / bottom * scale


@jit
def head_of(
    part: float, total: float, class_total: float, prior: float, smoothing: float, states: int, classes: int
) -> float:
    """Return P(c, state); a prior below 0 is none, and the classes are as frequent as they were counted."""
    if prior < 0.0:
        bottom = total + smoothing * classes * states
        return (part + smoothing) / bottom if bottom > 0.0 else 1.0 / (classes * states)
    bottom = class_total + smoothing * states
    return prior * ((part + smoothing) / bottom if bottom > 0.0 else 1.0 / states)


@jit
def fill_heads(parents: SuperParents, prior: Floats, heads: Floats) -> None:
    """Write P(c, state) of all states, shape (states, four for each block of classes)."""
    classes = parents.sums.shape[1]
    for g in range(parents.members.shape[0]):
        states, total = parents.state_start[g + 1] - parents.state_start[g], 0.0
        for c in range(classes):
            total += parents.totals[g, c]
        for s in range(parents.state_start[g], parents.state_start[g + 1]):
            for c in range(classes):
                heads[s, c] = head_of(
                    parents.state_sums[s, c], total, parents.totals[g, c], prior[c], parents.smoothing, states, classes
                )
