"""Edges where the classes change, against the definition worked out on raw rows."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from tallybayes.schema.coded import Labels
from tallybayes.schema.values import Values
from tallybayes.structure.cuts import edges_of
from tallybayes.structure.edges import chosen_edges, equal_widths
from tallybayes.structure.mdlp import mdlp
from tallybayes.structure.points import points
from tallybayes.tallies.sketch import SketchTally


class Batch:
    """Numbers and labels, as a sketch reads them."""

    first = 0

    def __init__(self, numbers, labels, weights=None):
        values = Values(labels)
        self._numbers = np.array(numbers, dtype=float).reshape(len(labels), -1)
        self.labels = Labels(np.array([values.index[label] for label in labels], np.int64), values)
        self.weights = None if weights is None else np.array(weights, dtype=float)

    def numbers(self, names):
        return self._numbers


def sketch_of(numbers, labels, weights=None, *, parts=1, limit=4096):
    empty = SketchTally.empty(["x"], limit=limit)
    pieces = np.array_split(np.arange(len(labels)), parts)
    total = empty
    for piece in pieces:
        if len(piece):
            w = None if weights is None else [weights[i] for i in piece]
            total += empty.count(Batch([numbers[i] for i in piece], [labels[i] for i in piece], w))
    return total


def edges_of_rows(numbers, labels, weights=None, **options):
    return chosen_edges(points(sketch_of(numbers, labels, weights), 0), "mdlp", **options)


def entropy(labels):
    n = len(labels)
    return -sum(k / n * math.log2(k / n) for k in Counter(labels).values())


def reference(numbers, labels):
    """Return the edges by the definition: every midpoint of an interval is tried, and its parts are cut in turn."""
    rows = sorted(zip(numbers, labels, strict=True))
    xs = sorted({x for x, _ in rows})
    classes = [c for _, c in rows]
    n, k = len(rows), len({*classes})
    if k < 2 or len(xs) < 2:
        return []
    trials = []
    for a, b in pairwise(xs):
        left, right = [c for x, c in rows if x <= a], [c for x, c in rows if x > a]
        within = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        trials.append((within, a, b, left, right))
    least = min(trial[0] for trial in trials)
    within, a, b, left, right = next(trial for trial in trials if trial[0] <= least + 1e-12)
    k1, k2 = len({*left}), len({*right})
    delta = math.log2(3**k - 2) - (k * entropy(classes) - k1 * entropy(left) - k2 * entropy(right))
    if not entropy(classes) - within > (math.log2(n - 1) + delta) / n:
        return []
    inside = [(x, c) for x, c in rows if x <= a], [(x, c) for x, c in rows if x > a]
    lower, upper = (reference(*zip(*part, strict=True)) for part in inside)
    return [*lower, (a + b) / 2, *upper]


@given(st.data())
def test_edges_are_those_of_the_definition(data):
    n = data.draw(st.integers(1, 60))
    k = data.draw(st.integers(1, 4))
    scale = data.draw(st.sampled_from([1.0, 0.001, 1e6, 1 / 3]))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    x = rng.integers(-20, 20, n) * scale
    labels = ((x / scale + 20) // 10 % k + rng.choice([0, 0, 0, 1], n)).astype(int) % k
    parts = data.draw(st.integers(1, 4))
    sketch = sketch_of(x.tolist(), labels.tolist(), parts=parts)
    assert list(chosen_edges(points(sketch, 0), "mdlp")) == reference(x.tolist(), labels.tolist())


def test_two_thousand_rows_of_real_numbers(rng):
    x = rng.normal(size=600)
    labels = ((x > -0.7).astype(int) + (x > 0.1) + (x > 1.3) + (rng.random(600) < 0.1)) % 3
    expected = reference(x.tolist(), labels.tolist())
    assert len(expected) == 3
    assert list(edges_of_rows(x.tolist(), labels.tolist())) == expected


def test_the_edges_of_iris_that_are_published():
    """Those that R's discretization::mdlp and Weka's supervised filter give."""
    iris = load_iris()
    found = [edges_of_rows(column.tolist(), iris.target.tolist()) for column in iris.data.T]
    assert found == [(5.55, 6.15), (2.95, 3.3499999999999996), (2.45, 4.75), (0.8, 1.75)]


def test_without_anything_to_tell_apart_there_is_one_bin():
    assert edges_of_rows([1.0, 2.0, 3.0] * 20, ["a"] * 60) == ()
    assert edges_of_rows([1.0] * 60, ["a", "b"] * 30) == ()
    assert edges_of_rows([float("nan")] * 4, ["a", "b"] * 2) == ()
    rng = np.random.default_rng(3)
    assert edges_of_rows(rng.normal(size=500).tolist(), rng.integers(0, 2, 500).tolist()) == ()


def test_a_weight_of_two_is_a_row_twice_and_of_zero_none(rng):
    x = rng.integers(0, 30, 200).astype(float).tolist()
    labels = [int(v > 11) ^ int(rng.random() < 0.1) for v in x]
    weights = rng.integers(0, 3, 200).tolist()
    repeated = [i for i, w in enumerate(weights) for _ in range(w)]
    expected = edges_of_rows([x[i] for i in repeated], [labels[i] for i in repeated])
    assert len(expected) >= 1
    assert edges_of_rows(x, labels, weights) == expected


def test_as_many_bins_as_wanted_and_those_that_tell_most(rng):
    x = rng.uniform(0, 4, 2000)
    labels = np.select([x < 1, x < 2, x < 3], [0, 1, 0], 2).tolist()
    every = edges_of_rows(x.tolist(), labels)
    np.testing.assert_allclose(every, [1, 2, 3], atol=0.01)
    # Class 2 alone lies beyond 3, and half of the rest is on either side of 1 and of 2.
    assert edges_of_rows(x.tolist(), labels, most=2) == every[2:]
    assert edges_of_rows(x.tolist(), labels, most=1) == ()
    assert edges_of_rows(x.tolist(), labels, most=99) == every


def test_of_equally_good_places_the_first_is_taken():
    table = np.array([[30, 0], [0, 30], [30, 0]])
    assert mdlp(table, table.astype(float), most=2) == [1]
    assert mdlp(table[::-1], table[::-1].astype(float), most=2) == [1]


def test_hundreds_of_classes():
    table = np.zeros((700, 700), int)
    np.fill_diagonal(table, 50)
    assert all(0 < cut < 700 for cut in mdlp(table, table.astype(float), most=4))


numbers = st.floats(-1e300, 1e300, allow_subnormal=True) | st.integers(-5, 5).map(float)


@given(
    st.lists(st.tuples(numbers, st.sampled_from("abc")), min_size=1, max_size=60), st.integers(2, 8), st.integers(1, 3)
)
@example([(1e300, "a"), (1e-300, "b"), (-1e-300, "b"), (0.0, "a")], 4096, 1)
@example([(5e-324, "a"), (1.0, "b"), (2.0**80, "c"), (-(2.0**80), "c")], 2, 1)
def test_every_edge_has_the_numbers_on_its_sides_that_the_points_say(rows, limit, parts):
    """However coarse the sketch is: no number is on the wrong side of the edge between two points."""
    x, labels = zip(*rows, strict=True)
    sketch = sketch_of(x, labels, parts=parts, limit=limit)
    found = points(sketch, 0)
    assert (found.low <= found.high).all()
    assert found.rows.sum() == len(rows)
    for i in range(1, len(found)):
        edge = found.edge(i)
        for c, label in enumerate(sketch.classes):
            below = sum(number < edge for number, other in rows if other == label)
            assert found.rows[:i, c].sum() == below


@given(st.lists(st.tuples(st.integers(-(2**52), 2**52), st.sampled_from("ab")), min_size=1, max_size=40))
def test_distinct_numbers_are_points_of_their_own_to_the_last_bit(rows):
    x, labels = zip(*rows, strict=True)
    found = points(sketch_of(x, labels), 0)
    np.testing.assert_array_equal(found.low, sorted({*map(float, x)}))
    np.testing.assert_array_equal(found.high, found.low)


def test_beyond_what_a_sketch_keeps_apart_edges_are_within_a_bin(rng):
    n = 40_000
    x = rng.uniform(0, 1000, n)
    labels = np.select([x < 123.456, x < 654.321], [0, 1], 0) ^ (rng.random(n) < 0.05)
    sketch = sketch_of(x.tolist(), labels.tolist())
    exact = points(sketch_of(x.tolist(), labels.tolist(), limit=2**20), 0)
    width = 2.0 ** sketch.exponents.max()
    assert width > 0.1
    found = chosen_edges(points(sketch, 0), "mdlp")
    assert len(found) == 2
    np.testing.assert_allclose(found, chosen_edges(exact, "mdlp"), atol=width)


def test_many_classes_with_numbers_of_their_own_take_bounded_room():
    labels = np.repeat(np.arange(64), 300).tolist()
    x = np.random.default_rng(0).normal(size=len(labels)).tolist()
    sketch = sketch_of(x, labels)
    found = points(sketch, 0, room=64 * 5000)
    assert 4096 < len(points(sketch, 0)) == 19200
    assert 1000 < len(found) <= 5000
    assert found.rows.sum() == len(labels)
    for i in range(1, len(found), 200):
        assert found.rows[:i].sum() == (np.array(x) < found.edge(i)).sum()


def test_bins_of_equal_weight_are_cut_where_it_is_nearest_to_a_quantile():
    def quantiles(x, bins, weights=None):
        return chosen_edges(points(sketch_of(x, [0] * len(x), weights), 0), "quantile", bins=bins)

    assert quantiles([float(i) for i in range(12)], 4) == (2.5, 5.5, 8.5)
    assert quantiles([0.0] * 80 + [float(i) for i in range(1, 21)], 4) == (0.5,)
    assert quantiles([1.0, 2.0, 3.0], 2) == (1.5,)
    assert quantiles([1.0, 2.0, 3.0, 4.0], 2, [1, 1, 1, 9]) == (3.5,)
    assert quantiles([1.0, 2.0], 5) == (1.5,)
    assert quantiles([1.0], 3) == ()
    assert quantiles([float("nan")], 3) == ()
    assert quantiles([1.0, 2.0], 1) == ()
    rng = np.random.default_rng(5)
    x = rng.lognormal(size=20_000)
    counts = np.bincount(np.searchsorted(quantiles(x.tolist(), 10), x, side="right"))
    assert counts.min() > 1900
    assert counts.max() < 2100


def test_bins_of_equal_width():
    assert equal_widths(0.0, 2000.0, 5) == (400.0, 800.0, 1200.0, 1600.0)
    assert equal_widths(-1e308, 1e308, 2) == (0.0,)
    assert equal_widths(1.0, np.nextafter(1.0, 2.0), 10) == (np.nextafter(1.0, 2.0),)
    assert equal_widths(np.inf, -np.inf, 3) == ()


@pytest.mark.parametrize("said", [[400, 800], (400.0, 800.0), np.array([400, 800])])
def test_edges_that_are_given(said):
    assert edges_of(said, "x") == (400.0, 800.0)
    assert edges_of([], "x") == ()
