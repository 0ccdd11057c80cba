"""Fit, partial_fit, weights, adding, forgetting and saving: what each estimator promises beside the laws."""

from __future__ import annotations

import contextlib
import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tallybayes as tb
from tallybayes.errors import (
    ColumnError,
    DataWarning,
    KindError,
    MergeError,
    NotFittedError,
    OptionError,
    TallyBayesWarning,
    TargetError,
    WeightError,
)

X = np.array([[1, 0, 2], [0, 1, 2], [3, 1, 0], [2, 2, 1], [0, 3, 1], [1, 1, 1]])
Y = np.array(["a", "b", "a", "b", "a", "a"])
ESTIMATORS = [
    tb.NaiveBayes(columns=dict.fromkeys(range(3), "count")),
    tb.NaiveBayes(columns=dict.fromkeys(range(3), "categorical"), missing="category"),
    tb.NaiveBayes(columns=dict.fromkeys(range(3), "numeric"), numeric="kernel", prior={"a": 0.25, "b": 0.75}),
    tb.NaiveBayes(columns=dict.fromkeys(range(3), "numeric"), numeric="histogram", prior=[0.5, 0.5]),
    tb.GaussianNB(),
    tb.BernoulliNB(smoothing="sparse"),
    tb.MultinomialNB(),
    tb.ComplementNB(),
    tb.CategoricalNB(),
    tb.KernelNB(),
]
DROP_INS = [e for e in ESTIMATORS if not e.classes_grow]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
every_drop_in = pytest.mark.parametrize("estimator", DROP_INS, ids=repr)


def same(one, two) -> None:
    """Two models have learned the same, to the last bit, and answer alike."""
    for key, tally in one.tallies_.items():
        ours, theirs = tally.state(), two.tallies_[key].state()
        assert ours.header == theirs.header
        for name, array in ours.arrays.items():
            np.testing.assert_array_equal(array, theirs.arrays[name], err_msg=f"{key} {name}")
    np.testing.assert_array_equal(one.predict_joint_log_proba(X), two.predict_joint_log_proba(X))


# What scikit-learn expects -------------------------------------------------------------------------------


@every_estimator
def test_parameters_come_back(estimator):
    params = estimator.get_params()
    assert type(estimator)(**params).get_params() == params
    assert clone(estimator).get_params().keys() == params.keys()
    with pytest.raises(ValueError, match="nonsense"):
        clone(estimator).set_params(nonsense=1)
    with pytest.raises(TypeError, match="positional"):
        type(estimator)(1.0)


@every_estimator
def test_a_clone_has_learned_nothing(estimator):
    fresh = clone(clone(estimator).fit(X, Y))
    with pytest.raises(NotFittedError, match="fit"):
        fresh.predict(X)
    assert not [name for name in vars(fresh) if name.endswith("_") or name == "_learned"]


@every_estimator
def test_fit_changes_neither_its_parameters_nor_its_arguments(estimator):
    model, rows, labels, weights = clone(estimator), X.copy(), Y.copy(), np.arange(1.0, 7.0)
    before = copy.deepcopy(model.get_params())
    assert model.fit(rows, labels, sample_weight=weights) is model
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, Y)
    np.testing.assert_array_equal(weights, np.arange(1.0, 7.0))
    assert model.get_params() == before


@every_estimator
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, copy.copy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deep", "shallow", "pickled"]
)
def test_copies_are_models_of_their_own(estimator, copied):
    model = clone(estimator).fit(X, Y)
    before = model.predict_joint_log_proba(X)
    other = copied(model)
    same(model, other)
    other.partial_fit(X[:3], Y[:3])
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    assert not np.array_equal(other.predict_joint_log_proba(X), before)


@every_estimator
def test_fit_forgets_what_was_learned_before(estimator):
    model = clone(estimator).fit(X[::-1], np.roll(Y, 2))
    same(model.fit(X, Y), clone(estimator).fit(X, Y))
    assert model.n_features_in_ == 3
    assert not hasattr(model, "feature_names_in_")


