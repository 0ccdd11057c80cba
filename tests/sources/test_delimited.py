from __future__ import annotations

import gzip
import itertools

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import CsvSource, csv_parts, delimited, open_source, open_stream
from tallybayes.sources.csv_parts import with_points
from tests.sources.asking import refused, table_of


@pytest.fixture
def csv(tmp_path):
    """Return what writes a file and gives its path."""

    def write(text, name="t.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return write


SAME = {"a": ["1", "x y"], "b": [None, '2"']}
WRITTEN = {
    "plain": 'a,b\n1,\nx y,"2"""\n',
    "no line break at the end": 'a,b\n1,\nx y,"2"""',
    "CRLF": 'a,b\r\n1,\r\nx y,"2"""\r\n',
    "CR": 'a,b\r1,\rx y,"2"""\r',
    "BOM": '\ufeffa,b\n1,\nx y,"2"""\n',
    "quotes everywhere": '"a","b"\n"1",""\n"x y","2"""\n',
    "blank lines": '\n\na,b\n\n1,\n\nx y,"2"""\n\n\n',
}


@pytest.mark.parametrize("case", WRITTEN)
def test_the_ways_to_write_one_table(case, csv):
    assert table_of(csv(WRITTEN[case])) == SAME
    assert table_of(csv(gzip.compress(WRITTEN[case].encode()), "t.csv.gz")) == SAME


def test_cells_may_hold_separators_quotes_and_line_breaks(csv):
    text = 'a,"b, c"\n"x, ""y""","1\n2\r\n3"\n" ",\n'
    assert table_of(csv(text)) == {"a": ['x, "y"', " "], "b, c": ["1\n2\r\n3", None]}


def test_one_column_has_its_missing_cells(csv):
    assert table_of(csv("a\n1\n\n3\n")) == {"a": ["1", None, "3"]}


@pytest.mark.parametrize("encoding", ["gb18030", "gbk", "big5", "utf-16", "utf-16-le", "utf-8", "utf-8-sig", "cp1252"])
def test_encodings(encoding, csv):
    name, cell = ("größe", "é") if encoding == "cp1252" else ("色澤" if encoding == "big5" else "色泽", "青")
    text = f"{name},y\n{cell},1\n"
    assert table_of(CsvSource(csv(text, encoding=encoding), target="y", encoding=encoding)) == {
        name: [cell],
        "target": ["1"],
    }


def test_characters_of_several_bytes_at_the_end_of_a_block(csv, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 64)
    cells = [("青绿蜷缩" * 3)[i % 7 :] for i in range(200)]
    for encoding in ("gb18030", "utf-8", "utf-16"):
        path = csv("色\n" + "\n".join(cells) + "\n", encoding=encoding)
        assert table_of(CsvSource(path, encoding=encoding)) == {"色": cells}


def test_an_encoding_that_does_not_fit_is_told_with_the_place(csv):
    words = ["not text in utf-8", "encoding='gb18030'"]
    refused(lambda: open_source(csv("a,b\n1,2\n青绿,3\n", encoding="gbk")), "byte 8 ", "line 3", *words)
    late = csv(b"a,b\n" + b"1,2\n" * 40_000 + "青绿,3\n".encode("gbk"))
    refused(lambda: table_of(late), "byte 160004 ", "line 40002", *words, kind=errors.SourceError)
    refused(lambda: open_source(csv("a,b\n1,2\n", encoding="utf-16")), "UTF-16", "encoding='utf-16'")


def test_options_of_the_source(csv):
    path = csv("a;b\n1;2\n")
    assert table_of(CsvSource(path, delimiter=";")) == {"a": ["1"], "b": ["2"]}
    for options in ({"delimiter": ";;"}, {"delimiter": ""}, {"encoding": "utf-99"}, {"decimal": ";"}):
        [(name, value)] = options.items()
        refused(lambda options=options: CsvSource(path, **options), f"{name}={value!r}", kind=errors.OptionError)


def test_a_source_that_names_its_target_and_weights(csv):
    path = csv("a,y,w\n1,p,0.5\n2,q,2\n")
    source = CsvSource(path, target="y", sample_weight="w")
    assert table_of(source) == {"a": ["1", "2"], "target": ["p", "q"], "weights": [0.5, 2.0]}
    refused(lambda: open_source(CsvSource(path, target="y"), "w"), "y was given twice", "'y'", kind=errors.OptionError)
    model = tb.NaiveBayes().fit(CsvSource(path, target="y", sample_weight="w"))
    assert model.classes_.tolist() == ["p", "q"]


# Another separator, decimal commas -----------------------------------------------------------------------

GERMAN = "größe;preis;art\n1,5;1.234,50;gut\n2,25;99,00;schlecht\n-0,5;1.000;gut\n"


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("a;b\n1;2\n", "t.csv", ["no ',' in its header, but ';'", "delimiter=';')"]),
        (GERMAN, "t.csv", ["delimiter=';', decimal=',')"]),
        ("a\tb\n1\t2\n", "t.csv", ["delimiter='\\t')"]),
        ("a|b\n1|2\n", "t.csv", ["delimiter='|')"]),
        ("a,b\n1,2\n", "t.tsv", ["no '\\t' in its header, but ','", "delimiter=',')"]),
    ],
)
def test_another_separator_is_suggested(text, name, words, csv):
    refused(lambda: open_source(csv(text, name)), *words, kind=errors.SourceError)


