"""The same rows in every form give the same model."""

from __future__ import annotations

import collections
import datetime as dt
import gzip
import json
import pathlib
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from scipy import sparse

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import CHUNK_ROWS, Source, open_source, open_stream, write_table
from tests.sources.asking import refused, table_of

ROWS = 60
LABELS = ["ripe", "raw", "raw"] * 20
TABLE = pa.table(
    {
        "colour": [["green", "black", "pale", None][i % 4] for i in range(ROWS)],
        "seeds": [i % 5 for i in range(ROWS)],
        "weight": [None if i % 7 == 0 else 0.5 + i / 8 for i in range(ROWS)],
        "sweet": [None if i % 11 == 0 else i % 3 == 0 for i in range(ROWS)],
        "picked": pa.array([None if i % 13 == 0 else dt.date(2024, 1, 1) + dt.timedelta(i) for i in range(ROWS)]),
        "kind": LABELS,
    }
)
NAMES = TABLE.schema.names[:-1]


def lines(path):
    write_table(TABLE, path)
    return path


def arrow_stream(folder):
    path = folder / "stream.arrow"
    with pa.ipc.new_stream(path, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=11)
    return path


def duck(_):
    given = TABLE  # noqa: F841 - the query finds it by its name
    return duckdb.sql("select * from given")


def nullable(_):
    return TABLE.to_pandas(types_mapper=pd.ArrowDtype)


def own_nullable(_):
    frame = nullable(_)
    kinds = {"colour": "string", "seeds": "Int8", "weight": "Float64", "sweet": "boolean"}
    return frame.astype(kinds).assign(picked=pd.to_datetime(frame["picked"]))


def classic(_):
    """Return what pandas makes of it by itself: objects, and floats where there are holes."""
    return TABLE.to_pandas().astype({"colour": object})


def indexed(_):
    frame = classic(_)
    return frame.set_index(pd.Index([f"row {i}" for i in range(ROWS)], name="colour"))


class Capsule:
    """A stranger with the Arrow PyCapsule interface and nothing else."""

    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


FORMS = {
    "dicts": lambda _: TABLE.to_pylist(),
    "ordered dicts": lambda _: [collections.OrderedDict(row) for row in TABLE.to_pylist()],
    "pandas": classic,
    "pandas with an index": indexed,
    "pandas, nullable": own_nullable,
    "pandas of Arrow": nullable,
    "polars": lambda _: pl.from_arrow(TABLE),
    "polars, rechunked": lambda _: pl.concat([pl.from_arrow(TABLE.slice(0, 7)), pl.from_arrow(TABLE.slice(7))]),
    "pyarrow": lambda _: TABLE,
    "chunks": lambda _: pa.concat_tables([TABLE.slice(i, 13) for i in range(0, ROWS, 13)]),
    "batch": lambda _: TABLE.to_batches()[0],
    "records": lambda _: pa.chunked_array([TABLE.to_struct_array().chunk(0)]),
    "capsule": lambda _: Capsule(),
    "duckdb": duck,
    "csv": lambda folder: lines(folder / "t.csv"),
    "csv, path as text": lambda folder: str(lines(folder / "t.csv")),
    "tsv": lambda folder: lines(folder / "t.tsv"),
    "csv.gz": lambda folder: lines(folder / "t.csv.gz"),
    "jsonl": lambda folder: lines(folder / "t.jsonl"),
    "ndjson.gz": lambda folder: lines(folder / "t.ndjson.gz"),
    "parquet": lambda folder: lines(folder / "t.parquet"),
    "arrow": lambda folder: lines(folder / "t.arrow"),
    "feather": lambda folder: lines(folder / "t.feather"),
    "arrow stream": arrow_stream,
    "two files": lambda folder: [
        write_table(TABLE.slice(0, 25), folder / "1.parquet") and folder / "1.parquet",
        write_table(TABLE.slice(25), folder / "2.parquet") and folder / "2.parquet",
    ],
}


@pytest.fixture(scope="module")
def expected():
    model = tb.NaiveBayes().fit(TABLE.drop(["kind"]), LABELS)
    return model, model.predict_proba(TABLE.drop(["kind"]))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_model(form, expected, tmp_path):
    X = FORMS[form](tmp_path)
    model = tb.NaiveBayes().fit(X, y="kind")
    assert [(f.name, f.kind) for f in model.schema_] == [
        ("colour", "categorical"),
        ("seeds", "categorical"),
        ("weight", "numeric"),
        ("sweet", "boolean"),
        ("picked", "numeric"),
    ]
    assert model.classes_.tolist() == ["raw", "ripe"]
    assert model.target_ == "kind"
    with pytest.warns(errors.DataWarning, match="'kind'") as caught:
        found = model.predict_proba(X)
    assert len(caught) == 1
    np.testing.assert_array_equal(found, expected[1])


