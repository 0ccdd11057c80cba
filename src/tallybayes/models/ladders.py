"""P(child | parents, class) with few parents and with many, estimated from counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from tallybayes._types import AnyArray, Counts
from tallybayes.kernels.ladders import Ladders, fill_shares
from tallybayes.models.counted import CountedColumns
from tallybayes.models.strengths import Level, chosen_strengths

Smoothing = float | Literal["hierarchical"]
"""What is added to each count, or that a table leans on the tables of fewer parents."""

FACTOR = 2.0
"""What chosen strengths are multiplied by where nothing else is known. They make the columns as probable as can be;
where columns repeat what others have said, which they do in most tables, twice as much serves the classes better."""

HIERARCHICAL: Literal["hierarchical"] = "hierarchical"


def ladders(
    columns: CountedColumns, parents: Sequence[Sequence[int]], smoothing: Smoothing, factor: float = FACTOR
) -> Ladders:
    """Return the tables of all columns for each number of their parents.

    Parameters
    ----------
    columns
        The counts, those of each column together with all of its parents.
    parents
        The parents of each column, the strongest first. Those without any value are passed over.
    smoothing
        With a number l, all tables stand alone, P = (n + l) / (N + l * values). With "hierarchical" a table leans on
        that of one parent less, P = (n + s P') / (N + s), down to the one that leans on the uniform distribution, and
        `chosen_strengths` finds each s.
    factor
        What each s is multiplied by.
    """
    known = [[i for i in those if columns.sizes[i]] for those in parents]
    most, k = max(map(len, known), default=0), len(columns.classes)
    sizes = np.array(columns.sizes, np.int64).reshape(len(known))
    above: Counts = np.full((len(known), most), -1)
    cell_start, line_start = np.zeros((2, len(known), most + 1), np.int64)
    cells: list[list[AnyArray]] = [[np.zeros((0, k), np.int64)], [np.zeros((0, k))]]
    lines: list[list[AnyArray]] = [[np.zeros((0, k), np.int64)], [np.zeros((0, k))]]
    strengths = np.zeros((len(known), most + 1))
    n_cells, n_lines, deepest = 0, 0, []
    for j, those in enumerate(known):
        above[j, : len(those)] = those
        levels = _levels(columns, j, those, [i for i in parents[j] if not columns.sizes[i]])
        alone = smoothing != HIERARCHICAL
        strengths[j, : len(levels)] = float(smoothing) * sizes[j] if alone else factor * chosen_strengths(levels)
        for d, level in enumerate(levels):
            cell_start[j, d], line_start[j, d] = n_cells, n_lines
            for into, part in zip(cells, (level.rows, level.sums), strict=True):
                into.append(np.pad(part, ((0, 0), (1, 1), (0, 0))).reshape(len(part) * (int(sizes[j]) + 2), k))
            for into, part in zip(lines, (level.rows.sum(axis=1), level.sums.sum(axis=1)), strict=True):
                into.append(part)
            n_cells, n_lines = n_cells + len(cells[0][-1]), n_lines + len(level.rows)
        deepest.append(len(cells[0][-1]))
    rows, sums = map(np.concatenate, cells)
    total_rows, totals = map(np.concatenate, lines)
    log_start = np.cumsum([0, *deepest])
    depth = np.array([len(those) for those in known], np.int64)
    strides = np.zeros((len(known), most), np.int64)
    for j, those in enumerate(known):
        wide = int(sizes[j]) + 2
        for d in reversed(range(len(those))):
            strides[j, d], wide = wide, wide * int(sizes[those[d]])
    origin = log_start[:-1] - strides.sum(axis=1)
    tables = Ladders(
        sizes, depth, above, cell_start, line_start, rows, sums, np.zeros(sums.shape), total_rows, totals, strengths,
        smoothing == HIERARCHICAL, log_start[:-1], np.zeros((int(log_start[-1]), k)), origin, strides,
    )  # fmt: skip
    fill_shares(tables)
    return tables


def stronger(tables: Ladders, factor: float) -> Ladders:
    """Return tables whose strengths are multiplied by a factor; the counts are shared."""
    found = tables._replace(
        shares=np.zeros(tables.shares.shape),
        strengths=tables.strengths * factor,
        logs=np.zeros(tables.logs.shape),
    )
    fill_shares(found)
    return found


def _levels(columns: CountedColumns, child: int, parents: Sequence[int], passed_over: Sequence[int]) -> list[Level]:
    """Return the counts of a column with none of its parents, with the first of them, and so on.

    Each counts the rows in which the column and so many of its parents are present. All of them were counted together
    with those that are passed over.
    """
    members = (*parents, *passed_over, child)
    if len(members) == 1:
        tables = columns.tally.row_margin(child), columns.tally.margin(child)
    else:
        tables = columns.tally.row_table(members), columns.tally.table(members)
    levels = []
    for d in range(len(parents) + 1):
        inner = tuple(slice(columns.first[i], None) for i in (*parents[:d], child))
        others = tuple(range(d, len(members) - 1))
        rows, sums = (table.sum(axis=others)[inner] for table in tables)
        shape = (math.prod(rows.shape[:d]), *rows.shape[d:])
        levels.append(Level(rows.reshape(shape), sums.reshape(shape)))
    return levels