def test_decimal_commas(csv):
    source = CsvSource(csv(GERMAN), target="art", delimiter=";", decimal=",")
    found = {"größe": ["1.5", "2.25", "-0.5"], "preis": ["1234.50", "99.00", "1000"]}
    assert table_of(source) == found | {"target": ["gut", "schlecht", "gut"]}
    model = tb.NaiveBayes().fit(source)
    assert [(f.kind, f.type) for f in model.schema_] == [("numeric", "number")] * 2


def test_decimal_commas_that_nobody_spoke_of_get_a_warning(csv):
    source = CsvSource(csv(GERMAN.replace("1.000", "")), target="art", delimiter=";")
    with pytest.warns(errors.DataWarning, match=r"'größe', 'preis': texts, .*decimal=','"):
        tb.NaiveBayes().fit(source)
    path = csv('a,n,y\n"1,234",1,p\n"12,345",2,q\n"1,000",3,p\n')  # or those between thousands
    with pytest.warns(errors.DataWarning, match="'a': texts, because their numbers have commas"):
        tb.NaiveBayes().fit(path, "y")


@given(st.lists(st.floats(-1e6, 1e6) | st.text(max_size=4) | st.none(), max_size=8))
def test_points_in_place_of_decimal_commas_change_numbers_only(cells):
    texts = [repr(c).replace(".", ",") if isinstance(c, float) else c for c in cells]
    found = with_points(pa.array(texts, pa.string())).to_pylist()
    for cell, before, after in zip(cells, texts, found, strict=True):
        if isinstance(cell, float):
            assert float(after) == cell
        elif cell is None or not any("0" <= c <= "9" for c in cell):
            assert after == before


