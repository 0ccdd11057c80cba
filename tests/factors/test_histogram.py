from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import OptionError, ValueRangeError
from tallybayes.factors.histogram import HistogramFactor
from tallybayes.schema.values import Values
from tests.tallies.numeric import numeric


def counted(x, labels=None, weights=None, *, pieces=1, smoothing=1.0, bins=None):
    x = np.asarray(x, dtype=np.float64)
    columns = tuple(range(1 if x.ndim == 1 else x.shape[1]))
    factor = HistogramFactor(columns, smoothing=smoothing, bins=bins)
    tally = factor.tally()
    for rows in np.array_split(np.arange(len(x)), pieces):
        own = None if labels is None else labels[rows]
        tally = tally.update(numeric(x[rows], own, None if weights is None else weights[rows]))
    return factor, tally


def estimate(x, labels=None, weights=None, *, classes=None, **options):
    factor, tally = counted(x, labels, weights, **options)
    return factor.estimate(tally, tally.classes if classes is None else classes)


def log_prob(conditional, x):
    out = np.zeros((len(x), conditional.log_density[0].shape[1]))
    conditional.add_log_prob(numeric(x), out)
    return out


def by_hand(edges, x, labels, weights, q, smoothing):
    """The density of each class at q, from the rows and the edges."""
    x, bins = np.asarray(x, dtype=float), len(edges) - 1
    rows = []
    for t in q:
        b = int(np.searchsorted(edges, t, side="right")) - 1
        inside = 0 <= b < bins
        nearest = min(max(b, 0), bins - 1)
        width = edges[nearest + 1] - edges[nearest]
        there = (x >= edges[nearest]) & (x < edges[nearest + 1]) & inside
        row = []
        for c in np.unique(labels):
            own = (labels == c) & ~np.isnan(x)
            total = weights[own].sum() + smoothing * bins
            row.append((weights[own & there].sum() + smoothing) / (total * width))
        rows.append(row)
    return np.array(rows)


def told(number: float) -> float:
    """Leave out numbers so small that a density about them is no float; its logarithm is."""
    return number if abs(number) > 1e-290 else 0.0


NUMBERS = st.lists(st.integers(-40, 40).map(lambda i: i / 4) | st.floats(-1e3, 1e3).map(told), min_size=1, max_size=60)


@given(NUMBERS, st.integers(0, 2**32 - 1), st.sampled_from([0.25, 1.0, 10.0]), st.sampled_from([None, 1, 3, 50]))
def test_density_is_counts_from_the_rows(x, seed, smoothing, bins):
    rng = np.random.default_rng(seed)
    labels, weights = rng.integers(0, 2, len(x)), rng.integers(1, 9, len(x)) / 4
    conditional = estimate(x, labels, weights, smoothing=smoothing, bins=bins, pieces=min(len(x), 3))
    edges = conditional.edges[0]
    q = np.concatenate((x, edges, rng.uniform(-50, 50, 20), [-1e6, 1e6]))
    expected = by_hand(edges, x, labels, weights, q, smoothing)
    np.testing.assert_allclose(np.exp(log_prob(conditional, q)), expected, rtol=1e-9)
    # It integrates to one, and no number lies outside or on an edge between two bins.
    inside = np.exp(log_prob(conditional, 0.5 * (edges[1:] + edges[:-1])))
    np.testing.assert_allclose((inside * np.diff(edges)[:, None]).sum(axis=0), 1.0, rtol=1e-9)
    assert edges[0] < min(x)
    assert max(x) < edges[-1]


