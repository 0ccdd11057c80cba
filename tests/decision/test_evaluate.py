from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tallybayes.decision.bayes_decision import BayesDecision
from tallybayes.decision.evaluate import evaluate, evaluate_pieces
from tallybayes.decision.scores import Piece
from tallybayes.errors import (
    CostError,
    NotAJointError,
    NotFittedError,
    TargetError,
    ValueRangeError,
    WeightError,
)
from tallybayes.schema.coded import Labels
from tallybayes.schema.values import Values

RNG = np.random.default_rng(11)
X = RNG.normal(size=(120, 2)) + np.repeat(np.arange(3), 40)[:, np.newaxis]
Y = np.repeat(["a", "b", "c"], 40)
WEIGHTS = RNG.random(120)
MODEL = GaussianNB().fit(X, Y)
COSTS = {("a", "b"): 4, ("a", "c"): 6}


class Streaming(GaussianNB):
    """A model that reads its rows itself, a few at a time, as those of this library do."""

    is_joint = True

    def labelled_posteriors(self, X, y=None, sample_weight=None):
        frame = pd.read_csv(X)
        values = Values(set(frame[y].dropna()))
        for start in range(0, len(frame), 50):
            part = frame.iloc[start : start + 50]
            codes = np.array([values.index.get(label, -1) for label in part[y]])
            cells = part[["u", "v"]].to_numpy()
            weights = None if sample_weight is None else part[sample_weight].to_numpy()
            yield Piece(
                Labels(codes, values),
                self.predict_proba(cells),
                self.predict_log_proba(cells),
                weights=weights,
            )


class StreamingScore(Streaming):
    is_joint = False
    not_joint_reason = "it is made up"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "kind": Y, "w": WEIGHTS}).to_csv(path, index=False)
    return path


def same(a, b):
    left, right = a.to_dict(), b.to_dict()
    assert left.keys() == right.keys()
    for name, value in left.items():
        if isinstance(value, float):
            assert value == pytest.approx(right[name], rel=1e-12), name
        elif name == "confusion":
            np.testing.assert_allclose(value["true_by_decided"], right[name]["true_by_decided"])
            np.testing.assert_allclose(value["rejected"], right[name]["rejected"])


@pytest.mark.parametrize(
    "model",
    [MODEL, LogisticRegression().fit(X, Y), make_pipeline(StandardScaler(), GaussianNB()).fit(X, Y)],
    ids=lambda model: type(model).__name__,
)
def test_any_classifier_is_evaluated(model):
    result = evaluate(model, X, Y, sample_weight=WEIGHTS)
    weigh = {"sample_weight": WEIGHTS}
    assert result.accuracy == pytest.approx(model.score(X, Y, WEIGHTS))
    assert result.log_loss == pytest.approx(metrics.log_loss(Y, model.predict_proba(X), **weigh))
    np.testing.assert_allclose(result.confusion, metrics.confusion_matrix(Y, model.predict(X), **weigh))


@pytest.mark.parametrize("as_", [list, tuple, pd.Series, pl.Series, pa.array, np.array], ids=lambda f: f.__name__)
def test_labels_of_any_kind(as_):
    same(evaluate(MODEL, X, as_(Y)), evaluate(MODEL, X, Y))


def test_a_model_without_a_posterior_is_measured_by_its_decisions():
    for model in (LinearSVC().fit(X, Y), ComplementNB().fit(np.abs(X), Y)):
        result = evaluate(model, np.abs(X), Y, costs=COSTS)
        assert result.accuracy == pytest.approx(model.score(np.abs(X), Y))
        assert result.average_cost > 0
        assert np.isnan([result.log_loss, result.brier, result.ece]).all()


def test_the_decisions_are_the_models_own():
    class Stubborn(GaussianNB):
        def predict(self, X):
            return np.repeat("c", len(X))

    result = evaluate(Stubborn().fit(X, Y), X, Y)
    assert result.recall.tolist() == [0, 0, 1]
    assert result.log_loss == pytest.approx(evaluate(MODEL, X, Y).log_loss)


def test_costs_price_the_decisions_of_a_model_and_make_those_of_a_bayes_decision():
    plain = evaluate(MODEL, X, Y, costs=COSTS)
    decided = evaluate(BayesDecision(MODEL, costs=COSTS), X, Y)
    np.testing.assert_array_equal(plain.confusion, evaluate(MODEL, X, Y).confusion)
    assert decided.average_cost < plain.average_cost
    assert decided.accuracy == pytest.approx(np.mean(BayesDecision(MODEL, costs=COSTS).predict(X) == Y))
    other = evaluate(BayesDecision(MODEL, costs=COSTS), X, Y, costs=1 - np.eye(3))
    assert other.average_cost == pytest.approx(1 - decided.accuracy)


