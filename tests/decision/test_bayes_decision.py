from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import CategoricalNB, ComplementNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallybayes import ComplementNB as TallyComplementNB
from tallybayes import NaiveBayes
from tallybayes.decision.bayes_decision import BayesDecision
from tallybayes.errors import (
    CostError,
    DataWarning,
    NotAJointError,
    NotFittedError,
    OptionError,
    TargetError,
    WeightError,
    ZeroProbabilityWarning,
)

RNG = np.random.default_rng(20240229)
X = RNG.normal(size=(90, 3)) + np.repeat(np.arange(3), 30)[:, np.newaxis]
Y = np.repeat(["a", "b", "c"], 30)
COSTS = {("a", "b"): 4, ("a", "c"): 6, ("c", "c"): -1}
MATRIX = np.array([[0, 4, 6], [1, 0, 1], [1, 1, -1.0]])
FITTED = GaussianNB().fit(X, Y)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # of scikit-learn's GaussianNB
@pytest.mark.filterwarnings("ignore:The target has a single class")
@parametrize_with_checks([BayesDecision(GaussianNB()), BayesDecision(NaiveBayes(), reject_cost=10, reject_label=-9)])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_the_example_of_the_texts():
    """Two classes whose risks are worked out by hand: deciding "no" wrongly costs ten times as much."""

    class Given:
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, X):
            return np.array([[0.95, 0.05], [0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])

    decision = BayesDecision(Given(), costs={("no", "yes"): 10})
    np.testing.assert_allclose(decision.conditional_risk(None), [[0.5, 0.95], [1, 0.9], [5, 0.5], [9, 0.1]], rtol=1e-14)
    assert decision.predict(None).tolist() == ["no", "yes", "yes", "yes"]
    assert decision.expected_risk(None) == pytest.approx((0.5 + 0.9 + 0.5 + 0.1) / 4)
    careful = BayesDecision(Given(), costs={("no", "yes"): 10}, reject_cost=0.5)
    assert careful.predict(None).tolist() == ["no", None, "yes", "yes"]
    assert careful.expected_risk(None) == pytest.approx((0.5 + 0.5 + 0.5 + 0.1) / 4)


@settings(max_examples=30)
@given(hnp.arrays(np.int64, (12, 2), elements=st.integers(0, 2)), st.integers(0, 2**32 - 1))
def test_0_1_costs_are_the_arg_max_of_the_posterior(rows, seed):
    """In counts of a few rows there are many exact ties."""
    labels = np.random.default_rng(seed).permutation(np.repeat([0, 1, 2], 4))
    model = CategoricalNB(min_categories=3).fit(rows, labels)
    every = np.array([[i, j] for i in range(3) for j in range(3)])
    best = model.classes_[model.predict_proba(every).argmax(axis=1)]
    assert (BayesDecision(model).predict(every) == best).all()
    assert (BayesDecision(model, costs=2 * (1 - np.eye(3))).predict(every) == best).all()


def test_the_decision_is_the_least_of_the_conditional_risk():
    decision = BayesDecision(FITTED, costs=COSTS)
    risk = decision.conditional_risk(X)
    np.testing.assert_allclose(risk, FITTED.predict_proba(X) @ MATRIX.T, rtol=1e-12, atol=1e-12)
    assert (decision.predict(X) == FITTED.classes_[risk.argmin(axis=1)]).all()
    assert decision.expected_risk(X) == pytest.approx(risk.min(axis=1).mean())
    by_matrix = BayesDecision(FITTED, costs=MATRIX)
    assert (by_matrix.predict(X) == decision.predict(X)).all()
    assert (by_matrix.predict(X) != FITTED.predict(X)).any()


def test_the_order_of_the_matrix_is_that_of_the_classes():
    shuffled = GaussianNB().fit(X, np.array(["c", "a", "b"])[np.repeat([0, 1, 2], 30)])
    assert shuffled.classes_.tolist() == ["a", "b", "c"]
    named = BayesDecision(shuffled, costs=COSTS)
    assert (BayesDecision(shuffled, costs=MATRIX).predict(X) == named.predict(X)).all()


# Fitting ---------------------------------------------------------------------------------------------------


def test_an_unfitted_estimator_is_fitted_and_left_alone():
    inner = GaussianNB()
    decision = BayesDecision(inner, costs=COSTS).fit(X, Y)
    assert not hasattr(inner, "classes_")
    assert decision.estimator is inner
    assert decision.estimator_ is not inner
    assert (decision.predict_proba(X) == FITTED.predict_proba(X)).all()
    assert decision.n_features_in_ == 3


def test_a_fitted_estimator_predicts_without_fit():
    decision = BayesDecision(FITTED, costs=COSTS)
    assert decision.classes_.tolist() == ["a", "b", "c"]
    assert (decision.predict(X) == BayesDecision(GaussianNB(), costs=COSTS).fit(X, Y).predict(X)).all()
    assert not hasattr(decision, "estimator_")


def test_fitting_around_a_fitted_estimator_learns_the_new_rows():
    decision = BayesDecision(FITTED).fit(X[:60], Y[:60])
    assert decision.classes_.tolist() == ["a", "b"]
    assert FITTED.classes_.tolist() == ["a", "b", "c"]


def test_a_failed_fit_leaves_the_last_one():
    decision = BayesDecision(GaussianNB(), costs=COSTS).fit(X, Y)
    before = decision.predict(X)
    with pytest.raises(CostError, match="'c', which is no class"):
        decision.fit(X[:60], Y[:60])
    assert (decision.predict(X) == before).all()


def test_weights_and_other_arguments_reach_the_estimator():
    weights = RNG.random(90)
    decision = BayesDecision(GaussianNB()).fit(X, Y, sample_weight=weights)
    expected = GaussianNB().fit(X, Y, sample_weight=weights).predict_proba(X)
    assert (decision.predict_proba(X) == expected).all()
    by_name = BayesDecision(GaussianNB()).fit(X=X, y=Y, sample_weight=weights)
    assert (by_name.predict_proba(X) == expected).all()
    sgd = SGDClassifier(loss="log_loss", random_state=0)
    expected = clone(sgd).fit(X, Y, coef_init=np.ones((3, 3))).predict_proba(X)
    started = BayesDecision(sgd).fit(X, Y, coef_init=np.ones((3, 3)))
    assert (started.predict_proba(X) == expected).all()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "conditional_risk", "expected_risk", "choices"])
