"""Tables P(child | parents, class) of no parent, of one, of two and so on, which may lean on one another.

The ladder of a column has a level for each number of its parents that is taken, those first that matter most. At the
level d the share of a value is

    P_d = (n + s q) / (N + s),

with the count n of the value among the N rows that have these d parents, the strength s of the level, and for q the
share on the level below, or, on the lowest and where levels stand alone, one divided by the number of values. Where N
and s are 0 it is q.

Column j has the slots 0 for a cell that is summed out, 1 to ``n_values[j]`` for its values, and one more for a value
that was never seen. On a level its tables have a line for each combination of values of the parents, the first parent
slowest, and a cell for each slot of the column; their numbers for the classes stand side by side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.left_out import taken

NOTHING, UNKNOWN = -1, -2
"""What stands for the place of a cell that says nothing, and of one whose parents are not all known."""


class Ladders(NamedTuple):
    """The tables of all columns, as the kernels want them.

    Attributes
    ----------
    n_values
        How many values each column has.
    parents
        The parents of each column, the strongest first, and -1 where there are no more, shape (columns, most).
    cell_start, line_start
        Where the cells and the lines of each level of each column begin, shape (columns, most + 1).
    rows, sums, shares
        The numbers of rows, their weights, and P_d, shape (cells, classes).
    total_rows, totals
        The sums of the first two over the values, shape (lines, classes).
    strengths
        The s of each level of each column, shape (columns, most + 1).
    nested
        Whether a level leans on the one below.
    log_start, logs
        Where the cells of the highest level of each column begin among the logarithms of their shares, and these.
    """

    n_values: Counts
    parents: Counts
    cell_start: Counts
    line_start: Counts
    rows: Counts
    sums: Floats
    shares: Floats
    total_rows: Counts
    totals: Floats
    strengths: Floats
    nested: bool
    log_start: Counts
    logs: Floats


@jit
def read_slots(codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, slots: AnyArray) -> None:
    """Write the slot of each cell, which is ``slot_map[map_start[j] + max(code - low[j] + 1, 0)]``."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            slots[i, j] = slot_map[map_start[j] + max(codes[i, j] - low[j] + 1, 0)]


@jit
def fill_shares(ladders: Ladders) -> None:
    """Work out the shares of all levels from the counts; `shares` and `logs` are written."""
    classes = ladders.sums.shape[1]
    for j in range(ladders.n_values.shape[0]):
        e, depth = ladders.n_values[j], depth_of(ladders, j)
        lines = 1
        for d in range(depth + 1):
            fan = ladders.n_values[ladders.parents[j, d - 1]] if d > 0 else 1
            lines *= fan
            s = ladders.strengths[j, d]
            for line in range(lines):
                at = ladders.line_start[j, d] + line
                for slot in range(1, e + 2):
                    cell = ladders.cell_start[j, d] + line * (e + 2) + slot
                    below = 0
                    if d > 0:
                        below = ladders.cell_start[j, d - 1] + line // fan * (e + 2) + slot
                    for c in range(classes):
                        q = ladders.shares[below, c] if ladders.nested and d > 0 else 1.0 / max(e, 1)
                        share = _share(ladders.sums[cell, c], ladders.totals[at, c], s, q)
                        ladders.shares[cell, c] = share
        for cell in range(lines * (e + 2)):
            for c in range(classes):
                share = ladders.shares[ladders.cell_start[j, depth] + cell, c]
                ladders.logs[ladders.log_start[j] + cell, c] = math.log(share) if share > 0.0 else -math.inf


@jit
def add_logs(slots: AnyArray, classes: Counts, own: Floats, ladders: Ladders, whole: Bools, out: Floats) -> None:
    """Add to ``out[i]`` what each column says of row i whose own parents are known.

    Parameters
    ----------
    slots
        The slot of each cell.
    classes, own
        For a row of a class that is not -1, what each column says of that class instead of its table, a line for each
        of these rows in turn.
    ladders
        The tables.
    whole
        Whether that is all there is to say of a row: it is not where a column is there and a parent is summed out.
    out
        Shape (rows, classes).
    """
    p, k, r = ladders.n_values.shape[0], out.shape[1], -1
    for i in range(slots.shape[0]):
        mine = classes[i]
        kept = 0.0
        if mine >= 0:
            r += 1
            kept = out[i, mine]
        whole[i] = True
        for j in range(p):
            cell = log_cell(slots, i, j, ladders)
            if cell < 0:
                whole[i] = whole[i] and cell == NOTHING
                continue
            for c in range(k):
                out[i, c] += ladders.logs[cell, c]
            if mine >= 0:
                kept += own[r, j]
        if mine >= 0:
            out[i, mine] = kept