@pytest.mark.parametrize("form", FORMS)
def test_a_model_is_asked_in_any_form(form, expected, tmp_path):
    model, answer = expected
    with pytest.warns(errors.DataWarning, match="'kind'") as caught:
        found = model.predict_proba(FORMS[form](tmp_path))
    assert len(caught) == 1
    np.testing.assert_array_equal(found, answer)


def test_a_reader_is_read_once(expected):
    reader = TABLE.drop(["kind"]).to_reader(max_chunksize=9)
    model = tb.NaiveBayes().fit(reader, LABELS)
    np.testing.assert_array_equal(model.predict_proba(TABLE.drop(["kind"])), expected[1])
    refused(lambda: model.predict(reader), "RecordBatchReader", "once", kind=errors.EmptyDataError)


def test_the_rows_of_a_source_may_be_read_again():
    for X in (TABLE, TABLE.to_pylist(), TABLE.to_pandas(), duck(None), Capsule()):
        source = open_source(X, "kind")
        first, second = ([piece.cells.to_pylist() for piece in source.rows()] for _ in range(2))
        assert first == second
    source = open_source(TABLE.to_reader(), "kind")
    list(source.rows())
    refused(lambda: list(source.rows()), "once", "read_all", kind=errors.SourceError)


# Matrices ------------------------------------------------------------------------------------------------

MATRIX = np.array([[(3 * i + j * j) % 5 / 2 for j in range(4)] for i in range(30)])
TARGET = np.arange(30) % 3
MATRICES = {
    "rows": MATRIX.tolist,
    "tuples": lambda: tuple(map(tuple, MATRIX.tolist())),
    "arrays": lambda: list(MATRIX),
    "objects": lambda: MATRIX.astype(object),
    "by columns": lambda: np.asfortranarray(MATRIX),
    "every other": lambda: np.repeat(MATRIX, 2, axis=1)[:, ::2],
    "backwards": lambda: MATRIX[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda: MATRIX.astype(">f8"),
    "float32": lambda: MATRIX.astype(np.float32),
    "float16": lambda: MATRIX.astype(np.float16),
    "long double": lambda: MATRIX.astype(np.longdouble),
    "masked": lambda: np.ma.masked_array(MATRIX),
    "memory map": None,
    "frame without names": lambda: pd.DataFrame(MATRIX),
    "frame with other numbers": lambda: pd.DataFrame(MATRIX, columns=[7, 3, 5, 1]),
}


@pytest.mark.parametrize("form", MATRICES)
def test_every_matrix_gives_the_same_model(form, tmp_path):
    expected = tb.NaiveBayes().fit(MATRIX, TARGET)
    if form == "memory map":
        np.save(tmp_path / "m.npy", MATRIX)
        X = np.load(tmp_path / "m.npy", mmap_mode="r")
    else:
        X = MATRICES[form]()
    model = tb.NaiveBayes().fit(X, TARGET)
    assert model.schema_ == expected.schema_
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(MATRIX))
    np.testing.assert_array_equal(expected.predict_proba(X), expected.predict_proba(MATRIX))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array], ids=["matrix", "array"])
def test_every_sparse_form_gives_the_same_model(form, make):
    expected = tb.NaiveBayes(columns=dict.fromkeys(range(4), "numeric")).fit(MATRIX, TARGET)
    X = make(MATRIX).asformat(form)
    model = tb.NaiveBayes(columns=dict.fromkeys(range(4), "numeric")).fit(X, TARGET)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(MATRIX), rtol=1e-12)


