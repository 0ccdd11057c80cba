from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import open_source
from tests.sources.asking import refused, table_of

DAY = dt.datetime(2024, 2, 29)
EAST = dt.timezone(dt.timedelta(hours=8))
COLUMNS = {
    "Int64": (pd.array([1, None, 3], "Int64"), [1, None, 3]),
    "UInt8": (pd.array([1, None, 255], "UInt8"), [1, None, 255]),
    "Float32": (pd.array([0.5, None, 3], "Float32"), [0.5, None, 3.0]),
    "boolean": (pd.array([True, None, False], "boolean"), [True, None, False]),
    "objects of truth": (pd.Series([True, None, False], dtype=object), [True, None, False]),
    "string": (pd.array(["a", None, ""], "string"), ["a", None, ""]),
    "string of Arrow": (pd.array(["a", None, ""], "string[pyarrow]"), ["a", None, ""]),
    "str": (pd.Series(["a", None, ""], dtype="str"), ["a", None, ""]),
    "objects": (pd.Series(["a", np.nan, ""], dtype=object), ["a", None, ""]),
    "category": (pd.Categorical(["b", None, "a"], categories=["z", "b", "a"]), ["b", None, "a"]),
    "category of integers": (pd.Categorical([3, None, 1]), [3, None, 1]),
    "category of truth": (pd.Categorical([True, False, None]), [True, False, None]),
    "category of intervals": (pd.cut(pd.Series([1, 5, None]), [0, 2, 6]), ["(0, 2]", "(2, 6]", None]),
    "category of periods": (
        pd.Categorical(pd.PeriodIndex(["2024-02", "2024-03", None], freq="M")),
        ["2024-02", "2024-03", None],
    ),
    "datetime": (pd.to_datetime(["2024-02-29 00:00", None, "2024-02-29 12:00"]), [DAY, None, DAY.replace(hour=12)]),
    "datetime with a zone": (
        pd.to_datetime(["2024-02-29", None, "2024-02-29"]).tz_localize("Asia/Shanghai"),
        [DAY.replace(tzinfo=EAST), None, DAY.replace(tzinfo=EAST)],
    ),
    "timedelta": (pd.to_timedelta(["1h", None, "2D"]), [dt.timedelta(hours=1), None, dt.timedelta(2)]),
    "period": (pd.PeriodIndex(["2024-02-29", None, "2024-02-29"], freq="D"), [DAY, None, DAY]),
    "interval": (pd.IntervalIndex.from_breaks([0, 1, 2, 3]), ["(0, 1]", "(1, 2]", "(2, 3]"]),
    "sparse": (pd.arrays.SparseArray([0.0, 1.5, np.nan]), [0.0, 1.5, None]),
    "dates": (pd.Series([DAY.date(), None, DAY.date()], dtype=object), [DAY.date(), None, DAY.date()]),
    "decimals": (pd.Series([Decimal("1.5"), None, Decimal(2)], dtype=object), [1.5, None, 2.0]),
    "Arrow": (pd.Series([1, None, 3], dtype=pd.ArrowDtype(pa.int16())), [1, None, 3]),
    "Arrow dictionary": (
        pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        ["b", None, "a"],
    ),
    "Arrow decimal": (
        pd.Series([Decimal(1), None, Decimal(3)], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        [1.0, None, 3.0],
    ),
    "nothing": (pd.Series([None, None, None], dtype=object), [None] * 3),
    "NaN and NA": (pd.Series([np.nan, pd.NA, pd.NaT], dtype=object), [None] * 3),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_columns_of_every_type(case):
    given, expected = COLUMNS[case]
    column = pd.Series(given).set_axis([9, 9, 4])  # an index that is neither sorted nor unique
    assert table_of(pd.DataFrame({"a": column, "b": [1, 2, 3]}, index=column.index)) == {"a": expected, "b": [1, 2, 3]}


def test_the_index_is_never_a_column():
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["key", "n"]))
    assert open_source(frame).names == ("a",)
    refused(lambda: open_source(frame, "key"), "'key'", kind=errors.ColumnError)


