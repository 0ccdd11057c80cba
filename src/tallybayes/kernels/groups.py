"""Counting groups of columns together, by class: pairs, triples, and any others.

Each group has a table of its own in one long array. Its cells are in the order of its members, the first slowest, and
of the classes, the fastest. A slot of a column is 0 for a missing cell, and one more than its code for a value.
"""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit


@jit
def fill_slots(codes: AnyArray, low: Counts, labels: Counts, slots: AnyArray, classes: AnyArray, kept: Counts) -> None:
    """Write the slots of the rows that have a label, column by column, with their classes and their numbers."""
    m = 0
    for i in range(codes.shape[0]):
        if labels[i] >= 0:
            classes[m] = labels[i]
            kept[m] = i
            m += 1
    for first in range(0, m, 256):  # so many rows of all columns stay in the cache while they change their order
        last = min(first + 256, m)
        for j in range(codes.shape[1]):
            to, below = slots[j], low[j] - 1
            for i in range(first, last):
                to[i] = max(codes[kept[i], j] - below, 0)


@jit
def count_groups(
    slots: AnyArray, classes: AnyArray, sizes: Counts, n_classes: int, tail_start: Counts, tails: Counts,
    head_start: Counts, heads: Counts, table_start: Counts, rows: Counts,
) -> None:  # fmt: skip
    """Add one to a cell of each group for each row.

    Groups that differ only in their first member, the head, have one tail: where a row's cell lies is worked out once
    for the tail, and two heads are counted at a time, as one alone would wait for its own last addition.

    Parameters
    ----------
    slots, classes
        What `fill_slots` gives, both of unsigned integers.
    sizes
        How many slots each column has.
    n_classes
        How many classes there are.
    tail_start, tails
        Where the members of each tail begin, and the columns that they are.
    head_start, heads
        Where the groups of each tail begin, and their heads.
    table_start
        Where the table of each of these groups begins.
    rows
        The tables, one after the other.
    """
    n = classes.shape[0]
    base = np.empty(n, np.uint32)
    for t in range(tail_start.shape[0] - 1):
        stride = _place_tails(slots, classes, sizes, n_classes, tails[tail_start[t] : tail_start[t + 1]], base)
        h = head_start[t]
        while h + 1 < head_start[t + 1]:
            one, two = slots[heads[h]], slots[heads[h + 1]]
            ours, theirs = rows[table_start[h] :], rows[table_start[h + 1] :]
            for i in range(n):
                # Unsigned, as an index that may be negative costs a comparison.
                ours[np.uint64(np.uint32(one[i]) * stride + base[i])] += 1
                theirs[np.uint64(np.uint32(two[i]) * stride + base[i])] += 1
            h += 2
        if h < head_start[t + 1]:
            one, ours = slots[heads[h]], rows[table_start[h] :]
            for i in range(n):
                ours[np.uint64(np.uint32(one[i]) * stride + base[i])] += 1


@jit
def count_weighted_groups(
    slots: AnyArray, classes: AnyArray, weights: Floats, sizes: Counts, n_classes: int, tail_start: Counts,
    tails: Counts, head_start: Counts, heads: Counts, table_start: Counts, rows: Counts, mass: Floats,
) -> None:  # fmt: skip
    """Do as `count_groups`, and add the weight of each row to the same cells of `mass`."""
    n = classes.shape[0]
    base = np.empty(n, np.uint32)
    for t in range(tail_start.shape[0] - 1):
        stride = _place_tails(slots, classes, sizes, n_classes, tails[tail_start[t] : tail_start[t + 1]], base)
        for h in range(head_start[t], head_start[t + 1]):
            one, ours, sums = slots[heads[h]], rows[table_start[h] :], mass[table_start[h] :]
            for i in range(n):
                cell = np.uint64(np.uint32(one[i]) * stride + base[i])
                ours[cell] += 1
                sums[cell] += weights[i]


@jit
def _place_tails(
    slots: AnyArray, classes: AnyArray, sizes: Counts, n_classes: int, tail: Counts, base: AnyArray
) -> np.uint32:
    """Write where each row's cell lies among those of a tail and the classes, and return how many these are."""
    n = classes.shape[0]
    stride = np.uint32(n_classes)
    for i in range(n):
        base[i] = classes[i]
    for q in range(tail.shape[0] - 1, -1, -1):
        column = slots[tail[q]]
        for i in range(n):
            base[i] += np.uint32(column[i]) * stride
        stride = np.uint32(stride * sizes[tail[q]])
    return stride


@jit
def place_cells(
    group_start: Counts, members: Counts, sizes: Counts, slot_start: Counts, new_slots: Counts, new_sizes: Counts,
    new_table_start: Counts, places: Counts,
) -> None:  # fmt: skip
    """Write where each cell of all tables lies when columns have other values, -1 where one of them is gone.

    Parameters
    ----------
    group_start, members
        Where the members of each group begin, and the columns that they are.
    sizes, new_sizes
        How many slots each column has, and has then.
    slot_start, new_slots
        Where the slots of each column begin in `new_slots`, which has the new slot of each.
    new_table_start
        Where the table of each group begins then, counted in cells.
    places
        Where each cell lies then.
    """
    at = 0
    digits = np.zeros(members.shape[0] + 1, np.int64)  # one is too many, so that there is always one
    for g in range(group_start.shape[0] - 1):
        first, last = group_start[g], group_start[g + 1]
        cells = 1
        for q in range(first, last):
            digits[q] = 0
            cells *= sizes[members[q]]
        for _ in range(cells):
            place = 0
            for q in range(first, last):
                slot = new_slots[slot_start[members[q]] + digits[q]]
                if slot < 0:
                    place = -1
                    break
                place = place * new_sizes[members[q]] + slot
            places[at] = place if place < 0 else new_table_start[g] + place
            at += 1
            q = last - 1
            while q >= first:
                digits[q] += 1
                if digits[q] < sizes[members[q]]:
                    break
                digits[q] = 0
                q -= 1
