from __future__ import annotations

import csv
import datetime as dt
import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import CHUNK_ROWS, open_source
from tests.sources.asking import refused, table_of


def test_an_absent_key_is_a_missing_cell_and_columns_come_in_the_order_of_coming():
    rows = [{"b": 1}, {"a": "x", "b": None}, {"c": 2.5, "a": "y"}]
    assert table_of(rows) == {"b": [1, None, None], "a": [None, "x", "y"], "c": [None, None, 2.5]}
    assert list(table_of(rows)) == ["b", "a", "c"]


def test_a_key_that_only_the_last_of_many_rows_has():
    rows = [{"a": i} for i in range(CHUNK_ROWS + 10)] + [{"a": 1, "late": "x"}]
    found = table_of(rows)
    assert found["a"] == [row["a"] for row in rows]
    assert found["late"] == [None] * (CHUNK_ROWS + 10) + ["x"]


CELLS = {
    "NumPy's": ([np.int8(1), np.float32(2.5), None], [1.0, 2.5, None]),
    "int and float": ([1, 2.5, None], [1.0, 2.5, None]),
    "decimals": ([Decimal("1.5"), 2, None], [1.5, 2.0, None]),
    "large integers": ([2**64 - 1, 1, None], [2**64 - 1, 1, None]),
    "larger integers": ([2**70, 1, None], [2.0**70, 1.0, None]),
    "pandas' missing": ([pd.NA, pd.NaT, "a"], [None, None, "a"]),
    "NaN among texts": ([float("nan"), "a", ""], [None, "a", ""]),
    "NaN among truth": ([float("nan"), True, np.bool_(False)], [None, True, False]),
    "bytes": ([b"a", "绿".encode(), None], ["a", "绿", None]),
    "dates and instants": (
        [dt.date(2020, 1, 1), dt.datetime(2020, 1, 2, 12), None],
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 12), None],
    ),
    "zones": (
        [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, 8, tzinfo=dt.timezone(dt.timedelta(hours=8)))],
        [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)] * 2,
    ),
    "NumPy's dates": (
        [np.datetime64("2020-01-01"), np.datetime64("2020-01-01T06"), np.datetime64("NaT")],
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 6), None],
    ),
    "dates of all sorts": (
        [np.datetime64("2020-01-01"), dt.date(2020, 1, 2), pd.Timestamp("2020-01-03"), None],
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 3), None],
    ),
    "zones and NumPy's": (
        [np.datetime64("2020-01-01"), dt.datetime(2020, 1, 1, 8, tzinfo=dt.timezone(dt.timedelta(hours=8)))],
        [dt.datetime(2020, 1, 1)] * 2,
    ),
    "durations": (
        [np.timedelta64(90, "m"), dt.timedelta(1), pd.Timedelta("1h"), None],
        [dt.timedelta(hours=1.5), dt.timedelta(1), dt.timedelta(hours=1), None],
    ),
}


@pytest.mark.parametrize("case", CELLS)
@pytest.mark.parametrize("form", ["dicts", "rows", "objects"])
def test_cells_of_every_sort(case, form):
    given, expected = CELLS[case]
    if form == "dicts":
        assert table_of([{"a": cell} for cell in given]) == {"a": expected}
        return
    rows = [[cell, "x"] for cell in given]
    if form == "objects":
        table = np.empty((len(rows), 2), dtype=object)
        for i, row in enumerate(rows):
            table[i] = row
        rows = table
    assert table_of(rows) == {0: expected, 1: ["x"] * len(given)}


MIXED = {
    "number, text": ([1, "x"], "numbers (1 in row 1) and texts ('x' in row 2)"),
    "text, number": (["x", None, 2.5], "texts ('x' in row 1) and numbers (2.5 in row 3)"),
    "truth, number": ([True, 2], "truth values (True in row 1) and numbers (2 in row 2)"),
    "date, number": ([dt.date(2020, 1, 1), 2], "dates (datetime.date(2020, 1, 1) in row 1) and numbers (2 in row 2)"),
    "instant, number": ([pd.Timestamp("2020-01-01"), 1.5], "dates"),
    "time, number": ([dt.time(1), 5], "times of day"),
    "timedelta, number": ([dt.timedelta(1), 5], "durations"),
    "float, truth": ([1.5, True], "numbers (1.5 in row 1) and truth values (True in row 2)"),
    "duration, number": ([np.timedelta64(3, "s"), 4], "durations"),
    "bytes, text": ([b"x", "y"], None),
}


@pytest.mark.parametrize("case", MIXED)
def test_a_column_that_mixes_types(case):
    cells, words = MIXED[case]
    rows = [{"a": cell} for cell in cells]
    if words is None:
        assert table_of(rows) == {"a": ["x", "y"]}
        return
    fit = tb.NaiveBayes().fit
    refused(lambda: fit(rows, [0, 1, 0][: len(rows)]), "'a' mixes", words, "'ignored'", kind=errors.KindError)


def test_a_column_that_turns_into_something_else_in_a_later_piece():
    rows = [*({"a": i, "b": i / 2} for i in range(CHUNK_ROWS)), {"a": "x", "b": 1.5}]
    labels = [0, 1] * (CHUNK_ROWS // 2) + [1]
    words = f"numbers before row {CHUNK_ROWS + 1}, texts in the rows from {CHUNK_ROWS + 1}"
    refused(lambda: tb.NaiveBayes().fit(rows, labels), words, "'ignored'", kind=errors.KindError)
    tb.NaiveBayes(columns={"a": "ignored"}).fit(rows, labels)


@pytest.mark.parametrize(
    ("rows", "words", "kind"),
    [
        ([{"a": 1}, [1]], ["row 2", "list"], errors.UnsupportedDataError),
        ([{"a": 1, 3: 2}], ["the key 3"], errors.ColumnError),
        ([{}, {}], ["0 feature(s)"], errors.EmptyDataError),
        ([], ["0 sample(s)"], errors.EmptyDataError),
        ([[], []], ["0 feature(s)"], errors.EmptyDataError),
        ([[1, 2], [3]], ["Row 1 has 2 cells and row 2 has 1"], errors.DataError),
        ([[1, 2], None], ["row 2 is None"], errors.DataError),
        ([[1, 2], "ab"], ["row 2 is 'ab'"], errors.DataError),
    ],
    ids=str,
)
def test_lists_that_are_no_tables(rows, words, kind):
    refused(lambda: list(open_source(rows).rows()), *words, kind=kind)


def test_rows_from_csv_and_sqlite_readers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    with path.open() as file:
        assert table_of(list(csv.DictReader(file))) == {"a": ["1", "2"], "b": ["x", "y"]}
    connection = sqlite3.connect(":memory:")
    cursor = connection.execute("select 1 as a, 'x' as b union select 2, 'y'")
    assert table_of(cursor.fetchall()) == {0: [1, 2], 1: ["x", "y"]}
    connection.close()


def test_an_infinite_cell_is_named_by_its_row_in_the_whole():
    rows = [*({"a": 0.5 + i} for i in range(CHUNK_ROWS)), {"a": 1.5}, {"a": float("inf")}]
    labels = [0, 1] * (CHUNK_ROWS // 2 + 1)
    words = f"column 'a' holds inf in row {CHUNK_ROWS + 2}"
    refused(lambda: tb.NaiveBayes().fit(rows, labels), words, "NaN", kind=errors.ValueRangeError)
