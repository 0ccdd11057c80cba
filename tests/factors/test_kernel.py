from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import gaussian_kde

from tallybayes.errors import OptionError, ValueRangeError
from tallybayes.factors.kernel import FLOOR, KernelFactor
from tallybayes.schema.values import Values
from tests.tallies.numeric import numeric


def estimate(x, labels=None, weights=None, *, bandwidth="silverman", pieces=1, classes=None):
    batches = [
        numeric(
            np.asarray(x)[rows], None if labels is None else labels[rows], None if weights is None else weights[rows]
        )
        for rows in np.array_split(np.arange(len(x)), pieces)
    ]
    factor = KernelFactor(tuple(range(batches[0].numbers(batches[0].schema.names).shape[1])), bandwidth=bandwidth)
    tally = factor.tally()
    for batch in batches:
        tally = tally.update(batch)
    return factor.estimate(tally, tally.classes if classes is None else classes)


def log_prob(conditional, x):
    out = np.zeros((len(x), len(conditional.which)))
    conditional.add_log_prob(numeric(x), out)
    return out


def silverman(x, weights=None):
    w = np.ones(len(x)) if weights is None else weights
    mean = np.average(x, weights=w)
    return math.sqrt((w * (x - mean) ** 2).sum() / (w.sum() - 1)) * (0.75 * w.sum()) ** -0.2


def direct(q, x, h, weights=None):
    """The logarithm of the sum over the rows."""
    log_w = np.log(np.ones(len(x)) if weights is None else weights)
    log_w -= logsumexp(log_w)
    sums = [logsumexp(log_w - 0.5 * ((t - x) / h) ** 2) for t in q]
    return np.array(sums) - math.log(h) - 0.5 * math.log(2 * math.pi)


def questions(x, h, rng):
    """Rows, places near rows, places anywhere between them, and as far beyond as is promised, up to 50 bandwidths."""
    tally = KernelFactor((0,)).tally().count(numeric(x))
    reach = min(50.0, 1.1 * h / 2.0 ** tally.exponents[0, 0])
    assert reach > 14.0
    return np.concatenate(
        (
            rng.choice(x, 60),
            rng.choice(x, 60) + h * rng.normal(size=60),
            rng.uniform(x.min() - reach * h, x.max() + reach * h, 100),
            x.min() - h * np.linspace(0, reach, 30),
            x.max() + h * np.linspace(0, reach, 30),
        )
    )


def close(got, expected):
    """Within 1e-3, or the last digits of a number so large that these are more."""
    assert (np.abs(got - expected) <= 1e-3 + 1e-12 * np.abs(expected)).all()


N = 20_000
RNG = np.random.default_rng(5)
NORMAL = RNG.normal(size=N)
DATA = {
    "normal": NORMAL,
    "lognormal": np.exp(NORMAL),
    "lognormal, wide": np.exp(3 * NORMAL),
    "uniform": RNG.random(N),
    "exponential": RNG.exponential(size=N),
    "Cauchy": RNG.standard_cauchy(N),
    "two modes": np.concatenate((NORMAL[::2], NORMAL[1::2] + 30)),
    "two modes far apart": np.concatenate((NORMAL[::2], NORMAL[1::2] + 1e6)),
    "two modes of unlike width": np.concatenate((1e-3 * NORMAL[::2], 5 + NORMAL[1::2])),
    "one number many times": np.where(RNG.random(N) < 0.5, 0.0, NORMAL),
    "few integers": RNG.integers(0, 10, N).astype(float),
    "many integers": RNG.integers(0, 50_000, N).astype(float),
    "rounded": np.round(NORMAL, 3),
    "outliers": np.concatenate((NORMAL, [1e6, 1e6, -1e6])),
    "far from zero": 1e9 + NORMAL,
    "tiny": 1e-12 * NORMAL,
    "just more than the bins": NORMAL[:4097],
    "peaked": np.concatenate((np.linspace(-1, 1, 4200), 1e-4 * NORMAL)),
    "hundred": NORMAL[:100],
    "three": np.array([1.0, 2.0, 10.0]),
    "two": np.array([1.0, 2.0]),
}


@pytest.mark.parametrize("x", DATA.values(), ids=DATA)
def test_log_density_is_the_direct_sum(x, rng):
    h = silverman(x)
    conditional = estimate(x, pieces=3)
    assert conditional.digest()[0]["bandwidth"] == pytest.approx([h], rel=1e-9)
    q = questions(x, h, rng)
    close(log_prob(conditional, q)[:, 0], direct(q, x, h))


@pytest.mark.parametrize("name", ["normal", "two modes", "outliers", "rounded"])
@pytest.mark.parametrize("power", [1, 4])
def test_weighted_log_density_is_the_direct_sum(name, power, rng):
    x = DATA[name]
    weights = rng.exponential(size=len(x)) ** power
    h = silverman(x, weights)
    q = questions(x, h, rng)
    close(log_prob(estimate(x, weights=weights, pieces=2), q)[:, 0], direct(q, x, h, weights))


