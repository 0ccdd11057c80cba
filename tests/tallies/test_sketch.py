from __future__ import annotations

import math
from dataclasses import fields, replace
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import MergeError, ModelFileError, OptionError, ValueRangeError
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State
from tallybayes.tallies.sketch import SketchTally
from tests.tallies.numeric import numeric

CELLS = st.one_of(
    st.integers(-30, 30).map(float),
    st.floats(-1e6, 1e6),
    st.sampled_from([math.nan, 1e9, 1e9 + 1, -1e-300, 5e-324, 1.7e308]),
)
ROWS = st.lists(st.tuples(CELLS, CELLS, st.sampled_from("abc"), st.integers(0, 24).map(lambda i: i / 8)), max_size=30)
LIMITS = st.sampled_from([2, 3, 5, 4096])


def sketch(rows, limit=4096, *, weighted=True, names=("x", "y")):
    empty = SketchTally.empty(names, limit=limit)
    if not rows:
        return empty
    x = np.array([row[:2] for row in rows])[:, [("x", "y").index(name) for name in names]]
    weights = np.array([row[3] for row in rows]) if weighted else None
    return empty.count(numeric(x, [row[2] for row in rows], weights, names=names))


def same(a: SketchTally, b: SketchTally):
    for field in fields(a):
        ours, theirs = getattr(a, field.name), getattr(b, field.name)
        if field.name == "sums":
            assert ours.shape == theirs.shape
            assert (np.abs(ours - theirs) <= 1e-12 * (1 + theirs[:, :1])).all()
        elif isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, theirs, err_msg=field.name)
        else:
            assert ours == theirs


def identical(a: SketchTally, b: SketchTally):
    same(a, b)
    np.testing.assert_array_equal(a.sums, b.sums)


@given(ROWS, LIMITS, st.lists(st.integers(0, 30), max_size=4), st.data(), st.booleans())
def test_any_chunks_in_any_order_give_the_same(rows, limit, cuts, data, weighted):
    rows = data.draw(st.permutations(rows))
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    pieces = [sketch(rows[a:b], limit, weighted=weighted) for a, b in pairwise(bounds)]
    whole = sketch(rows, limit, weighted=weighted)
    same(reduce(lambda a, b: a + b, pieces), whole)
    same(reduce(lambda a, b: b + a, data.draw(st.permutations(pieces))), whole)


@given(ROWS, ROWS, ROWS, LIMITS)
def test_monoid(one, two, three, limit):
    a, b, c = (sketch(rows, limit) for rows in (one, two, three))
    same((a + b) + c, a + (b + c))
    same(a + b, b + a)
    empty = sketch([], limit)
    for total in (a + empty, empty + a, a - empty):
        identical(total, a)
    same(a - a, empty)


@given(ROWS, ROWS, LIMITS)
def test_taking_out_what_was_added(one, two, limit):
    a, b = sketch(one, limit), sketch(two, limit)
    back = (a + b) - b
    assert back.classes == a.classes
    np.testing.assert_array_equal(back.rows_present(), a.rows_present())
    assert (back.exponents >= a.exponents).all()
    if (back.exponents == a.exponents).all():
        same(back, a)
    # Where the grid stays wide, the bins hold what adding the rows to such a grid would give.
    for c in range(len(a.classes)):
        for j in range(2):
            ours, theirs = a.bins(c, j), back.bins(c, j)
            shift = min(theirs.exponent - ours.exponent, 63)
            found, place = np.unique(ours.index >> shift, return_inverse=True)
            np.testing.assert_array_equal(theirs.index, found)
            np.testing.assert_array_equal(theirs.rows, np.bincount(place, ours.rows))
            np.testing.assert_allclose(theirs.sums[:, 0], np.bincount(place, ours.sums[:, 0]), rtol=1e-12, atol=1e-12)


@given(ROWS, st.lists(st.integers(0, 3), min_size=30, max_size=30), LIMITS)
def test_a_weight_is_how_often_a_row_counts(rows, times, limit):
    weighted = sketch([(*row[:3], float(k)) for row, k in zip(rows, times, strict=False)], limit)
    repeated = [row for row, k in zip(rows, times, strict=False) for _ in range(k)]
    plain = sketch(repeated, limit, weighted=False)
    same(replace(weighted, rows=plain.rows), plain)


