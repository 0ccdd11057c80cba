"""Sums and products over trees of columns, given the class: any cells may be missing, and are summed out exactly.

Column j has the slots 0 for a cell that is summed out, 1 to ``n_values[j]`` for its values, and one more for a value
that was never seen. Such a value says, as a child, what a zero count says; of its children it knows nothing, and for
them it is summed out.

The table of a column has a line for each slot of its parent and each slot of its own, the parent's slower, with a
number for each class. Where the parent is summed out the lines hold NaN, except for the slot 0 of the column itself,
which says nothing: a sum of look-ups is NaN where a row has to be summed out, and only there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels._jit import jit


class Tree(NamedTuple):
    """Columns with at most one parent each, as the kernels want them.

    Attributes
    ----------
    parent
        The parent of each column; one past the last column where there is none.
    n_values
        How many values each column has.
    start
        Where the table of each column begins.
    logs, shares
        The tables, one after the other, as logarithms and as they are.
    upward
        The columns, children before their parents.
    child_start, children
        Where the children of each column begin, and which they are.
    room
        Where the values of each column begin among those of all.
    """

    parent: Counts
    n_values: Counts
    start: Counts
    logs: Floats
    shares: Floats
    upward: Counts
    child_start: Counts
    children: Counts
    room: Counts


@jit
def tree_log_joint(
    codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, tree: Tree, wide: Floats, log_prior: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Write log p(x, c) of each row; the slot of a cell is ``slot_map[map_start[j] + max(code - low[j] + 1, 0)]``.

    `wide` has the logarithms of the tree with zeros for more classes, up to a multiple of four.
    """
    p, k = codes.shape[1], log_prior.shape[0]
    slots, cells = np.zeros(p + 1, np.int64), np.empty(p, np.int64)
    room, has = np.empty((tree.room[p], k)), np.zeros(p + 1, np.bool_)
    parts, own, total = np.empty((p, k)), np.empty(0), np.empty(k)
    for i in range(codes.shape[0]):
        _read(codes, low, map_start, slot_map, i, slots)
        _look_up(slots, tree, wide, cells, total)
        for c in range(k):
            out[i, c] = log_prior[c] + total[c]
        if math.isnan(total[0]):
            parts[:] = 0.0
            _sum_out(slots, tree, tree.upward, -1, own, room, has, parts)
            for c in range(k):
                out[i, c] = log_prior[c]
                for j in range(p):
                    out[i, c] += parts[j, c]


@jit
def tree_parts(
    codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, tree: Tree, classes: Counts, own: Floats,
    parts: Floats,
) -> None:  # fmt: skip
    """Write what each column adds to the log joint; a column that is summed out has all that depends on it there.

    Parameters
    ----------
    classes, own
        For the rows of a class that is not -1, what each column says of that class instead of its table; nothing else
        is read of `own` where all are -1.
    parts
        Shape (rows, columns, classes).
    """
    p, k = codes.shape[1], parts.shape[2]
    slots = np.zeros(p + 1, np.int64)
    room, has, nothing = np.empty((tree.room[p], k)), np.zeros(p + 1, np.bool_), np.empty(0)
    for i in range(codes.shape[0]):
        _read(codes, low, map_start, slot_map, i, slots)
        clean = True
        for j in range(p):
            cell = tree.start[j] + slots[tree.parent[j]] * (tree.n_values[j] + 2) + slots[j]
            for c in range(k):
                parts[i, j, c] = tree.logs[cell, c]
            clean &= not math.isnan(parts[i, j, 0])
        mine = classes[i]
        if not clean:
            parts[i] = 0.0
            _sum_out(slots, tree, tree.upward, mine, own[i] if mine >= 0 else nothing, room, has, parts[i])
        elif mine >= 0:
            for j in range(p):
                parts[i, j, mine] = own[i, j]


