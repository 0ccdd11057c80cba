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

import numpy as np

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
    depth
        How many parents each column has.
    parents
        These, the strongest first, and -1 where there are no more, shape (columns, most).
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
    origin, strides
        Such a cell is that of the origin, plus the slot of the column, plus that of each parent times its stride.
    """

    n_values: Counts
    depth: Counts
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
    origin: Counts
    strides: Counts


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
        e, depth = ladders.n_values[j], ladders.depth[j]
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
                        share = share_of(ladders.sums[cell, c], ladders.totals[at, c], s, q)
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
    cells = np.empty(p, np.int64)
    for i in range(slots.shape[0]):
        mine = classes[i]
        kept = 0.0
        if mine >= 0:
            r += 1
            kept = out[i, mine]
        whole[i] = row_cells(slots[i], ladders, cells)
        for j in range(p):
            if cells[j] >= 0:
                for c in range(k):
                    out[i, c] += ladders.logs[cells[j], c]
                if mine >= 0:
                    kept += own[r, j]
        if mine >= 0:
            out[i, mine] = kept


@jit
def each_log(slots: AnyArray, ladders: Ladders, whole: Bools, out: Floats) -> None:
    """Write what `add_logs` adds, apart for each column, shape (rows, columns, classes)."""
    cells = np.empty(out.shape[1], np.int64)
    for i in range(slots.shape[0]):
        whole[i] = row_cells(slots[i], ladders, cells)
        for j in range(out.shape[1]):
            for c in range(out.shape[2]):
                out[i, j, c] = 0.0 if cells[j] < 0 else ladders.logs[cells[j], c]


@jit
def row_cells(slots: AnyArray, ladders: Ladders, cells: Counts) -> bool:
    """Write where the logarithm for each cell of a row stands, and return whether nothing has to be summed out.

    It is `NOTHING` for a cell that is summed out, and `UNKNOWN` where a parent is and the cell is there.
    """
    whole = True
    for j in range(cells.shape[0]):
        if slots[j] == 0 or ladders.n_values[j] == 0:
            cells[j] = NOTHING
            continue
        cell = ladders.origin[j] + slots[j]
        for d in range(ladders.depth[j]):
            above = ladders.parents[j, d]
            slot = slots[above]
            if slot == 0 or slot > ladders.n_values[above]:
                cell = UNKNOWN
                whole = False
                break
            cell += ladders.strides[j, d] * slot
        cells[j] = cell
    return whole


@jit
def fill_left_out(ladders: Ladders, scratch: Floats, out: Floats) -> None:
    """Write the share of each cell of the highest levels in a class without one of its rows, of the weight 1.

    It is NaN where there is no such row. As the highest cells do, so the lines of `out` begin at `log_start`; `scratch`
    has one for each cell of all levels.
    """
    for j in range(ladders.n_values.shape[0]):
        e, depth = ladders.n_values[j], ladders.depth[j]
        lines = 1
        for d in range(depth + 1):
            fan = ladders.n_values[ladders.parents[j, d - 1]] if d > 0 else 1
            lines *= fan
            for line in range(lines):
                for slot in range(1, e + 1):
                    cell = ladders.cell_start[j, d] + line * (e + 2) + slot
                    below = ladders.cell_start[j, d - 1] + line // fan * (e + 2) + slot if d > 0 else 0
                    for c in range(out.shape[1]):
                        share = scratch[below, c] if d > 0 else 0.0
                        at = ladders.line_start[j, d] + line
                        part = taken(ladders.sums[cell, c], 1.0, ladders.rows[cell, c])
                        total = taken(ladders.totals[at, c], 1.0, ladders.total_rows[at, c])
                        q = share if ladders.nested and d > 0 else 1.0 / e
                        scratch[cell, c] = share_of(part, total, ladders.strengths[j, d], q)
        for line in range(lines):
            for slot in range(1, e + 1):
                cell = line * (e + 2) + slot
                for c in range(out.shape[1]):
                    out[ladders.log_start[j] + cell, c] = scratch[ladders.cell_start[j, depth] + cell, c]


@jit
def own_logs(
    slots: AnyArray, at: Counts, classes: Counts, weights: Floats, left: Counts, ladders: Ladders, table: Floats,
    own: Floats,
) -> int:  # fmt: skip
    """Write the log share of each cell in its own class without its row, shape (rows learned, columns).

    The row r is ``at[r]`` of the slots, of the class ``classes[r]``, and ``weights[r]`` is taken out; ``left[r]`` rows
    of it are left, 1 where it weighs more than that. Where all weigh 1, `table` is what `fill_left_out` gives, else it
    has no lines. Where the cell or a parent is summed out, 0 is written. Return the first column whose cell cannot have
    been counted, -1 if all have.
    """
    shares, cells = np.empty(own.shape[1]), np.empty(own.shape[1], np.int64)
    for r in range(at.shape[0]):
        row = slots[at[r]]
        row_cells(row, ladders, cells)
        odd = own_shares(row, cells, classes[r], weights[r], left[r], ladders, table, shares)
        if odd >= 0:
            return odd
        for j in range(own.shape[1]):
            own[r, j] = 0.0 if shares[j] < 0.0 else math.log(shares[j]) if shares[j] > 0.0 else -math.inf
    return -1


@jit
def own_shares(
    slots: AnyArray, cells: Counts, c: int, weight: float, left: int, ladders: Ladders, table: Floats, shares: Floats
) -> int:
    """Write the share of each cell of a row in its class without that row; return what `own_logs` does.

    It is -1 where the cell or a parent is summed out.
    """
    for j in range(cells.shape[0]):
        share = -1.0
        if cells[j] >= 0 and table.shape[0] > 0:
            share = table[cells[j], c]
        elif cells[j] != NOTHING:
            line = 0
            if slots[j] > ladders.n_values[j]:
                return j
            for d in range(ladders.depth[j] + 1):
                if d > 0:
                    above = ladders.parents[j, d - 1]
                    if slots[above] == 0 or slots[above] > ladders.n_values[above]:
                        share = -1.0
                        break
                    line = line * ladders.n_values[above] + slots[above] - 1
                cell = ladders.cell_start[j, d] + line * (ladders.n_values[j] + 2) + slots[j]
                at = ladders.line_start[j, d] + line
                part = taken(ladders.sums[cell, c], weight, ladders.rows[cell, c] + left)
                total = taken(ladders.totals[at, c], weight, ladders.total_rows[at, c] + left)
                q = share if ladders.nested and d > 0 else 1.0 / ladders.n_values[j]
                share = share_of(part, total, ladders.strengths[j, d], q)
                if share != share:
                    break
        if share != share:
            return j
        shares[j] = share
    return -1


@jit
def share_of(part: float, total: float, s: float, q: float) -> float:
    """Return (part + s q) / (total + s), and q where there is nothing to divide by."""
    return (part + s * q) / (total + s) if total + s > 0.0 else q
