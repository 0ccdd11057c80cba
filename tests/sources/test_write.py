from __future__ import annotations

import datetime as dt
import io
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import TableWriter, open_source, write_table
from tests.sources.asking import refused, table_of

ENDINGS = ["csv", "tsv", "csv.gz", "parquet", "arrow", "feather", "jsonl", "ndjson.gz"]
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
instants = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))
COLUMNS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
    pa.bool_(): st.booleans(),
    pa.string(): texts,
    pa.date32(): st.dates(dt.date(1, 1, 1)),
    pa.timestamp("us"): instants,
    pa.timestamp("us", "Asia/Shanghai"): instants,
    pa.duration("us"): st.timedeltas(dt.timedelta(-(10**4)), dt.timedelta(10**4)),
    pa.dictionary(pa.int32(), pa.string()): texts,
}


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 5))
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4))
    names = draw(st.lists(texts.filter(str.strip), min_size=len(kinds), max_size=len(kinds), unique=True))
    cells = [pa.array(draw(st.lists(st.none() | COLUMNS[kind], min_size=rows, max_size=rows)), kind) for kind in kinds]
    return pa.table(cells, names=[name.replace("\ufeff", "") or f"c{i}" for i, name in enumerate(names)])


def meant(cell, kind, *, text, csv):
    """Return what a cell should be when it comes back."""
    if cell is None or (csv and cell == ""):
        return None
    if not text:
        return cell
    if pa.types.is_duration(kind):
        return cell / dt.timedelta(1)
    if pa.types.is_temporal(kind):
        return cell
    if csv:
        return str(cell).lower() if isinstance(cell, bool) else cell if isinstance(cell, str) else float(cell)
    return cell


def read(cell, kind):
    """Return a cell of a text file as what it means."""
    if cell is None or not isinstance(cell, str):
        return cell
    if pa.types.is_date(kind):
        return dt.date.fromisoformat(cell)
    if pa.types.is_timestamp(kind):
        return dt.datetime.fromisoformat(cell)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_duration(kind):
        return float(cell)
    return cell


@given(tables(), st.sampled_from(ENDINGS))
def test_what_is_written_is_read_again(tmp_path_factory, table, ending):
    if len(set(table.schema.names)) < table.num_columns:
        return
    path = tmp_path_factory.mktemp("t") / f"t.{ending}"
    assert write_table(table, path) == table.num_rows
    text, csv = ending not in ("parquet", "arrow", "feather"), ending[1:3] == "sv"
    found = table_of(path)
    assert list(found) == table.schema.names
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        expected = [meant(cell, kind, text=text, csv=csv) for cell in table[name].to_pylist()]
        got = [read(cell, kind) if text else cell for cell in found[name]]
        assert len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            assert a == b or (isinstance(b, float) and math.isclose(a, b, rel_tol=1e-15))


@pytest.mark.parametrize("name", ["0\t", "a;b", "a,b", "|"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_single_name_with_another_separator_in_it_is_read_again(name, ending, tmp_path):
    write_table(pa.table({name: [1, 2]}), tmp_path / f"t.{ending}")
    assert list(table_of(tmp_path / f"t.{ending}")) == [name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_durations_mean_days_in_every_file(ending, tmp_path):
    table = pa.table({"d": pa.array([dt.timedelta(1.5), dt.timedelta(0.25)]), "y": ["p", "q"]})
    write_table(table, tmp_path / f"t.{ending}")
    model = tb.NaiveBayes().fit(tmp_path / f"t.{ending}", "y")
    assert model.summary().to_dict()["columns"][0]["factors"][0]["mean"] == [1.5, 0.25]


def test_batches_are_written_as_they_come(tmp_path):
    batches = (pa.record_batch({"a": [i], "b": [f"{i}"]}) for i in range(5))
    assert write_table(batches, tmp_path / "t.csv") == 5
    assert (tmp_path / "t.csv").read_text() == "a,b\n" + "".join(f"{i},{i}\n" for i in range(5))
    assert write_table(pa.record_batch({"a": [1]}), tmp_path / "t.jsonl") == 1
    assert (tmp_path / "t.jsonl").read_text() == '{"a": 1}\n'


def test_a_table_without_rows_keeps_its_columns(tmp_path):
    table = pa.table({"a": pa.array([], pa.int64()), 'b "c"': pa.array([], pa.string())})
    write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == 'a,"b ""c"""\n'
    write_table(table, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").schema.names == table.schema.names


def test_the_same_bytes_every_time(tmp_path):
    table = pa.table({"a": range(100)})
    for ending in ("csv.gz", "parquet"):
        write_table(table, tmp_path / f"1.{ending}")
        write_table(table, tmp_path / f"2.{ending}")
        assert (tmp_path / f"1.{ending}").read_bytes() == (tmp_path / f"2.{ending}").read_bytes()


def test_standard_output():
    stream = io.BytesIO()
    with TableWriter("-", stdout=stream) as writer:
        writer.write(pa.record_batch({"a": ["x,y", None]}))
    assert stream.getvalue() == b'a\n"x,y"\n\n'
    assert not stream.closed


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl"])
def test_the_old_file_is_as_it_was_when_writing_fails(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    write_table(pa.table({"a": [1, 2]}), path)
    before = path.read_bytes()

    def batches():
        yield pa.record_batch({"a": [3]})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_table(batches(), path)
    other = [pa.record_batch({"a": [3]}), pa.record_batch({"b": [3]})]
    refused(lambda: write_table(other, path), "columns of the first", kind=errors.KindError)
    texts = [pa.record_batch({"a": [3]}), pa.record_batch({"a": ["x"]})]
    refused(lambda: write_table(texts, path), "t." + ending, kind=errors.KindError)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("table", "name", "words", "kind"),
    [
        (pa.table({"a": [[1]]}), "t.csv", ["list"], errors.KindError),
        (pa.table({"a": [b"\xff"]}), "t.csv", ["UTF8"], errors.KindError),
        (pa.table({"a": [math.inf]}), "t.jsonl", ["inf", ".csv"], errors.ValueRangeError),
        (pa.table({"a": [1]}), "t.xls", ["xls"], errors.SourceError),
        (pa.table({"a": [1]}), "no/t.csv", ["no folder"], errors.SourceError),
        ([], "t.csv", ["Nothing"], errors.EmptyDataError),
    ],
)
def test_what_cannot_be_written(table, name, words, kind, tmp_path):
    refused(lambda: write_table(table, tmp_path / name), *words, kind=kind)
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_trains_the_same_model(tmp_path):
    table = pa.table({"a": [i % 3 for i in range(30)], "b": [i / 7 for i in range(30)], "y": ["p", "q", "q"] * 10})
    expected = tb.NaiveBayes().fit(table, "y").predict_proba(table.drop(["y"]))
    for ending in ENDINGS:
        write_table(table, tmp_path / f"t.{ending}")
        model = tb.NaiveBayes().fit(open_source(tmp_path / f"t.{ending}", "y"))
        assert model.predict_proba(table.drop(["y"])).tolist() == expected.tolist()
