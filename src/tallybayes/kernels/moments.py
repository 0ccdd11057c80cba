"""Sums of weights, numbers and squared deviations, by class and column, in double-double.

The rows of a class are summed in groups of 256, in two passes: the first gives a middle, the second the sums
of the deviations from it and of their squares, none of which can cancel. A group's sums are then added in
double-double, as deviations from the first number of the class and column, so that neither a mean of 1e9
with a deviation of 1 nor an outlier in the first row loses anything; what is lost within a group is at most
256 roundings of terms of one sign (Chan, Golub and LeVeque, "Algorithms for computing the sample variance",
The American Statistician 37, 1983).

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
from tallybayes.kernels._jit import jit

GROUP = 256


@jit
def first_numbers(x: Floats, order: Counts, bounds: Counts, shift: Floats) -> None:
    """Write the first number of each class and column; NaN, which is missing, where there is none."""
    for c in range(shift.shape[0]):
        for j in range(shift.shape[1]):
            shift[c, j] = math.nan
            for place in range(bounds[c], bounds[c + 1]):
                if x[order[place], j] == x[order[place], j]:
                    shift[c, j] = x[order[place], j]
                    break


@jit
def sum_rows(
    x: Floats,
    weights: Floats,
    order: Counts,
    bounds: Counts,
    shift: Floats,
    rows: Counts,
    sums: Floats,
) -> None:
    """Sum weights, weighted deviations from `shift` and their weighted squares; NaN leaves no trace.

    ``order[bounds[c]:bounds[c + 1]]`` are the rows of class c. `weights` may be empty: then every row counts
    once. `sums` starts as zeros and has the shape (6, classes, columns): the high and low parts of the three.
    """
    columns = x.shape[1]
    mass, mass_low, first, first_low = sums[0], sums[1], sums[2], sums[3]
    second, second_low = sums[4], sums[5]
    count = np.empty(columns, np.int64)
    weight, middle, deviations, squares = np.empty((4, columns))
    for c in range(bounds.shape[0] - 1):
        for start in range(bounds[c], bounds[c + 1], GROUP):
            members = order[start : min(start + GROUP, bounds[c + 1])]
            complete = weights.shape[0] == 0 and _sum_complete(x, members, shift[c], middle, deviations, squares)
            if complete:
                count[:] = len(members)
                weight[:] = len(members)
            else:
                _sum_present(x, weights, members, shift[c], count, weight, middle, deviations, squares)
            for j in range(columns):
                if count[j] == 0:
                    continue
                rows[c, j] += count[j]
                mass[c, j], error = dd.two_sum(mass[c, j], weight[j])
                mass_low[c, j] += error
                # With d from the shift to the middle, they are w d + s and d (w d + 2 s) + q about the shift.
                d, d_low = dd.two_sum(middle[j], -shift[c, j])
                far, far_low = dd.multiply(d, d_low, weight[j], 0.0)
                term, term_low = dd.add(far, far_low, deviations[j], 0.0)
                first[c, j], error = dd.two_sum(first[c, j], term)
                first_low[c, j] += error + term_low
                term, term_low = dd.add(far, far_low, 2.0 * deviations[j], 0.0)
                term, term_low = dd.multiply(term, term_low, d, d_low)
                term, term_low = dd.add(term, term_low, squares[j], 0.0)
                second[c, j], error = dd.two_sum(second[c, j], term)
                second_low[c, j] += error + term_low


@jit
def _sum_complete(
    x: Floats, members: Counts, shift: Floats, middle: Floats, deviations: Floats, squares: Floats
) -> bool:
    """Sum some rows about their middle, four at once; return False, with nothing summed, if a cell is NaN."""
    columns = x.shape[1]
    n = members.shape[0]
    fours = n // 4 * 4
    middle[:] = 0.0
    for g in range(0, fours, 4):
        a, b, c, d = members[g], members[g + 1], members[g + 2], members[g + 3]
        for j in range(columns):
            near = (x[a, j] - shift[j]) + (x[b, j] - shift[j])
            middle[j] += near + ((x[c, j] - shift[j]) + (x[d, j] - shift[j]))
    for g in range(fours, n):
        for j in range(columns):
            middle[j] += x[members[g], j] - shift[j]
    complete = True
    for j in range(columns):
        complete &= middle[j] == middle[j]
    if not complete:
        return False
    deviations[:] = 0.0
    squares[:] = 0.0
    for j in range(columns):
        middle[j] = shift[j] + middle[j] / n
    for g in range(0, fours, 4):
        a, b, c, d = members[g], members[g + 1], members[g + 2], members[g + 3]
        for j in range(columns):
            p, q, r, s = x[a, j] - middle[j], x[b, j] - middle[j], x[c, j] - middle[j], x[d, j] - middle[j]
            deviations[j] += (p + q) + (r + s)
            squares[j] += (p * p + q * q) + (r * r + s * s)
    for g in range(fours, n):
        for j in range(columns):
            p = x[members[g], j] - middle[j]
            deviations[j] += p
            squares[j] += p * p
    return True


@jit
def _sum_present(
    x: Floats,
    weights: Floats,
    members: Counts,
    shift: Floats,
    count: Counts,
    weight: Floats,
    middle: Floats,
    deviations: Floats,
    squares: Floats,
) -> None:
    """Sum some rows about their middle, by their weights, passing over NaN."""
    columns = x.shape[1]
    weighted = weights.shape[0] > 0
    count[:] = 0
    weight[:] = 0.0
    middle[:] = 0.0
    for i in members:
        w = weights[i] if weighted else 1.0
        for j in range(columns):
            value = x[i, j]
            present = value == value
            count[j] += present
            weight[j] += w if present else 0.0
            middle[j] += w * (value - shift[j]) if present else 0.0
    for j in range(columns):
        deviations[j] = 0.0
        squares[j] = 0.0
        middle[j] = shift[j] + middle[j] / weight[j] if weight[j] > 0.0 else 0.0
    for i in members:
        w = weights[i] if weighted else 1.0
        for j in range(columns):
            value = x[i, j]
            deviation = value - middle[j] if value == value else 0.0
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
