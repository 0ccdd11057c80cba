"""Targets and weights, and how they go with the rows."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import CHUNK_ROWS, open_source
from tests.sources.asking import refused, table_of

X = [["a", 1.5], ["b", 2.5], ["a", 3.5], ["b", 5.0]]
FRAME = pd.DataFrame({"kind": ["p", "q", "p", None], "size": [1.5, 2.5, 3.5, 4.0], "w": [1, 2, 0, 0.5]})


def shown(value):
    """Name a case by its value, without its place in memory, which differs from run to run."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def classes_of(y, **options):
    return tb.NaiveBayes(**options).fit(X, y).classes_.tolist()


TEXTS = ["p", "q", "q", "p"]
TARGETS = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "array": np.array(TEXTS),
    "objects": np.array(TEXTS, dtype=object),
    "bytes": np.array(TEXTS, dtype="S1"),
    "series": pd.Series(TEXTS, index=[7, 7, 1, 2]),
    "index": pd.Index(TEXTS),
    "category": pd.Series(pd.Categorical(TEXTS, categories=["z", "q", "p"])),
    "frame": pd.DataFrame({"y": TEXTS}),
    "polars": pl.Series(TEXTS),
    "polars Enum": pl.Series(TEXTS, dtype=pl.Enum(["q", "p", "z"])),
    "polars frame": pl.DataFrame({"y": TEXTS}),
    "arrow": pa.array(TEXTS),
    "chunks": pa.chunked_array([["p"], ["q", "q", "p"]]),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "table": pa.table({"y": TEXTS}),
}


@pytest.mark.parametrize("form", TARGETS)
def test_targets_in_every_form(form):
    expected = tb.NaiveBayes().fit(X, TEXTS).predict_proba(X)
    model = tb.NaiveBayes().fit(X, TARGETS[form])
    assert model.classes_.tolist() == ["p", "q"]
    np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([2, 1, 1, 2], [1, 2]),
        ([2.0, 1.0, 1.0, 2.0], [1.0, 2.0]),
        ([True, False, True, False], [False, True]),
        (np.array([2**64 - 1, 1, 1, 1], np.uint64), [1, 2**64 - 1]),
        (np.array([-(2**63), 2**63 - 1, 1, 1]), [-(2**63), 1, 2**63 - 1]),
        ([Decimal(1), Decimal(2), Decimal(2), Decimal(1)], [1, 2]),
        (["", "a", "a", ""], ["", "a"]),
        (pd.array([1, 2, 2, 1], "Int8"), [1, 2]),
        (np.array([2, 1, 1, 2], ">i4"), [1, 2]),
    ],
    ids=shown,
)
def test_labels_stay_what_they_are(y, expected):
    found = classes_of(y)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize(
    "y",
    [
        ["p", None, "q", None],
        ["p", float("nan"), "q", float("nan")],
        [1, None, 2, None],
        [1.0, np.nan, 2.0, np.nan],
        [True, None, False, None],
        pd.Series([1, None, 2, None], dtype="Int64"),
        pa.array(["p", None, "q", None]),
        pl.Series(["p", None, "q", None]),
    ],
    ids=shown,
)
def test_rows_without_a_label_are_set_aside_and_counted(y):
    with pytest.warns(errors.DataWarning, match="^2 of 4 rows have no label and were set aside") as caught:
        model = tb.NaiveBayes().fit(X, y)
    assert len(caught) == 1
    assert len(model.classes_) == 2
    assert model.tallies_["classes"].rows.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([None] * 4, "missing in all 4 rows"),
        ([1, "a", 1, "a"], "y mixes numbers (1 in row 1) and texts ('a' in row 2)"),
        ([0.5, 1.0, 2.0, 1.0], "continuous. The target holds 0.5 in row 1"),
        ([1.0, np.inf, 2.0, 1.0], "infinity"),
        ([1j, 1, 1, 1], "Complex"),
        ([dt.date(2020, 1, 1)] * 4, "date32"),
        ([["p", "q"]] * 4, "shape (4, 2)"),
        (pd.DataFrame({"a": TEXTS, "b": TEXTS}), "2 columns"),
        (pa.table({"a": TEXTS, "b": TEXTS}), "2 columns"),
        (sparse.csr_array([[1], [0], [1], [0]]), "sparse"),
        ({"a": 1}, "dict"),
        (iter(TEXTS), "iterator"),
        (3, "3 of type int"),
        ([{"a": 1}] * 4, "label"),
        (np.zeros(4, [("a", "i4")]), "y['field']"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else type(value).__name__,
)
def test_targets_that_are_no_labels(y, words):
    refused(lambda: tb.NaiveBayes().fit(X, y), words, kind=errors.TargetError)


