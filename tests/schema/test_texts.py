from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.schema.reading import MARKERS, Odd, parse_number, read_value
from tallybayes.schema.texts import all_dates, sniff, with_commas


@pytest.mark.parametrize(
    ("texts", "meant"),
    [
        (["1", "-2", "+3", " 4 ", "NA", None], "integer"),
        (["1", "2.0"], "number"),
        ([".5", "5.", "1e3", "-2E-4", "NaN"], "number"),
        (["123456789012345678901234567890"], "number"),
        (["inf", "1"], "number"),
        (["01", "2"], "string"),
        (["0", "10"], "integer"),
        (["-01.5"], "string"),
        (["true", "FALSE", "?"], "boolean"),
        (["true", "yes"], "string"),
        (["2024-02-29", "2024-03-01"], "time"),
        (["2024-02-29", "2024-02-29 13:05", "2024-02-29T13:05:06.5Z", "2024-02-29T00:00+08:00"], "time"),
        (["2023-02-29"], "string"),
        (["2024-2-9"], "string"),
        (["29.02.2024"], "string"),
        (["0x10"], "string"),
        (["1_000"], "string"),
        (["1,5"], "string"),
        (["1", "x"], "string"),
        (["NA", "?", "", None, " "], "unknown"),
        ([], "unknown"),
    ],
    ids=str,
)
def test_what_texts_stand_for(texts, meant):
    assert sniff(pa.array(texts, pa.string())) == meant
    assert sniff(pa.array(texts, pa.large_string())) == meant


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1), st.lists(st.floats(allow_infinity=False), min_size=1))
def test_numbers_are_known_however_python_writes_them(integers, floats):
    assert sniff(pa.array(list(map(str, integers)))) == "integer"
    known = [f for f in floats if f == f]
    assert sniff(pa.array(list(map(repr, floats)))) == ("number" if known else "unknown")


@given(st.lists(st.dates() | st.datetimes(), min_size=1))
def test_dates_are_known_as_iso_writes_them(dates):
    texts = pa.array([date.isoformat() for date in dates])
    assert sniff(texts) == "time"
    assert all_dates(texts)
    assert not all_dates(pa.array([*texts.to_pylist(), "soon"]))


@given(st.lists(st.text(max_size=5)))
def test_no_text_breaks_the_look_at_it(texts):
    assert sniff(pa.array(texts, pa.string())) in ("string", "integer", "number", "boolean", "time", "unknown")
    with_commas(pa.array(texts, pa.string()))


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["1,5", "2"], True),
        (["1.234,5", "NA"], True),
        (["1,234", "12,345,678"], True),
        (["-0,5", None], True),
        (["1", "2"], False),
        (["1,5", "x"], False),
        (["a,b"], False),
        ([","], False),
        (["1,"], False),
        (["NA"], False),
    ],
)
def test_numbers_with_commas(texts, found):
    assert with_commas(pa.array(texts, pa.string())) is found


@given(st.text(max_size=8))
def test_a_text_is_a_number_where_python_says_so(text):
    try:
        expected = None if "_" in text else float(text)
    except ValueError:
        expected = None
    found = parse_number(text)
    assert (found is None) == (expected is None)
    assert found is None or float(found) == expected or expected != expected


@pytest.mark.parametrize(
    ("raw", "read_as", "text", "value"),
    [
        (None, "string", False, Odd.MISSING),
        ("", "string", False, ""),
        ("", "string", True, Odd.MISSING),
        ("NA", "string", True, "NA"),
        ("NA", "integer", True, Odd.MISSING),
        ("NA", "integer", False, Odd.UNFIT),
        (3, "string", False, "3"),
        (3.0, "string", False, "3"),
        (3.5, "string", False, "3.5"),
        (True, "string", False, "True"),
        (3.0, "integer", False, 3),
        (2**53 + 1, "integer", False, 2**53 + 1),
        (float(2**60), "integer", False, float(2**60)),
        (True, "integer", False, 1),
        (True, "unknown", False, True),
        (1, "boolean", False, True),
        (2, "boolean", False, Odd.UNFIT),
        ("TRUE", "boolean", True, True),
        ("0", "boolean", True, False),
        (float("nan"), "number", False, Odd.MISSING),
        (float("inf"), "number", False, Odd.INFINITE),
        ("inf", "number", True, Odd.INFINITE),
        (3, "time", False, Odd.UNFIT),
        ([1], "string", False, Odd.UNFIT),
    ],
)
def test_what_a_cell_stands_for(raw, read_as, text, value):
    found = read_value(raw, read_as, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("marker", sorted(MARKERS))
def test_markers_are_missing_among_numbers_only(marker):
    for read_as in ("integer", "number", "boolean"):
        assert read_value(f" {marker} ", read_as, True) is Odd.MISSING
    assert read_value(marker, "string", True) == (marker or Odd.MISSING)
