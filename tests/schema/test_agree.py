"""Later batches and other models: values grow, kinds do not."""

from __future__ import annotations

import ast
import datetime as dt
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

import tallybayes as tb
from tallybayes import errors
from tests.sources.asking import refused

N = 30
LABELS = ["p", "q"] * (N // 2)
MANY = list(range(N))
FEW = [1, 2] * (N // 2)
FLOATS = [i / 7 for i in range(N)]
TEXTS = ["x", "y"] * (N // 2)
TRUTH = [True, False] * (N // 2)
DATES = [dt.date(2024, 1, 1) + dt.timedelta(i) for i in range(N)]
HOURS = [dt.timedelta(hours=i) for i in range(N)]
NOTHING = pa.nulls(N)


def table(cells):
    return pa.table({"a": cells, "b": FLOATS})


def learn(first, second, **options):
    return tb.NaiveBayes(**options).fit(table(first), LABELS).partial_fit(table(second), LABELS)


@pytest.mark.parametrize(
    ("first", "second", "was", "now", "remedy"),
    [
        (MANY, TEXTS, "numeric (integers, more than 10 distinct values)", "texts", "categorical"),
        (TEXTS, MANY, "categorical (texts, 2 distinct values)", "integers", "categorical"),
        (FLOATS, TEXTS, "numeric (numbers)", "texts", "categorical"),
        (TRUTH, TEXTS, "boolean (true or false)", "texts", "categorical"),
        (TRUTH, MANY, "boolean (true or false)", "integers besides 0 and 1", "numeric"),
        (TRUTH, FLOATS, "boolean (true or false)", "numbers besides 0 and 1", "numeric"),
        (MANY, TRUTH, "numeric (integers, more than 10 distinct values)", "true or false", "numeric"),
        (FEW, TRUTH, "categorical (integers, 2 distinct values)", "true or false", "categorical"),
        (FEW, MANY, "categorical (integers, 2 distinct values)", "integers, more than 10 distinct values", "numeric"),
        (FEW, FLOATS, "categorical (integers, 2 distinct values)", "numbers with fractions", "numeric"),
        (FEW, [float(i) for i in MANY], "categorical", "whole numbers, more than 10 distinct values", "numeric"),
        (DATES, MANY, "numeric (dates, as days since 1970-01-01)", "integers", "ignored"),
        (MANY, DATES, "numeric (integers, more than 10 distinct values)", "dates", "ignored"),
        (DATES, TEXTS, "numeric (dates, as days since 1970-01-01)", "texts", "categorical"),
        (DATES, HOURS, "numeric (dates, as days since 1970-01-01)", "durations, in days", "ignored"),
        (HOURS, [dt.time(i % 24) for i in range(N)], "numeric (durations, in days)", "times of day", "ignored"),
        (FLOATS, pa.array(FLOATS).dictionary_encode(), "numeric (numbers)", "categories", "categorical"),
    ],
)
def test_a_batch_of_another_kind_is_refused(first, second, was, now, remedy):
    model = tb.NaiveBayes().fit(table(first), LABELS)
    before = model.predict_proba(table(first))
    words = f"'a' was {was}", f"now holds {now}", f"columns={{'a': '{remedy}'}}"
    refused(lambda: model.partial_fit(table(second), LABELS), *words, kind=errors.KindError)
    np.testing.assert_array_equal(model.predict_proba(table(first)), before)
    if remedy != "ignored":  # what the message says is right for both
        assert learn(first, second, columns={"a": remedy}).schema_["a"].kind == remedy


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (MANY, FLOATS),
        (MANY, FEW),
        (FLOATS, MANY),
        (FLOATS, FEW),
        (FEW, [float(i) for i in FEW]),
        (FEW, [None, 7] * (N // 2)),
        (TRUTH, [0, 1] * (N // 2)),
        (TRUTH, [None, 1.0] * (N // 2)),
        (TEXTS, ["z", None] * (N // 2)),
        (TEXTS, pa.array(TEXTS).dictionary_encode()),
        (pa.array(TEXTS).dictionary_encode(), ["z", "x"] * (N // 2)),
        (pa.array([0.5, 1.5] * (N // 2)).dictionary_encode(), FLOATS),
        (DATES, [dt.datetime(2024, 5, 1, i % 24) for i in range(N)]),
        (DATES, pa.array([dt.datetime(2024, 5, 1, i % 24) for i in range(N)], pa.timestamp("us", "UTC"))),
        (TEXTS, NOTHING),
        (MANY, NOTHING),
        (TRUTH, NOTHING),
    ],
)
def test_a_batch_that_says_nothing_else_is_taken(first, second):
    model = learn(first, second)
    assert model.schema_ == tb.NaiveBayes().fit(table(first), LABELS).schema_
    assert np.isfinite(model.predict_proba(table(first))).all()


IDS = [f"k{i}" for i in range(N)]
EVERYTHING = {
    "many": MANY,
    "few": FEW,
    "bits": [0, 1] * (N // 2),
    "floats": FLOATS,
    "texts": TEXTS,
    "truth": TRUTH,
    "dates": DATES,
    "hours": HOURS,
    "clock": [dt.time(i % 24) for i in range(N)],
    "nothing": NOTHING,
    "ids": IDS,
    "listed": pa.array([0.5, 1.5] * (N // 2)).dictionary_encode(),
    "listed texts": pa.array(TEXTS).dictionary_encode(),
}


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
@pytest.mark.parametrize("second", EVERYTHING)
@pytest.mark.parametrize("first", EVERYTHING)
def test_whatever_is_refused_the_kind_that_is_named_fits_both(first, second):
    """Both for a later batch and for two models; and what adds is also taken as a batch."""
    one, other = EVERYTHING[first], EVERYTHING[second]
    taken = set()
    for way in (learn, both):
        try:
            way(one, other)
            taken.add(way)
        except (errors.KindError, errors.MergeError) as error:
            said = ast.literal_eval(re.search(r"columns=(\{.*?\})", str(error))[1])
            model = way(one, other, columns=said)
            assert np.isfinite(model.predict_proba(table(one))).all()
    assert taken != {both}
    if first == second:
        assert taken == {learn, both}


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
@pytest.mark.parametrize(
    ("first", "second", "was", "now", "remedy"),
    [
        (NOTHING, FLOATS, "ignored (no value at all)", "numbers", "numeric"),
        (NOTHING, [None] * (N - 1) + [True], "ignored (no value at all)", "true or false", "boolean"),
        (NOTHING, FEW, "ignored (no value at all)", "integers", "categorical"),
        (IDS, FLOATS, "ignored (texts, all different, as of an id)", "numbers", "ignored"),
        (IDS, [None] * (N - 1) + [7], "ignored (texts, all different, as of an id)", "integers", "ignored"),
        (IDS, TEXTS, "ignored (texts, all different, as of an id)", "texts", "categorical"),
    ],
)
def test_what_was_set_aside_does_not_become_something_in_silence(first, second, was, now, remedy):
    model = tb.NaiveBayes().fit(table(first), LABELS)
    words = f"'a' was {was}", f"now holds {now}", f"columns={{'a': '{remedy}'}}"
    refused(lambda: model.partial_fit(table(second), LABELS), *words, kind=errors.KindError)
    assert learn(first, second, columns={"a": remedy}).schema_["a"].kind == remedy


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
@pytest.mark.parametrize(
    ("first", "second"),
    [(IDS, [f"u{i}" for i in range(N)]), (IDS, ["k1", *IDS[1:]]), (NOTHING, NOTHING), (NOTHING, IDS), (IDS, NOTHING)],
)
def test_what_was_set_aside_stays_so_where_it_may(first, second):
    assert learn(first, second).schema_["a"].kind == "ignored"


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
def test_a_few_texts_do_not_look_like_ids_and_that_is_no_reason():
    model = tb.NaiveBayes().fit(table(IDS), LABELS)
    model.partial_fit(pa.table({"a": ["k1", "k1", "k2"], "b": FLOATS[:3]}), ["p", "q", "p"])
    assert model.summary().rows.sum() == N + 3


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
@pytest.mark.parametrize(
    ("first", "second", "remedy"),
    [
        (NOTHING, FLOATS, "numeric"),
        (TEXTS, FLOATS, "ignored"),
        (DATES, TEXTS, "ignored"),
        (FEW, FLOATS, "numeric"),
        (TRUTH, [0, 1] * (N // 2), "numeric"),
        (IDS, TEXTS, "categorical"),
    ],
)
def test_what_models_that_do_not_add_are_told(first, second, remedy):
    """The kind of the first is often the wrong one."""
    for one, other in ((first, second), (second, first)):
        refused(lambda one=one, other=other: both(one, other), f"columns={{'a': '{remedy}'}}", kind=errors.MergeError)


def test_one_error_names_all_columns():
    model = tb.NaiveBayes().fit(pa.table({"a": MANY, "b": TEXTS, "c": FLOATS}), LABELS)
    words = "'a' was", "'b' was", "columns={'a': 'categorical', 'b': 'categorical'}"
    other = pa.table({"c": FLOATS, "b": FLOATS, "a": TEXTS})
    message = refused(lambda: model.partial_fit(other, LABELS), *words, kind=errors.KindError)
    assert "'c'" not in message


def test_few_rows_are_not_held_to_what_they_looked_like():
    """Two rows do not tell numbers from categories; when there are enough rows, that is said."""
    first = pa.table({"a": [1, 2]})
    assert (
        tb.NaiveBayes().fit(first, ["p", "q"]).partial_fit(pa.table({"a": MANY}), LABELS).schema_["a"].kind == "numeric"
    )
    words = "integers, 2 distinct values in 30 rows", "columns={'a': 'categorical'}"
    model = tb.NaiveBayes().fit(first, ["p", "q"])
    refused(lambda: model.partial_fit(pa.table({"a": FEW}), LABELS), *words, kind=errors.KindError)


def test_values_and_classes_grow():
    model = tb.NaiveBayes().fit(table(["x", "y"] * 15), LABELS)
    model.partial_fit(table(["绿", None] * 15), ["r", "p"] * 15)
    assert model.classes_.tolist() == ["p", "q", "r"]
    assert list(model.tallies_["categorical"].values[0]) == ["x", "y", "绿"]


def test_matrices_agree_too():
    model = tb.NaiveBayes().fit(np.array([[i % 3] for i in range(N)]), LABELS)
    refused(
        lambda: model.partial_fit(np.array([[i] for i in range(N)]), LABELS),
        "0 was categorical",
        "columns={0: 'numeric'}",
        kind=errors.KindError,
    )
    counts = sparse.csr_array(np.array([[i % 3, 1] for i in range(N)]))
    with pytest.warns(errors.DataWarning, match="one value only"):
        model = tb.NaiveBayes().fit(counts, LABELS)
    model.partial_fit(counts, LABELS)
    refused(lambda: model.partial_fit(counts * 0.5, LABELS), "0 was count", "now holds numbers", kind=errors.KindError)
    refused(lambda: model.partial_fit(counts * -1, LABELS), "0 was count", kind=errors.KindError)


def test_a_text_file_is_held_to_its_columns(tmp_path):
    def write(cells):
        path = tmp_path / "t.csv"
        path.write_text("a,y\n" + "".join(f"{cell},{y}\n" for cell, y in zip(cells, LABELS, strict=True)))
        return path

    model = tb.NaiveBayes().fit(write(FEW), "y")
    refused(
        lambda: model.partial_fit(write(TEXTS), "y"), "'a' was categorical", "now holds texts", kind=errors.KindError
    )
    refused(lambda: model.partial_fit(write(MANY), "y"), "columns={'a': 'numeric'}", kind=errors.KindError)
    model.partial_fit(write([*FEW[:-1], "6+"]), "y")
    assert list(model.tallies_["categorical"].values[0]) == [1, 2, "6+"]
    model = tb.NaiveBayes().fit(write(TEXTS), "y")
    model.partial_fit(write(FEW), "y")  # texts may write numbers
    assert list(model.tallies_["categorical"].values[0]) == ["1", "2", "x", "y"]


# Two models ----------------------------------------------------------------------------------------------


def both(first, second, **options):
    one, other = (tb.NaiveBayes(**options).fit(table(cells), LABELS) for cells in (first, second))
    return one + other


@pytest.mark.parametrize(
    ("first", "second"),
    [(MANY, TEXTS), (FEW, MANY), (TRUTH, FEW), (DATES, HOURS), (DATES, MANY), (TEXTS, TRUTH), (FEW, TEXTS)],
)
def test_models_of_other_kinds_do_not_add(first, second):
    words = "'a' is", "in the first and", "columns={'a': "
    refused(lambda: both(first, second), *words, kind=errors.MergeError)
    refused(lambda: both(second, first), *words, kind=errors.MergeError)


@pytest.mark.parametrize(
    ("first", "second"), [(MANY, FLOATS), (FEW, [3, 1] * 15), (DATES, DATES[::-1]), (TEXTS, ["z"] * 29 + ["x"])]
)
def test_models_of_the_same_kinds_add(first, second):
    model = both(first, second)
    twice = tb.NaiveBayes().fit(
        pa.concat_tables([table(first), table(second)], promote_options="permissive"), LABELS * 2
    )
    np.testing.assert_allclose(model.predict_proba(table(first)), twice.predict_proba(table(first)), rtol=1e-9)


def test_models_of_other_columns_do_not_add():
    one = tb.NaiveBayes().fit(pa.table({"a": FLOATS, "b": FLOATS}), LABELS)
    other = tb.NaiveBayes().fit(pa.table({"b": FLOATS, "c": FLOATS}), LABELS)
    refused(lambda: one + other, "only the first has 'a'", "only the second has 'c'", kind=errors.MergeError)


def test_columns_of_models_may_stand_in_another_order():
    frame = pd.DataFrame({"a": FLOATS, "b": TEXTS})
    one, other = tb.NaiveBayes().fit(frame, LABELS), tb.NaiveBayes().fit(frame[["b", "a"]], LABELS)
    twice = tb.NaiveBayes().fit(pd.concat([frame, frame]), LABELS * 2)
    np.testing.assert_allclose((one + other).predict_proba(frame), twice.predict_proba(frame), rtol=1e-9)


def test_two_models_of_texts_one_of_which_had_few_are_told_to_say_text():
    def model(n):
        body = [f"this is the message number {i} of many" for i in range(n)]
        return tb.NaiveBayes().fit(pa.table({"body": body}), ["a", "b"] * (n // 2))

    with pytest.raises(errors.MergeError, match=r"columns=\{'body': 'text'\}"):
        model(30) + model(10)
