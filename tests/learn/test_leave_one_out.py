"""Leave-one-out: posteriors, losses with their errors, and candidates side by side."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallybayes as tb
from tallybayes.errors import DataWarning, LeaveOneOutError, NotAJointError, TargetError, ZeroProbabilityWarning
from tallybayes.learn.leave_one_out import Losses, left_out_losses

X = [["a"], ["a"], ["b"], ["b"], ["b"]]
Y = ["p", "p", "q", "q", "p"]


def test_each_posterior_is_that_of_the_model_without_the_row() -> None:
    model = tb.NaiveBayes(columns={0: ["a", "b"]}).fit(X, Y)
    for i, posterior in enumerate(model.leave_one_out(X, Y)):
        rest = tb.NaiveBayes(columns={0: ["a", "b"]}).fit(X[:i] + X[i + 1 :], Y[:i] + Y[i + 1 :])
        np.testing.assert_allclose(posterior, rest.predict_proba([X[i]])[0], rtol=1e-12)
    # By hand, for the last row: 2 of 4 rows are p, none of them has b; 2 are q, and both do.
    assert model.leave_one_out([["b"]], ["p"])[0].tolist() == pytest.approx([1 / 4 / (1 / 4 + 3 / 4), 3 / 4])


def test_rows_of_several_fits_are_left_out_of_all_of_them() -> None:
    model = tb.NaiveBayes(columns={0: ["a", "b"]}).fit(X[1:3], Y[1:3]).partial_fit(X[3:], Y[3:])
    model.partial_fit(X[:1], Y[:1])
    whole = tb.NaiveBayes(columns={0: ["a", "b"]}).fit(X, Y)
    np.testing.assert_array_equal(model.leave_one_out(X[:3], Y[:3]), whole.leave_one_out(X, Y)[:3])


def test_rows_without_a_label_or_a_weight_are_asked_as_by_predict_proba() -> None:
    rows, labels, weights = [*X, ["a"], ["b"]], [*Y, None, "q"], [1.0] * 6 + [0.0]
    with pytest.warns(DataWarning, match="1 of 7 rows have no label"):
        model = tb.NaiveBayes().fit(rows, labels, weights)
    left = model.leave_one_out(rows, labels, sample_weight=weights)
    np.testing.assert_array_equal(left[5:], model.predict_proba(rows[5:]))
    np.testing.assert_array_equal(left[:5], model.leave_one_out(X, Y))


def test_a_class_with_a_single_row_has_no_chance_without_it() -> None:
    model = tb.CategoricalNB().fit([[0], [0], [1]], ["p", "p", "q"])
    assert model.leave_one_out([[1]], ["q"]).tolist() == [[1.0, 0.0]]


def test_where_every_class_has_probability_zero_the_prior_without_the_row_answers() -> None:
    model = tb.NaiveBayes(smoothing=0).fit([["a"], ["b"], ["c"]], ["p", "p", "q"])
    with pytest.warns(ZeroProbabilityWarning, match="2 rows have probability zero"):
        posterior = model.leave_one_out([["a"], ["b"]], ["p", "p"])
    np.testing.assert_allclose(posterior, [[0.5, 0.5], [0.5, 0.5]])


def test_a_stream_of_many_pieces_is_left_out_piece_by_piece() -> None:
    rng = np.random.default_rng(1)
    rows, labels = rng.integers(0, 4, (150_000, 2)), rng.integers(0, 2, 150_000)
    model = tb.CategoricalNB().fit(rows, labels)
    left = model.leave_one_out(rows, labels)
    assert left.shape == (150_000, 2)
    np.testing.assert_array_equal(left[-10:], model.leave_one_out(rows[-10:], labels[-10:]))


def test_candidates_are_scored_side_by_side() -> None:
    models = {s: tb.NaiveBayes(smoothing=s, columns={0: ["a", "b"]}).fit(X, Y) for s in (0.5, 1.0)}
    joints = {s: model._joint() for s, model in models.items()}
    weights = [1.0, 2.0, 1.0, 1.0, 0.5]
    for model in models.values():
        model.fit(X, Y, weights)
    joints = {s: model._joint() for s, model in models.items()}
    _, rows, encode = models[1.0]._asked(X, Y, weights)
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    found = left_out_losses(joints, rows, encode, costs)
    for s, model in models.items():
        posterior = model.leave_one_out(X, Y, weights)
        own = np.array([0, 0, 1, 1, 0])
        losses = {
            "log-loss": -np.log(posterior[np.arange(5), own]),
            "0-1 loss": (posterior.argmax(axis=1) != own).astype(float),
            "cost": costs[(posterior @ costs.T).argmin(axis=1), own],
        }
        for criterion, each in losses.items():
            mean = np.average(each, weights=weights)
            error = math.sqrt(5 / 4 * (np.square(weights) * (each - mean) ** 2).sum()) / sum(weights)
            assert found[s].mean(criterion) == pytest.approx(mean, rel=1e-12)
            assert found[s].error(criterion) == pytest.approx(error, rel=1e-9)


def test_losses_add() -> None:
    rng = np.random.default_rng(2)
    logs = np.log(rng.dirichlet([1, 1, 1], 20))
    own, weights, costs = rng.integers(0, 3, 20), rng.random(20), 1 - np.eye(3)
    whole = Losses.of(logs, own, weights, costs)
    parts = Losses.of(logs[:7], own[:7], weights[:7], costs) + Losses.of(logs[7:], own[7:], weights[7:], costs)
    assert parts.rows == 20
    assert parts.mean("log-loss") == pytest.approx(whole.mean("log-loss"), rel=1e-12)
    assert parts.error("cost") == pytest.approx(whole.error("cost"), rel=1e-9)


def test_a_truth_without_a_chance_makes_the_log_loss_infinite_and_leaves_the_others() -> None:
    with np.errstate(divide="ignore"):
        losses = Losses.of(np.log([[1.0, 0.0], [0.5, 0.5]]), np.array([1, 0]), np.ones(2), 1 - np.eye(2))
    assert losses.impossible == 1
    assert losses.mean("log-loss") == math.inf
    assert math.isnan(losses.error("log-loss"))
    assert losses.mean("0-1 loss") == 0.5


def test_no_labels_are_nothing_to_score() -> None:
    model = tb.NaiveBayes().fit(X, Y)
    _, rows, encode = model._asked(X, [None] * 5)
    with pytest.raises(TargetError, match="nothing to score"):
        left_out_losses({0: model._joint()}, rows, encode)


def test_what_cannot_be_taken_apart_says_so() -> None:
    model = tb.NGramClassifier().fit(["a b", "b c"], ["p", "q"])
    with pytest.raises(LeaveOneOutError, match="Use cross-validation in folds"):
        model.leave_one_out(["a b"], ["p"])
    with pytest.raises(NotAJointError, match="no leave_one_out"):
        tb.ComplementNB().fit([[1, 0], [0, 1]], [0, 1]).leave_one_out([[1, 0]], [0])
