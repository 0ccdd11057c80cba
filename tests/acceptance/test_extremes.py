"""Numbers, weights, sizes and options at the ends of what there is: an answer that is no NaN, or one clear error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallybayes as tb
from tallybayes.errors import (
    DataWarning,
    MergeError,
    OptionError,
    TargetError,
    UnsupportedDataError,
    ValueRangeError,
    WeightError,
)

RNG = np.random.default_rng(4)
Y = np.tile([0, 1], 10)
X = RNG.normal(size=(20, 2)) + Y[:, None]
COUNTS = RNG.poisson(2.0, (20, 2)).astype(float)
MEASURED = [tb.NaiveBayes(), tb.NaiveBayes(numeric="kernel"), tb.NaiveBayes(numeric="histogram"), tb.GaussianNB()]
SPODE = tb.SPODE(superparent=0, columns={1: "numeric"}, numeric="gaussian", discretize={0: "width"})
DEPENDENT = [tb.TAN(), tb.KDB(), tb.SPODE(missing="category"), SPODE]
measured = pytest.mark.parametrize("estimator", [*MEASURED, tb.KernelNB(), *DEPENDENT], ids=repr)
COUNTED = [tb.MultinomialNB(), tb.ComplementNB(), tb.NaiveBayes(columns={0: "count", 1: "count"})]


def sane(model, rows) -> None:
    """Every answer is a distribution."""
    proba = model.predict_proba(rows)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    joint = model.predict_joint_log_proba(rows)
    assert not np.isnan(joint).any()
    assert not np.isposinf(joint).any()


@measured
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-20, 1e20, 1e150])
@pytest.mark.filterwarnings("ignore::tallybayes.errors.ZeroProbabilityWarning", "ignore:.*squares.*vanish")
def test_numbers_of_any_scale(estimator, scale):
    model = estimator.fit(X * scale, Y)
    sane(model, X * scale)
    if scale > 1e-100 and not (scale > 1e100 and isinstance(model, tb.GaussianNB)):
        np.testing.assert_array_equal(model.predict(X * scale), estimator.fit(X, Y).predict(X))


@pytest.mark.parametrize("estimator", MEASURED[::3], ids=repr)
@pytest.mark.parametrize("scale", [1e160, 1e300])
def test_numbers_whose_squares_overflow(estimator, scale):
    with pytest.raises(ValueRangeError, match=r"squares overflow.*Scale it down"):
        estimator.fit(X * scale, Y)


@pytest.mark.parametrize("estimator", [tb.KernelNB(), tb.NaiveBayes(numeric="histogram")], ids=repr)
def test_a_sketch_takes_numbers_up_to_the_last(estimator):
    sane(estimator.fit(X * 1e300, Y), X * 1e300)


@pytest.mark.parametrize("estimator", COUNTED, ids=repr)
def test_counts_whose_sums_overflow(estimator):
    with pytest.raises(ValueRangeError, match=r"Column \d has numbers whose sum is beyond 1e\+290"):
        estimator.fit(COUNTS * 1e300, Y)
    model = estimator.fit(COUNTS * 1e15, Y)
    sane(model, COUNTS)
    if model.is_joint:
        rows, _ = model.sample(5, random_state=0)
        assert np.isfinite(rows).all()


@measured
@pytest.mark.parametrize("weight", [1e-320, 1e-100, 1e90])
@pytest.mark.filterwarnings("ignore::tallybayes.errors.ZeroProbabilityWarning")
def test_weights_of_any_size(estimator, weight):
    sane(estimator.fit(X, Y, sample_weight=np.full(20, weight)), X)


@measured
def test_weights_that_sum_to_too_much(estimator):
    with pytest.raises(WeightError, match="Scale them down"):
        estimator.fit(X, Y, sample_weight=np.full(20, 1e300))


@pytest.mark.parametrize("amount", [1e101, 1e308, np.inf, np.nan, -1e-300, True, "1", None], ids=str)
def test_smoothing_that_is_none(amount):
    for model in (tb.NaiveBayes(smoothing=amount), tb.MultinomialNB(alpha=amount), tb.BernoulliNB(alpha=amount)):
        with pytest.raises(OptionError, match=r"should be a number, 0 or more"):
            model.fit(COUNTS, Y)


@pytest.mark.parametrize("amount", [5e-324, 1e-300, 1e100])
def test_smoothing_of_any_size(amount):
    for model in (
        tb.NaiveBayes(smoothing=amount, numeric="histogram", missing="category"),
        tb.MultinomialNB(alpha=amount),
        tb.BernoulliNB(alpha=amount, smoothing="sparse"),
        tb.CategoricalNB(alpha=amount),
        tb.ComplementNB(alpha=amount),
        tb.TAN(smoothing=amount),
        tb.KDB(smoothing=amount),
        tb.KDB(prior_smoothing=amount),
        tb.SPODE(smoothing=amount, missing="category"),
        SPODE.set_params(smoothing=amount),
    ):
        sane(model.fit(COUNTS, Y), COUNTS)


@pytest.mark.parametrize(
    ("model", "word"),
    [
        (tb.BernoulliNB(binarize="x"), "binarize"),
        (tb.BernoulliNB(binarize=np.nan), "binarize"),
        (tb.MultinomialNB(fit_prior="no"), "fit_prior"),
        (tb.MultinomialNB(force_alpha=1), "force_alpha"),
        (tb.ComplementNB(norm="l1"), "norm"),
        (tb.CategoricalNB(min_categories=0), "min_categories"),
        (tb.NaiveBayes(columns={0: None}), "columns"),
        (tb.NaiveBayes(factors=["kernel"]), "factors"),
    ],
    ids=repr,
)
def test_other_options_that_are_none(model, word):
    with pytest.raises(OptionError, match=word):
        model.fit(COUNTS, Y)


@pytest.mark.parametrize("classes", ["ab", [], ["a", None], ["a", 1], [np.nan, 1.0], 3, None], ids=repr)
def test_classes_that_are_none(classes):
    with pytest.raises(TargetError, match="classes"):
        tb.GaussianNB().partial_fit(X, np.where(Y, "a", "b"), classes=classes)


@pytest.mark.parametrize(
    "classes",
    [{"a", "b"}, ("b", "a"), pd.Series(["a", "b"]), np.array(["a", "b"]), [b"a", b"b"]],
    ids=["set", "tuple", "series", "array", "bytes"],
)
def test_classes_in_any_form(classes):
    model = tb.GaussianNB().partial_fit(X, np.where(Y, "a", "b"), classes=classes)
    assert model.classes_.tolist() == ["a", "b"]


# Sizes ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:The target has a single class")
@pytest.mark.parametrize("rows", [1, 2])
@measured
def test_one_row_and_two(estimator, rows):
    sane(estimator.fit(X[:rows], Y[:rows]), X)


def test_a_thousand_classes():
    labels = np.arange(5000) % 1000
    rows = (np.arange(5000) % 1000)[:, None] // [1, 10]
    model = tb.NaiveBayes(columns={0: "categorical", 1: "categorical"}).fit(rows, labels)
    sane(model, rows[:10])
    np.testing.assert_array_equal(model.predict(rows), labels)


def test_a_hundred_thousand_values():
    words = np.array([f"w{i}" for i in range(100_000)])
    frame, y = pd.DataFrame({"c": np.tile(words, 2)}), np.repeat([0, 1], 100_000)
    model = tb.NaiveBayes(columns={"c": "categorical"}).fit(frame, y)
    np.testing.assert_allclose(model.predict_proba(frame[:3]), 0.5)
    assert model.predict_joint_log_proba(frame[:1])[0, 0] == pytest.approx(np.log(0.5 * 2 / 200_000))


def test_very_long_texts():
    frame = pd.DataFrame({"c": ["a" * 1_000_000, "b"] * 10})
    model = tb.NaiveBayes().fit(frame, np.where(Y, "z" * 100_000, "y"))
    sane(model, frame)
    assert len(str(model.explain(frame[:2]))) < 5000
    assert len(str(model.summary())) < 5000


def test_nothing_but_missing_cells():
    holes = np.full((20, 2), np.nan)
    for estimator in (tb.GaussianNB(), tb.KernelNB(), tb.MultinomialNB(), tb.BernoulliNB(), tb.CategoricalNB()):
        np.testing.assert_allclose(estimator.fit(holes, Y).predict_proba(COUNTS), 0.5)
    with pytest.warns(DataWarning, match="no value"):
        model = tb.NaiveBayes().fit(holes, Y)
    np.testing.assert_allclose(model.predict_proba(holes), 0.5)


# Forgetting what is nearly what was learned --------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [tb.GaussianNB(), tb.KernelNB(), tb.MultinomialNB(), tb.NaiveBayes(columns=dict.fromkeys(range(2), "count"))],
    ids=repr,
)
def test_rows_with_other_numbers_or_weights_are_refused(estimator):
    model = estimator.fit(COUNTS, Y)
    before = model.predict_joint_log_proba(COUNTS)
    for rows, weights in ((COUNTS[:1] + 1000.0, None), (COUNTS[:4], np.full(4, 50.0)), (COUNTS, np.full(20, 0.5))):
        with pytest.raises(MergeError, match="never learned"):
            model.forget(rows, Y[: len(rows)], sample_weight=weights)
        np.testing.assert_array_equal(model.predict_joint_log_proba(COUNTS), before)


def test_paths_that_are_none():
    for call in (tb.GaussianNB().fit(X, Y).save, tb.load):
        with pytest.raises(UnsupportedDataError, match="3 is no path"):
            call(3)
