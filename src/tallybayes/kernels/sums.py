"""Sums of non-negative cells by class and column, and their products with log probabilities."""

from __future__ import annotations

import math

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit


@jit
def sum_dense(
    x: Floats,
    labels: Counts,
    weights: Floats,
    rows: Counts,
    totals: Floats,
    absent_rows: Counts,
    absent: Floats,
) -> float:
    """Add each row to its class; return the least cell.

    `rows` counts the cells that are not zero, `absent_rows` and `absent` the missing ones (NaN) and their
    weights. `weights` may be empty: then every row counts once.
    """
    least = 0.0
    weighted = weights.shape[0] > 0
    for i in range(x.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i] if weighted else 1.0
        for j in range(x.shape[1]):
            value = x[i, j]
            least = min(least, value)
            if value != value:
                absent_rows[c, j] += 1
                absent[c, j] += weight
            elif value != 0.0:
                rows[c, j] += 1
                totals[c, j] += weight * value
    return least


@jit
def sum_sparse(
    data: Floats,
    indices: AnyArray,
    indptr: AnyArray,
    labels: Counts,
    weights: Floats,
    rows: Counts,
    totals: Floats,
    absent_rows: Counts,
    absent: Floats,
) -> float:
    """Add each row of a CSR matrix to its class, as `sum_dense` does."""
    least = 0.0
    weighted = weights.shape[0] > 0
    for i in range(labels.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i] if weighted else 1.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            value = data[k]
            least = min(least, value)
            if value != value:
                absent_rows[c, j] += 1
                absent[c, j] += weight
            elif value != 0.0:
                rows[c, j] += 1
                totals[c, j] += weight * value
    return least


@jit
def add_products(x: Floats, log_prob: Floats, out: Floats) -> None:
    """Add sum_j ``x[i, j] * log_prob[j, c]`` to ``out[i, c]``; NaN adds nothing, and 0 * -inf is 0."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = x[i, j]
            if value == value and value != 0.0:
                for c in range(out.shape[1]):
                    out[i, c] += value * log_prob[j, c]


@jit
def add_sparse_products(data: Floats, indices: AnyArray, indptr: AnyArray, log_prob: Floats, out: Floats) -> None:
    """Add what `add_products` adds, for a CSR matrix."""
    for i in range(out.shape[0]):
        for k in range(indptr[i], indptr[i + 1]):
            value = data[k]
            if value == value and value != 0.0:
                for c in range(out.shape[1]):
                    out[i, c] += value * log_prob[indices[k], c]


@jit
def add_events(x: Floats, absent: Floats, present: Floats, out: Floats) -> None:
    """Add ``present[j, c]`` for each cell that is not zero, ``absent[j, c]`` for a zero, nothing for NaN."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = x[i, j]
            if value == value:
                for c in range(out.shape[1]):
                    out[i, c] += present[j, c] if value != 0.0 else absent[j, c]


@jit
def add_sparse_events(
    data: Floats, indices: AnyArray, indptr: AnyArray, absent: Floats, present: Floats, out: Floats
) -> None:
    """Add what `add_events` adds, for a CSR matrix, touching only the stored cells.

    Every row starts from the sum over all absent columns. Where that sum has terms of -inf, which could not
    be taken out again, they are counted apart.
    """
    classes = out.shape[1]
    for c in range(classes):
        total = 0.0
        impossible = 0
        for j in range(absent.shape[0]):
            if absent[j, c] == -math.inf:
                impossible += 1
            else:
                total += absent[j, c]
        for i in range(out.shape[0]):
            score = total
            zeros = impossible
            for k in range(indptr[i], indptr[i + 1]):
                value = data[k]
                j = indices[k]
                if value == 0.0:
                    continue
                if absent[j, c] == -math.inf:
                    zeros -= 1
                else:
                    score -= absent[j, c]
                if value == value:
                    if present[j, c] == -math.inf:
                        zeros += 1
                    else:
                        score += present[j, c]
            out[i, c] += -math.inf if zeros > 0 else score