def test_nothing_is_answered_before_fit(method):
    decision = BayesDecision(GaussianNB())
    for kind in (NotFittedError, SklearnNotFittedError):
        with pytest.raises(kind, match=r"This BayesDecision has not been fitted yet; call fit"):
            getattr(decision, method)(X)
    assert not hasattr(decision, "classes_")
    assert not hasattr(decision, "n_features_in_")


@pytest.mark.parametrize("estimator", [GaussianNB, None, "GaussianNB"])
def test_what_is_no_classifier_is_refused(estimator):
    with pytest.raises(OptionError, match="is no classifier"):
        BayesDecision(estimator).fit(X, Y)


def test_several_targets_are_refused():
    with pytest.raises(OptionError, match="one target at a time"):
        BayesDecision(DecisionTreeClassifier()).fit(X, np.column_stack([Y, Y]))


# Rejection -------------------------------------------------------------------------------------------------


def test_rows_are_rejected_where_every_class_costs_more():
    always = BayesDecision(FITTED, costs=COSTS)
    decision = BayesDecision(FITTED, costs=COSTS, reject_cost=0.5)
    rejected = always.conditional_risk(X).min(axis=1) > 0.5
    assert 0 < rejected.sum() < len(X)
    predicted = decision.predict(X)
    assert predicted.dtype == object
    assert ([label is None for label in predicted] == rejected).all()
    assert (predicted[~rejected] == always.predict(X)[~rejected]).all()
    least = np.where(rejected, 0.5, always.conditional_risk(X).min(axis=1))
    assert decision.expected_risk(X) == pytest.approx(least.mean())
    assert (decision.choices(X).chosen[rejected] == -1).all()


def test_the_type_of_the_predictions_does_not_hang_on_the_rows():
    never = BayesDecision(FITTED, reject_cost=100)
    assert never.predict(X).dtype == object
    assert BayesDecision(FITTED).predict(X).dtype == Y.dtype


@pytest.mark.parametrize(
    ("labels", "reject_label", "kind"),
    [
        ([0, 1, 2], -1, "i"),
        ([0, 1, 2], "?", "O"),
        ([0, 1, 2], None, "O"),
        ([0.0, 1.0, 2.0], -1.0, "f"),
        (["a", "b", "c"], "not sure", "U"),
        (["a", "b", "c"], 0, "O"),
    ],
)
def test_a_reject_label_keeps_the_type_where_it_can(labels, reject_label, kind):
    model = GaussianNB().fit(X, np.repeat(labels, 30))
    predicted = BayesDecision(model, reject_cost=-1, reject_label=reject_label).predict(X)
    assert predicted.dtype.kind == kind
    assert predicted.tolist() == [reject_label] * len(X)
    decided = BayesDecision(model, reject_cost=9, reject_label=reject_label).predict(X)
    assert decided.tolist() == model.predict(X).tolist()
    assert {type(label) for label in decided.tolist()} == {type(labels[0])}