# What is broken ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("", ["no bytes"], errors.EmptyDataError),
        ("\n\n\n", ["no header"], errors.EmptyDataError),
        ("a,b\n", ["0 sample(s)", "t.csv has no rows"], errors.EmptyDataError),
        ("a,b", ["0 sample(s)"], errors.EmptyDataError),
        ("a,b\n1,2\n1,2,3\n", ["3 cells in row 2", "header has 2", "'1,2,3'"], errors.SourceError),
        ("a,b\n1,2\n3\n", ["1 cell in row 2", "header has 2"], errors.SourceError),
        ("\na,b\n\n1,2\n3\n", ["1 cell in row 2"], errors.SourceError),
        ("a,a\n1,2\n", ["more than one column called 'a'"], errors.ColumnError),
        ('a,b\n1,2\n"3,4\n5,6\n', ["double quotes in row 2", "not closed"], errors.SourceError),
        ('a,b\n1,2\n3,"4\n', ["double quotes in row 2", "not closed"], errors.SourceError),
        ('a\n1\n"2\n3\n', ["double quotes in row 2", "not closed"], errors.SourceError),
        ('a,"b\n1,2\n', ["header", "double quotes"], errors.SourceError),
        ("a,b\n1,\x00\n", ["binary file"], errors.SourceError),
        (b"PK\x03\x04....", ["ZIP archive"], errors.SourceError),
        (b"PAR1....", ["a Parquet file", "Rename it to end in .parquet"], errors.SourceError),
        (gzip.compress(b"a\n1\n", mtime=0), ["a gzip file", "Add .gz"], errors.SourceError),
        ("<!DOCTYPE html><html>", ["HTML"], errors.SourceError),
        (b"\x89PNG\r\n\x1a\n", ["PNG"], errors.SourceError),
    ],
)
def test_files_that_are_broken_or_something_else(text, words, kind, csv):
    path = csv(text)
    refused(lambda: table_of(path), "t.csv", *words, kind=kind)


def test_a_ragged_row_far_down_is_found_by_its_number(csv, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1 << 10)
    good = "".join(f'{i},"two\nlines"\n' for i in range(2000))
    refused(lambda: table_of(csv(f"a,b\n{good}1,2,3\n")), "3 cells in row 2001", kind=errors.SourceError)
    good = "".join(f"{i},some text\n" for i in range(2000))
    refused(lambda: table_of(csv(f'a,b\n{good}1,"2\n{good}')), "row 2001", "not closed", kind=errors.SourceError)
    monkeypatch.setattr(delimited, "LONGEST", 1 << 12)
    refused(lambda: table_of(csv(f'a,b\n{good}1,"2\n{good}')), "double quote", "never closed", kind=errors.SourceError)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_rows_longer_than_a_block(name, csv, monkeypatch):
    """No row comes twice, and none is left out."""
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1 << 10)
    cells = [f"{i}" * (3000 if i in (700, 1500) else 1) for i in range(2000)]
    text = "\na,b\n\n" + "".join(f'"{cell}\n",{i}\n' for i, cell in enumerate(cells))
    path = csv(gzip.compress(text.encode()) if name.endswith("gz") else text, name)
    assert table_of(path) == {"a": [f"{cell}\n" for cell in cells], "b": [str(i) for i in range(2000)]}
    refused(lambda: table_of(csv(text + "1,2,3\n")), "3 cells in row 2001", kind=errors.SourceError)
    with path.open("rb") as stream:
        source = open_stream(stream, "csv")
        refused(lambda: list(source.rows()), "row of more than", kind=errors.SourceError)


def test_a_broken_gzip_file(csv):
    whole = gzip.compress("".join(f"{i},{i * 7919 % 1000}\n" for i in range(5000)).encode())
    refused(lambda: table_of(csv(whole[:-200], "t.csv.gz")), "t.csv.gz", "cut off", kind=errors.SourceError)
    refused(lambda: open_source(csv("a,b\n1,2\n", "t.csv.gz")), "not compressed", "Take .gz", kind=errors.SourceError)


def test_the_first_column_without_a_name_is_an_index(csv, tmp_path):
    pd.DataFrame({"a": [1.5, 2.5], "y": ["p", "q"]}).to_csv(tmp_path / "index.csv")
    with pytest.warns(errors.DataWarning, match=r"index\.csv has no name") as caught:
        model = tb.NaiveBayes().fit(tmp_path / "index.csv", "y")
    assert len(caught) == 1
    assert model.schema_.names == ("a",)
    with pytest.warns(errors.DataWarning) as caught:
        model.predict(tmp_path / "index.csv")
    assert [str(w.message) for w in caught] == ["NaiveBayes was fitted without the column 'y', which will be ignored."]


