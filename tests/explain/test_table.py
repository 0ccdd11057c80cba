from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest

from tallybayes.explain import table as module
from tallybayes.explain.table import evidence_table


def test_values_are_texts_as_they_were_written_and_null_where_missing() -> None:
    cells = ["0.460", 0.46, 3, True, None, math.nan, "", "青绿", Decimal("1.50"), datetime.date(2024, 2, 29)]
    n = len(cells)
    table = evidence_table(["x"], [cells], np.arange(n), np.zeros(n), np.zeros((n, 1)))
    shown = ["0.460", "0.46", "3", "True", None, None, "", "青绿", "1.50", "2024-02-29"]
    assert table["value"].to_pylist()[1::2] == shown


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    table = evidence_table(["\ud800"], [["a\udfff"]], np.arange(1), np.zeros(1), np.zeros((1, 1)))
    assert table.to_pylist()[1] == {"row": 0, "column": "?", "value": "a?", "contribution": 0.0}


def test_columns_named_by_position_are_named_by_text() -> None:
    table = evidence_table([0, 1], [["a"], ["b"]], np.arange(1), np.zeros(1), np.zeros((1, 2)))
    assert table["column"].to_pylist() == ["(prior)", "0", "1"]


@pytest.mark.parametrize("lines", [1, 4, 1000])
def test_however_it_is_laid_out_the_table_is_the_same(monkeypatch: pytest.MonkeyPatch, lines: int) -> None:
    rng = np.random.default_rng(0)
    values = [list(range(7)), [f"v{i}" for i in range(7)]]
    data = np.arange(7), rng.random(7), rng.random((7, 2))
    whole = evidence_table(["x", "y"], values, *data)
    monkeypatch.setattr(module, "_LINES", lines)
    assert evidence_table(["x", "y"], values, *data).equals(whole)
    assert whole["contribution"][4].as_py() == data[2][1, 0]
    assert whole["value"][5].as_py() == "v1"


def test_no_rows_make_an_empty_table_of_the_same_columns() -> None:
    table = evidence_table(["x"], [[]], np.arange(0), np.zeros(0), np.zeros((0, 1)))
    assert (table.num_rows, table.column_names) == (0, ["row", "column", "value", "contribution"])