# What is no source ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (None, ["NoneType", "returned nothing"]),
        ({"a": [1, 2]}, ["dict", "pyarrow.table"]),
        (iter([[1]]), ["list(X)"]),
        ({1, 2}, ["set"]),
        (b"a,b", ["bytes"]),
        (pl.LazyFrame({"a": [1]}), ["LazyFrame", ".collect()"]),
        (open, ["builtin"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_source(X, words):
    refused(lambda: open_source(X, [0]), *words, "NumPy", "Arrow", kind=errors.UnsupportedDataError)


def test_a_dataset_and_a_connection_are_told_how():
    refused(lambda: open_source(pa.dataset.dataset(TABLE)), "to_table()", kind=errors.UnsupportedDataError)
    connection = duckdb.connect()
    refused(lambda: open_source(connection.execute("select 1")), "relation", kind=errors.UnsupportedDataError)
    connection.close()


@pytest.mark.parametrize(
    "X",
    [[1, 2], ["a", "b"], np.array([1, 2]), pd.Series([1, 2]), pl.Series([1, 2]), pa.array([1, 2]), range(2)],
    ids=type,
)
def test_one_dimension_is_too_few(X):
    refused(lambda: open_source(X, [0, 1]), "Expected 2D array", "1D array", "Reshape")


def test_three_dimensions_are_too_many():
    refused(lambda: open_source(np.zeros((2, 3, 4))), "dim 3", "(2, 3, 4)")
    refused(lambda: open_source([[[1, 2], [3, 4]]]), "dim 3")
    refused(lambda: open_source(np.array(3)), "scalar")


# Several files -------------------------------------------------------------------------------------------


def test_files_are_read_one_after_the_other_and_matched_by_name(tmp_path):
    (tmp_path / "1.csv").write_text("a,b,y\n1,x,p\n2,z,q\n")
    (tmp_path / "2.csv").write_text("b,y,a\nx,p,7\nz,q,8\n")
    found = table_of([tmp_path / "1.csv", str(tmp_path / "2.csv")], "y")
    assert found == {"a": ["1", "2", "7", "8"], "b": ["x", "z", "x", "z"], "target": ["p", "q", "p", "q"]}


def test_files_of_other_columns_or_formats(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,c\n1,2\n")
    (tmp_path / "3.jsonl").write_text('{"a": 1, "b": 2}\n')
    refused(
        lambda: open_source([tmp_path / "1.csv", tmp_path / "2.csv"]), "2.csv", "'b'", "'c'", kind=errors.ColumnError
    )
    refused(lambda: open_source([tmp_path / "1.csv", tmp_path / "3.jsonl"]), "formats", kind=errors.SourceError)


INT = pa.array([1, 2])
DATE = pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 2)])
INSTANT = pa.array([dt.datetime(2020, 1, 3, 12), dt.datetime(2020, 1, 4)], pa.timestamp("ns"))
ALIKE = {
    "widths": (INT.cast(pa.int8()), INT, [1, 2, 1, 2]),
    "signs": (pa.array([2**64 - 1, 1], pa.uint64()), pa.array([-1, 2]), [2.0**64, 1.0, -1.0, 2.0]),
    "int and float": (INT, pa.array([0.5, None]), [1.0, 2.0, 0.5, None]),
    "nulls first": (pa.nulls(2), INT, [None, None, 1, 2]),
    "nulls last": (INT, pa.nulls(2), [1, 2, None, None]),
    "texts": (pa.array(["a", "b"]), pa.array(["b", "c"], pa.large_string()), ["a", "b", "b", "c"]),
    "dictionary first": (pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]), ["a", "b", "b", "c"]),
    "dictionary last": (pa.array(["a", "b"]), pa.array(["b", "c"]).dictionary_encode(), ["a", "b", "b", "c"]),
    "dictionaries": (
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array(["c", "b"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        ["a", "b", "c", "b"],
    ),
    "date and instant": (
        DATE,
        INSTANT,
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 3, 12), dt.datetime(2020, 1, 4)],
    ),
    "zones": (
        INSTANT.cast(pa.timestamp("s")),
        pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=8)))] * 2),
        [dt.datetime(2020, 1, 3, 12), dt.datetime(2020, 1, 4)] + [dt.datetime(2019, 12, 31, 16)] * 2,
    ),
}


@pytest.mark.parametrize("case", ALIKE)
def test_files_whose_types_differ_are_joined(case, tmp_path):
    one, two, expected = ALIKE[case]
    for name, column in (("1.feather", one), ("2.feather", two)):
        pa.feather.write_feather(pa.table({"a": column, "y": [0, 1]}), tmp_path / name)
    paths = [tmp_path / "1.feather", tmp_path / "2.feather"]
    assert table_of(paths, "y") == {"a": expected, "target": [0, 1, 0, 1]}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (INT, pa.array(["a", "b"])),
        (INT, pa.array([True, False])),
        (DATE, pa.array([dt.timedelta(1), None])),
        (DATE, INT),
        (INT.dictionary_encode(), pa.array(["1", "2"]).dictionary_encode()),
    ],
    ids=["text", "truth", "duration", "date", "dictionaries"],
)
def test_files_that_mean_something_else_by_a_column(one, two, tmp_path):
    for name, column in (("1.parquet", one), ("2.parquet", two)):
        pq.write_table(pa.table({"a": column, "b": [0.5, 1.5], "y": [0, 1]}), tmp_path / name)
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    fit = tb.NaiveBayes().fit
    refused(lambda: fit(paths, "y"), "'a'", "mixes types", "row 3", "columns={'a': 'ignored'}", kind=errors.KindError)
    model = tb.NaiveBayes(columns={"a": "ignored"}).fit(paths, "y")  # nobody uses it
    assert [f.name for f in model.schema_.used()] == ["b"]


