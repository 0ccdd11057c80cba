from __future__ import annotations

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import logsumexp

from tallybayes.decision.posterior import first_choice, log_evidence, normalise_rows, warn_impossible
from tallybayes.errors import ZeroProbabilityWarning

finite = st.floats(-1e5, 1e5)
entries = st.one_of(finite, st.just(-np.inf))


@st.composite
def tables(draw, cells=entries):
    classes = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(cells, min_size=classes, max_size=classes), max_size=8))
    return np.array(rows, dtype=np.float64).reshape(-1, classes)


def normalised(table, scale, log_prior=None):
    """Return the posterior in a table of its own, and how many rows the prior answered for."""
    own = table.copy()
    prior = np.zeros(table.shape[1]) if log_prior is None else log_prior
    return own, normalise_rows(own, prior, scale)


def brute_force(row):
    """Return P(c|x) and log P(c|x) of a row with a possible class, to sixty digits."""
    with localcontext() as context:
        context.prec = 60
        weights = [Decimal(0) if v == -np.inf else Decimal(float(v - max(row))).exp() for v in row]
        shares = [w / sum(weights) for w in weights]
        return (
            np.array([float(s) for s in shares]),
            np.array([float(s.ln()) if s else -np.inf for s in shares]),
        )


@given(tables())
@example(np.array([[0.0, -50.0], [-1e5, -1e5 + 1], [0.0, -800.0]]))
def test_the_posterior_is_that_of_brute_force(table):
    plain, _ = normalised(table, "plain")
    log, _ = normalised(table, "log")
    for i in np.flatnonzero(np.isfinite(table.max(axis=1))):
        share, log_share = brute_force(table[i])
        np.testing.assert_allclose(plain[i], share, rtol=1e-14, atol=1e-300)
        np.testing.assert_allclose(log[i], log_share, rtol=1e-14, atol=1e-55)


@given(tables())
def test_the_log_posterior_and_the_evidence_are_those_of_scipy(table):
    with np.errstate(divide="ignore"):
        expected = logsumexp(table, axis=1)
    np.testing.assert_allclose(log_evidence(table), expected, rtol=1e-14, atol=1e-14)
    log, impossible = normalised(table, "log")
    possible = expected > -np.inf
    assert impossible == (~possible).sum()
    np.testing.assert_allclose(log[possible], table[possible] - expected[possible, np.newaxis], rtol=1e-12, atol=1e-10)


@given(tables(st.one_of(finite, st.sampled_from([-np.inf, np.inf]))), st.data())
def test_it_is_a_distribution_whatever_the_joint(table, data):
    prior = np.array(data.draw(st.lists(entries, min_size=table.shape[1], max_size=table.shape[1])))
    for scale in ("plain", "log"):
        result, impossible = normalised(table, scale, prior)
        share = result if scale == "plain" else np.exp(result)
        assert not np.isnan(share).any()
        np.testing.assert_allclose(share.sum(axis=1), 1, rtol=1e-12)
        assert impossible == np.isneginf(table).all(axis=1).sum()
    assert not np.isnan(log_evidence(table)).any()


@given(tables(), st.integers(1, 7))
def test_blocks_give_what_the_whole_gives_bit_for_bit(table, size):
    whole, impossible = normalised(table, "plain")
    parts = [normalised(table[i : i + size], "plain") for i in range(0, len(table), size)]
    assert sum(count for _, count in parts) == impossible
    if parts:
        np.testing.assert_array_equal(np.concatenate([part for part, _ in parts]), whole)


@given(tables())
def test_the_first_choice_is_the_first_largest(table):
    prior = -np.arange(table.shape[1], dtype=np.float64)[::-1]
    places, impossible = first_choice(table.copy(), prior)
    zero = np.isneginf(table).all(axis=1)
    assert impossible == zero.sum()
    assert (places == np.where(zero, table.shape[1] - 1, table.argmax(axis=1))).all()


def test_rows_of_zero_probability_are_answered_by_the_prior():
    table = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    plain, impossible = normalised(table, "plain", np.log([0.25, 0.75]))
    assert impossible == 1
    np.testing.assert_allclose(plain, [[0.25, 0.75], [1, 0]], rtol=1e-15)
    log, _ = normalised(table, "log", np.log([0.25, 0.75]))
    np.testing.assert_allclose(log, [np.log([0.25, 0.75]), [0, -np.inf]], rtol=1e-15)
    assert log_evidence(table).tolist() == [-np.inf, 0]


def test_a_prior_of_zero_everywhere_says_nothing():
    plain, _ = normalised(np.full((1, 4), -np.inf), "plain", np.full(4, -np.inf))
    assert plain.tolist() == [[0.25] * 4]


def test_infinite_densities_are_alike_and_outweigh_the_others():
    table = np.array([[np.inf, 900.0, np.inf], [np.inf, -np.inf, 0.0]])
    plain, impossible = normalised(table, "plain")
    assert plain.tolist() == [[0.5, 0, 0.5], [1, 0, 0]]
    assert impossible == 0
    assert log_evidence(table).tolist() == [np.inf, np.inf]


def test_a_sure_posterior_keeps_what_is_missing_to_one():
    log, _ = normalised(np.array([[0.0, -60.0]]), "log")
    assert log[0, 0] == pytest.approx(-np.exp(-60), rel=1e-12)


def test_a_nan_stays_in_its_row():
    for row in ([np.nan, 0.0, 1.0], [0.0, np.nan, 1.0], [-np.inf, 1.0, np.nan]):
        for scale in ("plain", "log"):
            result, impossible = normalised(np.array([row, [0.0, 0.0, 0.0]]), scale)
            assert np.isnan(result[0]).all()
            assert np.isfinite(result[1]).all()
            assert impossible == 0


def test_there_is_one_warning_for_all_rows():
    with pytest.warns(ZeroProbabilityWarning, match=r"^1,200 rows have .* the prior answers") as caught:
        warn_impossible(1200)
    assert len(caught) == 1
    advice = "a class never had, smooth the model.*a number far from all that was learned, correct it"
    with pytest.warns(ZeroProbabilityWarning, match=f"^1 row has.*{advice}"):
        warn_impossible(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_impossible(0)
