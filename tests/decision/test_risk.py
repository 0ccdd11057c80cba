from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tallybayes.decision.risk import REJECTED, conditional_risk, least_risk


@st.composite
def posteriors(draw, classes=None):
    """Posteriors with many exact ties."""
    k = classes or draw(st.integers(1, 5))
    n = draw(st.integers(0, 8))
    weights = draw(hnp.arrays(np.int64, (n, k), elements=st.integers(0, 4))) + 0.0
    weights[weights.sum(axis=1) == 0] = 1
    return weights / weights.sum(axis=1, keepdims=True)


@st.composite
def problems(draw):
    """A posterior, and costs that add without rounding."""
    posterior = draw(posteriors())
    k = posterior.shape[1]
    return posterior, draw(hnp.arrays(np.float64, (k, k), elements=st.integers(-9, 9).map(float)))


def test_duda_and_hart():
    """Salmon and sea bass: it costs twice as much to sell the one as the other."""
    posterior = np.array([[0.6, 0.4], [0.7, 0.3]])
    costs = np.array([[0.0, 2.0], [1.0, 0.0]])
    np.testing.assert_allclose(conditional_risk(posterior, costs), [[0.8, 0.6], [0.6, 0.7]])
    choices = least_risk(posterior, costs)
    assert choices.chosen.tolist() == [1, 0]
    np.testing.assert_allclose(choices.risk, [0.6, 0.6])


def test_chow():
    """With 0-1 costs a row is rejected where the largest posterior is below 1 - reject_cost."""
    top = np.array([0.95, 0.8, 0.75, 0.7, 0.5])
    posterior = np.column_stack([top, 1 - top])
    choices = least_risk(posterior, 1 - np.eye(2), reject_cost=0.25)
    assert choices.chosen.tolist() == [0, 0, 0, REJECTED, REJECTED]
    np.testing.assert_allclose(choices.risk, [0.05, 0.2, 0.25, 0.25, 0.25])


@given(problems())
def test_the_risk_is_the_sum_over_the_true_classes(problem):
    posterior, costs = problem
    direct = [[sum(c * p for c, p in zip(row, x, strict=True)) for row in costs] for x in posterior]
    np.testing.assert_allclose(conditional_risk(posterior, costs).ravel(), np.ravel(direct), atol=1e-14)


@given(problems(), st.data())
def test_the_risk_is_linear_in_the_costs(problem, data):
    posterior, costs = problem
    other = data.draw(hnp.arrays(np.float64, costs.shape, elements=st.floats(-10, 10)))
    a, b = data.draw(st.tuples(st.floats(-5, 5), st.floats(-5, 5)))
    together = conditional_risk(posterior, a * costs + b * other)
    apart = a * conditional_risk(posterior, costs) + b * conditional_risk(posterior, other)
    np.testing.assert_allclose(together, apart, atol=1e-12)


@given(posteriors())
def test_0_1_costs_are_the_arg_max_to_the_last_bit(posterior):
    """Whatever the last bits of the posterior, and where it has ties."""
    k = posterior.shape[1]
    for nudged in (posterior, np.nextafter(posterior, 2), posterior / 3):
        assert (least_risk(nudged, 1 - np.eye(k)).chosen == nudged.argmax(axis=1)).all()


@given(problems(), st.data())
def test_a_constant_added_to_a_column_changes_no_decision(problem, data):
    posterior, costs = problem
    k = len(costs)
    constants = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=k, max_size=k)), dtype=np.float64)
    assert (least_risk(posterior, costs).chosen == least_risk(posterior, costs + constants).chosen).all()


@given(problems(), st.sampled_from([0.25, 2, 1024]))
def test_a_scale_changes_no_decision(problem, scale):
    posterior, costs = problem
    once, scaled = least_risk(posterior, costs), least_risk(posterior, costs * scale)
    assert (once.chosen == scaled.chosen).all()
    np.testing.assert_array_equal(once.risk * scale, scaled.risk)


@given(problems(), st.integers(-9, 9))
def test_a_rejection_costs_less_than_every_class(problem, reject_cost):
    posterior, costs = problem
    risk = conditional_risk(posterior, costs)
    choices = least_risk(posterior, costs, reject_cost=reject_cost)
    always = least_risk(posterior, costs)
    rejected = choices.chosen == REJECTED
    assert (rejected == (always.risk > reject_cost)).all()
    assert (choices.chosen[~rejected] == always.chosen[~rejected]).all()
    assert (choices.risk == np.minimum(always.risk, reject_cost)).all()
    np.testing.assert_allclose(always.risk, risk.min(axis=1), atol=1e-14)


@given(problems(), st.integers(1, 5))
def test_rows_are_decided_one_by_one_as_together(problem, size):
    posterior, costs = problem
    whole = least_risk(posterior, costs, reject_cost=2.0)
    for i in range(0, len(posterior), size):
        part = least_risk(posterior[i : i + size], costs, reject_cost=2.0)
        assert (part.chosen == whole.chosen[i : i + size]).all()
        assert (part.risk == whole.risk[i : i + size]).all()


def test_costs_of_any_size_are_weighed():
    posterior = np.array([[0.5, 0.5], [1.0, 0.0]])
    choices = least_risk(posterior, np.array([[-1e308, 1.7e308], [1.7e308, -1e308]]))
    assert choices.chosen.tolist() == [0, 0]
    assert np.isfinite(choices.risk).all()


def test_the_posterior_is_left_as_it_was():
    posterior = np.array([[0.5, 0.5]])
    posterior.flags.writeable = False
    choices = least_risk(posterior, 1 - np.eye(2), reject_cost=0.1)
    assert choices.chosen.tolist() == [REJECTED]
    assert choices.risk == pytest.approx([0.1])
