"""Sums of weights, numbers and squared deviations, by class and column, in double-double.

Rows are read once, in their order. The deviation of a number from the first one of its class and column, and the
square of that, are taken and summed with their rounding errors, so that the sums are those of exact arithmetic to
about thirty digits. This is what makes `take_out` the same as never having counted: were the sums rounded as they
are in single numbers, the rows that are left would keep the rounding of those that went, and a column that is
constant in them would not be. It costs little: the arithmetic is four to eight columns at a time, and memory bounds it.

Should the first number lie so far out, and weigh so little, that digits would be lost all the same, the sums are taken
once more about the mean.

Centred moments are arrays of shape (6, classes, columns): the high and low parts of the sum of weights, of
the mean and of the sum of squared deviations. They merge by the formulas of Chan, Golub and LeVeque
("Updating formulae and a pairwise algorithm for computing sample variances", COMPSTAT 1982), and come apart
by the same formulas turned round.
"""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.kernels import doubledouble as dd
from tallybayes.kernels._jit import fma, jit

FAR = 2.0**30
"""How many times the squares about a first number those about the mean may be."""

ROUNDING = 2.0**-84
"""What part of the sums that a difference is taken of is no more than their rounding."""


@jit
def moments(x: Floats, weights: Floats, labels: Counts, rows: Counts, out: Floats) -> None:
    """Write the number of rows and the centred moments of each class and column; NaN leaves no trace.

    `weights` may be empty: then every row counts once. A row with the label -1 is left out. Infinite numbers, and
    squares that overflow, make moments that are not finite.
    """
    shift, sums = np.empty(rows.shape), np.zeros(out.shape)
    _first_numbers(x, labels, shift)
    complete = _sum_complete(x, weights, labels, shift, rows, sums)
    if not complete:
        _sum_present(x, weights, labels, shift, rows, sums)
    _centre(rows, shift, sums, out)
    far = False
    for c in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            if sums[4, c, j] > FAR * out[4, c, j]:
                far = True
                shift[c, j] = out[2, c, j]
    if far:
        if complete:
            _sum_complete(x, weights, labels, shift, rows, sums)
        else:
            _sum_present(x, weights, labels, shift, rows, sums)
        _centre(rows, shift, sums, out)


@jit
def _first_numbers(x: Floats, labels: Counts, shift: Floats) -> None:
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
def _sum_complete(x: Floats, weights: Floats, labels: Counts, shift: Floats, rows: Counts, sums: Floats) -> bool:
    """Do what `_sum_present` does where no cell is NaN; where one is, return False, with nothing of use in the sums."""
    classes, columns = rows.shape
    size, mass, mass_low = np.zeros(classes, np.int64), np.zeros(classes), np.zeros(classes)
    sums[:] = 0.0
    first, first_low, second, second_low = sums[2], sums[3], sums[4], sums[5]
    for i in range(labels.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i] if weights.shape[0] > 0 else 1.0
        size[c] += 1
        mass[c], error = dd.two_sum(mass[c], weight)
        mass_low[c] += error
        for j in range(columns):
            # Every line is its own step, and none may be reordered: what is added to a low part is an exact error.
            d, d_low = dd.two_sum(x[i, j], -shift[c, j])
            wd = weight * d
            wd_low = fma(weight, d, -wd) + weight * d_low
            first[c, j], error = dd.two_sum(first[c, j], wd)
            first_low[c, j] += error + wd_low
            square = wd * d
            square_low = fma(wd, d, -square) + (wd * d_low + wd_low * d)
            second[c, j], error = dd.two_sum(second[c, j], square)
            second_low[c, j] += error + square_low
        if size[c] % 1024 == 0 and not _all_numbers(first[c]):
            return False
    complete = True
    for c in range(classes):
        complete &= _all_numbers(first[c])
        rows[c, :] = size[c]
        sums[0, c, :] = mass[c]
        sums[1, c, :] = mass_low[c]
    return complete


@jit
def _all_numbers(values: Floats) -> bool:
    numbers = True
    for j in range(values.shape[0]):
        numbers &= values[j] == values[j]
    return numbers