@given(NUMBERS, st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
def test_chunks_and_order_do_not_matter(x, seed, pieces, weighted):
    rng = np.random.default_rng(seed)
    x, labels = np.array(x), rng.integers(0, 3, len(x))
    weights = rng.choice([0.1, 0.3, 1 / 3, 0.7], len(x)) if weighted else None
    order = rng.permutation(len(x))
    a = estimate(x, labels, weights)
    b = estimate(x[order], labels[order], None if weights is None else weights[order], pieces=min(pieces, len(x)))
    np.testing.assert_array_equal(a.edges[0], b.edges[0])
    np.testing.assert_allclose(a.log_density[0], b.log_density[0], rtol=0, atol=1e-12)


def test_equal_weights_of_any_size_give_equal_shares():
    """0.1 + 0.1 + 0.1 is not 0.3, and yet no share may gain or lose a row by that."""
    x = np.arange(1000.0)
    plain = estimate(x, bins=10)
    assert plain.edges[0].tolist() == [-0.5, *np.arange(99.5, 900, 100), 999.5]
    for weight in (0.1, 1 / 3, 1e-7, 1e7):
        for order in (slice(None), slice(None, None, -1)):
            got = estimate(x[order], weights=np.full(1000, weight), bins=10, pieces=7)
            np.testing.assert_array_equal(got.edges[0], plain.edges[0])


def test_the_rule_gives_equal_shares(rng):
    x = np.exp(rng.normal(size=30_000))
    edges = estimate(x).edges[0]
    assert len(edges) - 1 == math.ceil(60_000 ** (1 / 3))
    shares = np.histogram(x, edges)[0] / 30_000 * (len(edges) - 1)
    assert shares.min() > 0.85
    assert shares.max() < 1.15


def test_a_worked_example():
    """Eight rows make three bins, cut where the shares 8/3 and 16/3 are nearest: after three rows and after five."""
    x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0]
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    conditional = estimate(x, labels)
    assert conditional.edges[0].tolist() == [0.5, 3.5, 5.5, 10.0]
    assert conditional.digest() == {0: {"bins": 3, "edges": [0.5, 3.5, 5.5, 10.0]}}
    got = np.exp(log_prob(conditional, [2.5, 3.5, 5.5, -100.0, 100.0]))
    expected = [
        [4 / 7 / 3, 1 / 7 / 3],
        [2 / 7 / 2, 2 / 7 / 2],
        [1 / 7 / 4.5, 4 / 7 / 4.5],
        [1 / 7 / 3, 1 / 7 / 3],
        [1 / 7 / 4.5, 1 / 7 / 4.5],
    ]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_integers_stand_in_the_middle_of_their_bins():
    conditional = estimate([0.0, 1.0, 1.0, 2.0] * 25, bins=3)
    np.testing.assert_allclose(conditional.edges[0], [-0.5, 0.5, 1.5, 2.5], atol=1e-12)
    np.testing.assert_allclose(np.exp(log_prob(conditional, [0.0, 1.0, 2.0]))[:, 0], np.array([26, 51, 26]) / 103)


def test_a_frequent_number_stands_alone(rng):
    x = np.where(rng.random(20_000) < 0.4, 0.0, rng.normal(size=20_000))
    edges = estimate(x).edges[0]
    b = np.searchsorted(edges, 0.0, side="right") - 1
    there = x[(x >= edges[b]) & (x < edges[b + 1])]
    assert (there == 0.0).mean() > 0.99
    assert edges[b + 1] - edges[b] < 0.01


def test_an_outlier_costs_nothing_but_a_wide_last_bin(rng):
    x, labels = rng.normal(size=20_000), rng.integers(0, 2, 20_000)
    without, far = estimate(x, labels), estimate(np.append(x, 1e9), np.append(labels, 1))
    inside = np.linspace(*without.edges[0][[0, -2]], 100)[:-1]
    # One row more may move a cut by one row.
    np.testing.assert_allclose(log_prob(far, inside), log_prob(without, inside), atol=0.1)
    # In the last bin the density is that much less, but for all classes alike: their ratio stays.
    assert far.edges[0][-1] > 1e9
    assert log_prob(far, [3.0])[0, 0] < log_prob(without, [3.0])[0, 0] - 15.0
    ratio = [np.diff(log_prob(conditional, [3.0]))[0, 0] for conditional in (without, far)]
    assert ratio[1] == pytest.approx(ratio[0], abs=0.02)


@pytest.mark.parametrize(("value", "width"), [(5.0, 5.0), (-1e9, 1e9), (0.0, 1.0), (1e-200, 1e-200), (1e300, 1e300)])
@pytest.mark.parametrize("rows", [1, 7])
def test_a_constant_column_has_one_bin_as_wide_as_the_number(value, width, rows):
    conditional = estimate(np.full(rows, value))
    np.testing.assert_allclose(conditional.edges[0], [value - width / 2, value + width / 2], rtol=1e-12)
    got = log_prob(conditional, [value, value + 1e3 * width, value - 1e3 * width])[:, 0]
    outside = math.log(1 / (rows + 1)) - math.log(width)
    np.testing.assert_allclose(got, [-math.log(width), outside, outside], rtol=1e-12)


def test_without_smoothing_what_has_no_rows_is_impossible():
    x, labels = [1.0, 2.0, 3.0, 4.0], np.array([0, 0, 1, 1])
    conditional = estimate(x, labels, smoothing=0.0, bins=2)
    got = np.exp(log_prob(conditional, [1.5, 3.5, 0.0, 9.0]))
    np.testing.assert_allclose(got, [[0.5, 0.0], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0]])
    # A class without rows has the density of all.
    lent = estimate(x, labels, smoothing=0.0, bins=2, classes=Values([0, 1, 2]))
    np.testing.assert_allclose(np.exp(log_prob(lent, [1.5, 3.5, 0.0]))[:, 2], [0.25, 0.25, 0.0])