@given(ROWS, LIMITS)
def test_pooled_is_the_sketch_without_labels(rows, limit):
    pooled = sketch(rows, limit).pooled()
    one = sketch([(*row[:2], "a", row[3]) for row in rows], limit)
    same(replace(pooled, classes=Values(["a"])), one.aligned(Values(["a"])))


@given(ROWS, LIMITS)
def test_state_comes_back(rows, limit):
    a = sketch(rows, limit)
    state = a.state()
    identical(SketchTally.from_state(State(dict(state.header), dict(state.arrays))), a)


@given(ROWS, ROWS, LIMITS)
def test_what_is_left_can_be_stored(one, two, limit):
    """Rounding in what is left after taking out is no damage."""
    back = (sketch(one, limit) + sketch(two, limit)) - sketch(two, limit)
    identical(SketchTally.from_state(back.state()), back)


def test_unlike_weights_leave_sound_sums_behind(rng):
    x = rng.normal(size=50)
    light, heavy = numeric(x, weights=np.full(50, 1e-9)), numeric(x, weights=rng.random(50) * 1e9)
    empty = SketchTally.empty((0,), limit=8)
    back = empty.count(light).update(heavy) - empty.count(heavy)
    identical(SketchTally.from_state(back.state()), back)
    assert (back.sums[:, 0] >= 0).all()


@given(ROWS, LIMITS)
def test_columns_in_another_order_add(rows, limit):
    a, b = sketch(rows, limit), sketch(rows, limit, names=("y", "x"))
    same(a + b, a + a)
    same(b.arranged(["x", "y"]), a)


def test_columns_are_binned_alike_in_blocks_and_alone(rng):
    x = rng.normal(size=(40, 19))
    x[rng.random(x.shape) < 0.3] = np.nan
    labels = rng.integers(0, 3, 40)
    whole = SketchTally.empty(tuple(range(19)), limit=8).count(numeric(x, labels))
    for j in range(19):
        alone = SketchTally.empty((0,), limit=8).count(numeric(x[:, j], labels))
        for c in range(3):
            a, b = whole.bins(c, j), alone.bins(c, 0)
            assert (a.exponent, a.index.tolist(), a.rows.tolist()) == (b.exponent, b.index.tolist(), b.rows.tolist())
            np.testing.assert_array_equal(a.sums, b.sums)


def test_few_distinct_values_are_kept_apart():
    tally = SketchTally.empty((0,)).count(numeric([0.1, 0.2, 0.3, 0.1, 1e9]))
    bins = tally.bins(0, 0)
    assert bins.rows.tolist() == [2, 1, 1, 1]
    assert tally.rows_present().tolist() == [[5]]
    assert bins.weight == 5.0


def test_an_outlier_costs_one_bin(rng):
    x = rng.normal(size=20_000)
    empty = SketchTally.empty((0,))
    without, far = empty.count(numeric(x)), empty.count(numeric(np.append(x, 1e9)))
    assert far.exponents == without.exponents
    assert far.index[:-1].tolist() == without.index.tolist()
    # Farther than 2**52 widths the width has to grow.
    farther = empty.count(numeric(np.append(x, 1e20)))
    assert farther.exponents > without.exponents


def test_one_class_does_not_coarsen_another(rng):
    x = np.concatenate([rng.normal(size=9000), 1e6 * rng.normal(size=9000)])
    tally = SketchTally.empty((0,)).count(numeric(x, np.repeat([0, 1], 9000)))
    alone = SketchTally.empty((0,)).count(numeric(x[:9000]))
    assert tally.bins(0, 0).exponent == alone.bins(0, 0).exponent < tally.bins(1, 0).exponent


def test_taking_out_does_not_refine_unless_nothing_is_left():
    empty = SketchTally.empty((0,), limit=2)
    wide, narrow = numeric([0.0, 1.0, 100.0]), numeric([0.25, 0.75])
    tally = empty.count(wide).update(narrow) - empty.count(wide)
    assert tally.exponents > empty.count(narrow).exponents
    afresh = (tally - empty.count(narrow)).update(narrow)
    identical(afresh, empty.count(narrow))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(2.0, 1.0, "a", 1.0)], "column 'x' of class 'a'"),
        ([(1.0, 1.0, "a", 1.0)] * 3, "column 'x' of class 'a'"),
        ([(1.0, 1.0, "c", 1.0)], "class 'c' was never seen"),
        ([(1.0, 7.0, "b", 1.0)], "column 'y' of class 'b'"),
        ([(1.0, 1.0, "a", 9.0)], "column 'x' of class 'a'"),
        ([(1.0, 1e99, "a", 1.0)], "column 'y' of class 'a'"),
    ],
    ids=["value", "too often", "class", "empty cell", "weight", "coarser"],
)
def test_rows_that_were_never_counted_are_refused(rows, said):
    tally = sketch([(1.0, 1.0, "a", 1.0), (1.0, 1.0, "a", 1.0), (1.0, math.nan, "b", 1.0)])
    with pytest.raises(MergeError, match=said):
        tally - sketch(rows)


