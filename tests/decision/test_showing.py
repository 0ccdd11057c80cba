from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from tallybayes.decision.showing import as_text, json_value, printable, slim_table


@given(st.text())
def test_what_is_printable_is_one_line_that_no_terminal_obeys(text):
    shown = printable(text)
    assert shown.isprintable()
    assert text.isprintable() == (shown == text)


def test_what_cannot_be_printed_is_escaped():
    assert printable("\x1b[31mred") == "\\x1b[31mred"
    assert printable("\u202eleft") == "\\u202eleft"
    assert printable("\ud800") == "\\ud800"


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none(), st.dates()))
def test_a_json_value_is_strict_json(value):
    for given_value in (value, np.float64(value) if isinstance(value, float) else value):
        back = json.loads(json.dumps(json_value(given_value), allow_nan=False))
        if isinstance(value, float) and math.isinf(value):
            assert float(back) == value
        elif isinstance(value, float) and math.isnan(value):
            assert back is None
        elif value is None or isinstance(value, str | int | float):
            assert back == value
        else:
            assert back == str(value)


def test_numpy_and_pandas_values_are_plain_json():
    assert json_value(np.int64(3)) == 3
    assert json_value(np.str_("a")) == "a"
    assert json_value(np.bool_(True)) is True
    assert json_value(pd.Timestamp("2024-02-29")) == "2024-02-29 00:00:00"


def test_text_of_a_table_has_no_colours_and_no_spaces_at_the_end():
    table = slim_table()
    table.add_column(Text("[red]"), style="bold red")
    table.add_column("b", justify="right")
    table.add_row(Text("好瓜"), "1")
    assert as_text(table, width=40) == "[red]  b\n────────\n好瓜   1"