# Hyperparameters that change after fit -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "change"),
    [
        (tb.NaiveBayes(columns=dict.fromkeys(range(3), "count")), {"smoothing": 3.0}),
        (tb.NaiveBayes(columns=dict.fromkeys(range(3), "categorical")), {"smoothing": 0.0}),
        (tb.NaiveBayes(columns=dict.fromkeys(range(3), "numeric")), {"ddof": 1}),
        (tb.NaiveBayes(columns=dict.fromkeys(range(3), "count")), {"prior": "uniform"}),
        (tb.NaiveBayes(columns=dict.fromkeys(range(3), "count")), {"prior_smoothing": 2.0}),
        (tb.GaussianNB(), {"var_smoothing": 0.5}),
        (tb.GaussianNB(), {"priors": [0.9, 0.1]}),
        (tb.BernoulliNB(), {"alpha": 0.25}),
        (tb.BernoulliNB(), {"smoothing": "sparse", "alpha": 2.0}),
        (tb.MultinomialNB(), {"alpha": np.array([0.5, 1.0, 2.0])}),
        (tb.MultinomialNB(), {"fit_prior": False}),
        (tb.ComplementNB(), {"norm": True}),
        (tb.CategoricalNB(), {"min_categories": 9}),
        (tb.KernelNB(), {"bandwidth": "scott"}),
        (tb.KernelNB(), {"bandwidth": 0.25}),
    ],
    ids=repr,
)
def test_estimates_follow_the_parameters_without_another_fit(estimator, change):
    model = clone(estimator).fit(X, Y)
    before = model.predict_joint_log_proba(X)
    same(model.set_params(**change), clone(estimator).set_params(**change).fit(X, Y))
    assert not np.array_equal(model.predict_joint_log_proba(X), before)
    first = {name: getattr(estimator, name) for name in change}
    np.testing.assert_array_equal(model.set_params(**first).predict_joint_log_proba(X), before)


def test_a_parameter_that_needs_other_counts_is_refused_until_the_next_fit():
    model = tb.NaiveBayes(columns=dict.fromkeys(range(3), "numeric")).fit(X, Y)
    before = model.predict_joint_log_proba(X)
    model.set_params(numeric="kernel")
    with pytest.raises(OptionError, match="Call fit again"):
        model.predict(X)
    with pytest.raises(OptionError, match="Call fit again"):
        model.partial_fit(X, Y)
    np.testing.assert_array_equal(model.set_params(numeric="gaussian").predict_joint_log_proba(X), before)
    same(model.set_params(numeric="kernel").fit(X, Y), clone(model).fit(X, Y))


def test_another_threshold_needs_other_counts():
    model = tb.BernoulliNB().fit(X, Y)
    with pytest.raises(OptionError, match="Call fit again"):
        model.set_params(binarize=1.5).predict(X)


# partial_fit ---------------------------------------------------------------------------------------------


@every_estimator
@pytest.mark.filterwarnings("ignore:Some columns are set aside")  # two rows are alike in one
def test_pieces_are_the_whole(estimator):
    model = clone(estimator)
    for at in range(0, 6, 2):
        model.partial_fit(X[at : at + 2], Y[at : at + 2], **({"classes": ["a", "b"]} if at == 0 else {}))
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X), clone(estimator).fit(X, Y).predict_joint_log_proba(X), rtol=1e-12
    )


