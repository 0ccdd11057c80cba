"""Sums of weights, numbers and squared deviations, by class and column, in double-double.

Rows are read once, in their order. Of each class, 256 rows make a group: they are summed plainly, as deviations from
a middle and their squares, and the sums are then added in double-double, as deviations from the first number of the
class and column. The middle is the mean of the class's group before, and at first its first number. Nearly always
that is near enough for nothing to cancel; where the squares about it are many times those about the group's own mean,
which the sums tell, the group is summed once more, about its mean. So neither a mean of 1e9 with a deviation of 1, nor
an outlier, nor weights of very different sizes lose anything; what is lost within a group is some roundings of terms
of one sign (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", The American Statistician 37,
1983).

Centred moments are arrays of shape (6, classes, columns): the high and low parts of the sum of weights, of
the mean and of the sum of squared deviations. They merge by the formulas of Chan, Golub and LeVeque
("Updating formulae and a pairwise algorithm for computing sample variances", COMPSTAT 1982), and come apart
by the same formulas turned round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.kernels import doubledouble as dd
from tallybayes.kernels._jit import jit
from tallybayes.kernels.counting import order_by_class

GROUP = 256
"""How many rows of a class are summed plainly."""

FAR = 64.0
"""How many times the squares about a group's own mean those about its middle may be."""


class _Groups(NamedTuple):
    """The group that each class is at: its sums by class and column, and how many groups were before it.

    `order` and `bounds` are the rows by class, once they have been needed.
    """

    before: Counts
    rows: Counts
    weight: Floats
    middle: Floats
    deviations: Floats
    squares: Floats
    order: Counts
    bounds: Counts


@jit
def first_numbers(x: Floats, labels: Counts, shift: Floats) -> None:
    """Write the first number of each class and column; NaN, which is missing, where there is none."""
    classes, columns = shift.shape
    shift[:] = math.nan
    wanted = np.full(classes, columns)
    for i in range(labels.shape[0]):
        c = labels[i]
        if c >= 0 and wanted[c] > 0:
            for j in range(columns):
                if shift[c, j] != shift[c, j] and x[i, j] == x[i, j]:
                    shift[c, j] = x[i, j]
                    wanted[c] -= 1


@jit
def sum_complete(x: Floats, weights: Floats, labels: Counts, shift: Floats, rows: Counts, sums: Floats) -> bool:
    """Do what `sum_rows` does where no cell is NaN; where one is, return False, with nothing of use in the sums."""
    classes, columns = rows.shape
    groups = _new_groups(labels, shift)
    size, mass = np.zeros(classes, np.int64), np.zeros(classes)
    middle, deviations, squares = groups.middle, groups.deviations, groups.squares
    for i in range(labels.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i] if weights.shape[0] > 0 else 1.0
        size[c] += 1
        mass[c] += weight
        for j in range(columns):
            deviation = x[i, j] - middle[c, j]
            deviations[c, j] += weight * deviation
            squares[c, j] += weight * deviation * deviation
        if size[c] == GROUP:
            groups.rows[c], groups.weight[c] = size[c], mass[c]
            if not _add(c, size[c], groups, x, weights, labels, shift, rows, sums):
                return False
            size[c], mass[c] = 0, 0.0
    complete = True
    for c in range(classes):
        groups.rows[c], groups.weight[c] = size[c], mass[c]
        complete &= _add(c, size[c], groups, x, weights, labels, shift, rows, sums)
    return complete


@jit
def sum_rows(x: Floats, weights: Floats, labels: Counts, shift: Floats, rows: Counts, sums: Floats) -> None:
    """Sum weights, weighted deviations from `shift` and their weighted squares; NaN leaves no trace.

    `weights` may be empty: then every row counts once. `rows` and `sums` start as zeros; `sums` has the shape
    (6, classes, columns), the high and low parts of the three.
    """
    classes, columns = rows.shape
    groups = _new_groups(labels, shift)
    size = np.zeros(classes, np.int64)
    for i in range(labels.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i] if weights.shape[0] > 0 else 1.0
        size[c] += 1
        # Two loops, because one that writes four arrays is too much for the compiler to make vectors of.
        for j in range(columns):
            groups.rows[c, j] += 1 if x[i, j] == x[i, j] else 0
            groups.weight[c, j] += weight if x[i, j] == x[i, j] else 0.0
        for j in range(columns):
            deviation = x[i, j] - groups.middle[c, j] if x[i, j] == x[i, j] else 0.0
            groups.deviations[c, j] += weight * deviation
            groups.squares[c, j] += weight * deviation * deviation
        if size[c] == GROUP:
            _add(c, size[c], groups, x, weights, labels, shift, rows, sums)
            size[c] = 0
    for c in range(classes):
        _add(c, size[c], groups, x, weights, labels, shift, rows, sums)