@jit
def _sum_present(x: Floats, weights: Floats, labels: Counts, shift: Floats, rows: Counts, sums: Floats) -> None:
    """Sum weights, weighted deviations from `shift` and their weighted squares.

    `sums` has the shape (6, classes, columns), the high and low parts of the three.
    """
    columns = rows.shape[1]
    rows[:] = 0
    sums[:] = 0.0
    mass, mass_low, first, first_low, second, second_low = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
    for i in range(labels.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        weight = weights[i] if weights.shape[0] > 0 else 1.0
        # Two loops, because one that writes so many arrays is too much for the compiler to make vectors of.
        for j in range(columns):
            present = x[i, j] == x[i, j]
            rows[c, j] += 1 if present else 0
            mass[c, j], error = dd.two_sum(mass[c, j], weight if present else 0.0)
            mass_low[c, j] += error
        for j in range(columns):
            d, d_low = dd.two_sum(x[i, j] if x[i, j] == x[i, j] else shift[c, j], -shift[c, j])
            wd = weight * d
            wd_low = fma(weight, d, -wd) + weight * d_low
            first[c, j], error = dd.two_sum(first[c, j], wd)
            first_low[c, j] += error + wd_low
            square = wd * d
            square_low = fma(wd, d, -square) + (wd * d_low + wd_low * d)
            second[c, j], error = dd.two_sum(second[c, j], square)
            second_low[c, j] += error + square_low


@jit
def _centre(rows: Counts, shift: Floats, sums: Floats, out: Floats) -> None:
    """Turn the sums about `shift` into centred moments."""
    mass, mass_low, first, first_low = sums[0], sums[1], sums[2], sums[3]
    second, second_low = sums[4], sums[5]
    for c in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            if rows[c, j] == 0:
                out[:, c, j] = 0.0
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
def take_out(a: Floats, b: Floats, rows: Counts, out: Floats) -> int:
    """Give the moments of the rows of `a` that are not in `b`; `rows` says how many those are.

    Return where moments are that cannot be those of rows of `a`: the place of the class and column, -1 if nowhere.
    """
    columns: int = a.shape[2]
    for c in range(a.shape[1]):
        for j in range(columns):
            if not _take_out_cell(a[:, c, j], b[:, c, j], rows[c, j], out[:, c, j]):
                return c * columns + j
    return -1


@jit
def take_out_rows(
    x: Floats,
    at: Counts,
    classes: Counts,
    weights: Floats,
    rows: Counts,
    moments: Floats,
    left_rows: Counts,
    left: Floats,
) -> int:
    """Give the moments of the class of each row without that row, as `take_out` does, with their parts summed.

    Row r is ``x[at[r]]``, of the class ``classes[r]``. `left_rows` has the shape (rows, columns), and `left` has the
    weight, the mean and the squared deviations, shape (3, rows, columns).

    Return the column of a cell that cannot have been one of them, -1 if there is none.
    """
    one, rest = np.zeros(6), np.zeros(6)
    for r in range(at.shape[0]):
        c = classes[r]
        for j in range(x.shape[1]):
            value = x[at[r], j]
            if value != value:
                rest[:] = moments[:, c, j]
                left_rows[r, j] = rows[c, j]
            else:
                one[0], one[2] = weights[r], value
                rest[:] = 0.0
                left_rows[r, j] = rows[c, j] - 1
                if rows[c, j] < 1 or not _take_out_cell(moments[:, c, j], one, rows[c, j] - 1, rest):
                    return j
            for k in range(3):
                left[k, r, j] = rest[2 * k] + rest[2 * k + 1]
    return -1


@jit
def _take_out_cell(a: Floats, b: Floats, rows: int, out: Floats) -> bool:
    """Do what `take_out` does for one class and column, and return whether it can be."""
    if rows == 0:
        # What is taken out is all there was.
        near = 1e-9 * abs(a[2]) + 1e-6 * math.sqrt(a[4] / max(a[0], 1e-300))
        return not (abs(a[0] - b[0]) > 1e-9 * a[0] or abs(a[2] - b[2]) > near)
    if b[0] == 0.0:
        for k in range(6):
            out[k] = a[k]
        return True
    w, w_low = dd.add(a[0], a[1], -b[0], -b[1])
    if w < -1e-9 * a[0]:
        return False
    if w <= 0.0:
        return True
    d, d_low = dd.add(a[2], a[3], -b[2], -b[3])
    share, share_low = dd.divide(b[0], b[1], w, w_low)
    step, step_low = dd.multiply(d, d_low, share, share_low)
    m, m_low = dd.add(a[2], a[3], step, step_low)
    # With delta = mean_b - mean_rest = -d * W / w, delta**2 * w * W_b / W = step * d * W.
    q, q_low = dd.multiply(step, step_low, d, d_low)
    q, q_low = dd.multiply(q, q_low, a[0], a[1])
    q, q_low = dd.add(a[4], a[5], -q, -q_low)
    q, q_low = dd.add(q, q_low, -b[4], -b[5])
    # What is left of equal numbers is equal, too, and not their rounding: digits below it are cleared.
    error = ROUNDING * (abs(a[2]) + abs(b[2])) * (1.0 + share)
    m_low = 0.0 if abs(m) <= error else (m_low + 2.0**53 * error) - 2.0**53 * error
    m = 0.0 if abs(m) <= error else m
    error *= 2.0 * abs(d) * a[0]
    if q < -1e-9 * a[4] - error:
        return False
    if rows == 1 or q <= ROUNDING * a[4] + error:
        q, q_low = 0.0, 0.0
    out[0], out[1] = w, w_low
    out[2], out[3] = m, m_low
    out[4], out[5] = q, q_low
    return True