@jit
def tree_left_out(
    codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, tree: Tree, wide: Floats, classes: Counts,
    own: Floats, table: Floats, out: Floats,
) -> int:  # fmt: skip
    """Add to ``out[i]`` the sum over the columns of what `tree_parts` writes.

    Where `table` has lines, what a column says of the class of a row is looked up there, and nothing is read of `own`;
    what is infinite there no row has. Return the first column that such a row cannot have, -1 if all can be.
    """
    p, k = codes.shape[1], out.shape[1]
    slots, cells = np.zeros(p + 1, np.int64), np.empty(p, np.int64)
    room, has, mine_alone = np.empty((tree.room[p], k)), np.zeros(p + 1, np.bool_), np.empty(p)
    parts, total = np.empty((p, k)), np.empty(k)
    looked_up = table.shape[0] > 0
    for i in range(codes.shape[0]):
        _read(codes, low, map_start, slot_map, i, slots)
        mine = classes[i]
        _look_up(slots, tree, wide, cells, total)
        if mine >= 0:
            said = 0.0
            for j in range(p):
                mine_alone[j] = table[cells[j], mine] if looked_up else own[i, j]
                said += mine_alone[j]
            if not said < math.inf:  # one of them is infinite, or the row is summed out
                for j in range(p):
                    if mine_alone[j] == math.inf:
                        return j
        if math.isnan(total[0]):
            parts[:] = 0.0
            _sum_out(slots, tree, tree.upward, mine, mine_alone, room, has, parts)
            for c in range(k):
                total[c] = 0.0
                for j in range(p):
                    total[c] += parts[j, c]
        elif mine >= 0:
            total[mine] = said
        for c in range(k):
            out[i, c] += total[c]
    return -1


@jit
def tree_contributions(
    codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, tree: Tree, log_prior: Floats, out: Floats
) -> None:
    """Write log p(x, c) less the same without each column, which is then summed out, shape (rows, columns, classes).

    Where a class has probability zero with a column and without it, the column adds 0.
    """
    p, k = codes.shape[1], log_prior.shape[0]
    slots = np.zeros(p + 1, np.int64)
    room, has, own = np.empty((tree.room[p], k)), np.zeros(p + 1, np.bool_), np.empty(0)
    parts, whole, rest = np.empty((p, k)), np.empty(k), np.empty(k)
    near = np.empty(p, np.int64)
    for i in range(codes.shape[0]):
        _read(codes, low, map_start, slot_map, i, slots)
        clean = True
        for j in range(p):
            cell = tree.start[j] + slots[tree.parent[j]] * (tree.n_values[j] + 2) + slots[j]
            clean &= not math.isnan(tree.logs[cell, 0])
        if not clean:
            _total(slots, tree, tree.upward, own, room, has, parts, whole)
        for j in range(p):
            for c in range(k):
                out[i, j, c] = 0.0
            if slots[j] == 0:
                continue
            if clean and tree.child_start[j] == tree.child_start[j + 1]:
                cell = tree.start[j] + slots[tree.parent[j]] * (tree.n_values[j] + 2) + slots[j]
                for c in range(k):
                    out[i, j, c] = tree.logs[cell, c]
                continue
            nodes = tree.upward
            if clean:  # then a column and its children are all that it has to do with
                m = 0
                for q in range(tree.child_start[j], tree.child_start[j + 1]):
                    near[m] = tree.children[q]
                    m += 1
                near[m] = j
                nodes = near[: m + 1]
                _total(slots, tree, nodes, own, room, has, parts, whole)
            slot = slots[j]
            slots[j] = 0
            _total(slots, tree, nodes, own, room, has, parts, rest)
            slots[j] = slot
            for c in range(k):
                if rest[c] > -math.inf:
                    out[i, j, c] = whole[c] - rest[c]


@jit
def own_terms(
    codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, tree: Tree, classes: Counts, weights: Floats,
    table: Floats, rows: Counts, sums: Floats, line_start: Counts, total_rows: Counts, totals: Floats,
    smoothing: float, own: Floats,
) -> int:  # fmt: skip
    """Write the log share of each cell in its own class without its row; return the first column that cannot be.

    Parameters
    ----------
    classes, weights
        The class of each row, -1 for one that was not learned, and what it weighs.
    table
        These shares for rows of weight 1, which are then looked up, infinite for cells that no row has; without lines
        where weights differ.
    rows, sums
        The rows and the weight of each cell, in the lines of the tables of the tree.
    line_start, total_rows, totals
        Where the sums over the values of each column begin, a line for each slot of its parent, and these.
    smoothing
        What was added to each cell.
    own
        Shape (rows, columns); NaN where the parent is summed out.
    """
    p = codes.shape[1]
    slots = np.zeros(p + 1, np.int64)
    for i in range(codes.shape[0]):
        c = classes[i]
        if c < 0:
            continue
        _read(codes, low, map_start, slot_map, i, slots)
        for j in range(p):
            e = tree.n_values[j]
            if slots[j] == 0 or e == 0:
                own[i, j] = 0.0
                continue
            if slots[j] > e:
                return j
            above = slots[tree.parent[j]]
            cell = tree.start[j] + above * (e + 2) + slots[j]
            if math.isnan(tree.logs[cell, 0]):
                own[i, j] = math.nan
            elif table.shape[0] > 0:
                own[i, j] = table[cell, c]
                if own[i, j] == math.inf:
                    return j
            else:
                line, weight = line_start[j] + above, weights[i]
                if rows[cell, c] < 1 or weight - sums[cell, c] > 1e-9 * sums[cell, c]:
                    return j
                part = max(sums[cell, c] - weight, 0.0) if rows[cell, c] > 1 else 0.0
                whole = max(totals[line, c] - weight, 0.0) if total_rows[line, c] > 1 else 0.0
                whole += smoothing * e
                own[i, j] = math.log((part + smoothing) / whole) if whole > 0.0 else -math.log(e)
    return -1


