from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import tallybayes as tb
from tallybayes import errors
from tallybayes.schema.infer import RULES, fixed, infer
from tallybayes.schema.profile import FEW
from tallybayes.schema.rows import Rows
from tallybayes.sources import open_source

N = 40


def look(cells, columns=None, *, text=False):
    """Return what is inferred of one column, and what is warned of."""
    if not isinstance(cells, pa.Array):
        cells = pa.array(cells)
    rows = Rows(pa.RecordBatch.from_arrays([cells], names=["c"]), ("c",), text=text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        [field] = infer(rows, columns, named=True)
    return field, [str(w.message) for w in caught]


KINDS = {
    "truth": ([True, False] * 20, "boolean", "boolean", "true or false"),
    "10 integers": ([i % 10 for i in range(N)], "categorical", "integer", "integers, 10 distinct values"),
    "11 integers": ([i % 11 for i in range(N)], "numeric", "integer", "integers, more than 10 distinct values"),
    "each twice": ([i // 2 for i in range(20)], "categorical", "integer", "integers, 10 distinct values"),
    "not each twice": ([i // 2 for i in range(19)], "numeric", "integer", "integers, 10 distinct values"),
    "far apart": ([10**12 * (i % 3) for i in range(N)], "categorical", "integer", "integers, 3 distinct values"),
    "floats": ([float(i % 2) for i in range(N)], "numeric", "number", "numbers"),
    "dates": ([dt.date(2024, 1, 1 + i % 3) for i in range(N)], "numeric", "time", "dates, as days since 1970-01-01"),
    "durations": ([dt.timedelta(i) for i in range(N)], "numeric", "time", "durations, in days"),
    "times": ([dt.time(i % 24) for i in range(N)], "numeric", "time", "times of day, as parts of a day"),
    "texts": (["a", "b"] * 20, "categorical", "string", "texts, 2 distinct values"),
    "listed floats": (
        pa.array([0.5, 1.5] * 20).dictionary_encode(),
        "categorical",
        "number",
        "categories, 2 distinct values",
    ),
    "listed ids": (
        pa.array([f"v{i}" for i in range(N)]).dictionary_encode(),
        "categorical",
        "string",
        f"categories, {N} distinct values",
    ),
    "few texts, all different": ([f"v{i}" for i in range(19)], "categorical", "string", "texts, 19 distinct values"),
    "nearly all different": (
        ["v1", *(f"v{i}" for i in range(1, N))],
        "categorical",
        "string",
        f"texts, {N - 1} distinct values",
    ),
    "sentences": (
        [f"this is the message number {i} of many" for i in range(20)],
        "text",
        "string",
        "texts, mostly different, of 8 words on average",
    ),
    "sentences, nearly half of them the same": (
        [f"this is the message number {max(i, 9)} of many" for i in range(20)],
        "text",
        "string",
        "texts, mostly different, of 8 words on average",
    ),
    "Chinese": (
        [f"房间很干净服务也好下次还会来住{'啊' * i}" for i in range(20)],
        "text",
        "string",
        "texts, mostly different, of 24 words on average",
    ),
    "sentences that come back": (
        [f"this is the message number {i % 10} of many" for i in range(20)],
        "categorical",
        "string",
        "texts, 10 distinct values",
    ),
    "few sentences": (
        [f"this is the message number {i} of many" for i in range(19)],
        "categorical",
        "string",
        "texts, 19 distinct values",
    ),
    "long, mostly the same": (["x" * 50, "y" * 50] * 20, "categorical", "string", "texts, 2 distinct values"),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case):
    cells, kind, read_as, reason = KINDS[case]
    field, told = look(cells)
    assert (field.kind, field.type, field.reason, field.seen) == (kind, read_as, reason, len(cells))
    assert told == []
    with_hole = pa.concat_arrays(
        [cells if isinstance(cells, pa.Array) else pa.array(cells), pa.nulls(3, pa.array(cells).type)]
    )
    again, _ = look(with_hole)
    assert (again.kind, again.reason, again.seen) == (kind, reason, len(cells))  # holes change nothing


SET_ASIDE = {
    "id": ([f"k{i}" for i in range(20)], "ignored", "texts, all different, as of an id", "like those of an id"),
    "paths": (
        [f"/home/some one/mail/{i:06}/message.eml" for i in range(20)],
        "ignored",
        "long texts of few words, mostly different",
        "texts are long, of few words",
    ),
    "nothing": ([None] * 5, "ignored", "no value at all", "the first rows have no value"),
    "typed nothing": (
        pa.nulls(5, pa.float64()),
        "numeric",
        "numbers",
        "no use, because the first rows have no value; one",
    ),
    "NaN": (
        pa.array([float("nan")] * 5),
        "numeric",
        "numbers",
        "no use, because the first rows have no value; one",
    ),
    "constant text": (["a"] * 5, "categorical", "texts, 1 distinct value", "one value only"),
    "constant integer": ([7] * 5, "categorical", "integers, 1 distinct value", "one value only"),
    "constant float": ([7.5] * 5, "numeric", "numbers", "one value only"),
    "constant truth": ([True] * 5, "boolean", "true or false", "one value only"),
    "constant date": ([dt.date(2024, 1, 1)] * 5, "numeric", "dates", "one value only"),
    "constant but for holes": (["a", None, "a"], "categorical", "texts, 1 distinct value", "one value only"),
}


@pytest.mark.parametrize("case", SET_ASIDE)
def test_columns_that_are_set_aside_or_of_no_use_are_told_of(case):
    cells, kind, reason, words = SET_ASIDE[case]
    field, told = look(cells)
    assert field.kind == kind
    assert field.reason.startswith(reason)
    [message] = told
    assert "'c'" in message
    assert words in message
    assert "columns={'c': 'ignored'}" in message
    assert "\n" not in message
    assert look(cells, {"c": "ignored"})[1] == []


LIKE_IDS = {
    "names": [f"Kelly, Mr. James {i}" for i in range(30)],
    "Chinese names": [f"王小明{'甲乙丙丁戊己庚辛壬癸'[i % 10]}{'子丑寅'[i // 10]}" for i in range(30)],
    "times in words": [f"Thu Nov {i + 1:02} 10:00 2026" for i in range(30)],
    "urls": [f"https://example.org/articles/2026/11/19/{i:08}?lang=en" for i in range(30)],
    "hashes": [f"{i * 0x9E3779B97F4A7C15:064x}" for i in range(1, 31)],
    "postal addresses of one line": [f"{i} High Street, Oxford" for i in range(30)],
}


@pytest.mark.parametrize("case", LIKE_IDS)
def test_what_is_like_an_id_is_no_text(case):
    field, [message] = look(LIKE_IDS[case])
    assert field.kind == "ignored"
    assert "'c'" in message


def test_a_column_of_texts_decides_by_its_words_until_it_is_left_out():
    body = [f"order number {i}: your {'cheap pills' if i % 2 else 'lunch'} will be there at noon" for i in range(40)]
    table = pa.table({"body": body, "n": [i % 7 for i in range(40)]})
    asked = pa.table({"body": ["cheap pills", "lunch"], "n": [1, 1]})
    labels = ["ham", "spam"] * 20
    model = tb.NaiveBayes().fit(table, labels)
    assert model.schema_["body"].kind == "text"
    assert model.predict(asked).tolist() == ["spam", "ham"]
    said = tb.NaiveBayes(columns={"body": "text"}).fit(table, labels)
    np.testing.assert_array_equal(model.predict_proba(asked), said.predict_proba(asked))
    without = tb.NaiveBayes(columns={"body": "ignored"}).fit(table, labels)
    np.testing.assert_array_equal(
        without.predict_proba(asked),
        tb.NaiveBayes().fit(table.select(["n"]), labels).predict_proba(asked.select(["n"])),
    )
    later = model.partial_fit(pa.table({"body": ["a single word"], "n": [3]}), ["ham"])
    assert later.schema_["body"].kind == "text"


@pytest.mark.parametrize("case", SET_ASIDE)
def test_and_they_do_no_harm(case):
    """With the column or without it, the answers are the same."""
    cells = pa.array(SET_ASIDE[case][0]) if not isinstance(SET_ASIDE[case][0], pa.Array) else SET_ASIDE[case][0]
    n = len(cells)
    good = pa.array([i % 2 + i / 100 for i in range(n)])
    table = pa.table({"odd": cells, "good": good})
    labels = [i % 2 for i in range(n - 1)] + [1]
    with pytest.warns(errors.DataWarning, match="'odd'") as caught:
        model = tb.NaiveBayes().fit(table, labels)
    assert len(caught) == 1
    expected = tb.NaiveBayes().fit(table.select(["good"]), labels).predict_proba(table.select(["good"]))
    found = model.predict_proba(table)
    assert np.isfinite(found).all()
    if case.startswith("constant"):  # it says a little of the numbers of rows, through smoothing
        np.testing.assert_allclose(found, expected, atol=0.08)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_one_warning_for_all_columns():
    frame = pd.DataFrame({"a": ["x"] * 30, "b": [f"k{i}" for i in range(30)], "c": [None] * 30, "d": [1.5, 2.5] * 15})
    with pytest.warns(errors.DataWarning) as caught:
        tb.NaiveBayes().fit(frame, [0, 1] * 15)
    [message] = [str(w.message) for w in caught]
    for name in "abc":
        assert f"'{name}'" in message
    assert "'d'" not in message


def test_a_single_row_shows_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.DataWarning)
        infer(next(open_source([{"a": "x", "b": 1}]).rows()), None, named=True)


def test_the_rules_are_printed_with_their_numbers():
    assert f"at most {FEW} distinct values" in RULES
    assert "two rows or more" in RULES
    assert "in days (dates since 1970-01-01)" in RULES
    for word in ("categorical", "boolean", "numeric", "count", "ignored"):
        assert word in RULES
    assert max(map(len, RULES.splitlines())) <= 120


# Matrices ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["i1", "u1", "i8", "u8"])
def test_integer_matrices(kind):
    X = np.array([[i % 3, i, 7] for i in range(N)], dtype=kind)
    with pytest.warns(errors.DataWarning, match=r"\. 2: of no use"):
        schema = infer(next(open_source(X).rows()), None, named=False)
    assert [f.kind for f in schema] == ["categorical", "numeric", "categorical"]
    for order in ("C", "F"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert infer(next(open_source(np.array(X, order=order)).rows()), None, named=False) == schema


@pytest.mark.parametrize("kind", ["?", "i1", "u8", "f4", "f8"])
def test_sparse_columns(kind):
    X = np.zeros((6, 6))
    X[:, 1] = 1
    X[2, 2] = 1
    X[:, 3] = [1, 0, 1, 0, 1, 0]
    with pytest.warns(errors.DataWarning, match=r"use\. 0, 1, 4, 5: of no use, because the first rows have one value"):
        schema = infer(next(open_source(sparse.csr_array(X.astype(kind))).rows()), None, named=False)
    assert {f.kind for f in schema} == {"count"}


def test_sparse_columns_of_other_numbers():
    X = sparse.csr_array(
        np.array([[0, 0.5, -1, np.nan, np.nan, 3], [2, 0, 0, 1, np.nan, np.nan], [1, 0, 1, 0, np.nan, 3]])
    )
    with pytest.warns(errors.DataWarning) as caught:
        schema = infer(next(open_source(X).rows()), None, named=False)
    assert [f.kind for f in schema] == ["count", "numeric", "numeric", "count", "count", "count"]
    assert [f.seen for f in schema] == [3, 3, 3, 2, 0, 2]
    assert "5: of no use, because the first rows have one value only" in str(caught[0].message)
    assert "4: of no use, because the first rows have no value; one" in str(caught[0].message)


@given(st.integers(0, 2**32 - 1))
def test_sparse_columns_are_told_apart_as_dense_ones_are(seed):
    rng = np.random.default_rng(seed)
    X = rng.choice([0.0, 0.0, 1.0, 2.0, np.nan, -1.0, 0.5], (rng.integers(2, 6), 4), p=rng.dirichlet(np.ones(7) / 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        schema = infer(next(open_source(sparse.csr_array(X)).rows()), None, named=False)
    told = " ".join(str(w.message) for w in caught).split(". Say ")[0]
    for j, field in enumerate(schema):
        known = X[~np.isnan(X[:, j]), j]
        assert field.kind == ("count" if ((known >= 0) & (known == np.floor(known))).all() else "numeric")
        assert field.seen == len(known)
        assert (f" {j}" in told.replace(",", "").replace(":", "")) == (len(set(known)) < 2)


# Overrides -----------------------------------------------------------------------------------------------

FRAME = pd.DataFrame(
    {"text": ["1", "2", "x"] * 10, "n": range(30), "d": pd.date_range("2020", periods=30), "b": [True, False] * 15}
)


@pytest.mark.parametrize(
    ("said", "kind", "read_as"),
    [
        ({"n": "categorical"}, "categorical", "integer"),
        ({"n": "count"}, "count", "number"),
        ({"n": "ignored"}, "ignored", "integer"),
        ({"d": "categorical"}, "categorical", "time"),
        ({"b": "numeric"}, "numeric", "boolean"),
        ({"b": "categorical"}, "categorical", "boolean"),
        ({"b": "count"}, "count", "number"),
        ({"n": list(range(31))}, "categorical", "integer"),
        ({"n": (0.5, 1)}, "categorical", "number"),
        ({"text": ["1", "2", "x", "y"]}, "categorical", "string"),
        ({"b": [True, False]}, "categorical", "boolean"),
    ],
    ids=str,
)
def test_what_the_user_says_holds(said, kind, read_as):
    [name] = said
    model = tb.NaiveBayes(columns=said).fit(FRAME, [0, 1, 1] * 10)
    field = model.schema_[name]
    assert (field.kind, field.type, field.reason, field.seen) == (kind, read_as, "given in columns=", None)
    assert model.predict_proba(FRAME).shape == (30, 2)


def test_columns_of_arrays_are_named_by_position():
    X = np.arange(60).reshape(30, 2) % 17
    model = tb.NaiveBayes(columns={0: "categorical", np.int64(1): "ignored"}).fit(X, [0, 1, 1] * 10)
    assert [f.kind for f in model.schema_] == ["categorical", "ignored"]
    model = tb.NaiveBayes(columns={1: "categorical"}).fit(pd.DataFrame(X, columns=[9, 5]), [0, 1, 1] * 10)
    assert [f.kind for f in model.schema_] == ["numeric", "categorical"]


LISTS = [list, tuple, np.array, pd.Index, pd.Series, pl.Series, pa.array, lambda v: np.array(v, object), pd.array]


@pytest.mark.parametrize("as_list", LISTS)
@pytest.mark.parametrize("values", [["x", "y", "z"], [1, 2, 3], [True, False]])
def test_values_are_declared_by_any_list(values, as_list, tmp_path):
    table = pa.table({"a": values[:2] * 15, "b": FRAME["d"]})
    model = tb.NaiveBayes(columns={"a": as_list(values)}).fit(table, [0, 1, 1] * 10)
    assert list(model.schema_["a"].values) == sorted(values)
    expected = tb.NaiveBayes(columns={"a": values}).fit(table, [0, 1, 1] * 10).predict_proba(table)
    np.testing.assert_array_equal(model.predict_proba(table), expected)
    np.testing.assert_array_equal(clone(model).fit(table, [0, 1, 1] * 10).predict_proba(table), expected)
    model.save(tmp_path / "m.tally")
    np.testing.assert_array_equal(tb.load(tmp_path / "m.tally").predict_proba(table), expected)
    assert (model + model).partial_fit(table, [0, 1, 1] * 10).summary().rows.sum() == 90


@pytest.mark.parametrize("make", [np.array, lambda cells: sparse.csr_array(np.array(cells)), pd.DataFrame])
def test_declared_values_none_of_which_occurs_are_told_of(make):
    X = make([[i % 3, i % 2 + 0.5] for i in range(30)])
    words = "0: none of the values that columns= lists is in the first rows"
    with pytest.warns(errors.DataWarning, match=words) as caught:
        tb.NaiveBayes(columns={0: [7, 8]}).fit(X, [0, 1, 1] * 10)
    assert len(caught) == 1
    tb.NaiveBayes(columns={0: [2, 8]}).fit(X, [0, 1, 1] * 10)  # one is enough
    nothing = pa.table({"a": pa.nulls(3), "b": [0.5, 1.5, 2.5]})
    tb.NaiveBayes(columns={"a": ["x"]}).fit(nothing, [0, 1, 1])  # and so is no value at all


@pytest.mark.parametrize(
    ("said", "words", "kind"),
    [
        ({"txt": "numeric"}, ["'txt'", "Did you mean 'text'?", "'text', 'n', 'd', 'b'"], errors.ColumnError),
        ({"N": "numeric", "zz": "count"}, ["'N', 'zz', which are no columns", "Did you mean 'n'?"], errors.ColumnError),
        ({0: "numeric"}, ["0"], errors.ColumnError),
        ({"n": "categoric"}, ["Did you mean 'categorical'?", "numeric, count, text, ignored"], errors.OptionError),
        ({"n": 5}, ["5"], errors.OptionError),
        ({"n": None}, ["None"], errors.OptionError),
        ({"n": np.array([["a", "b"]])}, ["list of values"], errors.OptionError),
        ({"n": {"a": 1}}, ["list of values"], errors.OptionError),
        ({"n": []}, ["list of all values"], errors.OptionError),
        ({"n": [1, "a"]}, ["either texts, numbers or truth values"], errors.OptionError),
        ({"n": [1, None]}, ["list of all values"], errors.OptionError),
        ("n", ["a dict of names and kinds"], errors.OptionError),
        (["n"], ["a dict of names and kinds"], errors.OptionError),
        ({"text": "numeric"}, ["'text' is numeric, but row 3 holds 'x', which is not a number"], errors.KindError),
        ({"n": "boolean"}, ["'n' is boolean, but row 3 holds 2, which is not true or false"], errors.KindError),
        ({"d": "boolean"}, ["'d' is boolean", "dates or times"], errors.KindError),
        ({"d": "count"}, ["'d' is of counts", "dates or times"], errors.KindError),
    ],
    ids=str,
)
def test_what_the_user_says_is_checked(said, words, kind):
    with pytest.raises(kind) as caught:
        tb.NaiveBayes(columns=said).fit(FRAME, [0, 1, 1] * 10)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


FORMS = {
    "table": pd.DataFrame,
    "matrix": lambda cells: np.column_stack(list(cells.values())),
    "sparse": lambda cells: sparse.csr_array(np.column_stack(list(cells.values()))),
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_truth_values_are_0_and_1_and_nothing_else(make):
    cells = {"a": [0, 1, 1, 0, 1], "b": [0.5, 1.5, 2.5, 0.5, 3.5]}
    X = make(cells)
    name = "a" if isinstance(X, pd.DataFrame) else 0
    model = tb.NaiveBayes(columns={name: "boolean"}).fit(X, [0, 1, 1, 0, 0])
    assert model.schema_[name].type == "boolean"
    for bad in (2, -1, 0.5):
        odd = make(cells | {"a": [0, 1, 1, bad, 1]})
        for call in (
            lambda odd=odd: tb.NaiveBayes(columns={name: "boolean"}).fit(odd, [0, 1, 1, 0, 0]),
            lambda odd=odd: model.predict(odd),
        ):
            with pytest.raises(
                errors.KindError, match=f"{name!r} is boolean, but row 4 holds {bad}, which is not true"
            ):
                call()


# Laws ----------------------------------------------------------------------------------------------------

COLUMNS = st.sampled_from(
    [
        st.integers(-3, 3),
        st.integers(-(2**40), 2**40),
        st.floats(-5, 5),
        st.booleans(),
        st.sampled_from(["a", "b", "c", ""]),
        st.text(max_size=3),
        st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    ]
)


@given(st.data())
def test_the_order_of_the_rows_makes_no_difference(data):
    n = data.draw(st.integers(1, 45))
    columns = [data.draw(st.lists(data.draw(COLUMNS), min_size=n, max_size=n)) for _ in range(3)]
    text = data.draw(st.booleans())
    if text:
        columns = [[str(cell) for cell in column] for column in columns]
    order = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    batch = pa.RecordBatch.from_arrays([pa.array(column) for column in columns], names=list("abc"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (
            infer(Rows(b, tuple("abc"), text=text), None, named=True) for b in (batch, batch.take(pa.array(order)))
        )
    assert one == other


def test_fixed_schemas_look_at_nothing():
    schema = fixed([0, 1], "count", named=False)
    assert [(f.kind, f.type, f.seen) for f in schema] == [("count", "unknown", None)] * 2


def test_a_column_that_is_there_twice():
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(errors.ColumnError, match="'a'"):
        infer(Rows(batch, ("a", "a")), None, named=True)