def test_sketches_of_other_columns_or_limits_do_not_add():
    with pytest.raises(MergeError, match="same columns"):
        SketchTally.empty(["x"]) + SketchTally.empty(["y"])
    with pytest.raises(MergeError, match="number of bins 4096 and 8"):
        SketchTally.empty(["x"]) + SketchTally.empty(["x"], limit=8)


@pytest.mark.parametrize("limit", [1, 0, 2**20 + 1, 8.0, True, "8"])
def test_a_limit_that_is_none_is_refused(limit):
    with pytest.raises(OptionError, match="limit="):
        SketchTally.empty(["x"], limit=limit)


def test_infinite_values_are_refused_and_located():
    batch = numeric([[1.0, 2.0], [1.0, -math.inf]], names=("x", "y"), first=10)
    with pytest.raises(ValueRangeError, match=r"(?s)'y'.*12|12.*'y'"):
        SketchTally.empty(["x", "y"]).count(batch)


def test_missing_unlabelled_and_weightless_rows_leave_no_trace():
    labels = np.array([0.0, 1.0, 2.0, 3.0, math.nan])
    batch = numeric([1.0, math.nan, 3.0, 4.0, 5.0], labels, [1.0, 1.0, 0.0, 1.0, 1.0])
    tally = SketchTally.empty((0,)).count(batch)
    assert tally.classes == Values([0, 3])
    assert tally.rows_present().tolist() == [[1], [1]]


HOSTILE = {
    "limit": ("header", "limit", 1),
    "limit of another type": ("header", "limit", "4096"),
    "classes out of order": ("header", "classes", ["b", "a"]),
    "names": ("header", "names", None),
    "more classes than arrays": ("header", "classes", ["a", "b", "c"]),
    "a bin too many": ("sizes", (0, 0), 4),
    "a size below zero": ("sizes", (0, 0), -1),
    "an enormous size": ("sizes", (0, 0), 2**62),
    "a class without rows": ("sizes", (1, slice(None)), 0),
    "an exponent below the least": ("exponents", (0, 0), -1023),
    "an exponent above the greatest": ("exponents", (0, 0), 1025),
    "an index out of range": ("index", -1, 2**52),
    "an index far below": ("index", 0, -(2**52) - 1),
    "indices out of order": ("index", 0, 2**51),
    "no rows": ("rows", 0, 0),
    "rows below zero": ("rows", 0, -1),
    "weight below zero": ("sums", (0, 0), -1.0),
    "weight NaN": ("sums", (0, 0), math.nan),
    "sums infinite": ("sums", (0, 3), math.inf),
    "a moment outside of the bin": ("sums", (0, 1), 0.6),
    "a second moment outside of the bin": ("sums", (0, 2), 0.3),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_states_are_refused(change):
    rows = [(1.0, 5.0, "a", 1.0), (2.0, 5.0, "a", 1.0), (3.0, 5.0, "b", 1.0)]
    state = sketch(rows).state()
    header, arrays = dict(state.header), {name: array.copy() for name, array in state.arrays.items()}
    where, at, value = change
    if where == "header":
        header[at] = value
    else:
        arrays[where][at] = value
    with pytest.raises(ModelFileError, match="damaged"):
        SketchTally.from_state(State(header, arrays))


@pytest.mark.parametrize("name", ["exponents", "sizes", "index", "rows", "sums"])
def test_missing_or_misshapen_arrays_are_refused(name):
    state = sketch([(1.0, 5.0, "a", 1.0)]).state()
    for array in (None, state.arrays[name][:0], state.arrays[name].astype(np.float32)):
        arrays = {k: v for k, v in state.arrays.items() if k != name}
        if array is not None:
            arrays[name] = array
        with pytest.raises(ModelFileError, match="damaged"):
            SketchTally.from_state(State(state.header, arrays))
