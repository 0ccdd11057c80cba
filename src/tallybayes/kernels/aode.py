"""Averages of super-parent estimators: the sum over groups of P(c, parents) prod_j P(x_j | c, parents).

The terms are products and no sums of logarithms, as they are added up in the end: the shares are scaled by a power of
two, so that the products of some hundred of them stay within the range of floats, and of more columns the exponents are
kept apart.
"""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.left_out import taken
from tallybayes.kernels.products import ONE, THREE, TWO, Four, add_far, add_far_four, add_near, product_of_all
from tallybayes.kernels.super_parents import SuperParents, child_cell, head_of, share_of_cell


@jit
def place_rows(
    codes: AnyArray, low: Counts, map_start: Counts, slot_map: Counts, n_values: Counts, places: AnyArray,
    values: AnyArray,
) -> None:  # fmt: skip
    """Write where the shares of each cell begin in a line, and its value.

    The value -1 is summed out, -2 was never seen, and -3, which is not written here, takes no part at all.

    The slot of a cell is ``slot_map[map_start[j] + max(code - low[j] + 1, 0)]``.
    """
    p = codes.shape[1]
    for i in range(codes.shape[0]):
        start = 0
        for j in range(p):
            slot = slot_map[map_start[j] + max(codes[i, j] - low[j] + 1, 0)]
            places[i, j] = 4 * (start + slot)
            values[i, j] = slot - 1 if slot <= n_values[j] else -2
            start += n_values[j] + 2
        values[i, p] = 0


