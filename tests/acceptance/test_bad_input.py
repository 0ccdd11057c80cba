"""Bad input: one clear error of the project's own tree, which names the thing and says what to do."""

from __future__ import annotations

import copy
import json
import struct
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import tallybayes as tb
from tallybayes import errors

MIXED = {"colour": ["r", "g", "r", "b"], "size": [1.5, 2.5, 3.5, 4.25]}
ESTIMATORS = [
    tb.NaiveBayes(),
    tb.NaiveBayes(numeric="kernel"),
    tb.NaiveBayes(numeric="histogram"),
    tb.GaussianNB(),
    tb.BernoulliNB(),
    tb.MultinomialNB(),
    tb.ComplementNB(),
    tb.CategoricalNB(),
    tb.KernelNB(),
    tb.TAN(),
    tb.KDB(),
    tb.AutoBayes(candidates=["tan", "kdb"]),
    tb.SPODE(),
    tb.SPODE(superparent=0, numeric="gaussian", discretize={0: [1.0]}),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)

X = np.array([[1, 0, 2], [0, 1, 2], [3, 1, 0], [2, 2, 1], [0, 3, 1], [1, 1, 1]])
Y = np.array([0, 0, 1, 1, 0, 1])


def refused(call, *words, kind=ValueError):
    """Return the message of the one error that ``call`` gives, after asking that it be a good one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(errors.TallyBayesError) as caught:
            call()
    assert isinstance(caught.value, kind), type(caught.value).__mro__
    message = str(caught.value)
    assert len(message) > 20, message
    assert "\n\n" not in message
    assert "Traceback" not in message
    for word in words:
        assert word.lower() in message.lower(), f"{word!r} is not in: {message}"
    return message


def clone(estimator):
    """Return a fresh, unfitted copy."""
    return copy.deepcopy(estimator)


# Rows ----------------------------------------------------------------------------------------------------


@every_estimator
def test_no_rows(estimator):
    refused(lambda: clone(estimator).fit(X[:0], Y[:0]))


@every_estimator
def test_no_columns(estimator):
    refused(lambda: clone(estimator).fit(X[:, :0], Y))


@pytest.mark.parametrize(
    "empty",
    [[], pd.DataFrame({"a": []}), pd.DataFrame(), pa.table({"a": pa.array([], pa.string())})],
    ids=["list", "frame", "frame without columns", "table"],
)
def test_no_rows_in_other_sources(empty):
    refused(lambda: tb.NaiveBayes().fit(empty, []))


@pytest.mark.parametrize("text", ["", "a,b,y\n"], ids=["empty file", "header alone"])
def test_empty_csv(tmp_path, text):
    path = tmp_path / "empty.csv"
    path.write_text(text)
    refused(lambda: tb.NaiveBayes().fit(path, y="y"), "empty.csv" if not text else "row")


@every_estimator
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values(estimator, value):
    bad = X.astype(float)
    bad[2, 1] = value
    refused(lambda: clone(estimator).fit(bad, Y), "inf")
    fitted = clone(estimator).fit(X.astype(float), Y)
    if in_bins(estimator):  # the outer bins have no end
        bad[:, [0, 2]], far = X[:, [0, 2]], np.where(np.isinf(bad), np.sign(value) * 1e9, bad)
        np.testing.assert_array_equal(fitted.predict_proba(bad), fitted.predict_proba(far))
        return
    refused(lambda: fitted.predict(bad), "inf")


def in_bins(estimator):
    return getattr(estimator, "numeric", None) == "bins" or isinstance(estimator, tb.AutoBayes)


def test_infinite_values_are_named_by_column():
    refused(lambda: tb.NaiveBayes().fit({**MIXED, "size": [1.0, np.inf, 2.0, 3.0]} | {}, [0, 1, 0, 1]), kind=TypeError)
    frame = pd.DataFrame(MIXED | {"size": [1.0, np.inf, 2.0, 3.0]})
    refused(lambda: tb.NaiveBayes().fit(frame, [0, 1, 0, 1]), "size", "inf")


def test_mixed_types_in_a_column():
    rows = [{"zip": 1}, {"zip": "a"}, {"zip": 2.5}, {"zip": "b"}]
    refused(lambda: tb.NaiveBayes().fit(rows, [0, 1, 0, 1]), "zip")
    refused(lambda: tb.NaiveBayes().fit(pd.DataFrame(rows), [0, 1, 0, 1]), "zip")
    refused(lambda: tb.NaiveBayes().fit(np.array([[1], ["a"], [2], ["b"]], dtype=object), [0, 1, 0, 1]), "0")


@every_estimator
def test_rows_and_labels_of_different_length(estimator):
    message = refused(lambda: clone(estimator).fit(X, Y[:-1]))
    assert "6" in message
    assert "5" in message


def test_unreadable_type():
    refused(lambda: tb.NaiveBayes().fit(object(), Y), "object", kind=TypeError)


# Files ---------------------------------------------------------------------------------------------------


def test_ragged_csv(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,b,y\n1,2,p\n1,2,3,q\n4,5,q\n")
    refused(lambda: tb.NaiveBayes().fit(path, y="y"), "ragged.csv")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "jsonl"])
def test_file_that_is_not_what_its_ending_says(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    path.write_text("a,b,y\n1,2,p\n3,4,q\n")
    refused(lambda: tb.NaiveBayes().fit(path, y="y"), f"table.{ending}")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "arrow"])
def test_parquet_under_another_ending(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    pq.write_table(pa.table({"a": list(range(50)), "y": ["p", "q"] * 25}), path)
    refused(lambda: tb.NaiveBayes().fit(path, y="y"), f"table.{ending}")


def test_unknown_ending(tmp_path):
    path = tmp_path / "table.docx"
    path.write_bytes(b"PK\x03\x04")
    refused(lambda: tb.NaiveBayes().fit(path, y="y"), "docx", "csv", kind=Exception)


def test_file_that_is_not_there(tmp_path):
    refused(lambda: tb.NaiveBayes().fit(tmp_path / "nowhere.csv", y="y"), "nowhere.csv", kind=Exception)


def test_path_without_a_target(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,kind\n1,p\n2,q\n")
    refused(lambda: tb.NaiveBayes().fit(path), "y", kind=Exception)


# Columns -------------------------------------------------------------------------------------------------


def test_target_column_that_is_not_there(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,kind\n1,p\n2,q\n")
    refused(lambda: tb.NaiveBayes().fit(path, y="knid"), "knid", "kind")
    refused(lambda: tb.NaiveBayes().fit(pd.DataFrame(MIXED), y="color"), "color", "colour")


@pytest.mark.parametrize("option", [{"columns": {"colur": "categorical"}}, {"factors": {"colur": "categorical"}}])
def test_option_for_a_column_that_is_not_there(option):
    refused(lambda: tb.NaiveBayes(**option).fit(pd.DataFrame(MIXED), [0, 1, 0, 1]), "colur", "colour")


def test_column_missing_at_predict():
    model = tb.NaiveBayes().fit(pd.DataFrame(MIXED), [0, 1, 0, 1])
    refused(lambda: model.predict(pd.DataFrame({"colour": ["r"]})), "size")
    refused(lambda: model.predict([{"colour": "r", "siez": 2.0}]), "size")


def test_column_that_is_there_twice():
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"])
    refused(lambda: tb.NaiveBayes().fit(frame, [0, 1]), "a")


@every_estimator
def test_wrong_number_of_array_columns_at_predict(estimator):
    model = clone(estimator).fit(X, Y)
    refused(lambda: model.predict(X[:, :2]))


def test_text_where_numbers_are_expected():
    frame = pd.DataFrame(MIXED)
    refused(lambda: tb.NaiveBayes(columns={"colour": "numeric"}).fit(frame, [0, 1, 0, 1]), "colour")
    for estimator in (tb.GaussianNB(), tb.KernelNB(), tb.MultinomialNB()):
        refused(lambda estimator=estimator: estimator.fit(frame, [0, 1, 0, 1]), "colour")
    model = tb.NaiveBayes().fit(frame, [0, 1, 0, 1])
    refused(lambda: model.predict([{"colour": "r", "size": "large"}]), "size")


@pytest.mark.parametrize("estimator", [tb.MultinomialNB(), tb.ComplementNB(), tb.CategoricalNB()], ids=repr)
def test_negative_counts(estimator):
    refused(lambda: clone(estimator).fit(-X, Y), "negative")
    model = clone(estimator).fit(X, Y)
    refused(lambda: model.predict(-X), "negative")
    refused(lambda: model.partial_fit(-X, Y), "negative")


def test_negative_counts_in_a_sparse_matrix():
    refused(lambda: tb.MultinomialNB().fit(sp.csr_matrix(-X), Y), "negative")


def test_negative_counts_in_a_count_column():
    frame = pd.DataFrame({"eggs": [0, 1, -2, 3]})
    refused(lambda: tb.NaiveBayes(columns={"eggs": "count"}).fit(frame, [0, 1, 0, 1]), "eggs", "negative")


# Targets -------------------------------------------------------------------------------------------------


@every_estimator
@pytest.mark.parametrize("target", [[None] * 6, [np.nan] * 6], ids=["None", "NaN"])
def test_all_targets_missing(estimator, target):
    refused(lambda: clone(estimator).fit(X, np.array(target, dtype=object)))


def test_all_targets_missing_in_a_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,kind\n1,\n2,\n")
    refused(lambda: tb.NaiveBayes().fit(path, y="kind"), "kind")


@pytest.mark.parametrize("estimator", [tb.NaiveBayes(), tb.NaiveBayes(numeric="kernel")], ids=repr)
def test_a_single_class_trains_with_a_warning(estimator):
    with pytest.warns(errors.TallyBayesWarning, match="class"):
        model = clone(estimator).fit(X, np.zeros(6, dtype=int))
    assert model.classes_.tolist() == [0]
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((6, 1)))


@every_estimator
def test_a_single_class_trains(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = clone(estimator).fit(X, np.array(["only"] * 6))
    assert model.predict(X).tolist() == ["only"] * 6


# Weights -------------------------------------------------------------------------------------------------


@every_estimator
@pytest.mark.parametrize(
    "weights",
    [[1, 1, -1, 1, 1, 1], [1, 1, np.nan, 1, 1, 1], [1, 1, np.inf, 1, 1, 1], [1, 1], [0, 0, 0, 0, 0, 0]],
    ids=["negative", "NaN", "infinite", "too few", "all zero"],
)
def test_weights(estimator, weights):
    refused(lambda: clone(estimator).fit(X, Y, sample_weight=np.array(weights, dtype=float)), "weight")


# Options -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"smoothing": -1}, "smoothing"),
        ({"smoothing": np.nan}, "smoothing"),
        ({"prior_smoothing": -0.5}, "prior_smoothing"),
        ({"numeric": "gausian"}, "gaussian"),
        ({"missing": "drop"}, "marginalize"),
        ({"prior": "flat"}, "uniform"),
        ({"prior": {0: 0.5, 1: 0.6}}, "prior"),
        ({"prior": {0: -0.5, 1: 1.5}}, "prior"),
        ({"prior": {0: 0.5, 7: 0.5}}, "7"),
        ({"prior": [0.2, 0.3, 0.5]}, "prior"),
        ({"columns": {0: "categoric"}}, "categorical"),
        ({"columns": {9: "categorical"}}, "9"),
        ({"factors": {0: "normal"}}, "gaussian"),
        ({"ddof": -1}, "ddof"),
    ],
    ids=str,
)
def test_options(options, word):
    refused(lambda: tb.NaiveBayes(**options).fit(X, Y), word)


@pytest.mark.parametrize(
    "estimator",
    [
        tb.GaussianNB(var_smoothing=-1),
        tb.BernoulliNB(alpha=-1),
        tb.BernoulliNB(smoothing="dense"),
        tb.MultinomialNB(alpha=-1),
        tb.ComplementNB(alpha=-1),
        tb.CategoricalNB(alpha=-1),
        tb.KernelNB(bandwidth="silvermann"),
        tb.KernelNB(bandwidth=0),
        tb.KernelNB(bandwidth=-1.0),
    ],
    ids=repr,
)
def test_options_of_the_others(estimator):
    refused(lambda: clone(estimator).fit(X, Y))


@every_estimator
def test_not_fitted(estimator):
    fresh = clone(estimator)
    for call in (
        lambda: fresh.predict(X),
        lambda: fresh.predict_proba(X),
        lambda: fresh.predict_joint_log_proba(X),
        lambda: fresh.forget(X, Y),
        lambda: fresh + fresh,
        lambda: fresh.save("never.tally"),
    ):
        refused(call, "fit", kind=Exception)


# Costs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [
        np.zeros((3, 3)),
        np.zeros((2, 3)),
        [0, 1],
        [[0, np.nan], [1, 0]],
        [[0, np.inf], [1, 0]],
        [[0, 1], [1]],
        {(0, 7): 1.0},
        {(0, 1): np.nan},
        {0: 1.0},
        "expensive",
    ],
    ids=str,
)
def test_costs(costs):
    message = refused(lambda: tb.BayesDecision(tb.NaiveBayes(), costs=costs).fit(X, Y).predict(X), kind=Exception)
    assert "cost" in message.lower()
    fitted = tb.NaiveBayes().fit(X, Y)
    refused(lambda: tb.BayesDecision(fitted, costs=costs).predict(X), "cost", kind=Exception)


def test_reject_cost():
    for cost in (np.nan, "much"):
        refused(
            lambda cost=cost: tb.BayesDecision(tb.NaiveBayes(), reject_cost=cost).fit(X, Y).predict(X),
            "reject_cost",
            kind=Exception,
        )


# Model files ---------------------------------------------------------------------------------------------


def test_model_file_that_claims_two_gigabytes(tmp_path):
    """A kilobyte that says it holds an array of 2 GB is refused by its size alone."""
    size = 2 * 1024**3
    header = json.dumps({"x": {"dtype": "F64", "shape": [size // 8], "data_offsets": [0, size]}}).encode()
    path = tmp_path / "claim.tally"
    path.write_bytes((struct.pack("<Q", len(header)) + header).ljust(1024, b"\0"))
    refused(lambda: tb.load(path), "claim.tally")
    path.write_bytes(struct.pack("<Q", size) + b"{" + b" " * 1015)  # the header itself claims 2 GB
    refused(lambda: tb.load(path), "claim.tally")


# Nothing fitted is lost ----------------------------------------------------------------------------------

BAD_UPDATES = {
    "infinite": (np.where(X == 3, np.inf, X), Y, None),
    "too few labels": (X, Y[:2], None),
    "missing targets": (X, np.array([None] * 6, dtype=object), None),
    "negative weight": (X, Y, -np.ones(6)),
    "another width": (X[:, :2], Y, None),
    "no rows": (X[:0], Y[:0], None),
    "text": (np.array([["a", "b", "c"]] * 6, dtype=object), Y, None),
}


@every_estimator
@pytest.mark.parametrize("bad", BAD_UPDATES)
def test_a_failing_update_loses_nothing(estimator, bad, tmp_path):
    model = clone(estimator).fit(X, Y)
    before = model.predict_proba(X)
    path = tmp_path / "before.tally"
    model.save(path)
    rows, labels, weights = BAD_UPDATES["text" if bad == "infinite" and in_bins(estimator) else bad]
    refused(lambda: model.partial_fit(rows, labels, sample_weight=weights), kind=Exception)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    refused(lambda: model.forget(rows, labels), kind=Exception) if weights is None else None
    np.testing.assert_array_equal(model.predict_proba(X), before)

    model.partial_fit(X, Y)  # and it goes on learning as if nothing had happened
    np.testing.assert_array_equal(model.predict_proba(X), tb.load(path).partial_fit(X, Y).predict_proba(X))


def test_forgetting_what_was_never_learned():
    model = tb.NaiveBayes().fit(pd.DataFrame(MIXED), [0, 1, 0, 1])
    before = model.predict_proba(pd.DataFrame(MIXED))
    refused(lambda: model.forget(pd.DataFrame({"colour": ["violet"], "size": [1.5]}), [0]))
    refused(lambda: model.forget(pd.DataFrame({"colour": ["r"], "size": [1.5]}), ["stranger"]))
    np.testing.assert_array_equal(model.predict_proba(pd.DataFrame(MIXED)), before)


def test_adding_models_that_do_not_fit_together():
    one = tb.NaiveBayes().fit(pd.DataFrame(MIXED), [0, 1, 0, 1])
    refused(lambda: one + tb.GaussianNB().fit(X, Y), "NaiveBayes", "GaussianNB")
    refused(lambda: one + tb.NaiveBayes().fit(pd.DataFrame({"colour": ["r", "g"]}), [0, 1]), "size")
    refused(lambda: one + 3, "NaiveBayes", "int")