def test_the_target_is_a_column_of_the_source():
    source = open_source(FRAME, "kind", "w")
    assert (source.names, source.target) == (("size",), "kind")
    assert table_of(FRAME, "kind", "w") == {
        "size": [1.5, 2.5, 3.5, 4.0],
        "target": ["p", "q", "p", None],
        "weights": [1.0, 2.0, 0.0, 0.5],
    }


def test_a_column_that_is_misspelt():
    fit = tb.NaiveBayes().fit
    words = "no column 'knid' to take y from. Did you mean 'kind'? Its columns are 'kind', 'size', 'w'."
    refused(lambda: fit(FRAME, "knid"), words, kind=errors.ColumnError)
    refused(lambda: fit(FRAME, "KIND"), "Did you mean 'kind'?", kind=errors.ColumnError)
    refused(lambda: fit(FRAME, "kind", sample_weight="ww"), "sample_weight", "'w'", kind=errors.ColumnError)
    refused(lambda: fit(X, "kind"), "no names", kind=errors.ColumnError)
    refused(lambda: fit(FRAME), "y", kind=errors.TargetError)


@pytest.mark.parametrize("length", [3, 5])
def test_another_number_of_labels_or_weights_than_rows(length, tmp_path):
    y, w = ["p"] * length, [1.0] * length
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    for given in (FRAME[["size"]], tmp_path / "t.csv"):
        refused(lambda given=given: tb.NaiveBayes().fit(given, y), f"y has {length}", "4 rows")
    refused(lambda: tb.NaiveBayes().fit(FRAME, "kind", sample_weight=w), f"sample_weight has {length}", "4 rows")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, -1, 1], "-1.0 in row 3"),
        ([1, np.nan, 1, 1], "nan in row 2"),
        ([1, np.inf, 1, 1], "inf in row 2"),
        ([1, None, 1, 1], "row 2"),
        (["a", "b", "c", "d"], "'a' in row 1"),
        ([[1, 2]] * 4, "1D array"),
        (-1.0, "-1.0"),
        (pa.array([[1]] * 4), "0 or more"),
        (pd.Series(pd.date_range("2020", periods=4)), "0 or more"),
        ([0, 0, 0, 0], "weight zero"),
    ],
    ids=shown,
)
def test_weights_that_are_none(weights, words):
    kind = errors.DataError if words == "weight zero" else errors.WeightError
    refused(lambda: tb.NaiveBayes().fit(X, TEXTS, sample_weight=weights), words, kind=kind)


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2, 0, 1],
        np.array([1, 2, 0, 1], np.int8),
        pd.Series([1, 2, 0, 1], dtype="Int64"),
        pl.Series([1.0, 2, 0, 1]),
        pa.array([1, 2, 0, 1]).dictionary_encode(),
        [Decimal(1), Decimal(2), Decimal(0), Decimal(1)],
    ],
    ids=lambda w: type(w).__name__,
)
def test_weights_in_every_form(weights):
    expected = tb.NaiveBayes().fit([X[0], X[1], X[1], X[3]], ["p", "q", "q", "p"])
    found = tb.NaiveBayes().fit(X, TEXTS, sample_weight=weights)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), rtol=1e-12)


def test_a_bad_weight_in_a_file_is_named_by_its_row_in_the_whole(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{i % 7 / 2},{'pq'[i % 2]},1\n" for i in range(CHUNK_ROWS + 5)]
    path.write_text("a,y,w\n" + "".join(rows) + "1,p,-2\n")
    words = f"'w' is -2.0 in row {CHUNK_ROWS + 6}"
    refused(lambda: tb.NaiveBayes().fit(path, "y", sample_weight="w"), words, kind=errors.WeightError)
    path.write_text("a,y,w\n" + "".join(rows) + "1,p,heavy\n")
    words = f"'w' is 'heavy' in row {CHUNK_ROWS + 6}"
    refused(lambda: tb.NaiveBayes().fit(path, "y", sample_weight="w"), words, kind=errors.WeightError)


def test_a_column_vector_is_taken_with_a_warning():
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning, match="1d array was expected") as caught:
        tb.NaiveBayes().fit(X, np.array(TEXTS)[:, None])
    assert caught[0].filename == __file__