def test_with_smoothing_a_class_without_rows_has_equal_shares():
    conditional = estimate([1.0, 2.0, 3.0, 4.0], classes=Values([0, 7]), bins=2)
    np.testing.assert_allclose(np.exp(log_prob(conditional, [1.5, 3.5]))[:, 1], [0.25, 0.25])


def test_a_column_without_numbers_says_nothing_and_missing_cells_are_skipped():
    x = np.array([[math.nan, 1.0], [math.nan, 2.0], [math.nan, math.nan]])
    conditional = estimate(x)
    got = log_prob(conditional, np.array([[3.0, 1.0], [3.0, math.nan]]))
    np.testing.assert_array_equal(got[0], log_prob(estimate([1.0, 2.0]), [1.0])[0])
    assert got[1] == 0.0
    assert conditional.digest()[0] == {"bins": 0, "edges": []}
    assert np.isnan(conditional.sample(np.zeros(3, np.int64), np.random.default_rng(0))[0]).all()


def test_weight_two_is_a_row_twice(rng):
    x = rng.normal(size=40)
    a, b = estimate(x, weights=np.full(40, 2.0)), estimate(np.repeat(x, 2))
    np.testing.assert_array_equal(a.edges[0], b.edges[0])
    np.testing.assert_allclose(a.log_density[0], b.log_density[0], rtol=1e-12)


def test_forgetting_gives_the_histogram_of_the_rest(rng):
    x, labels = rng.normal(size=300), rng.integers(0, 2, 300)
    factor, whole = counted(x, labels)
    rest = whole - factor.tally().count(numeric(x[200:], labels[200:]))
    a, b = factor.estimate(rest, rest.classes), estimate(x[:200], labels[:200])
    np.testing.assert_allclose(a.edges[0], b.edges[0], rtol=1e-9)
    np.testing.assert_allclose(a.log_density[0], b.log_density[0], rtol=1e-9)


def test_classes_of_unlike_scale_share_their_edges(rng):
    """The narrow class is binned finely in the sketch, and its rows are still counted in the right bins."""
    x = np.concatenate((1e-4 * rng.normal(size=9000), rng.normal(size=9000)))
    labels = np.repeat([0, 1], 9000)
    conditional = estimate(x, labels)
    edges = conditional.edges[0]
    q = 0.5 * (edges[1:] + edges[:-1])
    np.testing.assert_allclose(
        np.exp(log_prob(conditional, q)), by_hand(edges, x, labels, np.ones(18_000), q, 1.0), rtol=1e-9
    )


def test_numbers_as_far_apart_as_floats_go_give_no_nan():
    greatest = np.finfo(np.float64).max
    x = np.array([-greatest, greatest, 0.0, 5e-324])
    for smoothing in (0.0, 1.0):
        conditional = estimate(x, smoothing=smoothing)
        assert not np.isnan(log_prob(conditional, np.array([*x, 1.0, 1e200]))).any()
        assert np.isfinite(log_prob(conditional, x[2:])).all()
        assert np.isfinite(conditional.sample(np.zeros(50, np.int64), np.random.default_rng(0))[0]).all()


def test_terms_add_up(rng):
    x, labels = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    conditional = estimate(x, labels)
    q = rng.normal(size=(20, 3))
    q[::3, 1] = math.nan
    terms = conditional.contributions(numeric(q))
    assert terms.shape == (20, 3, 2)
    np.testing.assert_allclose(terms.sum(axis=1), log_prob(conditional, q), rtol=1e-12)
    assert (terms[::3, 1] == 0.0).all()


def test_samples_follow_the_density(rng):
    x, labels = np.concatenate((rng.normal(size=3000), rng.exponential(size=3000))), np.repeat([0, 1], 3000)
    conditional = estimate(x, labels)
    classes = np.repeat([1, 0], 40_000)
    drawn = conditional.sample(classes, rng)[0]
    edges = conditional.edges[0]
    for c in (0, 1):
        own = drawn[classes == c]
        assert (own >= edges[0]).all()
        assert (own < edges[-1]).all()
        share = np.histogram(own, edges)[0] / 40_000
        np.testing.assert_allclose(share, np.exp(conditional.log_density[0][1:-1, c]) * np.diff(edges), atol=0.006)
        # Within a bin, all places are alike.
        b = int(np.argmax(share))
        within = own[(own >= edges[b]) & (own < edges[b + 1])]
        assert (within.mean() - edges[b]) / (edges[b + 1] - edges[b]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    "options",
    [{"smoothing": -1.0}, {"smoothing": math.nan}, {"smoothing": math.inf}, {"bins": 0}, {"bins": 2.5}],
    ids=str,
)
def test_options_that_are_none_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        HistogramFactor((0,), **options)


def test_infinite_questions_are_refused():
    with pytest.raises(ValueRangeError, match="row 2"):
        log_prob(estimate([1.0, 2.0, 3.0]), [1.0, -math.inf])
