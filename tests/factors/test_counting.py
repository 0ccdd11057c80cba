"""Bernoulli, multinomial, Poisson and presence factors, against fractions by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import poisson

import tallybayes as tb
from tallybayes.errors import ValueRangeError
from tallybayes.factors.bernoulli import BernoulliFactor
from tallybayes.factors.multinomial import MultinomialFactor
from tallybayes.factors.poisson import PoissonFactor
from tallybayes.factors.presence import PresenceFactor
from tallybayes.schema.values import Values
from tests.tallies.numeric import numeric

NAN = math.nan
TERMS = np.array([[2.0, 1, 0], [1, 0, 3], [0, 2, 2], [4, 0, NAN]])
LABELS = np.array([0, 0, 1, 1])


def estimate(factor, x=TERMS, labels=LABELS, weights=None, classes=None):
    tally = factor.tally().count(numeric(np.asarray(x, dtype=float), np.array(labels), weights))
    return factor.estimate(tally, tally.classes if classes is None else classes)


def log_prob(conditional, x, classes=2):
    x = np.asarray(x, dtype=float)
    out = np.zeros((len(x), classes))
    conditional.add_log_prob(numeric(x), out)
    np.testing.assert_allclose(conditional.contributions(numeric(x)).sum(axis=1), out, rtol=1e-12, atol=1e-12)
    return out


# Bernoulli -----------------------------------------------------------------------------------------------


def test_bernoulli_by_hand():
    found = estimate(BernoulliFactor((0, 1, 2)))
    expected = [[3 / 4, 2 / 4], [2 / 4, 2 / 4], [2 / 4, 2 / 3]]  # of the last column, class 1 has one row
    np.testing.assert_allclose(np.exp(found.log_present), expected)
    np.testing.assert_allclose(np.exp(found.log_absent), 1 - np.array(expected))
    np.testing.assert_allclose(np.exp(log_prob(found, [[1, 0, NAN]])), [[3 / 4 * 2 / 4, 2 / 4 * 2 / 4]])


def test_bernoulli_sparse_style_by_hand():
    """d / d_a: three columns, and 7 ones in 4 rows."""
    found = estimate(BernoulliFactor((0, 1, 2), 0.5, style="sparse"))
    extra = 0.5 * 3 / (7 / 4)
    expected = [[2.5 / (2 + extra), 1.5 / (2 + extra)], [1.5 / (2 + extra)] * 2, [1.5 / (2 + extra), 1.5 / (1 + extra)]]
    np.testing.assert_allclose(np.exp(found.log_present), expected)


def test_bernoulli_threshold():
    found = estimate(BernoulliFactor((0, 1, 2), 0.0, threshold=1.0))
    np.testing.assert_allclose(np.exp(found.log_present), [[1 / 2, 1 / 2], [0, 1 / 2], [1 / 2, 1]])
    assert log_prob(found, [[2.0, 1.5, 2.0]])[0].tolist() == [-math.inf, pytest.approx(math.log(1 / 4))]


def test_bernoulli_without_smoothing_gives_zero_and_one():
    found = estimate(BernoulliFactor((0,), 0.0), [[1], [1], [0], [0]])
    assert np.exp(found.log_present).tolist() == [[1.0, 0.0]]
    assert log_prob(found, [[0], [1]]).tolist() == [[-math.inf, 0.0], [0.0, -math.inf]]


def test_bernoulli_column_without_cells_says_nothing():
    found = estimate(BernoulliFactor((0, 1)), [[1, NAN], [0, NAN], [1, NAN], [0, NAN]])
    np.testing.assert_array_equal(log_prob(found, [[1, 1]]), log_prob(found, [[1, NAN]]))


def test_bernoulli_nearly_certain_keeps_the_digits_of_the_rest():
    n = 10**9
    found = estimate(BernoulliFactor((0,), 1.0), [[1.0], [0.0]], [0, 1], np.array([n, n], dtype=float))
    assert found.log_absent[0, 0] == pytest.approx(-math.log(n + 2), rel=1e-15)


@pytest.mark.parametrize("threshold", [None, 0.0, 1.0, -1.0])
@pytest.mark.parametrize("make", [BernoulliFactor, MultinomialFactor, PoissonFactor])
def test_sparse_is_dense(rng, make, threshold):
    X = rng.poisson(0.7, (80, 6)).astype(float)
    X[rng.random(X.shape) < 0.1] = NAN
    y = rng.integers(0, 3, 80)
    matrix = sparse.csr_matrix(X)
    if make is BernoulliFactor:
        one, two = (tb.BernoulliNB(binarize=threshold) for _ in range(2))
        if threshold is None:
            X, matrix = np.minimum(X, 1), sparse.csr_matrix(np.minimum(X, 1))
    elif make is MultinomialFactor:
        one, two = tb.MultinomialNB(), tb.MultinomialNB()
    else:
        one, two = (tb.NaiveBayes(columns=dict.fromkeys(range(6), "count")) for _ in range(2))
    one.fit(X, y)
    two.fit(matrix, y)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, np.asarray):
        asked = form(X)
        np.testing.assert_allclose(one.predict_joint_log_proba(asked), two.predict_joint_log_proba(X), rtol=1e-12)


# Multinomial ---------------------------------------------------------------------------------------------


def test_multinomial_by_hand():
    found = estimate(MultinomialFactor((0, 1, 2)))
    np.testing.assert_allclose(np.exp(found.log_prob), [[4 / 10, 5 / 11], [2 / 10, 3 / 11], [4 / 10, 3 / 11]])
    expected = 2 * np.log([4 / 10, 5 / 11]) + np.log([4 / 10, 3 / 11])
    np.testing.assert_allclose(log_prob(found, [[2, NAN, 1]]), [expected])
    assert found.lengths.tolist() == [7 / 2, 8 / 2]


def test_multinomial_without_smoothing():
    found = estimate(MultinomialFactor((0, 1), 0.0), [[1, 0], [2, 0], [0, 3], [0, 1]])
    assert log_prob(found, [[5, 0], [0, 0]]).tolist() == [[0.0, -math.inf], [0.0, 0.0]]


def test_multinomial_class_without_a_token_has_those_of_all():
    found = estimate(MultinomialFactor((0, 1), 0.0), [[1, 3], [0, 0], [2, 2], [2, 2]], [0, 1, 0, 0])
    np.testing.assert_allclose(np.exp(found.log_prob), [[5 / 12] * 2, [7 / 12] * 2])
    empty = estimate(MultinomialFactor((0,), 0.0), [[0.0], [0.0]], [0, 1])
    assert log_prob(empty, [[0.0], [1.0]]).tolist() == [[0.0, 0.0], [-math.inf, -math.inf]]


@pytest.mark.parametrize("make", [MultinomialFactor, PoissonFactor])
def test_negative_counts_are_refused(make):
    with pytest.raises(ValueRangeError, match=r"column 1 has -2 in row 2"):
        estimate(make((0, 1)), [[1, 1], [1, -2], [0, 0], [0, 0]])
    found = estimate(make((0, 1)), [[1, 1], [1, 2], [0, 0], [0, 0]])
    with pytest.raises(ValueRangeError, match=r"column 0 has -1 in row 1"):
        log_prob(found, [[-1, 0]])


# Poisson -------------------------------------------------------------------------------------------------


def test_poisson_by_hand():
    found = estimate(PoissonFactor((0, 1, 2)))
    means = np.array([7 / 4, 3 / 4, 5 / 3])
    rates = np.array([[3, 1, 3], [4, 2, 2]])
    rows = np.array([[2, 2, 2], [2, 2, 1]])
    np.testing.assert_allclose(found.rate.T, (rates + means) / (rows + 1))
    q = np.array([[0, 3, 1], [10, 0, 2]])
    np.testing.assert_allclose(log_prob(found, q), poisson.logpmf(q[:, None], found.rate.T).sum(axis=2), rtol=1e-12)


def test_poisson_without_smoothing_gives_zero():
    found = estimate(PoissonFactor((0,), 0.0), [[0], [0], [2], [4]])
    assert found.rate.tolist() == [[0.0, 3.0]]
    got = log_prob(found, [[0], [1]])
    assert got[:, 0].tolist() == [0.0, -math.inf]


def test_poisson_column_of_zeros():
    found = estimate(PoissonFactor((0,)), np.zeros((4, 1)))
    np.testing.assert_allclose(found.rate, [[(0 + 1 / 5) / (2 + 1)] * 2])


def test_poisson_column_without_cells_says_nothing():
    found = estimate(PoissonFactor((0, 1)), [[1, NAN], [0, NAN], [1, NAN], [0, NAN]])
    np.testing.assert_array_equal(log_prob(found, [[1, 7]]), log_prob(found, [[1, NAN]]))


def test_poisson_fractions_are_refused():
    found = estimate(PoissonFactor((0,)), [[1], [0], [1], [0]])
    with pytest.raises(ValueRangeError, match=r"row 2 has 1\.5.*'numeric'"):
        log_prob(found, [[1], [1.5]])


# Presence ------------------------------------------------------------------------------------------------


def test_presence_by_hand():
    found = estimate(PresenceFactor((0, 1)), TERMS[:, [0, 2]])
    np.testing.assert_allclose(np.exp(found.log_missing), [[1 / 4, 1 / 4], [1 / 4, 2 / 4]])
    np.testing.assert_allclose(np.exp(found.log_there), [[3 / 4, 3 / 4], [3 / 4, 2 / 4]])
    np.testing.assert_allclose(np.exp(log_prob(found, [[5, NAN]])), [[3 / 4 * 1 / 4, 3 / 4 * 2 / 4]])


def test_presence_without_smoothing():
    found = estimate(PresenceFactor((0,), 0.0), [[NAN], [NAN], [1], [NAN]], classes=Values([0, 1]))
    assert log_prob(found, [[1], [NAN]])[:, 0].tolist() == [-math.inf, 0.0]


def test_samples_of_counts_follow_their_distributions(rng):
    classes = np.repeat([0, 1], 20_000)
    made = {
        BernoulliFactor: lambda f: np.exp(f.log_present.T),
        PoissonFactor: lambda f: f.rate.T,
        MultinomialFactor: lambda f: f.lengths[:, None] * np.exp(f.log_prob.T),
        PresenceFactor: lambda f: np.exp(f.log_missing),
    }
    for make, mean in made.items():
        found = estimate(make((0, 1, 2)))
        drawn = found.sample(classes, rng)
        for j in range(3):
            for c in (0, 1):
                own = np.asarray(drawn[j][classes == c], dtype=float)
                expected = mean(found)[c, j]
                spread = (
                    math.sqrt(expected * (1 - expected)) if expected < 1 and own.max() <= 1 else math.sqrt(expected)
                )
                assert own.mean() == pytest.approx(expected, abs=4.5 * max(spread, 0.05) / math.sqrt(20_000)), make
