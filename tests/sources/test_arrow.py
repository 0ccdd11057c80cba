from __future__ import annotations

import datetime as dt
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import CHUNK_ROWS, open_source
from tests.sources.asking import refused, table_of

DAY = dt.date(2024, 2, 29)
NOON = dt.datetime(2024, 2, 29, 12)
HOUR = dt.timedelta(hours=1)
ARROW = {
    "integers": (pa.array([1, None, 3]), [1, None, 3]),
    "uint64": (pa.array([2**64 - 1, None, 3], pa.uint64()), [2**64 - 1, None, 3]),
    "float16": (pa.array([0.5, None, 3.0], pa.float16()), [0.5, None, 3.0]),
    "float32": (pa.array([0.5, None, 3.0], pa.float32()), [0.5, None, 3.0]),
    "truth": (pa.array([True, None, False]), [True, None, False]),
    "string": (pa.array(["a", None, ""]), ["a", None, ""]),
    "large_string": (pa.array(["a", None, ""], pa.large_string()), ["a", None, ""]),
    "string_view": (pa.array(["a", None, "b" * 40], pa.string_view()), ["a", None, "b" * 40]),
    "binary": (pa.array([b"a", None, "绿".encode()]), ["a", None, "绿"]),
    "large_binary": (pa.array([b"a", None, b""], pa.large_binary()), ["a", None, ""]),
    "fixed binary": (pa.array([b"ab", None, b"cd"], pa.binary(2)), ["ab", None, "cd"]),
    "dictionary": (pa.array(["b", None, "a"]).dictionary_encode(), ["b", None, "a"]),
    "dictionary of integers": (pa.array([7, None, 5]).dictionary_encode(), [7, None, 5]),
    "null in a dictionary": (pa.DictionaryArray.from_arrays([0, 1, 0], ["a", None]), ["a", None, "a"]),
    "decimal": (pa.array([Decimal("1.5"), None, Decimal(2)]), [1.5, None, 2.0]),
    "decimal without a fraction": (pa.array([Decimal(1), None, Decimal(3)], pa.decimal128(5, 0)), [1, None, 3]),
    "decimal of hundreds": (pa.array([Decimal(100), None, Decimal(300)], pa.decimal128(5, -2)), [100, None, 300]),
    "decimal256": (pa.array([Decimal("1.5"), None, Decimal(10**30)], pa.decimal256(50, 2)), [1.5, None, 1e30]),
    "huge decimal": (pa.array([Decimal(10**30), None, Decimal(1)], pa.decimal256(50, 0)), [1e30, None, 1.0]),
    "date32": (pa.array([DAY, None, DAY]), [DAY, None, DAY]),
    "date64": (pa.array([DAY, None, DAY], pa.date64()), [DAY, None, DAY]),
    "timestamp": (pa.array([NOON, None, NOON], pa.timestamp("ns")), [NOON, None, NOON]),
    "duration": (pa.array([HOUR, None, HOUR], pa.duration("ms")), [HOUR, None, HOUR]),
    "time32": (pa.array([dt.time(1), None, dt.time(2)], pa.time32("s")), [dt.time(1), None, dt.time(2)]),
    "time64": (pa.array([dt.time(1), None, dt.time(2)], pa.time64("ns")), [dt.time(1), None, dt.time(2)]),
    "null": (pa.nulls(3), [None] * 3),
    "run lengths": (pa.RunEndEncodedArray.from_arrays(pa.array([2, 3]), pa.array(["a", "b"])), ["a", "a", "b"]),
    "extension": (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None, 0], pa.int8())), [1, None, 0]),
}


@pytest.mark.parametrize("case", ARROW)
@pytest.mark.parametrize("form", ["table", "batch", "reader", "chunks"])
def test_columns_of_every_arrow_type(case, form):
    column, expected = ARROW[case]
    table = pa.table({"a": column, "b": [1, 2, 3]})
    if form == "batch":
        table = table.to_batches()[0]
    elif form == "reader":
        table = table.to_reader(max_chunksize=2)
    elif form == "chunks":
        table = pa.concat_tables([table.slice(0, 1), table.slice(1, 0), table.slice(1)])
    assert table_of(table) == {"a": expected, "b": [1, 2, 3]}