@pytest.mark.parametrize("name", ["normal", "two modes far apart", "outliers", "few integers", "far from zero"])
@pytest.mark.parametrize("h", [0.05, 0.5, 100.0])
def test_a_bandwidth_is_taken_as_it_is(name, h, rng):
    x = DATA[name]
    q = questions(x, h, rng)
    close(log_prob(estimate(x, bandwidth=h), q)[:, 0], direct(q, x, h))


def test_a_bandwidth_that_the_bins_are_too_wide_for_is_still_near(rng):
    """What the promise leaves out: the bins are about twice as wide as the kernel."""
    x, h = DATA["normal"], 1e-3
    assert KernelFactor((0,)).tally().count(numeric(x)).exponents[0, 0] == -9
    q = x[np.abs(x) < 1][:300]
    assert np.abs(log_prob(estimate(x, bandwidth=h), q)[:, 0] - direct(q, x, h)).max() < 0.5


@pytest.mark.parametrize("rule", ["silverman", "scott"])
def test_rules_are_those_of_scipy(rule):
    x = DATA["exponential"][:500]
    q = np.linspace(-1.0, 8.0, 50)
    got = log_prob(estimate(x, bandwidth=rule), q)[:, 0]
    close(got, gaussian_kde(x, bw_method=rule).logpdf(q))


@pytest.mark.slow
def test_a_million_rows_on_the_worst_bins(rng):
    """Rows at one place, but for 4,200 that spread the bins as wide as they can be for the deviation they make."""
    x = np.concatenate((np.linspace(-1, 1, 4200), rng.normal(0, 1e-3, 1_000_000)))
    h = silverman(x)
    q = np.concatenate((np.linspace(-3 * h, 3 * h, 40), rng.uniform(-1, 1, 20)))
    close(log_prob(estimate(x), q)[:, 0], direct(q, x, h))


def test_classes_do_not_spoil_each_other(rng):
    """A class a million times as narrow as another, in the same place."""
    x = np.concatenate((1e-6 * NORMAL, NORMAL))
    got = estimate(x, np.repeat([0, 1], N))
    h = silverman(x[:N])
    q = questions(x[:N], h, rng)
    close(log_prob(got, q)[:, 0], direct(q, x[:N], h))
    close(log_prob(got, q)[:, 1], direct(q, x[N:], silverman(x[N:])))


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_chunks_and_order_do_not_matter(n, seed, pieces):
    rng = np.random.default_rng(seed)
    x, labels = rng.normal(size=(n, 2)).round(2), rng.integers(0, 3, n)
    x[rng.random(x.shape) < 0.2] = math.nan
    shuffled = rng.permutation(n)
    q = rng.normal(size=(20, 2))
    a = log_prob(estimate(x, labels), q)
    b = log_prob(estimate(x[shuffled], labels[shuffled], pieces=min(pieces, n)), q)
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_weight_two_is_a_row_twice(rng):
    x = rng.normal(size=30)
    q = np.linspace(-9, 9, 40)
    np.testing.assert_allclose(
        log_prob(estimate(x, weights=np.full(30, 2.0)), q), log_prob(estimate(np.repeat(x, 2)), q), rtol=1e-9
    )


def test_a_class_that_lacks_a_column_has_the_density_of_all():
    x = np.array([[1.0, 5.0], [2.0, math.nan], [4.0, 7.0], [3.0, math.nan]])
    conditional = estimate(x, np.array([0, 1, 0, 1]))
    q = np.array([[math.nan, 6.0], [math.nan, 1.0]])
    own, lent = log_prob(conditional, q).T
    np.testing.assert_array_equal(own, lent)
    # A class that was never seen has it in both columns.
    widened = estimate(x, np.array([0, 1, 0, 1]), classes=Values([0, 1, 7]))
    everything = estimate(x, np.zeros(4, np.int64))
    q = np.array([[1.5, 6.0]])
    assert log_prob(widened, q)[0, 2] == pytest.approx(log_prob(everything, q)[0, 0], abs=1e-12)


def test_a_column_without_numbers_says_nothing_and_missing_cells_are_skipped():
    x = np.array([[1.0, math.nan], [2.0, math.nan], [4.0, math.nan]])
    conditional = estimate(x)
    q = np.array([[1.0, 3.0], [math.nan, 3.0]])
    got = log_prob(conditional, q)
    assert got[0] == log_prob(estimate(x[:, 0]), q[:1, 0])[0]
    assert got[1] == 0.0
    assert conditional.digest()[1] == {"bandwidth": [None]}
    assert np.isnan(conditional.sample(np.zeros(3, np.int64), np.random.default_rng(0))[1]).all()


def log_normal(q, mean, h):
    return -0.5 * ((q - mean) / h) ** 2 - math.log(h) - 0.5 * math.log(2 * math.pi)