@every_drop_in
def test_the_drop_ins_are_told_their_classes_once(estimator):
    with pytest.raises(TargetError, match="classes must be passed on the first call"):
        clone(estimator).partial_fit(X, Y)
    model = clone(estimator).partial_fit(X, Y, classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    model.partial_fit(X, Y, classes=["c", "b", "a"])  # the same, in another order
    with pytest.raises(TargetError, match="not the same as on last call"):
        model.partial_fit(X, Y, classes=["a", "b"])
    before = model.predict_joint_log_proba(X)
    with pytest.raises(TargetError, match=r"\['z'\] in y do not exist"):
        model.partial_fit(X, ["a", "z", "a", "z", "a", "z"])
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    with pytest.raises(TargetError, match="do not exist"):
        clone(estimator).partial_fit(X, Y, classes=["a", "c"])


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if e.classes_grow and "prior=" not in repr(e)], ids=repr)
def test_elsewhere_classes_come_when_they_come(estimator):
    model = clone(estimator).partial_fit(X, Y)
    model.partial_fit(X[:2], ["c", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    whole = clone(estimator).fit(np.vstack([X, X[:2]]), [*Y, "c", "c"])
    np.testing.assert_allclose(model.predict_joint_log_proba(X), whole.predict_joint_log_proba(X), rtol=1e-12)
    told = clone(estimator).partial_fit(X, Y, classes=["d", "a"])
    assert told.classes_.tolist() == ["a", "b", "d"]
    assert np.isneginf(told.predict_joint_log_proba(X)[:, 2]).all()


def test_a_prior_of_the_classes_that_are_to_come():
    model = tb.NaiveBayes(prior={"a": 0.5, "b": 0.25, "c": 0.25}, columns={0: "numeric"})
    with pytest.raises(OptionError, match="'c', which is not a class"):
        clone(model).partial_fit(X[:, :1], Y)
    model.partial_fit(X[:, :1], Y, classes=["a", "b", "c"])
    assert np.exp(model.predict_joint_log_proba([[np.nan]])).tolist() == [pytest.approx([0.5, 0.25, 0.25])]


def test_kinds_are_frozen_by_the_first_rows():
    frame = pd.DataFrame({"n": np.arange(20) + 0.5, "t": ["u", "v"] * 10})
    model = tb.NaiveBayes().partial_fit(frame, ["p", "q"] * 10)
    before = model.predict_joint_log_proba(frame)
    with pytest.raises(KindError, match=r"columns=\{'n': 'categorical'"):
        model.partial_fit(frame.assign(n="text"), ["p", "q"] * 10)
    np.testing.assert_array_equal(model.predict_joint_log_proba(frame), before)


# Weights -------------------------------------------------------------------------------------------------


@every_estimator
def test_weights_of_one_are_no_weights(estimator):
    for ones in (np.ones(6), [1] * 6, np.ones(6, np.float32), np.ones(6, bool), pd.Series(np.ones(6)), 1.0, 1):
        model = clone(estimator).fit(X, Y, sample_weight=ones)
        np.testing.assert_allclose(
            model.predict_joint_log_proba(X), clone(estimator).fit(X, Y).predict_joint_log_proba(X), rtol=1e-12
        )


@every_estimator
def test_a_row_of_weight_zero_is_not_there(estimator):
    odd = np.vstack([X, [[7, 9, 8]]])
    labels, weights = [*Y, "never"], [1.0] * 6 + [0.0]
    model = clone(estimator).fit(odd, labels, sample_weight=weights)
    assert model.classes_.tolist() == ["a", "b"]
    same(model, clone(estimator).fit(X, Y, sample_weight=np.ones(6)))


@every_estimator
@pytest.mark.parametrize("bad", [[-1.0], [np.nan], [np.inf], ["x"]], ids=str)
def test_weights_that_are_none(estimator, bad):
    model = clone(estimator).fit(X, Y)
    before = model.predict_joint_log_proba(X)
    for call in (model.partial_fit, model.fit, model.forget):
        with pytest.raises(WeightError, match="eight"):
            call(X, Y, sample_weight=[1.0] * 5 + bad)
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)


@every_estimator
def test_all_weights_zero(estimator):
    with pytest.raises(TargetError, match="weight zero"):
        clone(estimator).fit(X, Y, sample_weight=np.zeros(6))


# Adding --------------------------------------------------------------------------------------------------


@every_estimator
def test_a_sum_has_the_options_of_both_and_leaves_them_as_they_were(estimator):
    one, two = clone(estimator).fit(X[:4], Y[:4]), clone(estimator).fit(X[2:], Y[2:])
    kept = copy.deepcopy(one), copy.deepcopy(two)
    both = one + two
    assert both.get_params().keys() == one.get_params().keys()
    assert repr(both) == repr(one)
    np.testing.assert_allclose(
        both.predict_joint_log_proba(X),
        clone(estimator).fit(np.vstack([X[:4], X[2:]]), [*Y[:4], *Y[2:]]).predict_joint_log_proba(X),
        rtol=1e-12,
    )
    same(one, kept[0])
    same(two, kept[1])
    assert sum([one, two]).classes_.tolist() == ["a", "b"]


def test_what_does_not_add():
    model = tb.NaiveBayes(columns={0: "numeric"}).fit(X[:, :1], Y)
    for other, words in (
        (tb.GaussianNB().fit(X[:, :1], Y), "A NaiveBayes and a GaussianNB do not add"),
        (tb.NaiveBayes(columns={0: "numeric"}, smoothing=2.0).fit(X[:, :1], Y), "smoothing=1.0 and smoothing=2.0"),
        (tb.NaiveBayes(columns={0: "categorical"}).fit(X[:, :1], Y), "differ in what their columns mean"),
        (tb.NaiveBayes(columns=dict.fromkeys(range(3), "numeric")).fit(X, Y), "different columns"),
        (tb.NaiveBayes(columns={0: "numeric"}).fit(X[:, :1], np.arange(6) % 2), "labels of one model are texts"),
    ):
        with pytest.raises(MergeError, match=words):
            model + other
    with pytest.raises(NotFittedError):
        model + tb.NaiveBayes(columns={0: "numeric"})


def test_categories_and_classes_are_united_by_value():
    one = tb.NaiveBayes().fit([{"c": "x"}, {"c": "y"}, {"c": "x"}], ["p", "q", "q"])
    two = tb.NaiveBayes().fit([{"c": "z"}, {"c": "y"}, {"c": "z"}], ["r", "q", "q"])
    rows = [{"c": v} for v in "xyxzyz"]
    whole = tb.NaiveBayes().fit(rows, ["p", "q", "q", "r", "q", "q"])
    np.testing.assert_array_equal((one + two).predict_joint_log_proba(rows), whole.predict_joint_log_proba(rows))


# Forgetting ----------------------------------------------------------------------------------------------


@every_estimator
def test_rows_that_were_never_learned_are_refused(estimator):
    model = clone(estimator).fit(X, Y)
    kept = copy.deepcopy(model)
    with pytest.raises(MergeError, match="class 'z'"):
        model.forget(X, ["z"] * 6)
    with pytest.raises(MergeError, match="never learned"):
        model.forget(np.vstack([X, X]), [*Y, *Y])
    same(model, kept)


@every_estimator
def test_what_was_forgotten_can_be_learned_again(estimator):
    model = clone(estimator).fit(X, Y)
    if "prior=" not in repr(estimator):
        model.forget(X, Y)
        with pytest.raises(NotFittedError, match="forgotten every row"):
            model.predict(X)
        if not estimator.classes_grow:
            with pytest.raises(TargetError, match="classes must be passed on the first call"):
                model.partial_fit(X, Y)
        model.partial_fit(X, Y, classes=["a", "b"])
        np.testing.assert_allclose(
            model.predict_joint_log_proba(X), clone(estimator).fit(X, Y).predict_joint_log_proba(X), rtol=1e-12
        )


def test_a_class_and_a_value_that_lost_their_last_row_are_gone():
    rows, y = [{"c": v} for v in "xyxzz"], ["p", "q", "q", "r", "r"]
    model = tb.NaiveBayes().fit(rows, y)
    model.forget(rows[3:], y[3:])
    assert model.classes_.tolist() == ["p", "q"]
    fresh = tb.NaiveBayes().fit(rows[:3], y[:3])
    np.testing.assert_array_equal(model.predict_joint_log_proba(rows), fresh.predict_joint_log_proba(rows))


# Files ---------------------------------------------------------------------------------------------------


@every_estimator
def test_a_loaded_model_goes_on_as_if_it_had_never_been_saved(estimator, tmp_path):
    model = clone(estimator).fit(X[:4], Y[:4])
    model.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally")
    assert repr(again) == repr(model)
    same(model, again)
    same(model.partial_fit(X[4:], Y[4:]), again.partial_fit(X[4:], Y[4:]))
    same(model.forget(X[:2], Y[:2]), again.forget(X[:2], Y[:2]))
    model.save(tmp_path / "y.tally")
    again.save(tmp_path / "z.tally")
    assert (tmp_path / "y.tally").read_bytes() == (tmp_path / "z.tally").read_bytes()


def test_declared_classes_are_saved(tmp_path):
    model = tb.MultinomialNB().partial_fit(X, Y, classes=["a", "b", "c"])
    model.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally")
    assert again.classes_.tolist() == ["a", "b", "c"]
    again.partial_fit(X[:1], ["c"])


# Odds and ends -------------------------------------------------------------------------------------------


def test_array_columns_go_by_position():
    model = tb.NaiveBayes(columns={1: "categorical", 2: "ignored"}, factors={0: "histogram"}).fit(X, Y)
    assert [field.kind for field in model.schema_] == ["numeric", "categorical", "ignored"]
    other = X.copy()
    other[:, 2] = 99
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), model.predict_joint_log_proba(other))