POLARS = {
    "Categorical": (pl.Series(["b", None, "a"], dtype=pl.Categorical), ["b", None, "a"]),
    "Enum": (pl.Series(["b", None, "a"], dtype=pl.Enum(["z", "a", "b"])), ["b", None, "a"]),
    "String": (pl.Series(["b", None, ""]), ["b", None, ""]),
    "Binary": (pl.Series([b"b", None, b""]), ["b", None, ""]),
    "Int8": (pl.Series([1, None, 3], dtype=pl.Int8), [1, None, 3]),
    "UInt64": (pl.Series([1, None, 2**64 - 1], dtype=pl.UInt64), [1, None, 2**64 - 1]),
    "Float32": (pl.Series([0.5, None, 3.0], dtype=pl.Float32), [0.5, None, 3.0]),
    "Boolean": (pl.Series([True, None, False]), [True, None, False]),
    "Date": (pl.Series([DAY, None, DAY]), [DAY, None, DAY]),
    "Datetime": (pl.Series([NOON, None, NOON]), [NOON, None, NOON]),
    "Duration": (pl.Series([HOUR, None, HOUR]), [HOUR, None, HOUR]),
    "Time": (pl.Series([dt.time(1), None, dt.time(2)]), [dt.time(1), None, dt.time(2)]),
    "Decimal": (pl.Series([Decimal("1.5"), None, Decimal(2)]), [1.5, None, 2.0]),
    "Null": (pl.Series([None, None, None]), [None] * 3),
}


@pytest.mark.parametrize("case", POLARS)
def test_columns_of_every_polars_type(case):
    column, expected = POLARS[case]
    assert table_of(pl.DataFrame({"a": column, "b": [1, 2, 3]})) == {"a": expected, "b": [1, 2, 3]}


def test_categories_are_believed_whatever_is_in_them():
    frame = pl.DataFrame({"c": pl.Series([f"v{i}" for i in range(30)], dtype=pl.Categorical), "s": ["a", "b"] * 15})
    assert [f.kind for f in tb.NaiveBayes().fit(frame, [0, 1] * 15).schema_] == ["categorical", "categorical"]


def test_a_duckdb_relation():
    query = """
        select i % 3 as small, i * 1.5 as dec, (i / 2)::double as x, 'v' || (i % 2) as s, i % 2 = 0 as b,
               date '2024-02-29' as d, timestamp '2024-02-29 12:00' as t, null as n, 'b'::enum('a', 'b') as e,
               i::hugeint as h, time '01:00' as tm from range(3) r(i)
    """
    assert table_of(duckdb.sql(query), "b") == {
        "small": [0, 1, 2],
        "dec": [0.0, 1.5, 3.0],
        "x": [0.0, 0.5, 1.0],
        "s": ["v0", "v1", "v0"],
        "d": [DAY] * 3,
        "t": [NOON] * 3,
        "n": [None] * 3,
        "e": ["b"] * 3,
        "h": [0, 1, 2],
        "tm": [dt.time(1)] * 3,
        "target": [True, False, True],
    }


def test_a_duckdb_relation_comes_in_even_pieces():
    relation = duckdb.sql("select i, i % 2 as y from range(150000) r(i)")
    pieces = list(open_source(relation, "y").rows())
    assert [len(piece) for piece in pieces] == [CHUNK_ROWS, CHUNK_ROWS, 150_000 - 2 * CHUNK_ROWS]
    assert sorted(pa.concat_arrays([p.cells.column(0) for p in pieces]).to_pylist()) == list(range(150_000))


SPANS = [dt.timedelta(1), None, dt.timedelta(-3, hours=5, microseconds=7), dt.timedelta(0), dt.timedelta(29)]


@pytest.mark.parametrize("start", [0, 2])
def test_intervals_without_months_are_durations(start):
    """As DuckDB writes a timedelta of pandas."""
    frame = pd.DataFrame({"a": pd.Series(SPANS, dtype="timedelta64[us]"), "y": list("pqpqp")})  # noqa: F841
    relation = duckdb.sql("select * from frame")
    assert str(pa.table(relation).schema.field("a").type) == "month_day_nano_interval"
    relation = duckdb.sql("select * from frame")
    assert table_of(relation) == {"a": SPANS, "y": list("pqpqp")}
    cells = pa.array(
        [span and (0, span.days, 1000 * (span.seconds * 10**6 + span.microseconds)) for span in SPANS],
        pa.month_day_nano_interval(),
    )
    assert table_of(pa.table({"a": cells[start:]})) == {"a": SPANS[start:]}
    model = tb.NaiveBayes(columns={"a": "numeric"}).fit(pa.table({"a": cells, "y": list("pqpqp")}), "y")
    [column] = model.summary().to_dict()["columns"]
    days = [1, -3 + 5 / 24 + 7 / 86_400e6, 29]
    assert column["factors"][0]["mean"][0] == pytest.approx(sum(days) / 3, rel=1e-14)


