"""What columns say of the class and of one another, in nats, from counts as they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tallybayes._types import Floats
from tallybayes.tallies.groups import GroupTally


def mutual_information(table: Floats) -> float:
    """Return I(X; C) of a table of counts, shape (values, classes).

    Examples
    --------
    >>> mutual_information(np.array([[2.0, 0.0], [0.0, 2.0]])) == np.log(2)
    np.True_
    """
    return conditional_information(table[..., None])


def conditional_information(table: Floats) -> float:
    """Return I(X; Y | C) of a table of counts, shape (values of X, values of Y, classes).

    It is the sum of n(x, y, c) / n log [n(x, y, c) n(c) / (n(x, c) n(y, c))] over the cells that occur, and 0 where
    there is no row.

    Examples
    --------
    >>> conditional_information(np.array([[[3.0], [1.0]], [[6.0], [2.0]]]))
    0.0
    """
    total = table.sum()
    if total == 0:
        return 0.0
    # Products of weights of any size neither overflow nor vanish; a power of two changes no digit.
    table, total = np.ldexp(table, -int(np.frexp(total)[1])), np.frexp(total)[0]
    xs, ys = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    there = table > 0
    both = (table * table.sum(axis=(0, 1)))[there]
    apart = (xs * ys)[there]
    # Of a product of whole numbers the logarithm is exactly 0 where the columns are independent.
    return max(float((table[there] * np.log(both / apart)).sum() / total), 0.0)


def pairwise_information(tally: GroupTally, first: Sequence[int]) -> Floats:
    """Return I(X; Y | C) of all pairs of columns, from a tally of all pairs: a symmetric matrix, 0 on its diagonal.

    Each is of the rows in which both columns are present.

    Parameters
    ----------
    tally
        The counts of all pairs.
    first
        For each column the first slot that is a value: 1, or 0 where a missing cell is one.
    """
    p = len(tally.names)
    out = np.zeros((p, p))
    for i, j in combinations(range(p), 2):
        out[i, j] = out[j, i] = conditional_information(tally.table((i, j))[first[i] :, first[j] :])
    return out


def class_information(tally: GroupTally, first: Sequence[int]) -> Floats:
    """Return I(X; C) of each column, of the rows in which it is present; the parameters are as above."""
    return np.array([mutual_information(tally.margin(j)[begin:]) for j, begin in enumerate(first)])
