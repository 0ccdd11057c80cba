"""Missing cells are summed out of the tables of a graph, exactly, whatever the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import TooLargeError
from tallybayes.factors.base import logarithm
from tallybayes.kernels.ladders import Ladders
from tallybayes.kernels.summing import fill_table
from tallybayes.models.hidden import Knot, elimination_order

MOST_CELLS = 1 << 24
"""The most cells that a table for one row may have on the way, all classes counted: 128 MiB."""

TOGETHER = 1 << 21
"""About how many cells are worked out for many rows together."""


@dataclass(frozen=True, eq=False)
class Own:
    """Rows that were learned, and that are taken out of what their own classes say.

    Attributes
    ----------
    classes
        The class of each row, -1 for one that was not learned.
    weights
        What is taken out for each row.
    left
        How many rows are left of it, 1 where it weighs more than that.
    """

    classes: Counts
    weights: Floats
    left: Counts

    def of(self, rows: Counts | slice) -> Own:
        """Return some of the rows."""
        return Own(self.classes[rows], self.weights[rows], self.left[rows])


@dataclass(frozen=True, eq=False)
class _Table:
    """A number for each row, each combination of values of some hidden columns, and each class."""

    scope: tuple[int, ...]
    cells: Floats


def knot_logs(knot: Knot, slots: AnyArray, ladders: Ladders, names: Sequence[Name], own: Own | None = None) -> Floats:
    """Return the logarithm of the sum over the hidden columns of the product of all tables of a knot.

    Parameters
    ----------
    knot
        What is summed out.
    slots : array of shape (rows, columns)
        The slots of rows that have this knot.
    ladders
        The tables.
    names
        The names of all columns, for messages.
    own
        What the rows were learned with, where each is to be left out.

    Returns
    -------
    array of shape (rows, classes)

    Raises
    ------
    TooLargeError
        Where so many columns depend on one another that no order of summing them out has tables of bearable size.
    """
    k = ladders.shares.shape[1]
    hidden = set(knot.hidden)
    families = [(j, False) for j in knot.leaves] + [(j, True) for j in knot.hidden]
    scopes = [frozenset(_scope(j, free, hidden, ladders)) for j, free in families]
    order = elimination_order(scopes, knot.hidden, ladders.n_values)
    largest = max(cost for _, cost in order) * k
    if largest > MOST_CELLS:
        raise TooLargeError(
            f"Rows in which the columns {sorted(names[j] for j in knot.hidden)!r} are missing would take tables of "
            f"{largest:,} numbers each to sum these out exactly, as they depend on one another; {MOST_CELLS:,} are "
            "allowed. Take fewer columns together (k=), make missing cells a value of their own with "
            "missing='category', cut numbers into fewer bins (max_bins=), or fill some of the cells."
        )
    out = np.empty((len(slots), k))
    step = max(1, TOGETHER // largest)
    for first in range(0, len(slots), step):
        here = slice(first, first + step)
        mine = None if own is None else own.of(here)
        tables = [_table(j, free, hidden, slots[here], ladders, mine) for j, free in families]
        out[here] = _sum_out(tables, [j for j, _ in order])
    return out


def _sum_out(tables: list[_Table], order: Sequence[int]) -> Floats:
    """Return the logarithm of the sum of the product of tables, one column after the other."""
    logs: Floats = np.zeros(())
    for j in order:
        mine = [table for table in tables if j in table.scope]
        scope = tuple(sorted({i for table in mine for i in table.scope} - {j}))
        product: Floats = np.ones(())
        for table in mine:
            product = product * _spread(table, (*scope, j))
        cells = product.sum(axis=-2)
        # So that a product of many small shares does not vanish.
        top = cells.max(axis=tuple(range(1, cells.ndim - 1)), keepdims=True)
        cells = np.divide(cells, top, out=np.zeros(cells.shape), where=top > 0)
        logs = logs + logarithm(top.reshape(len(top), -1))
        tables = [table for table in tables if j not in table.scope]
        if scope:
            tables.append(_Table(scope, cells))
    return logs


def _spread(table: _Table, scope: tuple[int, ...]) -> Floats:
    """Return a table with an axis for each column of a larger scope, of length 1 where it does not have it."""
    moved = table.cells.transpose(
        0, *(1 + table.scope.index(j) for j in scope if j in table.scope), table.cells.ndim - 1
    )
    shape = iter(moved.shape[1:-1])
    spread: Floats = moved.reshape(len(moved), *(next(shape) if j in table.scope else 1 for j in scope), -1)
    return spread


def _scope(j: int, free: bool, hidden: set[int], ladders: Ladders) -> tuple[int, ...]:
    """Return the columns over which the table of a column runs, its parents and then, where it is `free`, itself."""
    above = tuple(i for i in ladders.parents[j].tolist() if i >= 0 and i in hidden)
    return (*above, j) if free else above


def _table(j: int, free: bool, hidden: set[int], slots: AnyArray, ladders: Ladders, own: Own | None) -> _Table:
    """Return P(x_j | parents, class) for the cells of some rows, for all values of those that are hidden."""
    scope = _scope(j, free, hidden, ladders)
    sizes = tuple(ladders.n_values[list(scope)].tolist())
    k = ladders.shares.shape[1]
    cells = np.empty((len(slots), math.prod(sizes), k))
    parents = ladders.parents[j].tolist()
    free_parents = np.array([i in hidden for i in parents], np.bool_)
    nobody = np.empty(0)
    rows = (
        (np.empty(0, np.int64), nobody, np.empty(0, np.int64)) if own is None else (own.classes, own.weights, own.left)
    )
    fill_table(slots, j, free, free_parents, ladders, *rows, cells)
    return _Table(scope, cells.reshape(len(slots), *sizes, k))
