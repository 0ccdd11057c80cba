"""Which columns a column depends on besides the class: at most k of those that say more of the class (Sahami 1996)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallybayes._types import Floats

SAME = 12
"""Informations that agree to so many decimals are equal, and the order of the columns decides."""


def by_information(mutual: Sequence[float] | Floats) -> tuple[int, ...]:
    """Return the columns, those that say most of the class first.

    Examples
    --------
    >>> by_information([0.1, 0.3, 0.3])
    (1, 2, 0)
    """
    rounded = np.round(np.asarray(mutual, dtype=np.float64), SAME)
    return tuple(np.argsort(-rounded, kind="stable").tolist())


def k_dependence(order: Sequence[int], conditional: Floats, k: int) -> tuple[tuple[int, ...], ...]:
    """Return the parents of each column: of those before it in the order, the k of the largest I(X; Y | C).

    Parameters
    ----------
    order
        All columns, those first that may be parents of most.
    conditional : array of shape (columns, columns)
        I(X; Y | C) of each pair.
    k
        How many parents a column has at most.

    Returns
    -------
    tuple of tuples
        For each column its parents, the strongest first; of equals that which is the first column.

    Examples
    --------
    >>> bits = np.array([[0, 1, 3, 0], [1, 0, 2, 0], [3, 2, 0, 0], [0, 0, 0, 0]]) / 4
    >>> k_dependence((1, 2, 0, 3), bits, 1)
    ((2,), (), (1,), (0,))
    """
    rounded = np.round(conditional, SAME)
    parents: list[tuple[int, ...]] = [()] * len(order)
    for place, j in enumerate(order):
        before = sorted(order[:place], key=lambda i, j=j: (-rounded[i, j], i))  # type: ignore[misc]
        parents[j] = tuple(before[:k])
    return tuple(parents)