# Streams and sources of one's own ------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "jsonl"])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_stream_is_read_like_a_file(form, zipped, tmp_path):
    path = tmp_path / f"t.{form}"
    write_table(TABLE, path)
    data = gzip.compress(path.read_bytes()) if zipped else path.read_bytes()
    pipe = tmp_path / "pipe"
    pipe.write_bytes(data)
    with pipe.open("rb") as stream:
        source = open_stream(stream, form, "kind")
        found = [piece.cells.to_pylist() for piece in source.rows()]
        if form in ("csv", "tsv", "jsonl"):
            refused(lambda: list(source.rows()), "once", kind=errors.SourceError)
    assert found == [piece.cells.to_pylist() for piece in open_source(path, "kind").rows()]


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "jsonl"])
def test_an_empty_stream(form, tmp_path):
    (tmp_path / "empty").touch()
    with (tmp_path / "empty").open("rb") as stream:
        refused(lambda: open_stream(stream, form), "standard input", "no bytes", kind=errors.EmptyDataError)


def test_a_stream_of_texts_and_a_form_that_nobody_knows(tmp_path):
    (tmp_path / "t").write_text("a\n1\n")
    with (tmp_path / "t").open() as stream:
        refused(lambda: open_stream(stream, "csv"), "'rb'", kind=errors.SourceError)
    with (tmp_path / "t").open("rb") as stream:
        refused(lambda: open_stream(stream, "cvs"), "Did you mean 'csv'?", kind=errors.OptionError)


class Queue(Source):
    """A source of one's own: what comes from somewhere, piece by piece."""

    names, named, target = ("colour", "seeds"), True, "kind"

    def rows(self):
        table = open_source(TABLE.select(["colour", "seeds", "kind"]), "kind")
        yield from table.rows()


def test_a_source_of_ones_own():
    model = tb.NaiveBayes().fit(Queue())
    expected = tb.NaiveBayes().fit(TABLE.select(["colour", "seeds", "kind"]), "kind")
    np.testing.assert_array_equal(
        model.predict_proba(Queue()), expected.predict_proba(TABLE.select(["colour", "seeds"]))
    )
    refused(lambda: open_source(Queue(), LABELS), "own target", kind=errors.OptionError)


def test_wide_rows_come_in_short_pieces():
    pieces = list(open_source(np.zeros((3000, 4096))).rows())
    assert [len(piece) for piece in pieces] == [1024, 1024, 952]
    assert [len(piece) for piece in open_source(np.zeros((CHUNK_ROWS + 1, 2))).rows()] == [CHUNK_ROWS, 1]


def test_only_the_columns_that_are_asked_for_are_read(tmp_path):
    path = lines(tmp_path / "t.parquet")
    source = open_source(path, "kind", only=["seeds", "colour"])
    assert source.names == ("colour", "seeds")
    assert source.extra == ("weight", "sweet", "picked")
    assert [piece.cells.schema.names for piece in source.rows()] == [["colour", "seeds"]]


def test_a_column_too_many_may_hold_anything(tmp_path):
    """It is not read, so that what is in it is no matter."""
    model = tb.NaiveBayes().fit(TABLE.select(["seeds", "kind"]), "kind")
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"seeds": i % 5, "more": [{"deep": i}]}) + "\n" for i in range(10)))
    with pytest.warns(errors.DataWarning, match="without the column 'more', which will be ignored") as caught:
        model.predict(path)
    assert len(caught) == 1


def test_many_columns_too_many_give_one_warning_that_is_short():
    model = tb.NaiveBayes().fit(TABLE.select(["seeds", "kind"]), "kind")
    frame = pd.DataFrame({f"more {i}": [1] for i in range(40)} | {"seeds": [1], "kind": ["raw"]})
    with pytest.warns(errors.DataWarning, match="and 29 more") as caught:
        model.predict(frame)
    assert len(caught) == 1


def test_no_warning_where_the_columns_are_the_same():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tb.NaiveBayes().fit(TABLE, "kind")
        model.predict(TABLE.drop(["kind"]))
        model.predict(TABLE.select(NAMES[::-1]))


def test_paths_of_every_sort(tmp_path):
    path = tmp_path / "T.CSV"
    write_table(TABLE, tmp_path / "t.csv")
    path.write_bytes((tmp_path / "t.csv").read_bytes())
    expected = table_of(tmp_path / "t.csv", "kind")
    for given in (path, str(path), pathlib.PurePath(path)):
        assert table_of(given, "kind") == expected