@jit
def each_log(slots: AnyArray, ladders: Ladders, out: Floats) -> None:
    """Write what `add_logs` adds, apart for each column, shape (rows, columns, classes)."""
    for i in range(slots.shape[0]):
        for j in range(out.shape[1]):
            cell = log_cell(slots, i, j, ladders)
            for c in range(out.shape[2]):
                out[i, j, c] = 0.0 if cell < 0 else ladders.logs[cell, c]


@jit
def own_logs(slots: AnyArray, at: Counts, classes: Counts, weights: Floats, ladders: Ladders, own: Floats) -> int:
    """Write the log share of each cell in its own class without its row, shape (rows learned, columns).

    The row r is ``at[r]`` of the slots, of the class ``classes[r]``, with the weight ``weights[r]``. Where the cell or
    a parent is summed out, 0 is written. Return the first column whose cell cannot have been counted, -1 if all have.
    """
    for r in range(at.shape[0]):
        for j in range(ladders.n_values.shape[0]):
            share = own_share(slots, at[r], j, classes[r], weights[r], ladders)
            if share != share:
                return j
            own[r, j] = 0.0 if share < 0.0 else math.log(share) if share > 0.0 else -math.inf
    return -1


@jit
def own_share(slots: AnyArray, i: int, j: int, c: int, weight: float, ladders: Ladders) -> float:
    """Return the share of a cell in the class of its row without that row.

    It is -1 where the cell or a parent is summed out, and NaN where the row cannot have been counted.
    """
    e, slot = ladders.n_values[j], slots[i, j]
    if slot == 0 or e == 0:
        return -1.0
    if slot > e:
        return math.nan
    share, line = 0.0, 0
    for d in range(depth_of(ladders, j) + 1):
        if d > 0:
            line = _step(slots, i, j, d, line, ladders)
        if line < 0:
            return -1.0
        cell, at = ladders.cell_start[j, d] + line * (e + 2) + slot, ladders.line_start[j, d] + line
        part = taken(ladders.sums[cell, c], weight, ladders.rows[cell, c])
        total = taken(ladders.totals[at, c], weight, ladders.total_rows[at, c])
        q = share if ladders.nested and d > 0 else 1.0 / e
        share = _share(part, total, ladders.strengths[j, d], q)
        if share != share:
            return math.nan
    return share


@jit
def _share(part: float, total: float, s: float, q: float) -> float:
    return (part + s * q) / (total + s) if total + s > 0.0 else q


@jit
def depth_of(ladders: Ladders, j: int) -> int:
    """Return how many parents a column has."""
    d = 0
    while d < ladders.parents.shape[1] and ladders.parents[j, d] >= 0:
        d += 1
    return d


@jit
def log_cell(slots: AnyArray, i: int, j: int, ladders: Ladders) -> int:
    """Return where the logarithm for a cell stands; `NOTHING` where it is summed out, `UNKNOWN` where a parent is."""
    e, slot = ladders.n_values[j], slots[i, j]
    if slot == 0 or e == 0:
        return NOTHING
    line = _place(slots, i, j, depth_of(ladders, j), ladders)
    if line < 0:
        return UNKNOWN
    at: int = ladders.log_start[j] + line * (e + 2) + slot
    return at


@jit
def _step(slots: AnyArray, i: int, j: int, d: int, line: int, ladders: Ladders) -> int:
    """Return the line on the level d of a row that has a line on the level below, -1 where the parent is summed out."""
    above = ladders.parents[j, d - 1]
    slot = slots[i, above]
    if slot == 0 or slot > ladders.n_values[above]:
        return -1
    place: int = line * ladders.n_values[above] + slot - 1
    return place


@jit
def _place(slots: AnyArray, i: int, j: int, d: int, ladders: Ladders) -> int:
    """Return the line of a row on a level, -1 where a parent is summed out."""
    line = 0
    for q in range(1, d + 1):
        line = _step(slots, i, j, q, line, ladders)
        if line < 0:
            return -1
    return line
