"""Values that others imply: what a row says twice is said once."""

from __future__ import annotations

from tallybayes._types import AnyArray, Counts
from tallybayes.kernels._jit import jit
from tallybayes.kernels.super_parents import SuperParents, child_cell


@jit
def pass_over(
    parents: SuperParents, group_of: Counts, totals: Counts, least: int, own: Counts, places: AnyArray, values: AnyArray
) -> None:
    """Let values that another value of their row implies take no part in it.

    x_i implies x_j where all rows that have x_i, and column j at all, have x_j, and these are at least so many. Of two
    that imply each other, the first stays.

    Parameters
    ----------
    parents
        Single columns as groups.
    group_of
        The group of each column.
    totals
        The rows of each cell of all tables.
    least
        In how many rows.
    own
        The class of each row that is left out, -1 where none is.
    places, values
        What `place_rows` gives, which is changed.
    """
    p, start = parents.first.shape[0], 0
    for j in range(p):
        for r in range(places.shape[0]):
            value = values[r, j]
            if value < 0:
                continue
            for i in range(p):
                if i == j or values[r, i] < 0:
                    continue
                both = totals[
                    child_cell(parents, group_of[i], values[r, i], 0, j) + value * parents.strides[group_of[i], j, 2]
                ]
                if both - (own[r] >= 0) < least or both != _beside(parents, group_of[i], values[r, i], j, totals):
                    continue
                if j < i and both == _beside(parents, group_of[j], value, i, totals):
                    continue
                places[r, j], values[r, j] = 4 * start, -3
                break
        start += parents.n_values[j] + 2


@jit
def _beside(parents: SuperParents, g: int, value: int, j: int, totals: Counts) -> int:
    """Return how many rows have a value and column j."""
    cell, stride, found = child_cell(parents, g, value, 0, j), parents.strides[g, j, 2], 0
    for k in range(parents.n_values[j]):
        found += totals[cell + k * stride]
    return found
