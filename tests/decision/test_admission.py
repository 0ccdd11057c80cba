from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import tallybayes as tb
from tallybayes.decision.admission import checked, gives_posterior, log_posterior, require_posterior
from tallybayes.decision.bayes_decision import BayesDecision
from tallybayes.errors import NotAJointError, OptionError, ValueRangeError

X = np.array([[0.0, 1.0], [1.0, 1.0], [4.0, 0.0], [5.0, 0.0]] * 2)
Y = np.array(["a", "a", "b", "b"] * 2)


class Scorer(GaussianNB):
    is_joint = False
    not_joint_reason = "it was made for this test."


class Joint(ComplementNB):
    is_joint = True


def wrapped(model):
    """Return a model by itself and inside all that scikit-learn may put around it."""
    return [
        model,
        make_pipeline(MinMaxScaler(), model),
        GridSearchCV(model, {}, cv=2),
        GridSearchCV(make_pipeline(MinMaxScaler(), model), {}, cv=2),
        FrozenEstimator(model.fit(X, Y)),
        BayesDecision(model),
        VotingClassifier([("tree", DecisionTreeClassifier()), ("gone", "drop"), ("inner", model)], voting="soft"),
        VotingClassifier([("inner", make_pipeline(MinMaxScaler(), model))], voting="soft").fit(X, Y),
        StackingClassifier([("tree", DecisionTreeClassifier())], final_estimator=model),
        BaggingClassifier(model),
        BaggingClassifier(GridSearchCV(model, {}, cv=2)),
        OneVsRestClassifier(model),
        SelfTrainingClassifier(model),
        TunedThresholdClassifierCV(model),
        RFE(model),
    ]


@pytest.mark.parametrize("model", wrapped(ComplementNB()), ids=lambda model: type(model).__name__)
def test_a_score_is_refused_wherever_it_hides(model):
    assert not gives_posterior(model)
    with pytest.raises(NotAJointError, match=r"ComplementNB .* looks like the other classes\. Use Multinomial"):
        require_posterior(model)


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (tb.TextNB(event="complement"), r"Use event='multinomial', or"),
        (tb.NGramClassifier(smoothing="stupid-backoff"), r"do not sum to 1\. Use another smoothing, or"),
    ],
)
def test_the_remedy_is_one_that_the_model_has(model, remedy):
    with pytest.raises(NotAJointError, match=remedy):
        require_posterior(model)


@pytest.mark.parametrize("model", wrapped(MultinomialNB()), ids=lambda model: type(model).__name__)
def test_a_posterior_is_not(model):
    assert gives_posterior(model)
    require_posterior(model)


def test_a_search_is_judged_by_its_best_model():
    pipeline = make_pipeline(MinMaxScaler(), GaussianNB())
    choice = {"gaussiannb": [ComplementNB()]}
    search = GridSearchCV(pipeline, choice, cv=2)
    require_posterior(search)
    with pytest.raises(NotAJointError):
        require_posterior(search.fit(X, Y))


def test_a_score_may_be_one_of_several_features():
    for model in (
        StackingClassifier([("scores", ComplementNB())]),
        StackingClassifier([("scores", ComplementNB())], final_estimator=LogisticRegression()),
        BaggingClassifier(),
    ):
        require_posterior(model)


def test_a_hard_vote_has_no_probabilities():
    vote = VotingClassifier([("a", GaussianNB()), ("b", ComplementNB())], voting="hard")
    with pytest.raises(NotAJointError, match="VotingClassifier has no predict_proba"):
        require_posterior(vote)


def test_a_model_may_say_so_itself():
    with pytest.raises(NotAJointError, match=r"Scorer .* needs: it was made for this test\. Use"):
        require_posterior(Scorer())
    require_posterior(Joint())


def test_calibration_makes_a_posterior():
    require_posterior(CalibratedClassifierCV(ComplementNB()))
    require_posterior(CalibratedClassifierCV(LinearSVC()))


def test_a_model_without_probabilities_is_refused():
    with pytest.raises(NotAJointError, match=r"LinearSVC has no predict_proba.*CalibratedClassifierCV"):
        require_posterior(LinearSVC())


def test_several_targets_are_refused():
    model = DecisionTreeClassifier().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(OptionError, match="one target at a time"):
        checked(model, model.predict_proba(X))


def test_nan_is_refused_with_its_first_row():
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ValueRangeError, match=r"GaussianNB gives NaN .* 1 of 3 rows, the first of them row 2"):
        checked(model, np.array([[0.5, 0.5], [np.nan, 0.5], [1, 0]]))


def test_the_log_posterior_is_the_models_own_and_quiet():
    far = np.array([[1e4, -1e4]])
    own = log_posterior(GaussianNB().fit(X, Y), far)
    assert own.min() < -1e6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # This one takes the logarithm of a 0.
        assert log_posterior(LogisticRegression().fit(X, Y), far).min() == -np.inf


def test_the_log_posterior_of_a_model_without_one():
    class Plain:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.array([[0.25, 0.75], [0, 1]])

    np.testing.assert_array_equal(log_posterior(Plain(), None), [np.log([0.25, 0.75]), [-np.inf, 0]])
