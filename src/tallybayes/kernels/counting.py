"""Counting coded cells by class, and looking their log probabilities up again.

Column j has the slots ``start[j]``, for a missing cell, and from ``start[j] + 1`` on one for each value; the
code ``low[j]`` is its first value. Tables have the shape (slots, classes), so that a look-up reads one line.
"""

from __future__ import annotations

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit


@jit
def count_labels(labels: Counts, rows: Counts) -> None:
    """Count the rows of each class."""
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            rows[labels[i]] += 1


@jit
def count_weighted_labels(labels: Counts, weights: Floats, rows: Counts, mass: Floats) -> None:
    """Count the rows of each class, and add up their weights."""
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            rows[labels[i]] += 1
            mass[labels[i]] += weights[i]


@jit
def order_by_class(labels: Counts, order: Counts, bounds: Counts) -> None:
    """Sort the rows by class, stably: those of class c are ``order[bounds[c]:bounds[c + 1]]``.

    `bounds` starts as zeros and has a place more than there are classes; a row with the label -1 is left out.
    """
    classes = bounds.shape[0] - 1
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            bounds[labels[i] + 1] += 1
    for c in range(classes):
        bounds[c + 1] += bounds[c]
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            order[bounds[labels[i]]] = i
            bounds[labels[i]] += 1
    for c in range(classes, 0, -1):
        bounds[c] = bounds[c - 1]
    bounds[0] = 0


@jit
def count_codes(codes: AnyArray, low: Counts, start: Counts, labels: Counts, rows: Counts) -> None:
    """Add one to ``rows[slot, class]`` for each cell."""
    for i in range(codes.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        for j in range(codes.shape[1]):
            rows[start[j] + max(codes[i, j] - low[j] + 1, 0), c] += 1


@jit
def count_weighted_codes(
    codes: AnyArray, low: Counts, start: Counts, labels: Counts, weights: Floats, rows: Counts, mass: Floats
) -> None:
    """Add one to ``rows[slot, class]`` and the row's weight to ``mass[slot, class]`` for each cell."""
    for i in range(codes.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i]
        for j in range(codes.shape[1]):
            slot = start[j] + max(codes[i, j] - low[j] + 1, 0)
            rows[slot, c] += 1
            mass[slot, c] += weight


@jit
def add_looked_up(codes: AnyArray, low: Counts, start: Counts, table: Floats, out: Floats) -> None:
    """Add the table's line for each cell to ``out[i]``."""
    classes = table.shape[1]
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            slot = start[j] + max(codes[i, j] - low[j] + 1, 0)
            for c in range(classes):
                out[i, c] += table[slot, c]