@jit_inlined
def _read(codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, i: int, slots: Counts) -> None:
    for j in range(codes.shape[1]):
        slots[j] = slot_map[map_start[j] + max(codes[i, j] - low[j] + 1, 0)]


@jit_inlined
def _look_up(slots: Counts, tree: Tree, wide: Floats, cells: Counts, total: Floats) -> None:
    """Write the sum of the lines of all columns, NaN where some column has to be summed out.

    Four classes at a time are added up in registers: in memory each addition would wait for the one before.
    """
    p, k = cells.shape[0], total.shape[0]
    for j in range(p):
        cells[j] = tree.start[j] + slots[tree.parent[j]] * (tree.n_values[j] + 2) + slots[j]
    for first in range(0, k, 4):
        a = b = c = d = 0.0
        for j in range(p):
            line = cells[j]
            a += wide[line, first]
            b += wide[line, first + 1]
            c += wide[line, first + 2]
            d += wide[line, first + 3]
        total[first] = a
        if first + 1 < k:
            total[first + 1] = b
        if first + 2 < k:
            total[first + 2] = c
        if first + 3 < k:
            total[first + 3] = d


@jit_borrowing
def _total(
    slots: Counts, tree: Tree, nodes: Counts, own: Floats, room: Floats, has: Bools, parts: Floats, total: Floats
) -> None:
    """Write the sum of what some columns add."""
    for q in range(nodes.shape[0]):
        for c in range(total.shape[0]):
            parts[nodes[q], c] = 0.0
    _sum_out(slots, tree, nodes, -1, own, room, has, parts)
    for c in range(total.shape[0]):
        total[c] = 0.0
        for q in range(nodes.shape[0]):
            total[c] += parts[nodes[q], c]


@jit_borrowing
def _sum_out(
    slots: Counts, tree: Tree, nodes: Counts, mine: int, own: Floats, room: Floats, has: Bools, parts: Floats
) -> None:
    """Add what columns say to `parts`, each to that of the first column towards the root whose parent is known.

    Parameters
    ----------
    slots
        The slot of each column, and 0 at the end.
    nodes
        The columns, children before parents.
    mine, own
        A class, or -1, and what each column says of it instead of its table.
    room, has
        Space for a number for each value and class, and for each column.
    """
    k, none = parts.shape[1], slots.shape[0] - 1
    for q in range(nodes.shape[0]):
        has[nodes[q]] = False
    for q in range(nodes.shape[0]):
        j = nodes[q]
        e, above, slot = tree.n_values[j], tree.parent[j], slots[j]
        if slot == 0 and not has[j]:
            continue
        known = above == none or (slots[above] >= 1 and slots[above] <= tree.n_values[above])
        first = slots[above] if known else 1
        last = slots[above] if known else tree.n_values[above]
        for w in range(first, last + 1):
            line = tree.start[j] + w * (e + 2)
            for c in range(k):
                said = 0.0
                if slot != 0:
                    said = own[j] if c == mine and known else tree.logs[line + slot, c]
                if has[j]:
                    said += _log_sum(tree, line + 1, tree.room[j], e, room, c)
                if known:
                    parts[j, c] += said
                elif has[above]:
                    room[tree.room[above] + w - 1, c] += said
                else:
                    room[tree.room[above] + w - 1, c] = said
        if not known:
            has[above] = True


@jit_inlined
def _log_sum(tree: Tree, line: int, at: int, e: int, room: Floats, c: int) -> float:
    """Return the log of the sum over the values of a column of their shares times what its children say."""
    top = -math.inf
    for v in range(e):
        if tree.shares[line + v, c] > 0.0:
            top = max(top, room[at + v, c])
    if top == -math.inf:
        return top
    total = 0.0
    for v in range(e):
        if tree.shares[line + v, c] > 0.0:
            total += tree.shares[line + v, c] * math.exp(room[at + v, c] - top)
    return math.log(total) + top
