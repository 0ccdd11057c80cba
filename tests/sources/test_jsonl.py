from __future__ import annotations

import gzip
import json

import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import jsonl, open_source
from tests.sources.asking import refused, table_of


@pytest.fixture
def written(tmp_path):
    """Return what writes objects, or text, to a file."""

    def write(rows, name="t.jsonl"):
        path = tmp_path / name
        text = rows if isinstance(rows, (str, bytes)) else "".join(json.dumps(row) + "\n" for row in rows)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def small(monkeypatch):
    """Read in blocks of a kilobyte, so that a small file has many."""
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 1 << 10)


ROWS = [{"b": True, "a": 1, "s": "绿", "n": None}, {"s": "", "a": None, "late": 2.5}, {}]


def test_objects_with_other_keys_in_any_order(written):
    expected = {
        "b": [True, None, None],
        "a": [1, None, None],
        "s": ["绿", "", None],
        "n": [None] * 3,
        "late": [None, 2.5, None],
    }
    assert table_of(written(ROWS)) == expected
    assert list(table_of(written(ROWS))) == list(expected)
    lines = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    assert table_of(written("\ufeff" + "\r\n\r\n".join(lines))) == expected
    assert table_of(written(gzip.compress("\n".join(lines).encode()), "t.ndjson.gz")) == expected


def test_the_order_of_columns_is_that_of_the_file_also_where_some_look_like_dates(written):
    assert open_source(written([{"a": 1, "d": "2024-01-01", "b": 2}])).names == ("a", "d", "b")


def test_many_blocks_are_one_table(written, small):
    rows = [{"a": i if i < 500 else i / 2, "s": f"v{i % 7}", "e": None if i < 300 else i % 2 == 0} for i in range(1000)]
    path = written(rows)
    source = open_source(path)
    assert source.names == ("a", "s", "e")
    found = table_of(path)
    assert found == {name: [row[name] for row in rows] for name in ("a", "s", "e")}


def test_a_line_longer_than_a_block(written, small):
    rows = [{"a": "x" * 5000}, {"a": "y"}, {"a": "z" * 3000}]
    assert table_of(written(rows)) == {"a": [row["a"] for row in rows]}


DATES = [
    "2024-01-01",
    "2024-01-02T10:00",
    "2024-01-02 10:00:00.25",
    "2024-01-03T00:00:00Z",
    "2024-01-03T08:00:00+08:00",
]


def test_texts_that_write_dates_are_dates(written):
    rows = [{"d": date, "y": i % 2} for i, date in enumerate(DATES)]
    model = tb.NaiveBayes().fit(written(rows), "y")
    assert [(f.kind, f.type) for f in model.schema_] == [("numeric", "time")]
    means = model.summary().to_dict()["columns"][0]["factors"][0]["mean"]
    day = 19723
    at_ten = day + 1 + 10 / 24
    expected = [(day + at_ten + 0.25 / 86400 + day + 2) / 3, (at_ten + day + 2) / 2]
    assert means == pytest.approx(expected, rel=1e-12)


def test_texts_some_of_which_write_dates_are_texts(written, small):
    rows = [{"s": "2024-01-01"}, {"s": "soon"}] * 100
    assert table_of(written(rows)) == {"s": ["2024-01-01", "soon"] * 100}
    rows = [{"s": "2024-01-01", "y": i % 2} for i in range(100)] + [{"s": "soon", "y": 0}] * 100
    model = tb.NaiveBayes().fit(written(rows), "y")
    assert set(model.tallies_["categorical"].values[0]) == {"2024-01-01", "soon"}


def test_a_label_that_looks_like_a_date_is_a_text(written):
    model = tb.NaiveBayes().fit(written([{"a": i / 2, "y": f"2024-01-0{i % 2 + 1}"} for i in range(10)]), "y")
    assert model.classes_.tolist() == ["2024-01-01", "2024-01-02"]


def test_numbers_in_quotes_are_texts_and_the_empty_text_is_a_value(written):
    rows = [{"s": ["1", "2", ""][i % 3], "y": i % 2} for i in range(12)]
    model = tb.NaiveBayes().fit(written(rows), "y")
    assert set(model.tallies_["categorical"].values[0]) == {"", "1", "2"}


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("", ["no bytes"], errors.EmptyDataError),
        ("\n \n", ["blank lines only"], errors.EmptyDataError),
        ('{"a": 1}\n\n{"a": 2,\n', ["line 3", "character 9"], errors.SourceError),
        ('[{"a": 1}]\n', ["line 1", '[{"a": 1}]', "one object a line"], errors.SourceError),
        ('{"a": 1}\n5\n', ["line 2", "but 5"], errors.SourceError),
        ("a,b\n1,2\n", ["line 1"], errors.SourceError),
        ('{"a": 1, "a": 2}\n', ["twice"], errors.SourceError),
        ('{"a": "青"}\n'.encode("gbk"), ["line 1", "UTF-8"], errors.SourceError),
        ('{"a": 1}\n'.encode("utf-16"), ["UTF-16", "Save it in UTF-8"], errors.SourceError),
        ('{"a": 1}\n{"a": "x"}\n', ["'a'", "number before", "string in line 2"], errors.KindError),
        ('{"a": true}\n{"a": 1}\n', ["'a'", "boolean before", "number in line 2"], errors.KindError),
        ('{"a": 1}\n{"a": [1]}\n', ["'a'", "number before", "array in line 2"], errors.KindError),
        (gzip.compress(b'{"a": 1}\n', mtime=0), ["a gzip file", "Add .gz"], errors.SourceError),
    ],
    ids=repr,
)
def test_files_that_are_broken_or_something_else(text, words, kind, written):
    path = written(text)
    refused(lambda: table_of(path), "t.jsonl", *words, kind=kind)


def test_what_is_wrong_far_down_is_named_by_its_line(written, small):
    good = "".join(json.dumps({"a": i, "s": "x"}) + "\n\n" for i in range(1000))
    refused(lambda: table_of(written(good + '{"a": \n')), "line 2001", kind=errors.SourceError)
    refused(lambda: table_of(written(good + '{"a": "x"}\n')), "'a'", "line 2001", kind=errors.KindError)


def test_a_key_that_comes_too_late_is_told_of_once(written, small):
    rows = [{"a": i} for i in range(1000)] + [{"a": 1, "late": 2}] * 1000
    path = written(rows)
    with pytest.warns(errors.DataWarning, match=r"t\.jsonl has the key 'late' after line \d+") as caught:
        found = table_of(path)
    assert len(caught) == 1
    assert caught[0].filename.endswith("asking.py")
    assert found == {"a": [row["a"] for row in rows]}


def test_nested_values_are_no_matter_where_nobody_uses_them(written, small):
    rows = [{"a": i / 2, "deep": [i] if i < 500 else {"u": i}, "y": i % 2} for i in range(400)]
    path = written(rows)
    refused(lambda: tb.NaiveBayes().fit(path, "y"), "'deep'", "list", "'ignored'", kind=errors.UnsupportedDataError)
    model = tb.NaiveBayes(columns={"deep": "ignored"}).fit(path, "y")
    assert [f.name for f in model.schema_.used()] == ["a"]


def test_infinite_numbers(written):
    path = written('{"a": 1.5, "y": 0}\n{"a": Infinity, "y": 1}\n{"a": NaN, "y": 1}\n')
    refused(lambda: tb.NaiveBayes().fit(path, "y"), "'a'", "inf in row 2", kind=errors.ValueRangeError)