@jit
def _new_groups(labels: Counts, shift: Floats) -> _Groups:
    classes, columns = shift.shape
    zeros, bounds = np.zeros((3, classes, columns)), np.zeros(classes + 1, np.int64)
    rows, order = np.zeros((classes, columns), np.int64), np.empty(labels.shape[0], np.int64)
    return _Groups(np.zeros(classes, np.int64), rows, zeros[0], shift.copy(), zeros[1], zeros[2], order, bounds)


@jit
def _add(
    c: int,
    size: int,
    groups: _Groups,
    x: Floats,
    weights: Floats,
    labels: Counts,
    shift: Floats,
    rows: Counts,
    sums: Floats,
) -> bool:
    """Add the group of a class, and begin its next one about the mean of this; return False if a sum is NaN."""
    count, weight, middle = groups.rows[c], groups.weight[c], groups.middle[c]
    deviations, squares = groups.deviations[c], groups.squares[c]
    far = False
    for j in range(middle.shape[0]):
        far |= squares[j] > FAR * (squares[j] - deviations[j] * deviations[j] / weight[j])
    if far:
        if groups.bounds[-1] == 0:
            order_by_class(labels, groups.order, groups.bounds)
        start = groups.bounds[c] + groups.before[c] * GROUP
        _sum_again(x, weights, groups.order[start : start + size], weight, middle, deviations, squares)
    mass, mass_low, first, first_low = sums[0, c], sums[1, c], sums[2, c], sums[3, c]
    second, second_low = sums[4, c], sums[5, c]
    numbers = True
    for j in range(middle.shape[0]):
        numbers &= deviations[j] == deviations[j]
        if count[j] == 0:
            continue
        rows[c, j] += count[j]
        mass[j], error = dd.two_sum(mass[j], weight[j])
        mass_low[j] += error
        # With d from the shift to the middle, they are w d + s and d (w d + 2 s) + q about the shift.
        d, d_low = dd.two_sum(middle[j], -shift[c, j])
        wd, wd_low = dd.multiply(d, d_low, weight[j], 0.0)
        term, term_low = dd.add(wd, wd_low, deviations[j], 0.0)
        first[j], error = dd.two_sum(first[j], term)
        first_low[j] += error + term_low
        term, term_low = dd.add(wd, wd_low, 2.0 * deviations[j], 0.0)
        term, term_low = dd.multiply(term, term_low, d, d_low)
        term, term_low = dd.add(term, term_low, squares[j], 0.0)
        second[j], error = dd.two_sum(second[j], term)
        second_low[j] += error + term_low
        middle[j] += deviations[j] / weight[j]
    count[:] = 0
    weight[:] = 0.0
    deviations[:] = 0.0
    squares[:] = 0.0
    groups.before[c] += 1
    return numbers


@jit
def _sum_again(
    x: Floats, weights: Floats, members: Counts, weight: Floats, middle: Floats, deviations: Floats, squares: Floats
) -> None:
    """Sum a group about its mean, to which the middle moves; NaN leaves no trace."""
    for j in range(middle.shape[0]):
        middle[j] += deviations[j] / weight[j] if weight[j] > 0.0 else 0.0
    deviations[:] = 0.0
    squares[:] = 0.0
    for i in members:
        w = weights[i] if weights.shape[0] > 0 else 1.0
        for j in range(middle.shape[0]):
            deviation = x[i, j] - middle[j] if x[i, j] == x[i, j] else 0.0
            deviations[j] += w * deviation
            squares[j] += w * deviation * deviation