@jit
def add_terms(
    parents: SuperParents, heads: Floats, prior: Floats, least: int, share_of: Floats, first: int, last: int,
    start: Counts, shares: Floats, own_shares: Floats, scale: float, chunk: int, places: AnyArray, values: AnyArray,
    own: Counts, taken_weights: Floats, begin: int, end: int, sums: Floats, exponents: Counts, counted: Floats,
) -> None:  # fmt: skip
    """Add the terms of the groups from `first` up to `last` to the rows from `begin` up to `end`.

    Parameters
    ----------
    parents, heads
        The groups, and what `fill_heads` gives.
    prior
        P(c) of each row, shape (rows, classes), or of all rows, shape (1, classes), where rows are left out.
    least
        How many rows a state must have been seen in.
    share_of
        The weight of each group, of all rows or of each.
    start, shares, own_shares
        What `fill_shares` gives of these groups, as they are and without one row. Where `start` is empty, shares are
        worked out for each row, from the counts.
    scale, chunk
        What shares are multiplied by, and how many of them may be multiplied without leaving the range of floats.
    places, values
        What `place_rows` gives. A column that takes no part has the place of what is summed out.
    own, taken_weights
        The class of each row that is left out, -1 where none is, and its weight.
    sums, exponents
        The sum of the terms is ``sums * 2**exponents``, shape (rows, four for each block of classes).
    counted
        The sum of the weights of the groups that have a term.
    """
    classes, p = parents.sums.shape[1], parents.first.shape[0]
    blocks = (classes + 3) // 4
    lazy = start.shape[0] == 0
    width = 0
    for j in range(p):
        width += 4 * (parents.n_values[j] + 2)
    line, own_line = np.empty(blocks * 4 * p), np.empty(4 * p)
    across = np.arange(0, 4 * p, 4).reshape(1, p)
    near = p + 3 <= chunk
    for g in range(first, last):
        a, b = parents.members[g]
        states = parents.n_values[a] * parents.n_values[b]
        total = 0.0
        for c in range(classes):
            total += parents.totals[g, c]
        # Where nothing is left without a row, or P(c) is another, it has to be looked at more closely.
        usual = prior[0, 0] < 0.0 and total + parents.smoothing * classes * states > 1.0
        plain = near and not lazy and (usual or own_shares.shape[0] == 0)
        if plain and _add_whole_rows(
            parents, heads, least, share_of, g, total, start[g - first], width, shares, own_shares, places, values,
            own, begin, end, sums, counted,
        ):  # fmt: skip
            continue
        for r in range(begin, end):
            va, vb = values[r, a], values[r, b]
            weight = share_of[r if share_of.shape[0] > 1 else 0, g]
            if va < -1 or vb < -1 or weight == 0.0:
                continue
            if plain and va >= 0 and vb >= 0:
                continue
            mine = own[r] if va >= 0 and vb >= 0 else -1
            found = False
            for v in range(max(va, 0), va + 1 if va >= 0 else parents.n_values[a]):
                for u in range(max(vb, 0), vb + 1 if vb >= 0 else parents.n_values[b]):
                    state = v * parents.n_values[b] + u
                    s = parents.state_start[g] + state
                    if parents.seen[s] - (mine >= 0) < least:
                        continue
                    found = True
                    if lazy:
                        _fill_line(parents, g, v, u, r, values, mine, taken_weights[r], scale, line, own_line)
                    for block in range(blocks):
                        c = 4 * block
                        head = (heads[s, c], heads[s, c + 1], heads[s, c + 2], heads[s, c + 3])
                        if mine >= 0 or (own[r] >= 0 and prior[0, 0] >= 0.0):  # P(c) is without the row in any case
                            fewer = total - taken_weights[r] if mine >= 0 else total
                            row = r if prior.shape[0] > 1 else 0
                            head = _others(parents, g, s, c, mine, fewer, prior, row, states)
                        if lazy and near:
                            product = product_of_all(line, np.uint64(4 * p * block), across, np.uint64(0), head)
                            add_near(sums, np.uint64(r), np.uint64(c), weight, product)
                        elif near:
                            at = start[g - first] + (block * states + state) * width
                            product = product_of_all(shares, np.uint64(at), places, np.uint64(r), head)
                            add_near(sums, np.uint64(r), np.uint64(c), weight, product)
                        elif lazy:
                            at = 4 * p * block
                            add_far_four(line, at, across, 0, weight, head, chunk, sums, exponents, r, c)
                        else:
                            at = start[g - first] + (block * states + state) * width
                            add_far_four(shares, at, places, r, weight, head, chunk, sums, exponents, r, c)
                    if mine >= 0:
                        lost = taken(parents.state_sums[s, mine], taken_weights[r], parents.state_rows[s, mine])
                        rest = taken(parents.totals[g, mine], taken_weights[r], parents.total_rows[g, mine])
                        row = r if prior.shape[0] > 1 else 0
                        head = weight * head_of(
                            lost, total - taken_weights[r], rest, prior[row, mine], parents.smoothing, states, classes
                        )
                        if lazy:
                            add_far(own_line, 0, across, 0, head, chunk, sums, exponents, r, mine)
                        else:
                            at = start[g - first] + ((mine >> 2) * states + state) * width + (mine & 3)
                            add_far(own_shares, at, places, r, head, chunk, sums, exponents, r, mine)
            if found:
                counted[r] += weight