def test_what_pandas_wrote_as_its_index_is_no_column_of_a_file(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "y": ["p", "q"]}, index=pd.Index(["x", "z"], name="key"))
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    for X in (tmp_path / "t.parquet", tmp_path / "t.feather", pa.Table.from_pandas(frame)):
        assert open_source(X, "y").names == ("a",)
        assert table_of(X, "key") == {"a": [1, 2], "y": ["p", "q"], "target": ["x", "z"]}


@pytest.mark.parametrize("labels", [range(2), [5, 3], pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])])
def test_labels_that_are_no_texts_are_positions(labels):
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=labels)
    source = open_source(frame)
    assert (source.names, source.named) == ((0, 1), False)
    refused(lambda: open_source(frame, "y"), "no names", kind=errors.ColumnError)


def test_labels_of_which_some_are_texts():
    frame = pd.DataFrame([[1, 2]], columns=["a", 1])
    refused(lambda: open_source(frame), "string names", "astype(str)", kind=errors.UnsupportedDataError)


def test_columns_of_one_name():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    refused(lambda: open_source(frame), "'a'", "more than one column", kind=errors.ColumnError)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([1, "x"], ["mixes", "1 in row 1", "'x' in row 2"]),
        ([True, 2], ["truth values", "numbers"]),
        ([dt.date(2020, 1, 1), dt.timedelta(1)], ["dates", "durations"]),
        ([dt.time(1), dt.date(2020, 1, 1)], ["times of day", "dates"]),
        pytest.param([object(), 1], ["type object", "row 1"], id="an object"),
        ([b"\xff", b"a"], ["UTF8"]),
        ([10**400, 1], ["float64"]),
    ],
    ids=str,
)
def test_columns_that_cannot_be_read_are_named_unless_they_are_ignored(cells, words):
    frame = pd.DataFrame({"odd": pd.Series(cells, dtype=object), "good": [1.5, 2.5]})
    remedy = "columns={'odd': 'ignored'}"
    refused(lambda: tb.NaiveBayes().fit(frame, [0, 1]), "'odd'", remedy, *words, kind=errors.TallyBayesError)
    model = tb.NaiveBayes(columns={"odd": "ignored"}).fit(frame, [0, 1])
    assert model.predict(frame).shape == (2,)


@pytest.mark.parametrize("cells", [[[1], [2]], [{"a": 1}, {"a": 2}], [(1, 2), (3, 4)]], ids=str)
def test_nested_cells(cells):
    frame = pd.DataFrame({"deep": cells, "good": [1.5, 2.5]})
    fit = tb.NaiveBayes().fit
    refused(lambda: fit(frame, [0, 1]), "'deep'", "columns={'deep': 'ignored'}", kind=errors.UnsupportedDataError)
    assert tb.NaiveBayes(columns={"deep": "ignored"}).fit(frame, [0, 1]).predict(frame).shape == (2,)
    refused(lambda: fit(frame, "deep"), "label", "'deep'", kind=errors.TargetError)


def test_frames_without_rows_or_columns():
    refused(lambda: open_source(pd.DataFrame({"a": []})), "0 sample(s)", kind=errors.EmptyDataError)
    refused(lambda: open_source(pd.DataFrame(index=range(3))), "0 feature(s)", kind=errors.EmptyDataError)
    refused(lambda: open_source(pd.DataFrame({"y": [0, 1]}), "y"), "besides the target", kind=errors.EmptyDataError)
    refused(lambda: open_source(pd.DataFrame({"a": [1j]})), "Complex", "'a'")


def test_nullable_integers_keep_all_their_digits():
    frame = pd.DataFrame({"n": pd.array([2**62 + 1, None, 2**62 + 2], "Int64")})
    assert table_of(frame) == {"n": [2**62 + 1, None, 2**62 + 2]}
