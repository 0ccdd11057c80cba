"""The measures, and that the sums behind them add."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from tallybayes.decision.costs import cost_matrix
from tallybayes.decision.evaluation import Evaluation
from tallybayes.decision.labels import ClassIndex
from tallybayes.decision.scores import BINS, Piece, Scores, checked_weights
from tallybayes.errors import MergeError, TargetError, WeightError
from tallybayes.schema.coded import Labels
from tallybayes.schema.values import Values

CLASSES = ("a", "b", "c")
INDEX = ClassIndex(CLASSES)
MEASURES = ("accuracy", "log_loss", "log_loss_of_possible", "brier", "ece", "average_cost", "coverage")


def evaluation(truth, posterior=None, *, costs=None, reject_cost=None, classes=CLASSES, **piece):
    index = ClassIndex(classes)
    posterior = None if posterior is None else np.asarray(posterior, dtype=np.float64)
    scores = Scores.of(index, Piece(truth, posterior, **piece))
    return Evaluation(scores, cost_matrix(costs, classes), reject_cost)


@st.composite
def rows(draw, labels=CLASSES, least=1):
    """Labels, a posterior with many ties and no zero, decisions and weights."""
    truth = draw(st.lists(st.sampled_from(labels), min_size=least, max_size=12))
    n = len(truth)
    cells = st.lists(st.integers(1, 5), min_size=3, max_size=3)
    weights = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=np.float64).reshape(n, 3)
    decided = np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), dtype=np.int64)
    sample_weight = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)))
    return truth, weights / weights.sum(axis=1, keepdims=True), decided, sample_weight


def same(a, b):
    """Whether two evaluations have the same measures."""
    for name in MEASURES:
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-12, atol=1e-14, err_msg=name)
    for name in ("confusion", "support", "recall", "precision"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-12, err_msg=name)
    for name in ("rows", "rejected", "impossible", "unlabelled", "unknown"):
        assert getattr(a.scores, name) == getattr(b.scores, name)


# Beside scikit-learn ---------------------------------------------------------------------------------------


@given(rows())
def test_the_measures_are_those_of_scikit_learn(drawn):
    truth, posterior, _, weights = drawn
    result = evaluation(truth, posterior, weights=weights)
    decided = np.array(CLASSES)[posterior.argmax(axis=1)]
    weigh = {"sample_weight": weights}
    assert result.accuracy == pytest.approx(metrics.accuracy_score(truth, decided, **weigh))
    assert result.log_loss == pytest.approx(metrics.log_loss(truth, posterior, labels=CLASSES, **weigh))
    one_hot = np.array(truth)[:, np.newaxis] == np.array(CLASSES)
    assert result.brier == pytest.approx(np.average(np.square(posterior - one_hot).sum(axis=1), weights=weights))
    np.testing.assert_allclose(result.confusion, metrics.confusion_matrix(truth, decided, labels=CLASSES, **weigh))
    for name, peer in (("recall", metrics.recall_score), ("precision", metrics.precision_score)):
        expected = peer(truth, decided, labels=CLASSES, average=None, zero_division=np.nan, **weigh)
        np.testing.assert_allclose(getattr(result, name), expected)
    assert result.average_cost == pytest.approx(1 - result.accuracy)
    assert result.coverage == 1


@given(rows())
def test_the_brier_score_of_two_classes_is_twice_scikit_learns(drawn):
    truth, posterior, _, weights = drawn
    second = posterior[:, 0]
    binary = [label == "a" for label in truth]
    result = evaluation(binary, np.column_stack([1 - second, second]), weights=weights, classes=(False, True))
    expected = metrics.brier_score_loss(binary, second, sample_weight=weights)
    assert result.brier == pytest.approx(2 * expected)


@given(rows())
def test_the_calibration_error_is_that_of_a_plain_loop(drawn):
    truth, posterior, _, weights = drawn
    error = 0.0
    for b in range(BINS):
        gap = 0.0
        for label, p, w in zip(truth, posterior, weights, strict=True):
            if b / BINS < max(p) <= (b + 1) / BINS:
                gap += w * ((CLASSES[list(p).index(max(p))] == label) - max(p))
        error += abs(gap)
    assert evaluation(truth, posterior, weights=weights).ece == pytest.approx(error / weights.sum(), abs=1e-12)


def test_the_bins_are_closed_above_and_hold_everything():
    for top in [*(np.arange(5, 16) / 15), 1 / 3, 1.0, 1 + 1e-16]:
        rest = (1 - top) / 2
        bins = evaluation(["a"], [[top, rest, rest]]).scores.bins
        place = int(np.flatnonzero(bins[0])[0])
        assert place / 15 < top + 1e-15
        assert top <= (place + 1) / 15 + 1e-15


# Laws ------------------------------------------------------------------------------------------------------


@given(rows(least=0), st.lists(st.integers(0, 12), max_size=3))
def test_scores_add_over_batches(drawn, cuts):
    truth, posterior, decided, weights = drawn
    options = {"costs": {("a", "b"): 3}, "reject_cost": 0.25}
    whole = evaluation(truth, posterior, decided=decided, weights=weights, **options)
    total = Evaluation(Scores.empty(INDEX), whole.costs, 0.25)
    cuts = [0, *sorted(cuts), len(truth)]
    for i, j in pairwise(cuts):
        total += evaluation(truth[i:j], posterior[i:j], decided=decided[i:j], weights=weights[i:j], **options)
    same(total, whole)
    same(sum([whole, total]), whole + total)


@given(rows(), rows())
def test_addition_commutes_and_the_empty_scores_are_its_identity(one, other):
    a, b = (evaluation(truth, p, decided=d, weights=w, reject_cost=1.0) for truth, p, d, w in (one, other))
    same(a + b, b + a)
    empty = Evaluation(Scores.empty(INDEX), a.costs, 1.0)
    same(a + empty, a)
    same(empty + a, a)


@given(rows())
def test_a_weight_of_two_is_a_row_twice_and_of_zero_none(drawn):
    truth, posterior, decided, _ = drawn
    n = len(truth)
    twice = evaluation(truth * 2, np.vstack([posterior] * 2), decided=np.tile(decided, 2), reject_cost=1.0)
    heavy = evaluation(truth, posterior, decided=decided, weights=np.full(n, 2.0), reject_cost=1.0)
    for name in MEASURES:
        np.testing.assert_allclose(getattr(heavy, name), getattr(twice, name), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(heavy.confusion, twice.confusion)
    without = evaluation(
        ["stranger", *truth],
        np.vstack([[[1, 0, 0]], posterior]),
        decided=np.concatenate([[-1], decided]),
        weights=np.concatenate([[0.0], np.ones(n)]),
        reject_cost=1.0,
    )
    same(without, evaluation(truth, posterior, decided=decided, reject_cost=1.0))


@given(rows())
def test_coded_labels_are_labels(drawn):
    truth, posterior, decided, weights = drawn
    values = Values([*CLASSES, "stranger"])
    codes = np.array([values.index[label] for label in truth])
    codes[0] = -1
    coded = evaluation(Labels(codes, values), posterior, decided=decided, weights=weights)
    listed = evaluation([None, *truth[1:]], posterior, decided=decided, weights=weights)
    same(coded, listed)
    assert coded.scores.unlabelled == 1


@given(rows(), st.integers(-5, 5))
def test_the_average_cost_is_linear_in_the_costs(drawn, factor):
    truth, posterior, _, weights = drawn
    costs = np.array([[0, 4, 6], [1, 0, 1], [1, 1, -1.0]])
    one, scaled, moved = (
        evaluation(truth, posterior, weights=weights, costs=c).average_cost
        for c in (costs, factor * costs, costs + factor)
    )
    assert scaled == pytest.approx(factor * one)
    assert moved == pytest.approx(one + factor)


@given(rows())
def test_the_average_cost_is_the_mean_of_what_each_row_costs(drawn):
    truth, _, decided, weights = drawn
    costs = np.array([[0, 4, 6], [1, 0, 1], [1, 1, -1.0]])
    each = [0.25 if d < 0 else costs[d, CLASSES.index(label)] for label, d in zip(truth, decided, strict=True)]
    result = evaluation(truth, decided=decided, weights=weights, costs=costs, reject_cost=0.25)
    assert result.average_cost == pytest.approx(np.average(each, weights=weights))


# What is out of the ordinary -------------------------------------------------------------------------------


def test_rejected_rows_lower_recall_and_coverage_but_not_accuracy():
    result = evaluation(["a", "a", "b", "b"], decided=np.array([0, -1, 0, 1]), reject_cost=0.5)
    assert (result.rows, result.rejected, result.coverage) == (4, 1, 0.75)
    assert result.accuracy == pytest.approx(2 / 3)
    np.testing.assert_array_equal(result.recall, [0.5, 0.5, np.nan])
    np.testing.assert_array_equal(result.precision, [0.5, 1, np.nan])
    assert result.average_cost == (0 + 0.5 + 1 + 0) / 4
    assert math.isnan(evaluation(["a"], decided=np.array([-1])).average_cost)


def test_labels_that_the_model_has_never_seen_are_wrong_and_have_no_cost():
    result = evaluation(["a", "z", None, float("nan")], [[1, 0, 0]] * 4, costs={("a", "a"): 5})
    assert (result.rows, result.scores.unlabelled, result.impossible) == (2, 2, 1)
    assert result.scores.unknown == {"z"}
    assert result.accuracy == 0.5
    assert result.precision[0] == 0.5
    assert result.brier == 1  # 0 for the one, 1 + 1 for the other
    assert result.log_loss == np.inf
    assert result.log_loss_of_possible == 0
    assert result.average_cost == 5


def test_the_logarithm_tells_a_rounded_zero_from_a_zero():
    rounded = evaluation(["b"], [[1, 0, 0]], log_posterior=np.array([[0, -800.0, -np.inf]]))
    assert (rounded.log_loss, rounded.impossible) == (800, 0)
    zero = evaluation(["c"], [[1, 0, 0]], log_posterior=np.array([[0, -800.0, -np.inf]]))
    assert (zero.log_loss, zero.impossible) == (np.inf, 1)
    assert math.isnan(zero.log_loss_of_possible)
    assert evaluation(["b"], [[1, 0, 0]]).log_loss == np.inf


def test_a_sure_brier_score_does_not_cancel():
    tiny = 1e-9
    result = evaluation(["a"], [[1 - tiny, tiny, 0]])
    assert result.brier == pytest.approx(2 * tiny**2, rel=1e-6)


def test_without_a_posterior_there_are_decisions_alone():
    result = evaluation(["a", "b"], decided=np.array([0, 0]))
    assert result.accuracy == 0.5
    assert all(math.isnan(getattr(result, name)) for name in ("log_loss", "brier", "ece"))
    by_scores = Scores.of(INDEX, Piece(["a", "b"], np.array([[0.9, 0.1, 0]] * 2)), probabilities=False)
    same(Evaluation(by_scores, result.costs), result)
    both = result + evaluation(["a"], [[1, 0, 0]])
    assert both.rows == 3
    assert math.isnan(both.brier)  # because it is not known for all rows


def test_huge_costs_stay_finite():
    result = evaluation(["a", "b"] * 50, decided=np.array([0, 0] * 50), costs={("a", "b"): 1.7e308})
    assert result.average_cost == 8.5e307


def test_nothing_is_nan_where_there_are_no_rows():
    empty = evaluation([], np.zeros((0, 3)))
    assert empty.rows == 0
    assert all(math.isnan(getattr(empty, name)) for name in MEASURES)
    assert json.dumps(empty.to_dict(), allow_nan=False)


def test_what_does_not_add():
    one = evaluation(["a"], [[1, 0, 0]])
    with pytest.raises(MergeError, match="different classes"):
        one + evaluation(["a"], [[1, 0]], classes=("a", "b"))
    with pytest.raises(MergeError, match="different costs"):
        one + evaluation(["a"], [[1, 0, 0]], costs={("a", "b"): 2})
    with pytest.raises(MergeError, match="different costs"):
        one + evaluation(["a"], [[1, 0, 0]], reject_cost=0.5)
    with pytest.raises(TypeError):
        one + 1


def test_lengths_that_differ():
    with pytest.raises(TargetError, match="2 labels for 1 rows"):
        evaluation(["a", "b"], [[1, 0, 0]])
    with pytest.raises(TargetError, match="1 labels for 2 rows"):
        evaluation(["a"], decided=np.array([0, 1]))
    with pytest.raises(TargetError, match="plain value"):
        evaluation([["a"]], [[1, 0, 0]])


def test_weights_of_rows_in_memory():
    assert checked_weights(None, 3) is None
    assert checked_weights([1, 2], 2).tolist() == [1.0, 2.0]
    for weights, words in (
        (["x", "y"], "no numbers"),
        ([1, 2, 3], r"\(3,\) for 2 rows"),
        ([1, -1], "-1.0 in row 2"),
        ([np.nan, 1], "nan in row 1"),
        ([1, np.inf], "inf in row 2"),
    ):
        with pytest.raises(WeightError, match=words):
            checked_weights(weights, 2)


# For programs ----------------------------------------------------------------------------------------------


@given(rows(labels=[*CLASSES, "z", None]))
def test_the_dict_is_strict_json_and_says_all(drawn):
    truth, posterior, decided, weights = drawn
    assume(any(label is not None for label in truth))
    result = evaluation(truth, posterior, decided=decided, weights=weights)
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    for name in MEASURES:
        value = getattr(result, name)
        assert written[name] == (None if math.isnan(value) else "Infinity" if math.isinf(value) else value)
    for name in ("rows", "rejected", "impossible"):
        assert written[name] == getattr(result, name)
    assert written["unknown_labels"] == ["z"] * ("z" in truth)
    assert [entry["label"] for entry in written["classes"]] == list(CLASSES)
    assert [entry["support"] for entry in written["classes"]] == result.support.tolist()
    assert written["confusion"]["true_by_decided"] == result.confusion.tolist()
    total = sum(map(sum, written["confusion"]["true_by_decided"]))
    total += sum(written["confusion"]["rejected"]) + sum(written["confusion"]["unknown_by_decided"])
    total += written["confusion"]["unknown_rejected"]
    assert total == pytest.approx(result.scores.counts.sum())


def test_labels_of_any_type_are_written():
    result = evaluation([1, 0, 9.5], np.eye(3)[:, :2], classes=(0, 1))
    assert [entry["label"] for entry in result.to_dict()["classes"]] == [0, 1]
    assert result.to_dict()["unknown_labels"] == [9.5]


def test_repr_is_one_line():
    assert repr(evaluation(["a"], [[1, 0, 0]])) == "<Evaluation rows=1, accuracy=1, log_loss=0, brier=0>"
