"""Cells as numbers and codes: in whatever form and in whatever pieces they come, they mean the same."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import tallybayes as tb
from tallybayes import errors
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows
from tests.sources.asking import refused


def schema_of(named=True, **fields):
    return Schema(tuple(Field(name, kind, read_as, "seen", seen=9) for name, (kind, read_as) in fields.items()), named)


def batch_of(columns, schema, *, text=False, first=0, target=None):
    cells = pa.RecordBatch.from_arrays(list(map(pa.array, columns.values())), names=list(columns))
    return encode(Rows(cells, tuple(columns), target, None, first, text), schema)


def values_of(block):
    """Return the values that the cells of a block stand for, None where they are missing, one list a column."""
    places = block.codes.astype(np.int64) - block.low
    return [
        [None if place < 0 else values[place] for place in column.tolist()]
        for column, values in zip(places.T, block.values, strict=True)
    ]


def numbers_of(block):
    return [[None if cell != cell else cell for cell in column] for column in block.T.tolist()]


MIXED = schema_of(
    s=("categorical", "string"),
    k=("categorical", "integer"),
    b=("boolean", "boolean"),
    x=("numeric", "number"),
    d=("numeric", "time"),
    n=("count", "number"),
    i=("ignored", "string"),
)
CELLS = {
    "s": st.none() | st.sampled_from(["a", "b", "", "绿", "1"]),
    "k": st.none() | st.integers(-3, 3) | st.sampled_from([-(2**40), 2**40]),
    "b": st.none() | st.booleans(),
    "x": st.none() | st.floats(-1e9, 1e9),
    "d": st.none() | st.dates(dt.date(1600, 1, 1), dt.date(2300, 1, 1)),
    "n": st.none() | st.integers(0, 99),
    "i": st.none() | st.text(max_size=2),
}
TYPES = {
    "s": [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())],
    "k": [pa.int64(), pa.float64(), pa.dictionary(pa.int32(), pa.int64()), pa.string()],
    "b": [pa.bool_(), pa.int8(), pa.float64(), pa.dictionary(pa.int8(), pa.bool_()), pa.string()],
    "x": [pa.float64(), pa.dictionary(pa.int32(), pa.float64()), pa.string()],
    "d": [pa.date32(), pa.date64(), pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.string()],
    "n": [pa.int64(), pa.uint8(), pa.float32(), pa.string()],
    "i": [pa.string(), pa.null()],
}


@st.composite
def tables(draw, most=20):
    n = draw(st.integers(0, most))
    return {name: draw(st.lists(cells, min_size=n, max_size=n)) for name, cells in CELLS.items()}


def expected_of(table):
    days = [None if d is None else float((d - dt.date(1970, 1, 1)).days) for d in table["d"]]
    truth = [None if b is None else float(b) for b in table["b"]]
    numbers = [table["x"], days, truth, [None if n is None else float(n) for n in table["n"]]]
    return [table["s"], table["k"], table["b"]], numbers


def check(batch, table):
    codes, numbers = expected_of(table)
    assert values_of(batch.codes(["s", "k", "b"])) == codes
    assert numbers_of(batch.numbers(["x", "d", "b", "n"])) == numbers


def column_as(cells, kind):
    """Return cells as an Arrow column of a type in which a source may have them."""
    if kind == pa.string():
        return pa.array([None if cell is None else str(cell) for cell in cells], kind)
    if pa.types.is_null(kind):
        return pa.nulls(len(cells))
    if pa.types.is_dictionary(kind):
        return pa.array(cells, kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_floating(kind):
        return pa.array([None if cell is None else float(cell) for cell in cells], kind)
    if pa.types.is_integer(kind):
        return pa.array([None if cell is None else int(cell) for cell in cells], kind)
    if pa.types.is_timestamp(kind):
        cells = [None if cell is None else dt.datetime.combine(cell, dt.time()) for cell in cells]
    return pa.array(cells, kind)


@given(st.data(), tables())
def test_a_cell_means_the_same_in_every_type(data, table):
    columns = {name: column_as(cells, data.draw(st.sampled_from(TYPES[name]))) for name, cells in table.items()}
    check(batch_of(columns, MIXED), table)


@given(tables())
def test_a_text_file_means_the_same_but_that_the_empty_text_is_missing(table):
    texts = {name: [None if cell is None else str(cell) for cell in cells] for name, cells in table.items()}
    table["s"] = [cell or None for cell in table["s"]]
    check(batch_of({name: pa.array(cells, pa.string()) for name, cells in texts.items()}, MIXED, text=True), table)


@given(tables(), st.lists(st.integers(0, 20), max_size=3), st.booleans())
def test_any_chunking_means_the_same(table, cuts, text):
    n = len(table["s"])
    columns = {name: column_as(cells, pa.string() if text else TYPES[name][0]) for name, cells in table.items()}
    bounds = [0, *sorted(cut % (n + 1) for cut in cuts), n]
    whole = batch_of(columns, MIXED, text=text)
    codes, numbers = [[], [], []], []
    for start, stop in itertools.pairwise(bounds):
        piece = batch_of({k: c.slice(start, stop - start) for k, c in columns.items()}, MIXED, text=text, first=start)
        for found, more in zip(codes, values_of(piece.codes(["s", "k", "b"])), strict=True):
            found += more
        numbers.append(piece.numbers(["x", "d", "n"]))
    assert codes == values_of(whole.codes(["s", "k", "b"]))
    np.testing.assert_array_equal(np.concatenate(numbers), whole.numbers(["x", "d", "n"]))


@given(tables(), st.permutations(list(CELLS)))
def test_columns_are_found_by_name_in_any_order(table, order):
    columns = {name: column_as(table[name], TYPES[name][0]) for name in order}
    columns["more"] = pa.nulls(len(table["s"]))
    check(batch_of(columns, MIXED), table)
    del columns["i"]  # an ignored column need not be there
    check(batch_of(columns, MIXED), table)


# Matrices ------------------------------------------------------------------------------------------------


def matrix_batch(X, *kinds):
    fields = tuple(Field(j, kind, read_as, "seen", seen=9) for j, (kind, read_as) in enumerate(kinds))
    return encode(Rows(X, tuple(range(X.shape[1]))), Schema(fields, named=False))


CODED = ("categorical", "integer")
TRUTH = ("boolean", "boolean")


@given(st.data())
def test_matrices_of_integers_are_their_own_codes(data):
    kind = np.dtype(data.draw(st.sampled_from(["i1", "u1", "i4", "u8", "i8", "f4", "f8"])))
    low, high = data.draw(st.sampled_from([(0, 3), (0, 120), (-3, 3), (0, 2**20)]))
    low = 0 if kind.kind == "u" else low
    high = min(high, 120) if kind.itemsize == 1 else high
    n, p = data.draw(st.integers(0, 8)), data.draw(st.integers(1, 4))
    X = np.array(data.draw(st.lists(st.lists(st.integers(low, high), min_size=p, max_size=p), min_size=n, max_size=n)))
    X = X.reshape(n, p).astype(kind)
    if kind.kind == "f" and n:
        X[0, 0] = np.nan
    expected = [[None if cell != cell else int(cell) for cell in column] for column in X.T.tolist()]
    views = [X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1].copy()[::-1]]
    for view in views:
        block = matrix_batch(view, *[CODED] * p).codes(list(range(p)))
        assert values_of(block) == expected
    whole = matrix_batch(X, *[CODED] * p)
    assert values_of(whole.codes([p - 1])) == expected[-1:]  # some of the columns
    assert values_of(matrix_batch(sparse.csr_array(X), *[CODED] * p).codes(list(range(p)))) == expected


def test_an_integer_matrix_is_not_copied():
    for kind in ("i1", "i8", "f8"):
        X = np.arange(12).reshape(6, 2).astype(kind)
        batch = matrix_batch(X, CODED, CODED)
        given = batch.numbers([0, 1]) if kind == "f8" else batch.codes([0, 1]).codes
        assert np.shares_memory(given, X)


def test_truth_values_of_a_matrix():
    for X in (np.array([[True], [False]]), np.array([[1], [0]], np.uint8), np.array([[1.0], [0.0]])):
        assert values_of(matrix_batch(X, TRUTH).codes([0])) == [[True, False]]
        assert matrix_batch(X, TRUTH).numbers([0]).tolist() == [[1.0], [0.0]]
        assert values_of(matrix_batch(X, CODED).codes([0])) == [[1, 0]]


def test_sparse_terms_keep_what_is_stored():
    X = sparse.csr_array(np.array([[0, 2, 0], [np.nan, 0, 1]]))
    batch = matrix_batch(X, *[("count", "integer")] * 3)
    np.testing.assert_array_equal(batch.terms([0, 1, 2]).toarray(), X.toarray())
    np.testing.assert_array_equal(batch.terms([2, 0]).toarray(), X.toarray()[:, [2, 0]])
    assert sparse.issparse(batch.terms([1]))
    np.testing.assert_array_equal(batch.numbers([0, 1, 2]), X.toarray())
    assert batch.raw(1) == [2.0, 0.0]


# What does not fit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cells", "words"),
    [
        ("k", ["1", "x"], "'k' is categorical, each of its values a number, but row 102 holds 'x'"),
        ("b", ["true", "yes"], "'b' is boolean, but row 102 holds 'yes', which is not true or false"),
        ("b", [1, 2], "'b' is boolean, but row 102 holds 2"),
        ("b", [0.0, 0.5], "'b' is boolean, but row 102 holds 0.5"),
        ("x", ["1.5", "big"], "'x' is numeric, but row 102 holds 'big', which is not a number"),
        ("x", ["1.5", "1_000"], "row 102 holds '1_000'"),
        ("d", ["2024-02-29", "2023-02-29"], "row 102 holds '2023-02-29', which is not a date"),
        ("d", ["2024-02-29", "soon"], "row 102 holds 'soon', which is not a date or a time"),
        ("d", [1.5, 2.5], "'d' is numeric and its cells are read as a date or a time, but from row 101 on"),
        ("x", [dt.date(2024, 1, 1)] * 2, "holds dates or times"),
        ("n", ["1", "many"], "'n' is of counts, but row 102 holds 'many'"),
        ("k", [float("inf"), 1.0], "infinity"),
        ("x", [[1], [2]], "list"),
    ],
)
def test_cells_that_do_not_fit_are_named_with_their_row(name, cells, words):
    field = MIXED[name]
    batch = batch_of({name: cells}, Schema((field,), named=True), first=100)
    ask = batch.codes if field.kind == "categorical" else batch.numbers
    refused(lambda: ask([name]), words, f"columns={{'{name}': ", kind=errors.TallyBayesError)


def test_texts_that_write_a_category_of_a_text_file_are_one():
    """What the first rows look like is no reason to refuse a category that looks otherwise."""
    column = {"k": ["1", " 2 ", "2.0", "6+", "007", "NA", None, "2.5"]}
    field = Schema((MIXED["k"],), named=True)
    assert values_of(batch_of(column, field, text=True).codes(["k"])) == [[1, 2, 2, "6+", "007", None, None, 2.5]]
    given = Schema((Field("k", "categorical", "integer", "given in columns="),), named=True)
    assert values_of(batch_of(column, given).codes(["k"])) == [[1, 2, 2, "6+", "007", "NA", None, 2.5]]


def test_rows_without_a_target():
    batch = batch_of({"x": [1.0]}, schema_of(x=("numeric", "number")))
    refused(lambda: batch.labels, "no target", "y", kind=errors.TargetError)


def test_raw_cells_are_what_they_were():
    batch = batch_of(
        {"d": pa.array([1, None], pa.timestamp("ns")), "s": ["", None]},
        schema_of(d=("numeric", "time"), s=("categorical", "string")),
    )
    assert batch.raw("d") == [dt.datetime(1970, 1, 1), None]
    assert batch.raw("s") == ["", None]


DAYS = pa.array([dt.date(2024, 1, 1 + i) for i in range(10)])
HOURS = pa.array([dt.timedelta(hours=i) for i in range(10)])
CLOCK = pa.array([dt.time(i) for i in range(10)])
SORTS = {"a date": DAYS, "a duration": HOURS, "a time of day": CLOCK}


@pytest.mark.parametrize("columns", [None, {"a": "numeric"}, {"a": "categorical"}])
@pytest.mark.parametrize("trained", SORTS)
@pytest.mark.parametrize("asked", SORTS)
def test_dates_durations_and_times_of_day_do_not_mix(trained, asked, columns, tmp_path):
    """Not at prediction either, whoever said what the column means, and after the model was in a file."""
    first = tb.NaiveBayes(columns=columns).fit(pa.table({"a": SORTS[trained]}), ["p", "q"] * 5)
    first.save(tmp_path / "m.tally")
    other, nothing = pa.table({"a": SORTS[asked]}), pa.table({"a": pa.nulls(3, SORTS[asked].type)})
    for model in (first, tb.load(tmp_path / "m.tally")):
        np.testing.assert_allclose(model.predict_proba(nothing), 0.5)
        if trained == asked:
            assert model.predict(other).shape == (10,)
            continue
        said = f"its cells are read as {trained}", "from row 1 on it holds ", "columns={'a': 'ignored'}"
        refused(lambda model=model: model.predict(other), *said, kind=errors.KindError)
        refused(lambda model=model: model.partial_fit(other, ["p", "q"] * 5), "'a'", kind=errors.KindError)


def test_durations_are_drawn_as_durations():
    model = tb.NaiveBayes(columns={"a": "numeric"}).fit(pa.table({"a": HOURS}), ["p", "q"] * 5)
    X, y = model.sample(5, random_state=0)
    assert X.schema.field("a").type == pa.duration("us")
    model.partial_fit(X, y)