def test_a_single_class_is_warned_of_once():
    with pytest.warns(DataWarning, match="single class, 'a'") as caught:
        model = tb.NaiveBayes(columns={0: "numeric"}).fit(X[:, :1], ["a"] * 6)
    assert len(caught) == 1
    np.testing.assert_array_equal(model.predict_proba(X[:, :1]), np.ones((6, 1)))


def test_rows_without_a_label_are_set_aside():
    labels = np.array([*Y[:4], None, None], dtype=object)
    with pytest.warns(TallyBayesWarning, match="2 of 6 rows have no label"):
        model = tb.MultinomialNB().fit(X, labels)
    same(model, tb.MultinomialNB().fit(X[:4], Y[:4]))


def test_score_is_the_accuracy():
    model = tb.MultinomialNB().fit(X, Y)
    assert model.score(X, Y) == np.mean(model.predict(X) == Y)
    weights = np.arange(1.0, 7.0)
    assert model.score(X, Y, sample_weight=weights) == pytest.approx(np.average(model.predict(X) == Y, weights=weights))


ATTRIBUTES = {
    "GaussianNB": ["theta_", "var_", "class_count_"],
    "BernoulliNB": ["feature_count_", "feature_log_prob_", "class_count_", "class_log_prior_"],
    "MultinomialNB": ["feature_count_", "feature_log_prob_", "class_count_", "class_log_prior_"],
    "ComplementNB": ["feature_count_", "feature_log_prob_", "class_count_", "class_log_prior_"],
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_are_for_looking_at(name):
    model = getattr(tb, name)().fit(X, Y)
    before = model.predict_joint_log_proba(X)
    for attribute in ATTRIBUTES[name]:
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, attribute)[:] = 0.0
    model.classes_[:] = "z"  # which is made anew for who asks
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    assert model.classes_.tolist() == ["a", "b"]