def test_rejected_rows_cost_what_the_decision_says():
    decision = BayesDecision(MODEL, costs=COSTS, reject_cost=0.3, reject_label="?")
    predicted = decision.predict(X)
    result = evaluate(decision, X, Y)
    assert result.rejected == (predicted == "?").sum() > 0
    assert result.coverage == pytest.approx(np.mean(predicted != "?"))
    assert result.accuracy == pytest.approx(np.mean(predicted[predicted != "?"] == Y[predicted != "?"]))
    each = [0.3 if p == "?" else COSTS.get((p, t), float(p != t)) for p, t in zip(predicted, Y, strict=True)]
    assert result.average_cost == pytest.approx(np.mean(each))


def test_zero_probabilities_are_looked_up_as_logarithms():
    far = np.array([[60.0, 60.0], [-60.0, -60.0], [0.0, 0.0]])
    posterior = MODEL.predict_proba(far)
    worst = MODEL.classes_[MODEL.predict_log_proba(far).argmin(axis=1)]
    assert (posterior == 0).sum() > 2
    result = evaluate(MODEL, far, worst)
    assert result.impossible == 0
    assert result.log_loss == pytest.approx(-MODEL.predict_log_proba(far).min(axis=1).mean())


# Files and pieces ------------------------------------------------------------------------------------------


def test_a_model_that_reads_its_rows_is_evaluated_piece_by_piece(path):
    model = Streaming().fit(X, Y)
    same(evaluate(model, path, "kind"), evaluate(MODEL, X, Y))
    same(evaluate(model, path, "kind", sample_weight="w"), evaluate(MODEL, X, Y, sample_weight=WEIGHTS))
    same(evaluate(model, path, "kind", costs=COSTS), evaluate(MODEL, X, Y, costs=COSTS))


@pytest.mark.parametrize("reject_cost", [None, 0.3])
def test_so_is_a_decision_around_it(path, reject_cost):
    options = {"costs": COSTS, "reject_cost": reject_cost}
    around = BayesDecision(Streaming().fit(X, Y), **options)
    expected = evaluate(BayesDecision(MODEL, **options), X, Y)
    same(evaluate(around, path, "kind"), expected)
    fitted = BayesDecision(Streaming(), **options).fit(X, Y)
    same(evaluate(fitted, path, "kind"), expected)


def test_a_score_that_reads_its_rows_is_measured_by_its_decisions(path):
    result = evaluate(StreamingScore().fit(X, Y), path, "kind")
    assert result.accuracy == pytest.approx(evaluate(MODEL, X, Y).accuracy)
    assert np.isnan(result.log_loss)
    with pytest.raises(NotAJointError, match="it is made up"):
        evaluate(BayesDecision(StreamingScore().fit(X, Y)), path, "kind")


def test_pieces_are_taken_one_at_a_time():
    """So that a file of any length can be evaluated in one pass."""
    alive = []

    def pieces():
        for i in range(0, 120, 30):
            posterior = MODEL.predict_proba(X[i : i + 30])
            alive.append(sum(taken is not None for taken in alive))
            yield Piece(Y[i : i + 30], posterior)

    same(evaluate_pieces(MODEL, pieces()), evaluate(MODEL, X, Y))
    assert len(alive) == 4


def test_pieces_of_a_decision_are_decided_by_its_costs():
    decision = BayesDecision(MODEL, costs=COSTS, reject_cost=0.3)
    pieces = [Piece(Y[i::2], MODEL.predict_proba(X[i::2])) for i in range(2)]
    same(evaluate_pieces(decision, pieces), evaluate(decision, X, Y))


def test_no_pieces_are_no_rows():
    assert evaluate_pieces(MODEL, []).rows == 0


# What is refused -------------------------------------------------------------------------------------------


def test_what_cannot_be_evaluated():
    with pytest.raises(TargetError, match=r"one label for each row.*only to tallybayes"):
        evaluate(MODEL, X, "kind")
    with pytest.raises(TargetError, match="119 labels for 120 rows"):
        evaluate(MODEL, X, Y[1:])
    with pytest.raises(TargetError, match="nothing to evaluate"):
        evaluate(MODEL, X, [None] * 120)
    with pytest.raises(TargetError, match="nothing to evaluate"):
        evaluate(MODEL, X, Y, sample_weight=np.zeros(120))
    with pytest.raises(WeightError, match="row 3"):
        evaluate(MODEL, X, Y, sample_weight=[1, 1, -1] * 40)
    with pytest.raises(CostError, match="no class"):
        evaluate(MODEL, X, Y, costs={("a", "d"): 1})
    with pytest.raises(NotFittedError):
        evaluate(BayesDecision(GaussianNB()), X, Y)
    with pytest.raises(NotAJointError, match="ComplementNB"):
        evaluate(BayesDecision(ComplementNB().fit(np.abs(X), Y)), np.abs(X), Y)


def test_a_posterior_of_nan_is_refused():
    with pytest.raises(ValueRangeError, match="NaN"):
        evaluate_pieces(MODEL, [Piece(["a"], np.full((1, 3), np.nan))])
