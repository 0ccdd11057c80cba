from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallybayes as tb
from tallybayes.errors import DataWarning, MergeError, OptionError
from tallybayes.models.prior import Prior
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally

AB = Values(["a", "b", "c"])
TALLY = ClassTally(AB, np.array([3, 1, 1]), np.array([4.5, 1.0, 0.5]))


def prior(spec="empirical", smoothing=0.0, *, classes=AB, **options):
    return np.exp(Prior(spec, smoothing, **options).estimate(TALLY, classes)).tolist()


def test_empirical_is_by_weight():
    assert prior() == pytest.approx([4.5 / 6, 1 / 6, 0.5 / 6])
    assert prior(smoothing=2.0) == pytest.approx([6.5 / 12, 3 / 12, 2.5 / 12])


def test_a_class_that_no_row_has():
    assert prior(classes=Values("abcd")) == pytest.approx([4.5 / 6, 1 / 6, 0.5 / 6, 0])
    assert prior(smoothing=1.0, classes=Values("abcd"))[3] == pytest.approx(1 / 10)


def test_uniform():
    assert prior("uniform") == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    "given", [{"c": 0.2, "a": 0.7, "b": 0.1}, [0.7, 0.1, 0.2], (0.7, 0.1, 0.2), np.array([0.7, 0.1, 0.2])], ids=type
)
def test_given(given):
    assert prior(given) == pytest.approx([0.7, 0.1, 0.2])


def test_a_probability_of_zero_is_allowed():
    assert prior([1.0, 0.0, 0.0]) == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("flat", "'flat' is neither"),
        ({"a": 0.5, "b": 0.5}, "no probability for the class 'c'"),
        ({"a": 0.5, "b": 0.25, "C": 0.25}, "'C', which is not a class"),
        ([0.5, 0.5], "has 2 of them"),
        ([0.5, 0.6, -0.1], "negative"),
        ([0.5, 0.6, 0.1], "adds up to 1.2"),
        ([0.5, 0.5, np.nan], "negative or infinite"),
        (["x", "y", "z"], "something else than numbers"),
        ([[0.5, 0.25, 0.25]], "has 3 of them"),
    ],
    ids=str,
)
def test_priors_that_are_none(given, words):
    with pytest.raises(OptionError, match=words):
        prior(given)
    with pytest.raises(OptionError, match=words):
        tb.NaiveBayes(prior=given).fit([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "c", "a"])


def test_what_need_not_be_proper_is_taken_as_it_is():
    assert prior([2.0, 1.0, 1.0], proper=False) == pytest.approx([2.0, 1.0, 1.0])


def test_a_prior_may_be_given_after_fit():
    X, y = [[1.0], [2.0], [3.0], [5.0]], ["a", "b", "a", "b"]
    model = tb.NaiveBayes(columns={0: "numeric"}).fit(X, y)
    before = model.predict_joint_log_proba(X)
    model.set_params(prior={"a": 0.1, "b": 0.9})
    moved = model.predict_joint_log_proba(X) - before
    np.testing.assert_allclose(moved, np.log([[0.2, 1.8]] * 4), rtol=1e-12)
    model.set_params(prior={"a": 0.1})
    with pytest.raises(OptionError, match="'b'"):
        model.predict(X)
    np.testing.assert_array_equal(model.set_params(prior="empirical").predict_joint_log_proba(X), before)


def test_a_series_goes_by_its_index():
    assert prior(pd.Series({"c": 0.2, "a": 0.7, "b": 0.1})) == pytest.approx([0.7, 0.1, 0.2])
    assert prior(pd.Series([0.7, 0.1, 0.2])) == pytest.approx([0.7, 0.1, 0.2])  # an index that nobody gave
    assert prior(pd.Series({1: 0.25, 0: 0.75}), classes=Values([0, 1])) == pytest.approx([0.75, 0.25])
    y = pd.Series(["q", "q", "q", "p"])
    model = tb.NaiveBayes(prior=y.value_counts(normalize=True)).fit([[1.0], [2.0], [3.0], [4.0]], y)
    missing = model.predict_proba([[np.nan]])
    assert missing[0] == pytest.approx([0.25, 0.75])
    assert model.predict_proba([[np.nan]]).tolist() == missing.tolist()  # what was estimated is remembered


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (pd.Series({"a": 0.5, "b": 0.25, "d": 0.25}), "'d', which is not a class"),
        (pd.Series({"a": 0.5, "b": 0.5}), "no probability for the class 'c'"),
        (pd.Series([0.5, 0.25, 0.25], index=["a", "b", "b"]), "two probabilities for the class 'b'"),
        (pd.Series([0.5, 0.25, 0.25], index=[1, 2, 3]), "1, which is not a class"),
    ],
    ids=str,
)
def test_a_series_with_other_labels(given, words):
    with pytest.raises(OptionError, match=words):
        prior(given)


def test_the_drop_ins_read_a_series_by_position_and_say_so():
    X, y = [[1, 2], [2, 1], [3, 0], [4, 1]], ["p", "q", "p", "q"]
    for make in (
        lambda p: tb.GaussianNB(priors=p),
        lambda p: tb.MultinomialNB(class_prior=p),
        lambda p: tb.CategoricalNB(class_prior=p),
    ):
        with pytest.warns(DataWarning, match=r"labelled \['q', 'p'\].*the classes are \['p', 'q'\]"):
            model = make(pd.Series({"q": 0.9, "p": 0.1})).fit(X, y)
        assert model.predict_proba([[np.nan, np.nan]])[0] == pytest.approx([0.9, 0.1])  # and no second warning
        make(pd.Series({"p": 0.9, "q": 0.1})).fit(X, y)


@pytest.mark.parametrize("given", [pd.Series({"b": 0.9, "a": 0.1}), pd.Series([0.1, 0.9])], ids=["labelled", "plain"])
def test_a_model_with_a_series_is_saved_and_added(given, tmp_path):
    X, y = [[1.0], [2.0], [3.0], [5.0]], ["a", "b", "a", "b"]
    model = tb.NaiveBayes(columns={0: "numeric"}, prior=given).fit(X, y)
    both = model + tb.NaiveBayes(columns={0: "numeric"}, prior=given.copy()).fit(X, y)
    assert both.predict_proba([[np.nan]])[0] == pytest.approx([0.1, 0.9])
    model.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(MergeError, match="prior="):
        model + tb.NaiveBayes(columns={0: "numeric"}, prior=given[::-1].set_axis(["b", "a"])).fit(X, y)