def test_a_model_keeps_nothing_of_the_arrays_it_was_given():
    rows = X.copy()
    model = tb.CategoricalNB().fit(rows, Y)
    before = model.predict_joint_log_proba(X)
    rows[:] = 0
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)


TRAINED = pd.DataFrame({"n": [0.0, 1.0, 1.5, 4.0, 5.0, 3.0], "w": list("xyxyzz"), "kind": list("aabbba")})


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "holes"])
def test_the_score_takes_what_fit_takes(missing, tmp_path):
    table = TRAINED.assign(kind=["a", None, "b", "b", "b", "a"]) if missing else TRAINED
    with pytest.warns(DataWarning, match="no label") if missing else contextlib.nullcontext():
        model = tb.NaiveBayes().fit(table, "kind")
    rows, labels = table[["n", "w"]], table["kind"]
    known = labels.notna().to_numpy()
    right = (model.predict(rows) == labels)[known].to_numpy()
    assert 0 < right.sum() < len(right)
    table.to_csv(tmp_path / "rows.csv", index=False)
    for given in ((table, "kind"), (table,), (rows, labels), (str(tmp_path / "rows.csv"),)):
        assert model.score(*given) == right.mean()
    weights = np.arange(6) + 0.5
    expected = np.average(right, weights=weights[known])
    assert model.score(table, "kind", weights) == model.score(rows, labels, weights) == pytest.approx(expected)
    assert model.score(rows, ["c"] * 6) == 0.0
    with pytest.raises(TargetError, match="nothing to score"):
        model.score(rows, [None] * 6)


