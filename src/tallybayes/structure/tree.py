"""The heaviest tree over columns (Chow & Liu 1968; given the class: Friedman, Geiger & Goldszmidt 1997)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tallybayes._types import Floats

SAME = 12
"""Weights that agree to so many decimals are equal, and the order of the columns decides."""


def spanning_tree(weights: Floats) -> tuple[tuple[int, int], ...]:
    """Return the edges of the heaviest tree over all columns, each with the lower place first (Kruskal 1956).

    Of equally heavy edges the one of the first columns is taken, so that nothing is left to chance or rounding.

    Parameters
    ----------
    weights : array of shape (columns, columns)
        What an edge weighs; symmetric.

    Examples
    --------
    >>> spanning_tree(np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]) / 4)
    ((0, 2), (1, 2))
    """
    p = len(weights)
    rounded = np.round(weights, SAME)
    ordered = sorted(combinations(range(p), 2), key=lambda edge: (-rounded[edge], edge))
    part = list(range(p))  # of the forest so far, by one of its columns
    chosen: list[tuple[int, int]] = []
    for i, j in ordered:
        a, b = _top(part, i), _top(part, j)
        if a != b:
            part[max(a, b)] = min(a, b)
            chosen.append((i, j))
    return tuple(sorted(chosen))


def rooted(edges: tuple[tuple[int, int], ...], columns: int, root: int = 0) -> tuple[int | None, ...]:
    """Return the parent of each column when the edges of a tree point away from its root.

    Examples
    --------
    >>> rooted(((0, 2), (1, 2)), 3, root=1)
    (2, None, 1)
    """
    near: list[list[int]] = [[] for _ in range(columns)]
    for i, j in edges:
        near[i].append(j)
        near[j].append(i)
    parents: list[int | None] = [None] * columns
    reached, waiting = {root}, [root]
    while waiting:
        i = waiting.pop()
        for j in near[i]:
            if j not in reached:
                reached.add(j)
                parents[j] = i
                waiting.append(j)
    return tuple(parents)


def _top(part: list[int], i: int) -> int:
    while part[i] != i:
        part[i] = part[part[i]]
        i = part[i]
    return i