@pytest.mark.parametrize("cost", [np.nan, np.inf, "much"])
def test_a_reject_cost_is_checked_before_fitting(cost):
    with pytest.raises(OptionError, match="reject_cost"):
        BayesDecision(GaussianNB(), reject_cost=cost).fit(X, Y)
    with pytest.raises(OptionError, match="reject_cost"):
        BayesDecision(FITTED, reject_cost=cost).predict(X)


def test_a_reject_label_is_no_class():
    with pytest.raises(OptionError, match="'b' is one of the classes"):
        BayesDecision(GaussianNB(), reject_cost=0.1, reject_label="b").fit(X, Y)


# Costs and models that are refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [np.zeros((2, 2)), [[0, 1], [1]], np.full((3, 3), np.nan), {("a", "d"): 1}, {("a", "b"): np.inf}, "x"],
    ids=str,
)
def test_wrong_costs_are_refused_at_fit_and_at_predict(costs):
    with pytest.raises(CostError, match="cost"):
        BayesDecision(GaussianNB(), costs=costs).fit(X, Y)
    for method in ("predict", "conditional_risk", "expected_risk"):
        with pytest.raises(CostError, match="cost"):
            getattr(BayesDecision(FITTED, costs=costs), method)(X)


def test_a_score_is_refused_before_fitting_and_before_predicting():
    counts = np.abs(X)
    for model in (
        ComplementNB(),
        make_pipeline(StandardScaler(with_mean=False), ComplementNB()),
        Perceptron(),
    ):
        with pytest.raises(NotAJointError):
            BayesDecision(model).fit(counts, Y)
    decision = BayesDecision(ComplementNB().fit(counts, Y))
    for method in ("predict", "predict_proba", "predict_log_proba", "conditional_risk", "expected_risk"):
        with pytest.raises(NotAJointError, match="ComplementNB gives scores"):
            getattr(decision, method)(counts)


# Around a model of this library ---------------------------------------------------------------------------


