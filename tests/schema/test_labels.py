from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes.errors import MergeError, TargetError
from tallybayes.schema.labels import code_labels, target_type
from tests.sources.asking import refused


def decoded(target, weights=None, **options):
    labels, missing = code_labels(target, weights, **options)
    return [None if code < 0 else labels.values[code] for code in labels.codes.tolist()], missing, list(labels.values)


LABELS = [
    st.lists(st.none() | st.sampled_from(["a", "b", "", "绿"])).map(lambda cells: pa.array(cells, pa.string())),
    st.lists(st.none() | st.integers(-3, 3)).map(lambda cells: pa.array(cells, pa.int64())),
    st.lists(st.none() | st.booleans()).map(lambda cells: pa.array(cells, pa.bool_())),
    st.lists(st.integers(-5, 5) | st.integers(-(2**63), 2**63 - 1)).map(lambda cells: np.array(cells, np.int64)),
    st.lists(st.integers(0, 2**64 - 1)).map(lambda cells: np.array(cells, np.uint64)),
    st.lists(st.integers(-100, 100)).map(lambda cells: np.array(cells, np.int8)),
    st.lists(st.booleans()).map(lambda cells: np.array(cells, bool)),
]


@given(st.one_of(LABELS), st.data())
def test_codes_stand_for_the_labels(target, data):
    cells = target.to_pylist() if isinstance(target, pa.Array) else target.tolist()
    expected = sorted({cell for cell in cells if cell is not None})
    assert decoded(target) == (cells, cells.count(None), expected)
    weights = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(cells), max_size=len(cells))))
    kept = [cell if weight else None for cell, weight in zip(cells, weights.tolist(), strict=True)]
    present = sorted({cell for cell in kept if cell is not None})
    assert decoded(target, weights) == (kept, cells.count(None), present)  # a class of weight zero is none


@given(st.lists(st.none() | st.integers(-(2**53), 2**53)))
def test_whole_floats_are_labels(cells):
    target = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    expected = [None if cell is None else float(cell) for cell in cells]
    assert decoded(target) == (expected, cells.count(None), sorted({c for c in expected if c is not None}))


@pytest.mark.parametrize(
    ("cells", "read_as", "expected"),
    [
        (["0", "1", None], "integer", [0, 1, None]),
        (["0", "1.0", "NA"], "number", [0.0, 1.0, None]),
        (["true", "False", ""], "boolean", [True, False, None]),
        (["01", "1"], "string", ["01", "1"]),
        (["NA", "a"], "string", ["NA", "a"]),
        (["2024-01-01", "2024-01-02"], "string", ["2024-01-01", "2024-01-02"]),
    ],
)
def test_labels_of_a_text_file(cells, read_as, expected):
    target = pa.array(cells, pa.string())
    assert target_type(target, text=True) == read_as
    assert decoded(target, read_as=read_as)[0] == expected
    assert target_type(target, text=False) == "string"
    assert decoded(target)[0] == cells


def test_labels_that_are_all_missing_are_of_any_type():
    for target in (np.array([np.nan, np.nan]), pa.nulls(2), pa.nulls(2, pa.int64())):
        assert decoded(target, read_as="string") == ([None, None], 2, [])


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
def test_numbers_do_not_become_classes_beside_texts():
    """Neither in a later batch nor in another model."""
    X = [{"a": i / 3} for i in range(20)]
    model = tb.NaiveBayes().fit(X, ["p", "q"] * 10)
    for y in ([1] * 20, [1.0, 2.0] * 10, [True, False] * 10):
        for call in (model.partial_fit, model.log_likelihood, model.forget):
            refused(lambda call=call, y=y: call(X, y), "labels are texts", "row 1", kind=TargetError)
        refused(lambda y=y: model + tb.NaiveBayes().fit(X, y), "labels", "texts", kind=MergeError)
    assert model.classes_.tolist() == ["p", "q"]


@pytest.mark.parametrize(
    ("target", "read_as", "words"),
    [
        (np.array([1.0, 0.5]), None, "continuous. The target holds 0.5 in row 102"),
        (np.array([1.0, np.inf]), None, "infinity or a value too large for dtype('float64') in row 102"),
        (pa.array(["1", "x"]), "integer", "whole numbers, as the first rows have them, but row 102 is labelled 'x'"),
        (pa.array(["true", "2"]), "boolean", "true or false, as the first rows have them, but row 102"),
        (np.array([1, 2]), "string", "texts, as the first rows have them, but row 101 is labelled 1"),
        (np.array([1.0, np.nan]), "string", "row 101 is labelled 1.0"),
        (pa.array([None, True]), "string", "row 102 is labelled True"),
        (pa.array([1, 2], pa.date32()), None, "date32"),
        (pa.array([[1], [2]]), None, "list"),
    ],
)
def test_labels_that_are_none(target, read_as, words):
    refused(lambda: code_labels(target, read_as=read_as, first=100), words, kind=TargetError)
