"""Where other libraries raise, give NaN or answer wrongly: here they stay right."""

from __future__ import annotations

import copy
import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallybayes as tb

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def log_normal(x, mean, variance):
    """Return log N(x; mean, variance)."""
    return -0.5 * math.log(2 * math.pi * variance) - (x - mean) ** 2 / (2 * variance)


# An unseen category --------------------------------------------------------------------------------------


def test_unseen_category_scores_a_zero_count():
    rows = [{"c": "red"}, {"c": "red"}, {"c": "blue"}, {"c": "blue"}, {"c": "red"}]
    model = tb.NaiveBayes().fit(rows, ["x", "x", "x", "y", "y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = model.predict_joint_log_proba([{"c": "green"}])
    # Two values were seen, so each denominator is n + 2; an unseen value scores a count of zero.
    np.testing.assert_allclose(np.exp(got), [[3 / 5 * 1 / 5, 2 / 5 * 1 / 4]], rtol=1e-13)


def test_unseen_category_unsmoothed_is_zero_and_answered_by_the_prior():
    rows = [{"c": "red"}, {"c": "blue"}, {"c": "blue"}]
    model = tb.NaiveBayes(smoothing=0).fit(rows, ["x", "x", "y"])
    assert np.all(np.isneginf(model.predict_joint_log_proba([{"c": "green"}])))
    with pytest.warns(tb.errors.ZeroProbabilityWarning):
        np.testing.assert_allclose(model.predict_proba([{"c": "green"}]), [[2 / 3, 1 / 3]])


def test_unseen_category_in_the_drop_in():
    """scikit-learn's CategoricalNB raises IndexError here."""
    model = tb.CategoricalNB().fit([[0], [1], [1]], [0, 0, 1])
    np.testing.assert_allclose(
        np.exp(model.predict_joint_log_proba([[7]])), [[2 / 3 * 1 / 4, 1 / 3 * 1 / 3]], rtol=1e-13
    )


def test_unseen_category_leaves_the_other_columns_their_say():
    rows = [{"c": c, "d": d} for c, d in ("ru", "bu", "rv", "bv", "bv")]
    model = tb.NaiveBayes().fit(rows, [0, 0, 1, 1, 1])
    alone = tb.NaiveBayes().fit([{"d": row["d"]} for row in rows], [0, 0, 1, 1, 1])
    got = model.predict_joint_log_proba([{"c": "new", "d": "u"}])
    only_d = alone.predict_joint_log_proba([{"d": "u"}])
    np.testing.assert_allclose(got - only_d, np.log([[1 / 4, 1 / 5]]), rtol=1e-12)


# A missing cell ------------------------------------------------------------------------------------------

RNG = np.random.default_rng(7)
CLASSES = RNG.integers(0, 2, 60)
ARRAYS = {
    "gaussian": (tb.GaussianNB(), RNG.normal(CLASSES[:, None], 1.0, (60, 4))),
    "bernoulli": (tb.BernoulliNB(), RNG.integers(0, 2, (60, 4)).astype(float)),
    "categorical": (tb.CategoricalNB(), RNG.integers(0, 3, (60, 4)).astype(float)),
    "kernel": (tb.KernelNB(), RNG.normal(CLASSES[:, None], 1.0, (60, 4))),
    "naive gaussian": (tb.NaiveBayes(), RNG.normal(CLASSES[:, None], 1.0, (60, 4))),
    "naive kernel": (tb.NaiveBayes(numeric="kernel"), RNG.normal(CLASSES[:, None], 1.0, (60, 4))),
    "naive histogram": (tb.NaiveBayes(numeric="histogram"), RNG.normal(CLASSES[:, None], 1.0, (60, 4))),
}
UNSCALED = pytest.mark.parametrize("name", ARRAYS)


@UNSCALED
def test_missing_at_predict_is_the_model_without_that_column(name):
    estimator, X = ARRAYS[name]
    params = {"var_smoothing": 0.0} if name == "gaussian" else {}
    full = copy.deepcopy(estimator).set_params(**params).fit(X, CLASSES)
    without = copy.deepcopy(estimator).set_params(**params).fit(X[:, [0, 1, 3]], CLASSES)
    hidden = X[:9].copy()
    hidden[:, 2] = np.nan
    np.testing.assert_allclose(
        full.predict_joint_log_proba(hidden), without.predict_joint_log_proba(X[:9][:, [0, 1, 3]]), rtol=1e-12
    )
    nothing = full.predict_proba(np.full((1, 4), np.nan))
    np.testing.assert_allclose(nothing, [np.bincount(CLASSES) / 60], rtol=1e-12)


@UNSCALED
def test_missing_at_fit_skips_the_cell_and_keeps_the_row(name):
    """With naive columns, each column is estimated from the rows in which it is present."""
    estimator, X = ARRAYS[name]
    params = {"var_smoothing": 0.0} if name == "gaussian" else {}
    holes = X.copy()
    holes[::3, 1] = np.nan
    model = copy.deepcopy(estimator).set_params(**params).fit(holes, CLASSES)
    present = ~np.isnan(holes[:, 1])

    prior = np.log(np.bincount(CLASSES) / len(CLASSES))
    query = X[:9]
    expected = np.tile(prior, (9, 1))
    for j in range(4):
        keep = present if j == 1 else np.ones(60, dtype=bool)
        one = copy.deepcopy(estimator).set_params(**params).fit(X[keep][:, [j]], CLASSES[keep])
        inside = np.log(np.bincount(CLASSES[keep]) / keep.sum())
        expected += one.predict_joint_log_proba(query[:, [j]]) - inside
    np.testing.assert_allclose(model.predict_joint_log_proba(query), expected, rtol=1e-10)


def test_missing_counts_in_the_multinomial_model():
    """A missing count is left out; the rest of the document is scored as it stands."""
    X = np.array([[2.0, 1, 0], [1, 0, 3], [0, 2, 2], [4, 0, 1]])
    model = tb.MultinomialNB().fit(X, [0, 0, 1, 1])
    hidden = model.predict_joint_log_proba([[2, np.nan, 1]])
    np.testing.assert_allclose(hidden, model.predict_joint_log_proba([[2, 0, 1]]), rtol=1e-13)
    holes = X.copy()
    holes[1, 1] = np.nan  # was 0
    again = tb.MultinomialNB().fit(holes, [0, 0, 1, 1])
    np.testing.assert_allclose(again.predict_joint_log_proba(X), model.predict_joint_log_proba(X), rtol=1e-13)


def test_missing_text_by_hand():
    rows = [{"c": "a"}, {"c": None}, {"c": "b"}, {"c": "b"}, {"c": float("nan")}]
    model = tb.NaiveBayes(columns={"c": "categorical"}).fit(rows, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(
        np.exp(model.predict_joint_log_proba([{"c": "a"}, {"c": "b"}, {"c": None}])),
        [[3 / 5 * 2 / 4, 2 / 5 * 1 / 3], [3 / 5 * 2 / 4, 2 / 5 * 2 / 3], [3 / 5, 2 / 5]],
        rtol=1e-13,
    )


def test_missing_as_a_category():
    rows = [{"c": "a"}, {"c": None}, {"c": "b"}, {"c": "b"}, {"c": None}]
    model = tb.NaiveBayes(columns={"c": "categorical"}, missing="category").fit(rows, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(  # three values: a, b and missing
        np.exp(model.predict_joint_log_proba([{"c": None}, {"c": "a"}])),
        [[3 / 5 * 2 / 6, 2 / 5 * 2 / 5], [3 / 5 * 2 / 6, 2 / 5 * 1 / 5]],
        rtol=1e-13,
    )


def test_missing_as_a_category_of_a_numeric_column():
    """``missing="category"`` on a numeric column adds P(missing | c)."""
    X = np.array([[1.0], [2.0], [np.nan], [5.0], [7.0], [9.0], [np.nan], [np.nan]])
    y = [0, 0, 0, 1, 1, 1, 1, 1]
    model = tb.NaiveBayes(missing="category", smoothing=0, columns={0: "numeric"}).fit(X, y)
    got = np.exp(model.predict_joint_log_proba([[np.nan], [2.0]]))
    np.testing.assert_allclose(got[0], [3 / 8 * 1 / 3, 5 / 8 * 2 / 5], rtol=1e-12)
    density = [math.exp(log_normal(2, 1.5, 0.25)), math.exp(log_normal(2, 7, 8 / 3))]
    np.testing.assert_allclose(got[1], [3 / 8 * 2 / 3 * density[0], 5 / 8 * 3 / 5 * density[1]], rtol=1e-10)


def test_missing_refused():
    model = tb.NaiveBayes(missing="error")
    with pytest.raises(tb.errors.DataError, match=r"'c' has no value .* in row 3"):
        model.fit([{"c": "a"}, {"c": "b"}, {"c": None}], [0, 1, 1])
    model = tb.NaiveBayes(missing="error").fit([{"c": "a"}, {"c": "b"}, {"c": "b"}], [0, 1, 1])
    with pytest.raises(tb.errors.DataError, match="c"):
        model.predict([{"c": None}])


# Variance ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [tb.GaussianNB(), tb.GaussianNB(var_smoothing=0), tb.NaiveBayes()], ids=str)
def test_constant_feature_one_row_at_a_time(estimator):
    """scikit-learn's GaussianNB gives NaN here."""
    X = np.array([[3.0, 0.1], [3.0, 0.3], [3.0, 1.2], [3.0, 1.5]])
    y = np.array([0, 0, 1, 1])
    if isinstance(estimator, tb.NaiveBayes):
        estimator.set_params(columns={0: "numeric", 1: "numeric"})
    model = copy.deepcopy(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", tb.errors.DataWarning)
        for i in range(4):
            model.partial_fit(X[[i]], y[[i]], **({} if isinstance(model, tb.NaiveBayes) else {"classes": [0, 1]}))
        proba = model.predict_proba(X)
        once = copy.deepcopy(estimator).fit(X, y)
    assert np.isfinite(proba).all()
    assert model.predict(X).tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(proba, once.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel", "histogram"])
def test_small_scale_feature_keeps_its_say_next_to_a_large_one(numeric):
    """Only the feature of scale 1e-4 tells the classes apart; the other is noise of scale 1e3."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)  # enough for a histogram to have bins as narrow as the overlap of the classes
    X = np.column_stack([1e-4 * rng.normal(4.0 * y, 1.0), 1e3 * rng.normal(size=2000)])
    model = tb.NaiveBayes(numeric=numeric).fit(X, y)
    scaled = tb.NaiveBayes(numeric=numeric).fit(X * [1e4, 1e-3], y)
    assert np.mean(model.predict(X) == y) > 0.95
    # The grid of a sketch is one of powers of two, which another scale moves by less than a bandwidth shows.
    rtol = 1e-3 if numeric == "kernel" else 1e-9
    np.testing.assert_allclose(model.predict_proba(X), scaled.predict_proba(X * [1e4, 1e-3]), rtol=rtol, atol=1e-300)


def test_variance_floor_is_a_maximum_and_never_added():
    """The very variance of the rows comes out, with nothing added to it."""
    X = np.array([[1e-4], [3e-4], [1.0], [3.0]])
    model = tb.NaiveBayes(columns={0: "numeric"}).fit(X, [0, 0, 1, 1])
    got = model.predict_joint_log_proba([[2.5e-4]])
    expected = [math.log(0.5) + log_normal(2.5e-4, 2e-4, 1e-8), math.log(0.5) + log_normal(2.5e-4, 2.0, 1.0)]
    np.testing.assert_allclose(got, [expected], rtol=1e-9)


# Classes and columns that come and go --------------------------------------------------------------------


def test_class_that_first_appears_in_the_second_batch():
    first = [{"c": "a", "x": 1.5}, {"c": "b", "x": 2.5}, {"c": "a", "x": 1.0}]
    second = [{"c": "z", "x": 7.5}, {"c": "b", "x": 8.0}, {"c": "b", "x": 3.25}]
    model = tb.NaiveBayes(columns={"c": "categorical", "x": "numeric"})
    model.partial_fit(first, ["m", "p", "m"]).partial_fit(second, ["a", "a", "p"])
    whole = tb.NaiveBayes(columns={"c": "categorical", "x": "numeric"})
    whole.fit(first + second, ["m", "p", "m", "a", "a", "p"])
    assert model.classes_.tolist() == ["a", "m", "p"]
    np.testing.assert_allclose(
        model.predict_joint_log_proba(first + second), whole.predict_joint_log_proba(first + second), rtol=1e-12
    )


@pytest.mark.parametrize("fit_with", FRAMES)
@pytest.mark.parametrize("predict_with", FRAMES)
def test_column_order_may_change(fit_with, predict_with):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 40)
    data = {
        "length": (rng.normal(size=40) + 3 * y).tolist(),
        "width": (10 - rng.normal(size=40) - 3 * y).tolist(),
        "colour": rng.choice(["red", "blue"], 40).tolist(),
    }
    model = tb.NaiveBayes().fit(FRAMES[fit_with](data), y)
    turned = {name: data[name] for name in ("colour", "width", "length")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(
            model.predict_joint_log_proba(FRAMES[predict_with](turned)),
            model.predict_joint_log_proba(FRAMES[fit_with](data)),
        )


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("estimator", [tb.GaussianNB(), tb.BernoulliNB(), tb.MultinomialNB()], ids=str)
def test_column_order_may_change_in_the_drop_ins(frame, estimator):
    data = {"p": [0.0, 1.0, 1.0, 0.0, 2.0], "q": [5.0, 0.0, 1.0, 4.0, 0.0]}
    model = copy.deepcopy(estimator).fit(frame(data), [0, 1, 1, 0, 1])
    np.testing.assert_array_equal(
        model.predict_proba(frame({"q": data["q"], "p": data["p"]})), model.predict_proba(frame(data))
    )


# Strings straight from CSV -------------------------------------------------------------------------------


def test_strings_straight_from_csv(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text(
        "coat,weight,vaccinated,kind\n"
        "short,4.1,true,cat\nlong,5.2,true,cat\nshort,,false,cat\n"
        "short,30.5,true,dog\ncurly,11.0,true,dog\n,22.4,true,dog\n",
        encoding="utf-8",
    )
    new = tmp_path / "new.csv"
    new.write_text("weight,coat,vaccinated\n4.4,short,true\n25,wiry,true\n,,\n", encoding="utf-8")
    for source in (path, str(path)):
        model = tb.NaiveBayes().fit(source, y="kind")
        assert model.classes_.tolist() == ["cat", "dog"]
        assert model.predict(new).tolist()[:2] == ["cat", "dog"]
        proba = model.predict_proba(new)
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba[2], [0.5, 0.5], rtol=1e-12)  # nothing known: the prior

    coat = {"cat": 3 / 6, "dog": 2 / 5}  # short: (2 + 1) / (3 + 3) and (1 + 1) / (2 + 3)
    got = dict(
        zip(
            model.classes_,
            np.exp(
                model.predict_joint_log_proba(
                    pa.table(
                        {
                            "coat": ["short"],
                            "weight": pa.array([None], pa.float64()),
                            "vaccinated": pa.array([None], pa.bool_()),
                        }
                    )
                )[0]
            ),
            strict=True,
        )
    )
    assert got == {label: pytest.approx(0.5 * p, rel=1e-12) for label, p in coat.items()}
