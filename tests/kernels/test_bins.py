from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes.kernels.bins import LOWEST, bin_sorted, shift_within
from tallybayes.kernels.merge_bins import merge_bins

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.integers(-200, 200).map(lambda i: i / 8)
NO_WEIGHTS = np.empty((0, 0))


def bin_of(value: float, k: int) -> int:
    return math.floor(Fraction(value) / Fraction(2) ** k)


def finest(values: list[float], limit: int) -> int:
    """The smallest exponent with indices in range and few enough bins, tried one after the other."""
    k = LOWEST
    largest = max(abs(v) for v in values)
    while Fraction(2) ** (k + 52) <= Fraction(largest):
        k += 1
    while len({bin_of(v, k) for v in values}) > limit:
        k += 1
    return k


def binned(values, masses=None, limit=4096):
    values = np.array(values, dtype=np.float64, ndmin=2)
    order = np.argsort(values, axis=1)
    masses = NO_WEIGHTS if masses is None else np.take_along_axis(np.array(masses, ndmin=2), order, 1)
    values = np.take_along_axis(values, order, 1)
    exponents, sizes = np.full(len(values), LOWEST), np.zeros(len(values), np.int64)
    room = values.size
    index, rows, sums = np.empty(room, np.int64), np.empty(room, np.int64), np.empty((room, 4))
    keys = np.empty(values.shape[1], np.int64)
    end = bin_sorted(values, masses, limit, keys, exponents, sizes, index, rows, sums)
    return exponents, np.concatenate(([0], np.cumsum(sizes))), index[:end], rows[:end], sums[:end]


def exact_sums(values, weights, k: int) -> dict[int, list[Fraction]]:
    """The bins at the exponent k with their rows and sums, in fractions."""
    found: dict[int, list[Fraction]] = {}
    for value, weight in zip(values, weights, strict=True):
        index = bin_of(value, k)
        t = Fraction(value) / Fraction(2) ** k - index - Fraction(1, 2)
        entry = found.setdefault(index, [Fraction(0)] * 5)
        entry[0] += 1
        for m in range(4):
            entry[m + 1] += Fraction(weight) * t**m
    return dict(sorted(found.items()))


def compare(result, values, weights, k):
    exponents, _, index, rows, sums = result
    expected = exact_sums(values, weights, k)
    assert exponents.tolist() == [k]
    assert index.tolist() == list(expected)
    assert rows.tolist() == [entry[0] for entry in expected.values()]
    for got, entry in zip(sums, expected.values(), strict=True):
        scale = float(entry[1])
        np.testing.assert_allclose(got, [float(s) for s in entry[1:]], rtol=1e-12, atol=1e-14 * scale)


@given(st.lists(st.integers(-(2**52), 2**52 - 1), min_size=1, max_size=30), st.integers(2, 8))
def test_shift_is_the_least_within_the_limit(keys, limit):
    shift = shift_within(np.array(sorted(keys)), limit)
    assert len({key >> shift for key in keys}) <= limit
    assert shift == 0 or len({key >> (shift - 1) for key in keys}) > limit


@given(st.lists(FLOATS | NEAR, min_size=1, max_size=30), st.integers(2, 8))
@example([1.7976931348623157e308, -1.7976931348623157e308, 0.0, 5e-324, -5e-324], 2)
@example([-5e-324, 1.0], 2)
@example([0.0, -0.0], 2)
def test_bins_are_those_of_the_finest_grid_within_the_limit(values, limit):
    compare(binned(values, limit=limit), values, [1.0] * len(values), finest(values, limit))


@given(st.lists(st.tuples(NEAR, st.floats(1e-3, 1e3)), min_size=1, max_size=30), st.integers(2, 8))
def test_weights_are_summed_and_rows_counted(pairs, limit):
    values, weights = zip(*pairs, strict=True)
    compare(binned(values, weights, limit), values, weights, finest(list(values), limit))


def test_columns_stand_one_after_the_other_and_nan_is_left_out():
    exponents, start, index, rows, _ = binned([[3.0, math.nan, 3.0], [math.nan] * 3, [1.0, -2.0, 0.0]])
    assert start.tolist() == [0, 1, 1, 4]
    assert exponents[1] == LOWEST
    assert [int(i) * 2.0 ** int(exponents[2]) for i in index[1:]] == [-2.0, 0.0, 1.0]
    assert rows.tolist() == [2, 1, 1, 1]


@given(
    st.lists(FLOATS | NEAR, min_size=1, max_size=20),
    st.lists(FLOATS | NEAR, min_size=1, max_size=20),
    st.integers(2, 8),
)
@example([1e-300], [1e300, 1.0], 2)
def test_merged_bins_are_those_of_all_values(one, two, limit):
    out = merged(binned(one, limit=limit), binned(two, limit=limit), 1, limit)
    both = one + two
    compare(out, both, [1.0] * len(both), finest(both, limit))


@given(st.lists(NEAR, min_size=1, max_size=20), st.lists(NEAR, min_size=1, max_size=20))
def test_taking_away_leaves_the_rest_on_the_same_grid(one, two):
    both = binned(one + two, limit=4)
    k = int(both[0][0])
    rest = merged(both, binned(two, limit=4), -1, 4)
    expected = exact_sums(one, [1.0] * len(one), k)
    rows = dict(zip(rest[2].tolist(), rest[3].tolist(), strict=True))
    assert {i: n for i, n in rows.items() if n} == {i: entry[0] for i, entry in expected.items()}
    for i, sums in zip(rest[2].tolist(), rest[4], strict=True):
        assert sums == pytest.approx([float(s) for s in expected.get(i, [0] * 5)[1:]], abs=1e-12)


def merged(a, b, sign, limit):
    room = len(a[2]) + len(b[2])
    exponents, start = np.empty(len(a[0]), np.int64), np.zeros(len(a[1]), np.int64)
    index, rows, sums = np.empty(room, np.int64), np.empty(room, np.int64), np.empty((room, 4))
    end = merge_bins(a, b, sign, limit, (exponents, start, index, rows, sums))
    assert start[-1] == end
    return exponents, start, index[:end], rows[:end], sums[:end]