def test_rows_and_labels_may_come_from_a_file(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame(X, columns=["u", "v", "w"]).assign(kind=Y).to_csv(path, index=False)
    decision = BayesDecision(NaiveBayes(), costs=COSTS).fit(path, "kind")
    with pytest.warns(DataWarning, match="'kind'"):
        predicted = decision.predict(path)
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    assert (predicted == BayesDecision(NaiveBayes().fit(frame, Y), costs=COSTS).predict(frame)).all()


def test_a_row_of_zero_probability_is_decided_by_the_prior_with_one_warning():
    rows = [{"u": "x"}, {"u": "x"}, {"u": "y"}]
    decision = BayesDecision(NaiveBayes(smoothing=0), costs={("a", "b"): 3}).fit(rows, ["a", "a", "b"])
    for method in ("predict", "conditional_risk", "expected_risk"):
        with pytest.warns(ZeroProbabilityWarning, match="^2 rows have probability zero") as caught:
            answer = getattr(decision, method)([{"u": "new"}, {"u": "x"}, {"u": "newer"}])
        assert len(caught) == 1
    assert answer == pytest.approx((2 / 3 + 0 + 2 / 3) / 3)


def test_its_complement_naive_bayes_says_why_it_is_refused():
    counts = np.abs(X).round()
    with pytest.raises(NotAJointError, match=re.escape(TallyComplementNB.not_joint_reason)):
        BayesDecision(TallyComplementNB()).fit(counts, Y)
    fitted = TallyComplementNB().fit(counts, Y)
    with pytest.raises(NotAJointError, match=re.escape(TallyComplementNB.not_joint_reason)):
        BayesDecision(fitted).predict(counts)


# As a scikit-learn estimator -------------------------------------------------------------------------------


def test_its_options_are_those_of_a_meta_estimator():
    decision = BayesDecision(GaussianNB(var_smoothing=1e-3), costs=COSTS, reject_cost=0.5, reject_label="?")
    copy = clone(decision)
    assert copy.get_params()["estimator__var_smoothing"] == 1e-3
    assert copy.get_params(deep=False).keys() == {"estimator", "costs", "reject_cost", "reject_label"}
    assert copy.costs == COSTS
    copy.set_params(estimator__var_smoothing=1e-2, reject_cost=None)
    assert (copy.estimator.var_smoothing, decision.estimator.var_smoothing) == (1e-2, 1e-3)
    assert repr(BayesDecision(GaussianNB(), reject_cost=1)) == ("BayesDecision(estimator=GaussianNB(), reject_cost=1)")


def test_it_is_searched_and_cross_validated():
    grid = {"reject_cost": [None, 0.1], "estimator__var_smoothing": [1e-9, 1e-3]}
    search = GridSearchCV(BayesDecision(GaussianNB(), costs=COSTS), grid, cv=3).fit(X, Y)
    assert search.best_params_["reject_cost"] is None  # because a row without a decision is not right
    scores = cross_val_score(BayesDecision(GaussianNB()), X, Y, cv=3)
    assert (scores == cross_val_score(GaussianNB(), X, Y, cv=3)).all()


def test_what_it_passes_through():
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    decision = BayesDecision(GaussianNB()).fit(frame, Y)
    assert decision.feature_names_in_.tolist() == ["u", "v", "w"]
    assert (decision.predict_log_proba(frame) == FITTED.predict_log_proba(X)).all()
    assert hasattr(BayesDecision(KNeighborsClassifier()), "predict_proba")
    assert not hasattr(BayesDecision(Perceptron()), "predict_proba")
    assert not hasattr(BayesDecision(make_pipeline(Perceptron())), "predict_log_proba")
    frozen = BayesDecision(FrozenEstimator(FITTED))
    assert (frozen.predict(X) == FITTED.predict(X)).all()


def test_the_score_counts_a_rejected_row_as_not_right():
    decision = BayesDecision(FITTED, reject_cost=0.3)
    predicted = decision.predict(X)
    assert decision.score(X, Y) == pytest.approx((predicted == Y).mean())
    weights = RNG.random(90)
    assert decision.score(X, Y, weights) == pytest.approx(np.average(predicted == Y, weights=weights))
    assert decision.score(X, np.repeat("d", 90)) == 0
    assert decision.score(X, pd.Series(Y)) == decision.score(X, Y.tolist())


def test_the_score_needs_a_label_and_a_weight_for_each_row():
    decision = BayesDecision(FITTED)
    with pytest.raises(TargetError, match="89 labels for 90 rows"):
        decision.score(X, Y[1:])
    with pytest.raises(WeightError, match=r"\(3,\) for 90 rows"):
        decision.score(X, Y, [1, 2, 3])
    with pytest.raises(TargetError, match="one label for each row"):
        decision.score(X, "kind")


@pytest.mark.parametrize("make", [NaiveBayes, GaussianNB])
def test_weights_are_routed_to_the_estimator_that_asks_for_them(make):
    weights = np.arange(90) + 1.0
    with config_context(enable_metadata_routing=True):
        asks = BayesDecision(make().set_fit_request(sample_weight=True)).set_score_request(sample_weight=True)
        got = asks.fit(X, Y, sample_weight=weights).predict_proba(X)
        declines = BayesDecision(make().set_fit_request(sample_weight=False)).set_score_request(sample_weight=True)
        silent = BayesDecision(make()).fit(X, Y)
        with pytest.raises(UnsetMetadataPassedError, match=f"{make.__name__}.fit"):
            BayesDecision(make()).fit(X, Y, sample_weight=weights)
        scores = {}
        for name, decision in (("asks", asks), ("declines", declines)):
            told = {"params": {"sample_weight": weights}, "cv": KFold(2, shuffle=True, random_state=0)}
            scores[name] = cross_validate(decision, X, Y, **told, error_score="raise")["test_score"]
    np.testing.assert_array_equal(got, make().fit(X, Y, sample_weight=weights).predict_proba(X))
    np.testing.assert_array_equal(silent.predict_proba(X), make().fit(X, Y).predict_proba(X))
    for name, used in (("asks", weights), ("declines", None)):
        expected = []
        for train, test in KFold(2, shuffle=True, random_state=0).split(X):
            model = make().fit(X[train], Y[train], sample_weight=None if used is None else used[train])
            expected.append(np.average(model.predict(X[test]) == Y[test], weights=weights[test]))
        assert scores[name] == pytest.approx(expected)


def test_the_score_of_a_model_that_knows_its_target():
    table = pd.DataFrame(X, columns=list("uvw")).assign(kind=Y)
    decision = BayesDecision(NaiveBayes(), reject_cost=0.3).fit(table, "kind")
    expected = decision.score(table.drop(columns="kind"), Y)
    assert 0.5 < expected < 0.95
    assert decision.score(table, "kind") == decision.score(table) == expected
    weights = RNG.random(90)
    assert decision.score(table, sample_weight=weights) == pytest.approx(decision.score(table[list("uvw")], Y, weights))