def test_a_column_without_a_name_elsewhere_is_told_of(csv):
    path = csv("a,,y\n" + "".join(f"{i / 2},{i / 3},{'pq'[i % 2]}\n" for i in range(10)))
    with pytest.warns(errors.DataWarning, match="Column 2 of .* has no name, and goes by the empty one") as caught:
        model = tb.NaiveBayes().fit(path, "y")
    assert len(caught) == 1
    assert model.schema_.names == ("a", "")
    both = csv(",a,,y\n" + "".join(f"{i},{i / 2},{i / 3},{'pq'[i % 2]}\n" for i in range(10)), "both.csv")
    refused(lambda: tb.NaiveBayes().fit(both, "y"), "more than one column called ''", kind=errors.ColumnError)


# What the cells mean -------------------------------------------------------------------------------------


def kinds_of(path, y="y", **options):
    return {f.name: (f.kind, f.type) for f in tb.NaiveBayes(**options).fit(path, y).schema_}


def test_what_texts_stand_for(csv):
    text = "few,many,x,s,b,d,t,zip,y\n"
    for i in range(30):
        cells = i % 3, i, i / 2, "abc"[i % 3], i % 2 == 0, f"2024-01-{i % 28 + 1:02}", f"2024-01-01T{i % 24:02}:00Z"
        text += ",".join(map(str, cells)) + f",0{i % 5},{'pq'[i % 2]}\n"
    assert kinds_of(csv(text)) == {
        "few": ("categorical", "integer"),
        "many": ("numeric", "integer"),
        "x": ("numeric", "number"),
        "s": ("categorical", "string"),
        "b": ("boolean", "boolean"),
        "d": ("numeric", "time"),
        "t": ("numeric", "time"),
        "zip": ("categorical", "string"),
    }


def test_missing_cells(csv):
    """Markers are missing among numbers, truth values and dates; among texts only the empty cell is."""
    rows = [
        "1,x,true,2024-01-01",
        "NA,NA,NA,NA",
        "N/A,N/A,null,NULL",
        "nan,nan,?,None",
        " ,?,,NaN",
        ",,,",
        "2,y,false,2024-01-02",
    ]
    text = "n,s,b,d,y\n" + "".join(f"{row},{'pq'[i % 2]}\n" for i, row in enumerate(rows))
    model = tb.NaiveBayes().fit(csv(text), "y")
    assert [f.seen for f in model.schema_] == [2, 6, 2, 2]
    assert set(model.tallies_["categorical"].values[0]) == {"x", "y", "NA", "N/A", "nan", "?"}