def test_the_target_need_not_be_named_twice():
    model = tb.NaiveBayes().fit(TRAINED, "kind")
    before = model.predict_proba(TRAINED[["n", "w"]])
    rows, labels = TRAINED[["n", "w"]], TRAINED["kind"]
    assert model.log_likelihood(TRAINED) == model.log_likelihood(rows, labels)
    assert tb.evaluate(model, TRAINED).to_dict() == tb.evaluate(model, rows, labels).to_dict()
    model.partial_fit(TRAINED)
    assert model.tallies_["classes"].rows.tolist() == [6, 6]
    model.forget(TRAINED)
    np.testing.assert_array_equal(model.predict_proba(rows), before)
    for method in (model.partial_fit, model.forget, model.score):
        with pytest.raises(ColumnError, match="no column 'kind' to take y from"):
            method(rows)
    unnamed = tb.NaiveBayes().fit(rows, labels)
    for method in (unnamed.partial_fit, unnamed.forget, unnamed.score):
        with pytest.raises(TargetError, match=r"y to be passed|Pass y"):
            method(rows)


def test_labels_that_end_in_a_null_character_stay_apart():
    rows, labels = [["x"], ["y"]] * 3, ["a\0", "a"] * 3
    model = tb.NaiveBayes().fit(rows, labels)
    assert model.classes_.tolist() == ["a", "a\0"]
    assert model.predict(rows).tolist() == labels
    assert model.explain(rows[:1]).label.tolist() == ["a\0"]
    assert model.score(rows, labels) == 1.0
    rejecting = tb.BayesDecision(model, reject_cost=0.9, reject_label="none")
    assert rejecting.predict(rows).tolist() == labels


def test_labels_in_bytes_are_texts_everywhere():
    rows, labels = [["x"], ["y"]] * 3, np.array([b"a", b"b"] * 3)
    model = tb.NaiveBayes().fit(rows, labels)
    assert model.classes_.tolist() == ["a", "b"]
    assert model.score(rows, labels) == tb.evaluate(model, rows, labels).accuracy == 1.0
    assert tb.BayesDecision(model).score(rows, labels) == 1.0
    np.testing.assert_array_equal(model.odds(rows, b"a", b"b"), model.odds(rows, "a", "b"))
    model.partial_fit(rows, labels.tolist()).forget(rows, labels)
    assert model.tallies_["classes"].rows.tolist() == [3, 3]


@pytest.mark.parametrize(
    "estimator",
    [tb.CategoricalNB(), tb.BernoulliNB(), tb.MultinomialNB(), tb.NaiveBayes(), tb.GaussianNB(), tb.KernelNB()],
    ids=repr,
)
def test_rows_are_forgotten_by_the_weights_that_they_had(estimator):
    rng = np.random.default_rng(3)
    rows, labels = rng.integers(0, 3, (40, 3)), rng.choice(["p", "q"], 40)
    model = clone(estimator).fit(rows, labels, sample_weight=np.full(40, 0.1))
    before = model.predict_proba(rows)
    for some in (slice(20), slice(40)):
        with pytest.raises(MergeError, match="never learned"):
            model.forget(rows[some], labels[some])
        np.testing.assert_array_equal(model.predict_proba(rows), before)


@pytest.mark.parametrize("estimator", [tb.NaiveBayes(), tb.GaussianNB(), tb.KernelNB()], ids=repr)
@pytest.mark.parametrize("number", [1e6, -50.0])
def test_a_number_that_was_never_learned_is_not_forgotten(estimator, number):
    rng = np.random.default_rng(4)
    rows, labels = rng.normal(size=(40, 2)), rng.choice(["p", "q"], 40)
    model = clone(estimator).fit(rows, labels)
    before = model.predict_proba(rows)
    other = rows[:3].copy()
    other[1, 1] = number
    with pytest.raises(MergeError, match=r"never learned \(column 1 "):
        model.forget(other, labels[:3])
    np.testing.assert_array_equal(model.predict_proba(rows), before)