@pytest.mark.parametrize(("value", "size"), [(5.0, 5.0), (-1e9, 1e9), (0.0, 1.0), (1e-200, 1e-200)])
@pytest.mark.parametrize("rows", [1, 2, 300])
def test_a_constant_column_is_a_narrow_peak(value, size, rows):
    conditional = estimate(np.full(rows, value))
    h = FLOOR * size
    assert conditional.digest()[0]["bandwidth"] == pytest.approx([h], rel=1e-12)
    q = value + h * np.array([0.0, 1.0, -3.0, 50.0]) if value else np.array([0.0, h, 5.0, -1e9])
    close(log_prob(conditional, q)[:, 0], log_normal(q, value, h))


def test_a_class_that_is_constant_is_narrow_beside_the_others():
    x, labels = np.array([1.0, 1.0, 0.0, 4.0]), np.array([0, 0, 1, 1])
    h = estimate(x, labels).digest()[0]["bandwidth"]
    assert h[0] == pytest.approx(FLOOR * np.std(x, ddof=1))
    assert h[1] == pytest.approx(silverman(x[2:]))


def test_a_class_of_one_row_takes_the_deviation_of_all():
    x, labels = np.array([1.0, 0.0, 4.0]), np.array([0, 1, 1])
    h = estimate(x, labels).digest()[0]["bandwidth"]
    assert h[0] == pytest.approx(np.std(x, ddof=1) * 0.75**-0.2)


@pytest.mark.parametrize("total", [1e-6, 1.0, 1.0 + 1e-12])
def test_weights_that_sum_to_little_make_no_extreme_bandwidth(total, rng):
    x = rng.normal(size=100)
    h = estimate(x, weights=np.full(100, total / 100)).digest()[0]["bandwidth"][0]
    # A rule has no more than one row to go by: as wide as the data, or wider, by its own factor.
    assert 1.0 < h / (np.std(x) * (0.75 * total) ** -0.2) < 1.5


@pytest.mark.parametrize("scale", [1e-290, 1e-160, 1e160, 1e300])
def test_the_density_follows_the_scale(scale):
    x = DATA["two modes"][::20]
    q = np.concatenate((np.linspace(-10, 40, 100), [1e6]))
    expected = log_prob(estimate(x), q)[:, 0] - math.log(scale)
    got = log_prob(estimate(x * scale), q * scale)[:, 0]
    np.testing.assert_allclose(got, expected, rtol=2e-9)


def test_numbers_as_far_apart_as_floats_go_give_no_nan():
    greatest = np.finfo(np.float64).max
    x = np.array([-greatest, greatest, 0.0, 1.0])
    q = np.concatenate((x, [5e-324, 1e200]))
    for bandwidth in ("silverman", 1.0, 1e-300, 1e300):
        assert not np.isnan(log_prob(estimate(x, bandwidth=bandwidth), q)).any()


def test_forgetting_gives_the_density_of_the_rest(rng):
    x = rng.normal(size=200)
    factor = KernelFactor((0,))
    count = factor.tally().count
    rest = count(numeric(x)) - count(numeric(x[150:]))
    got = log_prob(factor.estimate(rest, Values([0])), np.linspace(-3, 3, 50))
    np.testing.assert_allclose(got, log_prob(estimate(x[:150]), np.linspace(-3, 3, 50)), rtol=1e-9)


def test_terms_add_up(rng):
    x, labels = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    conditional = estimate(x, labels)
    q = rng.normal(size=(20, 3))
    q[::3, 1] = math.nan
    terms = conditional.contributions(numeric(q))
    assert terms.shape == (20, 3, 2)
    np.testing.assert_allclose(terms.sum(axis=1), log_prob(conditional, q), rtol=1e-12, atol=1e-12)
    assert (terms[::3, 1] == 0.0).all()


def test_samples_follow_the_density(rng):
    x, labels = np.concatenate((NORMAL, 30 + 2 * NORMAL)), np.repeat([0, 1], N)
    classes = np.repeat([1, 0], 20_000)
    drawn = estimate(x, labels).sample(classes, rng)[0]
    for c, mean, deviation in ((0, 0.0, 1.0), (1, 30.0, 2.0)):
        own = drawn[classes == c]
        assert own.mean() == pytest.approx(mean, abs=0.06)
        assert own.std() == pytest.approx(math.hypot(deviation, silverman(x[labels == c])), rel=0.03)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, math.nan, math.inf, 1e-320, "wide", None])
def test_a_bandwidth_that_is_none_is_refused(bandwidth):
    with pytest.raises(OptionError, match="bandwidth="):
        KernelFactor((0,), bandwidth=bandwidth)


def test_infinite_questions_are_refused():
    with pytest.raises(ValueRangeError, match="row 2"):
        log_prob(estimate([1.0, 2.0, 3.0]), [1.0, math.inf])
