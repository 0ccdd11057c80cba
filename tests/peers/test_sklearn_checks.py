"""scikit-learn's own checks of every estimator."""

from __future__ import annotations

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

import tallybayes as tb

pytestmark = [
    pytest.mark.peers,
    # Some checks train on one class on purpose, which deserves its warning.
    pytest.mark.filterwarnings("ignore:The target has a single class:tallybayes.errors.DataWarning"),
]

ESTIMATORS = [
    tb.NaiveBayes(),
    tb.NaiveBayes(numeric="kernel", missing="category"),
    tb.NaiveBayes(numeric="histogram", missing="error"),
    tb.NaiveBayes(numeric="bins"),
    tb.NaiveBayes(numeric="bins", missing="error", discretize="quantile", max_bins=5),
    tb.GaussianNB(),
    tb.BernoulliNB(),
    tb.BernoulliNB(smoothing="sparse"),
    tb.MultinomialNB(),
    tb.ComplementNB(),
    tb.CategoricalNB(),
    tb.KernelNB(),
    tb.AODE(),
    tb.AODE(min_count=0, prior="empirical", missing="category"),
    tb.AODE(order=2, min_count=1, weighting="mutual-information", subsumption=1, discretize="quantile", max_bins=4),
    tb.TAN(),
    tb.TAN(numeric="gaussian", missing="category"),
    tb.AutoBayes(candidates=["naive", "tan", "kdb"], folds=3),
    tb.SPODE(),
    tb.SPODE(numeric="gaussian"),
    tb.SPODE(superparent=0, discretize="width", max_bins=4),
    tb.KDB(),
    tb.KDB(k=1, select=False, smoothing=1.0, discretize="width", max_bins=4),
    tb.Discretizer(),
    tb.Discretizer(method="quantile", missing="error"),
    tb.Discretizer(method="width", missing="keep"),
    tb.BayesDecision(tb.NaiveBayes()),
    tb.BayesDecision(tb.GaussianNB()),
]

NOT_REPEATED = "a row of weight 2 is left out whole, and is in one fold; two rows are left out one by one, in any folds"

EXPECTED_FAILURES = {
    tb.AutoBayes: dict.fromkeys(
        [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")], NOT_REPEATED
    )
}
"""Estimator to check to reason: no other of those that scikit-learn gives to every estimator fails."""


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda one: EXPECTED_FAILURES.get(type(one), {}))
def test_sklearn_check(estimator, check):
    check(estimator)


@pytest.mark.xfail(reason="columns are matched by name, in any order; the check wants an error where the order differs")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_order_of_named_columns(estimator):
    """The one departure: scikit-learn runs this check on its own estimators, not on others'."""
    check_dataframe_column_names_consistency(type(estimator).__name__, clone(estimator))