@jit
def _add_whole_rows(
    parents: SuperParents, heads: Floats, least: int, share_of: Floats, g: int, total: float, start: int, width: int,
    shares: Floats, own_shares: Floats, places: AnyArray, values: AnyArray, own: Counts, begin: int, end: int,
    sums: Floats, counted: Floats,
) -> bool:  # fmt: skip
    """Add the terms of one group to the rows in which its members are present; return whether these are all.

    This is the way of most rows: shares come from tables, a product needs no exponent, rows that are left out have the
    weight 1, and P(c) is counted with the columns.
    """
    # Unsigned throughout, as an index that may be negative costs a comparison.
    a, b = np.uint64(parents.members[g, 0]), np.uint64(parents.members[g, 1])
    seconds, group = np.uint64(parents.n_values[b]), np.uint64(g)
    states, first_state = np.uint64(parents.n_values[a]) * seconds, np.uint64(parents.state_start[g])
    classes, blocks = parents.sums.shape[1], heads.shape[1] // 4
    bottom = total + parents.smoothing * classes * parents.n_values[a] * parents.n_values[b]
    rest = bottom / (bottom - 1.0) if own_shares.shape[0] else 1.0
    own_weights = share_of.shape[0] > 1
    here, wide = np.uint64(start), np.uint64(width)
    whole = True
    for i in range(begin, end):
        r = np.uint64(i)
        va, vb = values[r, a], values[r, b]
        if va < 0 or vb < 0:
            whole = whole and (va < -1 or vb < -1)
            continue
        weight = share_of[r if own_weights else np.uint64(0), group]
        mine, state = own[r], np.uint64(va) * seconds + np.uint64(vb)
        s = first_state + state
        if parents.seen[s] - (mine >= 0) < least or weight == 0.0:
            continue
        counted[r] += weight
        if mine < 0:
            for block in range(blocks):
                c, at = np.uint64(4 * block), here + (np.uint64(block) * states + state) * wide
                head = (heads[s, c], heads[s, c + ONE], heads[s, c + TWO], heads[s, c + THREE])
                add_near(sums, r, c, weight, product_of_all(shares, at, places, r, head))
            continue
        for block in range(blocks):
            c, at = np.uint64(4 * block), here + (np.uint64(block) * states + state) * wide
            lane = mine - 4 * block
            head = (
                0.0 if lane == 0 else rest * heads[s, c],
                0.0 if lane == 1 else rest * heads[s, c + ONE],
                0.0 if lane == 2 else rest * heads[s, c + TWO],
                0.0 if lane == 3 else rest * heads[s, c + THREE],
            )
            add_near(sums, r, c, weight, product_of_all(shares, at, places, r, head))
        c = np.uint64(mine)
        lost = taken(parents.state_sums[s, c], 1.0, parents.state_rows[s, c])
        one = weight * head_of(lost, total - 1.0, 0.0, -1.0, parents.smoothing, int(states), classes)
        at = here + ((c >> TWO) * states + state) * wide + (c & THREE)
        for j in range(places.shape[1]):
            one *= own_shares[at + np.uint64(places[r, np.uint64(j)])]
        sums[r, c] += one
    return whole


@jit
def _others(
    parents: SuperParents, g: int, s: int, c: int, mine: int, total: float, prior: Floats, row: int, states: int
) -> Four:
    """Return P(c, state) of four classes without a row; 0 for its own, which is worked out apart."""
    return (
        _other(parents, g, s, c, mine, total, prior, row, states),
        _other(parents, g, s, c + 1, mine, total, prior, row, states),
        _other(parents, g, s, c + 2, mine, total, prior, row, states),
        _other(parents, g, s, c + 3, mine, total, prior, row, states),
    )


@jit
def _other(
    parents: SuperParents, g: int, s: int, c: int, mine: int, total: float, prior: Floats, row: int, states: int
) -> float:
    """Return P(c, state) without a row of another class."""
    classes = parents.sums.shape[1]
    if c == mine or c >= classes:
        return 0.0
    return head_of(
        parents.state_sums[s, c], total, parents.totals[g, c], prior[row, c], parents.smoothing, states, classes
    )


@jit
def _fill_line(
    parents: SuperParents, g: int, v: int, u: int, r: int, values: AnyArray, mine: int, weight: float, scale: float,
    line: Floats, own_line: Floats,
) -> None:  # fmt: skip
    """Write the shares of the cells of one row for one state, and those without the row for its own class."""
    classes, p = parents.sums.shape[1], parents.first.shape[0]
    a, b = parents.members[g]
    line[:] = scale
    own_line[:] = scale
    for j in range(p):
        value, n_values = values[r, j], parents.n_values[j]
        if j != a and j != b and value != -1 and value != -3:
            cell, stride = child_cell(parents, g, v, u, j), parents.strides[g, j, 2]
            for c in range(classes):
                whole, rows = 0.0, 0
                for k in range(n_values):
                    whole += parents.sums[cell + k * stride, c]
                    rows += parents.rows[cell + k * stride, c]
                part = parents.sums[cell + value * stride, c] if value >= 0 else 0.0
                line[4 * p * (c >> 2) + 4 * j + (c & 3)] = share_of_cell(
                    part, whole, parents.smoothing, n_values, scale
                )
                if c == mine:
                    there = parents.rows[cell + value * stride, c] if value >= 0 else 0
                    own_line[4 * j] = share_of_cell(
                        taken(part, weight, there), taken(whole, weight, rows), parents.smoothing, n_values, scale
                    )