@pytest.mark.parametrize(
    ("interval", "words"), [((1, 0, 0), "months, which have no fixed length"), ((0, 2**31 - 1, 0), "more than 100,000")]
)
def test_other_intervals_are_refused(interval, words):
    cells = pa.array([(0, 1, 0), interval], pa.month_day_nano_interval())
    table = pa.table({"a": cells, "b": [1.5, 2.5]})
    refused(lambda: tb.NaiveBayes().fit(table, [0, 1]), "'a'", words, "'ignored'", kind=errors.KindError)
    assert tb.NaiveBayes(columns={"a": "ignored"}).fit(table, [0, 1]).schema_["a"].kind == "ignored"
    refused(lambda: tb.NaiveBayes().fit(table, "a"), words, kind=errors.TargetError)
    refused(lambda: tb.NaiveBayes().fit(table, cells), words, kind=errors.TargetError)
    refused(lambda: tb.NaiveBayes().fit(table, [0, 1], sample_weight=cells), "weight", kind=errors.WeightError)


def test_a_query_that_fails():
    relation = duckdb.sql("select error('boom') as a, 1 as y")
    refused(lambda: list(open_source(relation, "y").rows()), "query", "boom", kind=errors.SourceError)


def test_the_column_that_polars_does_not_export_is_named():
    frame = pl.DataFrame({"a": [1], "wide": pl.Series([1], dtype=pl.Int128)})
    refused(lambda: open_source(frame), "'wide'", "Int128", "Cast", kind=errors.UnsupportedDataError)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], [2]]),
        pa.array([{"u": 1}, {"u": 2}]),
        pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
        pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
        pa.array([b"\xff", b"a"]),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_that_hold_no_cells_are_no_matter_where_nobody_uses_them(column):
    table = pa.table({"odd": column, "good": [1.5, 2.5]})
    fit = tb.NaiveBayes().fit
    message = refused(lambda: fit(table, [0, 1]), "'odd'", str(column.type), "'ignored'", kind=errors.TallyBayesError)
    assert message.count("ignored") == 1
    model = tb.NaiveBayes(columns={"odd": "ignored"}).fit(table, [0, 1])
    assert model.predict(table.select(["good"])).shape == (2,)  # and need not be there


def test_a_nested_target_and_nested_weights():
    table = pa.table({"a": [1, 2], "l": [[1], [2]]})
    refused(lambda: tb.NaiveBayes().fit(table, "l"), "Unknown label type", "'l'", kind=errors.TargetError)
    refused(lambda: tb.NaiveBayes().fit(table, [0, 1], sample_weight="l"), "Weights", "'l'", kind=errors.WeightError)


def test_a_stream_that_breaks_off():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    refused(lambda: tb.NaiveBayes().fit(reader, [0]), "broke off", "the disk is gone", kind=errors.SourceError)


class Broken:
    def __arrow_c_stream__(self, requested_schema=None):
        raise RuntimeError("no more memory")


def test_a_producer_that_fails():
    refused(lambda: open_source(Broken()), "Broken", "no more memory", kind=errors.UnsupportedDataError)


def test_tables_without_rows_or_columns():
    refused(lambda: open_source(pa.table({"a": pa.array([], pa.int64())})), "0 sample(s)", kind=errors.EmptyDataError)
    refused(lambda: open_source(pa.table({})), "0 sample(s)", kind=errors.EmptyDataError)
    refused(lambda: open_source(pl.DataFrame()), "0 sample(s)", kind=errors.EmptyDataError)
    empty = duckdb.sql("select i as a, i as b from range(0) r(i)")
    refused(lambda: list(open_source(empty).rows()), "no rows", kind=errors.EmptyDataError)


def test_columns_of_one_name():
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "b", "a"])
    refused(lambda: open_source(table), "'a'", kind=errors.ColumnError)