@jit
def centre(rows: Counts, shift: Floats, sums: Floats, out: Floats) -> None:
    """Turn the sums of `sum_rows` into centred moments."""
    mass, mass_low, first, first_low = sums[0], sums[1], sums[2], sums[3]
    second, second_low = sums[4], sums[5]
    for c in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            if rows[c, j] == 0:
                continue
            w, w_low = dd.two_sum(mass[c, j], mass_low[c, j])
            s, s_low = dd.two_sum(first[c, j], first_low[c, j])
            q, q_low = dd.two_sum(second[c, j], second_low[c, j])
            m, m_low = dd.divide(s, s_low, w, w_low)
            s, s_low = dd.multiply(s, s_low, m, m_low)
            q, q_low = dd.add(q, q_low, -s, -s_low)
            if rows[c, j] == 1 or q < 0.0:
                q, q_low = 0.0, 0.0
            m, m_low = dd.add(m, m_low, shift[c, j], 0.0)
            out[0, c, j], out[1, c, j] = w, w_low
            out[2, c, j], out[3, c, j] = m, m_low
            out[4, c, j], out[5, c, j] = q, q_low


@jit
def merge(a: Floats, b: Floats, out: Floats) -> None:
    """Give the moments of the rows of both."""
    for c in range(a.shape[1]):
        for j in range(a.shape[2]):
            if b[0, c, j] == 0.0 or a[0, c, j] == 0.0:
                for k in range(6):
                    out[k, c, j] = a[k, c, j] if b[0, c, j] == 0.0 else b[k, c, j]
                continue
            w, w_low = dd.add(a[0, c, j], a[1, c, j], b[0, c, j], b[1, c, j])
            d, d_low = dd.add(b[2, c, j], b[3, c, j], -a[2, c, j], -a[3, c, j])
            share, share_low = dd.divide(b[0, c, j], b[1, c, j], w, w_low)
            step, step_low = dd.multiply(d, d_low, share, share_low)
            m, m_low = dd.add(a[2, c, j], a[3, c, j], step, step_low)
            q, q_low = dd.multiply(step, step_low, d, d_low)
            q, q_low = dd.multiply(q, q_low, a[0, c, j], a[1, c, j])
            q, q_low = dd.add(q, q_low, a[4, c, j], a[5, c, j])
            q, q_low = dd.add(q, q_low, b[4, c, j], b[5, c, j])
            out[0, c, j], out[1, c, j] = w, w_low
            out[2, c, j], out[3, c, j] = m, m_low
            out[4, c, j], out[5, c, j] = q, q_low


@jit
def take_out(a: Floats, b: Floats, rows: Counts, out: Floats) -> None:
    """Give the moments of the rows of `a` that are not in `b`; `rows` says how many those are."""
    for c in range(a.shape[1]):
        for j in range(a.shape[2]):
            if rows[c, j] == 0:
                continue
            if b[0, c, j] == 0.0:
                for k in range(6):
                    out[k, c, j] = a[k, c, j]
                continue
            w, w_low = dd.add(a[0, c, j], a[1, c, j], -b[0, c, j], -b[1, c, j])
            if w <= 0.0:
                continue
            d, d_low = dd.add(a[2, c, j], a[3, c, j], -b[2, c, j], -b[3, c, j])
            share, share_low = dd.divide(b[0, c, j], b[1, c, j], w, w_low)
            step, step_low = dd.multiply(d, d_low, share, share_low)
            m, m_low = dd.add(a[2, c, j], a[3, c, j], step, step_low)
            # With delta = mean_b - mean_rest = -d * W / w, delta**2 * w * W_b / W = step * d * W.
            q, q_low = dd.multiply(step, step_low, d, d_low)
            q, q_low = dd.multiply(q, q_low, a[0, c, j], a[1, c, j])
            q, q_low = dd.add(a[4, c, j], a[5, c, j], -q, -q_low)
            q, q_low = dd.add(q, q_low, -b[4, c, j], -b[5, c, j])
            if rows[c, j] == 1 or q < 0.0:
                q, q_low = 0.0, 0.0
            out[0, c, j], out[1, c, j] = w, w_low
            out[2, c, j], out[3, c, j] = m, m_low
            out[4, c, j], out[5, c, j] = q, q_low
