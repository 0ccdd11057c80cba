"""A text among numbers, or among dates, is a mistake and does not make categories of them."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.schema.infer import RULES
from tallybayes.schema.strangers import MOSTLY, stranger
from tests.sources.asking import refused

HALVES = [str(i / 2) for i in range(60)]
CODES = [str(10_000 + i) for i in range(60)]
DAYS = [str(dt.date(2024, 1, 1) + dt.timedelta(i)) for i in range(60)]


@pytest.fixture
def csv(tmp_path):
    def write(cells, name="t.csv"):
        path = tmp_path / name
        path.write_text("x,b,y\n" + "".join(f'"{cell}",{i % 7 / 3},{"pq"[i % 2]}\n' for i, cell in enumerate(cells)))
        return path

    return write


def with_one(cells, other, at=33):
    return [*cells[:at], other, *cells[at + 1 :]]


@pytest.mark.parametrize(
    ("cells", "other", "words"),
    [(HALVES, "1O.5", "numbers"), (CODES, "abc", "numbers"), (DAYS, "2024-13-01", "dates"), (DAYS, "soon", "dates")],
)
def test_one_typo_is_an_error_with_its_row_and_what_to_do(cells, other, words, csv):
    path = csv(with_one(cells, other))
    said = f"Column 'x' has {words} in 59 of 60 cells, but row 34 holds '{other}'.", "columns={'x': 'categorical'}"
    refused(lambda: tb.NaiveBayes().fit(path, "y"), *said, "columns={'x': 'ignored'}", kind=errors.KindError)
    assert tb.NaiveBayes(columns={"x": "categorical"}).fit(path, "y").schema_["x"].kind == "categorical"
    assert tb.NaiveBayes(columns={"x": "ignored"}).fit(path, "y").schema_["x"].kind == "ignored"
    assert tb.NaiveBayes().fit(csv(with_one(cells, "")), "y").schema_["x"].kind == "numeric"


def test_a_comma_among_points_is_one_too(csv):
    path = csv(with_one(HALVES, "12,5"))
    said = "in 59 of 60 cells, but row 34 holds '12,5'", "CsvSource(path, decimal=',')"
    refused(lambda: tb.NaiveBayes().fit(path, "y"), *said, kind=errors.KindError)
    commas = csv([cell.replace(".", ",") if i % 4 else str(i) for i, cell in enumerate(HALVES)])
    with pytest.warns(errors.DataWarning, match="texts, because their numbers have commas"):
        tb.NaiveBayes().fit(commas, "y")


def test_dates_of_json_lines_too(tmp_path):
    path = tmp_path / "t.jsonl"
    lines = [json.dumps({"x": cell, "y": "pq"[i % 2]}) for i, cell in enumerate(with_one(DAYS, "2024-13-01"))]
    path.write_text("\n".join(lines))
    said = "dates in 59 of 60", "row 34 holds '2024-13-01'"
    refused(lambda: tb.NaiveBayes().fit(path, "y"), *said, kind=errors.KindError)


@pytest.mark.parametrize(("texts", "mistaken"), [(6, True), (7, False)])
def test_the_share_is_that_of_the_cells_with_a_value(texts, mistaken, csv):
    """Ninety of a hundred, whether many values are the same or not, and missing cells apart."""
    cells = [str(i % 3) for i in range(60 - texts)] + ["4+"] * texts + ["NA"] * 40
    if mistaken:
        refused(lambda: tb.NaiveBayes().fit(csv(cells), "y"), "in 54 of 60 cells", "row 55", kind=errors.KindError)
    else:
        model = tb.NaiveBayes().fit(csv(cells), "y")
        assert list(model.tallies_["categorical"].values[0]) == ["0", "1", "2", "4+", "NA"]


def test_numbers_with_many_others_among_them_are_told_of(csv):
    cells = [cell if i % 4 else "-" for i, cell in enumerate(HALVES)]
    with pytest.warns(errors.DataWarning, match="'x': texts, though most cells are numbers or dates"):
        model = tb.NaiveBayes().fit(csv(cells), "y")
    assert model.schema_["x"].kind == "categorical"


@pytest.mark.parametrize(
    "cells",
    [
        [*(["2", "3", "4"] * 15), *(["5more"] * 15)],  # a quarter are texts
        [*(str(i % 10) for i in range(59)), "007"],  # zeros in front make texts of all
        [f"{i % 9}cm" if i % 8 == 0 else str(i % 9) for i in range(60)],
        ["1", "2", "3", "4", "5", "6", "7", "8", "x"],  # one of nine is more than a tenth
    ],
)
def test_other_columns_of_texts_are_left_alone(cells, csv):
    assert tb.NaiveBayes().fit(csv(cells), "y").schema_["x"].kind == "categorical"


def test_texts_of_a_frame_are_texts():
    rows = [{"x": cell} for cell in with_one(["1", "2"] * 30, "x")]
    assert tb.NaiveBayes().fit(rows, ["p", "q"] * 30).schema_["x"].kind == "categorical"


@pytest.mark.parametrize("text", ["nan", "INF", "-1e5", "+.5", "5.", " 7 "])
def test_whatever_can_be_read_as_a_number_is_one(text):
    found = stranger(pa.array(["1", text, "x", None]), text=True)
    assert (found.cell, found.row, found.others) == ("x", 2, 1 if text == "nan" else 2)
    assert found.present == found.others + 1


def test_nothing_is_found_where_all_fit_or_few_do():
    for texts in (["1", "2"], ["x", "y", "1"], [None, ""], []):
        assert stranger(pa.array(texts, pa.string()), text=True) is None
    assert stranger(pa.array(["1", "2", "x"]), text=False) is None


def test_the_rules_say_so():
    assert f"of which {MOSTLY}% of the cells or more are numbers" in RULES
