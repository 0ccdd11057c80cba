from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.stats import norm

import tallybayes as tb
from tallybayes.errors import DataWarning, ValueRangeError
from tallybayes.factors.gaussian import FLOOR, GaussianFactor
from tallybayes.schema.values import Values
from tests.tallies.numeric import numeric


def estimate(x, labels=None, weights=None, *, classes=None, **options):
    x = np.asarray(x, dtype=float)
    factor = GaussianFactor(tuple(range(1 if x.ndim == 1 else x.shape[1])), **options)
    tally = factor.tally().count(numeric(x, None if labels is None else np.array(labels), weights))
    return factor.estimate(tally, tally.classes if classes is None else classes)


def log_prob(conditional, x):
    x = np.asarray(x, dtype=float)
    out = np.zeros((len(x), len(conditional.mean)))
    conditional.add_log_prob(numeric(x), out)
    np.testing.assert_allclose(conditional.contributions(numeric(x)).sum(axis=1), out, rtol=1e-12)
    return out


@pytest.mark.parametrize("ddof", [0.0, 1.0, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_mean_and_variance_of_each_class(rng, ddof, weighted):
    x, labels = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    weights = rng.uniform(0.5, 3, 50) if weighted else np.ones(50)
    found = estimate(x, labels, weights if weighted else None, ddof=ddof)
    for c in range(3):
        own, w = x[labels == c], weights[labels == c]
        mean = np.average(own, axis=0, weights=w)
        variance = (w[:, None] * (own - mean) ** 2).sum(axis=0) / (w.sum() - ddof)
        np.testing.assert_allclose(found.mean[c], mean, rtol=1e-13)
        np.testing.assert_allclose(found.variance[c], variance, rtol=1e-13)
    q = rng.normal(size=(9, 3))
    expected = norm.logpdf(q[:, None], found.mean, np.sqrt(found.variance)).sum(axis=2)
    np.testing.assert_allclose(log_prob(found, q), expected, rtol=1e-12)


def test_the_floor_is_a_maximum_per_column():
    x = np.array([[1.0, 5e3], [1.0, 5e3], [2.0, 7e3], [2.0, 9e3]])
    found = estimate(x, [0, 0, 1, 1])
    overall = x.var(axis=0)
    np.testing.assert_allclose(found.variance[0], FLOOR * overall, rtol=1e-12)
    np.testing.assert_allclose(found.variance[1], [FLOOR * overall[0], 1e6], rtol=1e-12)


@pytest.mark.parametrize(("value", "scale"), [(0.0, 1.0), (3.0, 9.0), (-1e-8, 1e-16)])
def test_a_constant_column_is_measured_against_its_own_size(value, scale):
    found = estimate(np.full(4, value), [0, 0, 1, 1])
    np.testing.assert_allclose(found.variance, np.full((2, 1), FLOOR * scale))
    got = log_prob(found, [value, value + 1.0])
    np.testing.assert_array_equal(got[:, 0], got[:, 1])  # it tells nothing apart


def test_too_few_rows_for_ddof_take_the_variance_of_all():
    x, labels = np.array([1.0, 2.0, 4.0, 9.0]), [0, 1, 1, 1]
    found = estimate(x, labels, ddof=1)
    assert found.variance[0, 0] == pytest.approx(x.var(ddof=1))
    assert found.mean[0, 0] == 1.0
    assert found.variance[1, 0] == pytest.approx(x[1:].var(ddof=1))


def test_a_class_without_the_column_has_the_distribution_of_all():
    x = np.array([1.0, 2.0, 4.0, math.nan])
    found = estimate(x, [0, 0, 0, 1], classes=Values([0, 1, 2]))
    for c in (1, 2):
        assert (found.mean[c, 0], found.variance[c, 0]) == pytest.approx((7 / 3, x[:3].var()))


def test_a_column_without_numbers_says_nothing():
    x = np.array([[1.0, math.nan], [2.0, math.nan]])
    found = estimate(x)
    got = log_prob(found, [[1.0, 7.0], [1.0, math.nan]])
    assert got[0, 0] == got[1, 0]
    assert list(found.digest()) == [0]


def test_var_smoothing_is_a_share_of_the_widest_column():
    x = np.array([[1.0, 5e3], [1.5, 5e3], [2.0, 7e3], [2.0, 9e3]])
    found = estimate(x, [0, 0, 1, 1], floor=0.0, var_smoothing=1e-3)
    assert found.added == pytest.approx(1e-3 * x[:, 1].var())
    np.testing.assert_allclose(found.variance[0], [0.0625 + found.added, found.added])


def test_far_out_is_minus_infinity_and_never_nan():
    found = estimate([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
    got = log_prob(found, [1e200, -1e308, 2.0])
    assert np.isneginf(got[:2]).all()
    assert np.isfinite(got[2]).all()


def test_squares_that_overflow_are_named():
    with pytest.raises(ValueRangeError, match="squares overflow, up to 1e\\+300"):
        estimate([1e300, -1e300, 0.0])


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinite_numbers_are_refused(value):
    with pytest.raises(ValueRangeError, match="row 2"):
        estimate([1.0, value])
    found = estimate([1.0, 2.0])
    with pytest.raises(ValueRangeError, match="row 3"):
        log_prob(found, [1.0, 2.0, value])


def test_samples_follow_the_density(rng):
    found = estimate(np.concatenate((rng.normal(5, 2, 500), rng.normal(-1, 0.5, 500))), np.repeat([0, 1], 500))
    classes = np.repeat([1, 0], 40_000)
    drawn = found.sample(classes, rng)[0]
    for c in (0, 1):
        own = drawn[classes == c]
        deviation = math.sqrt(found.variance[c, 0])
        assert own.mean() == pytest.approx(found.mean[c, 0], abs=4 * deviation / 200)
        assert own.std() == pytest.approx(deviation, rel=0.02)


@pytest.mark.parametrize("estimator", [tb.NaiveBayes(), tb.GaussianNB()], ids=repr)
def test_squares_that_vanish_are_named(estimator):
    x = np.array([[1.0, 1.0], [2.0, 2.0], [5.0, 5.0], [7.0, 7.0]]) * [1.0, 1e-200]
    model = estimator.fit(x, list("aabb"))
    with pytest.warns(DataWarning, match=r"numbers of column 1 are so close.*Scale them up"):
        alone = model.predict_proba(x)
    np.testing.assert_array_equal(model.predict_proba(x), alone)  # said once
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.fit(x * [1.0, 1e50], list("aabb")).predict_proba(x)


@pytest.mark.parametrize("value", [0.1, 1e9 + 0.1, 1e-200, 0.0])
def test_a_constant_column_is_not_taken_for_one_that_vanished(value):
    x = np.column_stack([np.full(30, value), np.arange(30.0)])
    weights = np.random.default_rng(0).random(30)
    model = tb.GaussianNB().fit(x, list("abc") * 10, sample_weight=weights)
    model.forget(x[:9], list("abc") * 3, sample_weight=weights[:9]).predict_proba(x)
