from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallybayes.decision.labels import ClassIndex, is_missing, plain
from tallybayes.errors import OptionError, TargetError


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        ("a", "b"),
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        pd.Series(["a", "b"]),
        pd.Series(["a", "b"], dtype="category"),
        pl.Series(["a", "b"]),
        pa.array(["a", "b"]),
        pa.chunked_array([["a"], ["b"]]),
        [b"a", b"b"],
        np.array([b"a", b"b"]),
        pa.array([b"a", b"b"]),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_labels_become_plain_values(labels):
    assert plain(labels) == ["a", "b"]


def test_numpy_scalars_in_a_list_become_plain_values():
    values = plain([np.int64(1), np.str_("a"), np.bool_(True)])
    assert [type(value) for value in values] == [int, str, bool]


@pytest.mark.parametrize("labels", ["kind", None, 3])
def test_one_value_is_no_array_of_labels(labels):
    with pytest.raises(TargetError, match="one label for each row"):
        plain(labels)


def test_missing_labels():
    assert all(map(is_missing, [None, float("nan"), pd.NA, pd.NaT]))
    assert not any(map(is_missing, ["", 0, False, "nan", float("inf")]))


@pytest.mark.parametrize(
    ("classes", "label", "place"),
    [
        ([1, 2], 2, 1),
        ([1, 2], 2.0, 1),
        ([1, 2], "2", 1),
        ([1, 2], "2.0", 1),
        ([1.0, 2.0], "2", 1),
        ([1.0, 2.0], "2.0", 1),
        ([False, True], True, 1),
        ([False, True], "true", 1),
        ([False, True], "True", 1),
        (["1", "2"], 2, 1),
        (["1", "2"], "2", 1),
        (np.array(["x", "y"]), np.str_("y"), 1),
        (["x", "y"], "Y", None),
        (["x", "y"], None, None),
        (["x", "y"], ["y"], None),
        ([1, 2], "3", None),
    ],
    ids=str,
)
def test_a_label_is_found_by_value_and_then_by_how_it_is_written(classes, label, place):
    assert ClassIndex(classes).find(label) == place


def test_classes_that_are_written_alike_are_told_apart_by_value_and_never_guessed():
    index = ClassIndex(np.array([1, "1", 2], dtype=object))
    assert index.find(1) == 0
    assert index.find("1") == 1
    assert index.find("2") == 2
    assert index.find("1.0") == 0  # which only the number may be written as
    assert ClassIndex(np.array([True, "true"], dtype=object)).find("True") == 0


def test_positions_are_by_value_alone():
    index = ClassIndex(["b", "a"])
    assert index.positions(np.array(["a", "b", "c"])).tolist() == [1, 0, -1]
    assert ClassIndex([0, 1]).positions(["1", 1, None]).tolist() == [-1, 1, -1]
    with pytest.raises(TargetError, match="plain value"):
        index.positions([["a"], ["b"]])


def test_the_classes_are_listed_for_messages():
    assert str(ClassIndex(["a", "b"])) == "'a', 'b'"
    assert str(ClassIndex(range(30))).endswith("and 18 more")


def test_several_targets_have_no_index():
    with pytest.raises(OptionError, match="one target at a time"):
        ClassIndex([np.array([0, 1]), np.array([0, 1])])