BLOCK = 70_000  # more than the rows from which kinds are inferred


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Return what writes a file whose last rows differ from the many before."""
    folder = tmp_path_factory.mktemp("long")

    def write(first, last, *, labels="pq"):
        path = folder / "t.csv"
        rows = [f"{first(i)},{labels[i % 2]}\n" for i in range(BLOCK)]
        path.write_text("a,y\n" + "".join(rows) + "".join(f"{cell},{label}\n" for cell, label in last))
        return path

    return write


def test_integers_that_become_floats_far_down(long):
    model = tb.NaiveBayes().fit(long(lambda i: i % 50, [(0.5, "p")]), "y")
    [column] = model.summary().to_dict()["columns"]
    mean = (sum(i % 50 for i in range(0, BLOCK, 2)) + 0.5) / (BLOCK // 2 + 1)
    assert column["factors"][0]["mean"][0] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize(
    ("first", "cell", "words"),
    [
        (lambda i: i % 50, "x", "is numeric, but row 70001 holds 'x', which is not a number"),
        (lambda i: "true" if i % 2 else "false", "yes", "is boolean, but row 70001 holds 'yes'"),
        (lambda i: "true" if i % 2 else "false", 5, "is boolean, but row 70001 holds '5'"),
        (lambda i: f"2024-01-{i % 28 + 1:02}", "soon", "is numeric, but row 70001 holds 'soon', which is not a date"),
        (lambda i: f"2024-01-{i % 28 + 1:02}", 7, "is numeric, but row 70001 holds '7', which is not a date"),
        (lambda i: i % 50, "inf", "holds inf in row 70001"),
    ],
)
def test_what_does_not_fit_far_down_is_named_with_its_row(first, cell, words, long):
    path = long(first, [(cell, "p")])
    refused(lambda: tb.NaiveBayes().fit(path, "y"), "'a'", words, "columns={'a': ")
    tb.NaiveBayes(columns={"a": "ignored"}).fit(path, "y")


def test_the_remedy_in_the_message_is_one(long):
    for first, cell in ((lambda i: i % 50, "x"), (lambda i: f"2024-01-{i % 28 + 1:02}", "soon")):
        model = tb.NaiveBayes(columns={"a": "categorical"}).fit(long(first, [(cell, "p")] * 3), "y")
        assert model.tallies_["categorical"].values[0].index[cell] >= 0


def test_categories_grow_with_texts_far_down(long):
    """Few integers are categories, and a category that comes later may be anything that is written."""
    model = tb.NaiveBayes().fit(long(lambda i: i % 5, [("many", "p"), ("6+", "p"), ("007", "q"), ("2.5", "q")]), "y")
    assert [(f.kind, f.type) for f in model.schema_] == [("categorical", "integer")]
    assert set(model.tallies_["categorical"].values[0]) == {0, 1, 2, 3, 4, 2.5, "007", "6+", "many"}


def test_labels_that_turn_into_something_else_far_down(long):
    path = long(lambda i: i % 50, [(1, "x")], labels="01")
    words = "whole numbers", "row 70001", "'x'"
    refused(lambda: tb.NaiveBayes().fit(path, "y"), *words, kind=errors.TargetError)


def test_a_column_that_is_empty_in_the_first_rows_is_told_of(long):
    """And again where it has a value later on, which is left out."""
    path = long(lambda i: "", [("NA", "p")])
    with pytest.warns(errors.DataWarning, match="'a': ignored, because the first rows have no value") as caught:
        tb.NaiveBayes().fit(path, "y")
    assert len(caught) == 1
    path = long(lambda i: "", [("NA", "p"), (1, "p"), (2, "p")])
    with pytest.warns(errors.DataWarning) as caught:
        model = tb.NaiveBayes().fit(path, "y")
    assert model.schema_["a"].kind == "ignored"
    assert len(caught) == 2
    told = str(caught[1].message)
    assert "'a', the first in row 70002. Say what the column means, as in columns={'a': 'numeric'}" in told
    assert caught[1].filename == __file__
    with pytest.warns(errors.DataWarning, match="the first in row 70002"):  # as does a later batch
        model.partial_fit(path, "y")
    tb.NaiveBayes(columns={"a": "ignored"}).fit(path, "y")
    model = tb.NaiveBayes(columns={"a": "numeric"}).fit(long(lambda i: "", [(1, "p"), (3, "p")]), "y")
    assert model.summary().to_dict()["columns"][0]["factors"][0]["mean"][0] == 2.0


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@pytest.mark.parametrize("taken", [1, None])
def test_the_parser_has_let_go_of_everything_when_its_rows_are_done(tmp_path, monkeypatch, encoding, taken):
    """Its threads would ask for Python while Python ends, and the program would be aborted, whatever its exit code."""
    found = []

    finish = csv_parts.Parsing.finish

    def watched(parsing):
        finish(parsing)
        found.append((parsing.is_gone, parsing in csv_parts._under_way))

    monkeypatch.setattr(csv_parts.Parsing, "finish", watched)
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "好,1\n" * 500_000, encoding=encoding)
    pieces = CsvSource(path, encoding=encoding).pieces(("a", "b"), 65_536)
    rows = sum(piece.num_rows for piece in itertools.islice(pieces, taken))
    pieces.close()
    assert found == [(True, False)]
    assert rows == 500_000 or taken == 1
