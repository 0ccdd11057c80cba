"""Parquet and Arrow files."""

from __future__ import annotations

import contextlib
import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import open_source
from tests.sources.asking import refused, table_of

TABLE = pa.table(
    {
        "a": [1, None, 3],
        "s": ["x", None, ""],
        "c": pa.array(["u", "v", None]).dictionary_encode(),
        "d": pa.array([dt.date(2024, 1, 1), None, dt.date(2024, 1, 3)]),
        "y": ["p", "q", "p"],
    }
)
CELLS = {name: TABLE[name].to_pylist() for name in "ascd"} | {"target": ["p", "q", "p"]}


def parquet(path, table=TABLE, **options):
    pq.write_table(table, path, **options)
    return path


def arrow(path, table=TABLE, stream=False, rows=2, **options):
    write = pa.ipc.new_stream if stream else pa.ipc.new_file
    with write(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


WRITERS = {
    "parquet": lambda p: parquet(p / "t.parquet"),
    "parquet, small row groups": lambda p: parquet(p / "t.parquet", row_group_size=1),
    "parquet, zstd": lambda p: parquet(p / "t.parquet", compression="zstd"),
    "parquet, plain": lambda p: parquet(p / "t.parquet", use_dictionary=False, store_schema=False, version="1.0"),
    "arrow": lambda p: arrow(p / "t.arrow"),
    "arrow, compressed": lambda p: arrow(p / "t.ipc", compression="lz4"),
    "arrow stream": lambda p: arrow(p / "t.arrow", stream=True),
    "arrow stream, growing dictionaries": lambda p: arrow(
        p / "t.arrow", stream=True, rows=1, emit_dictionary_deltas=True
    ),
    "feather": lambda p: pa.feather.write_feather(TABLE, p / "t.feather") or p / "t.feather",
    "feather as it is": lambda p: (
        pa.feather.write_feather(TABLE, p / "t.feather", compression="uncompressed") or p / "t.feather"
    ),
}


@pytest.mark.parametrize("case", WRITERS)
def test_files_of_every_sort(case, tmp_path):
    path = WRITERS[case](tmp_path)
    assert table_of(path, "y") == CELLS
    source = open_source(path, "y", only=["d", "a"])
    assert source.names == ("a", "d")
    assert [piece.cells.to_pydict() for piece in source.rows()] == [{"a": CELLS["a"], "d": CELLS["d"]}]


def test_an_old_sort_of_timestamp(tmp_path):
    noon = dt.datetime(2024, 2, 29, 12)
    path = parquet(tmp_path / "t.parquet", pa.table({"t": [noon]}), use_deprecated_int96_timestamps=True)
    assert table_of(path) == {"t": [noon]}


def test_names_with_points_in_them_and_nested_columns(tmp_path):
    table = pa.table({"a.b": [1, 2], "a": [{"b": 5}, {"b": 6}], "y": [0, 1]})
    for path in (parquet(tmp_path / "t.parquet", table), arrow(tmp_path / "t.arrow", table)):
        model = tb.NaiveBayes(columns={"a": "ignored"}).fit(path, "y")
        assert model.summary().to_dict()["columns"][0]["factors"][0]["mean"] == [1.0, 2.0]


@pytest.mark.parametrize(
    "write",
    [lambda p: parquet(p / "t.parquet"), lambda p: arrow(p / "t.arrow"), lambda p: arrow(p / "t.ipc", stream=True)],
)
def test_any_part_of_a_file_is_no_file(write, tmp_path):
    """Cut off anywhere, a file is refused with an error of the project's own, or is what is left of it."""
    whole = write(tmp_path).read_bytes()
    path, refusals = next(iter(tmp_path.iterdir())), []
    for size in [*range(1, 64, 7), *np.linspace(64, len(whole) - 1, 40, dtype=int)]:
        path.write_bytes(whole[:size])
        try:
            found = table_of(path, "y")
        except errors.TallyBayesError as error:
            refusals.append(str(error))
        else:
            assert found == {name: cells[: len(found["a"])] for name, cells in CELLS.items()}
    assert len(refusals) > 30
    assert all(path.name in message for message in refusals)


@pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
@pytest.mark.parametrize(
    "write", [lambda p: parquet(p / "t.parquet", compression="none"), lambda p: arrow(p / "t.arrow")]
)
def test_a_damaged_file_is_refused_or_read(write, tmp_path, rng):
    """No byte of a file, whatever it becomes, gives another error than the project's own."""
    path = write(tmp_path)
    whole = path.read_bytes()
    for place in rng.integers(0, len(whole), 150).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        with contextlib.suppress(errors.TallyBayesError):
            tb.NaiveBayes().fit(path, "y")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("t.parquet", b"a,b\n1,2\n", ["not a Parquet file", "text", ".csv"]),
        ("t.parquet", b"ARROW1\0\0....", ["an Arrow file", ".arrow"]),
        ("t.parquet", b"PAR1", ["damaged"]),
        ("t.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", ["damaged"]),
        ("t.arrow", b"a,b\n1,2\n", ["not an Arrow file", "text"]),
        ("t.arrow", b"PAR1....", ["a Parquet file", ".parquet"]),
        ("t.arrow", b"ARROW1\0\0" + b"\0" * 100, ["damaged"]),
        ("t.arrow", b"\xff\xff\xff\xff\xff\xff\xff\x7f" + b"\0" * 100, ["damaged"]),
        ("t.feather", b"FEA1....", ["version 1", "version 2"]),
    ],
)
def test_files_that_are_something_else(name, data, words, tmp_path):
    (tmp_path / name).write_bytes(data)
    refused(lambda: table_of(tmp_path / name), name, *words, kind=errors.SourceError)


def test_a_claim_of_two_gigabytes_allocates_nothing(tmp_path):
    path = tmp_path / "t.arrow"
    path.write_bytes(b"\xff\xff\xff\xff" + (2**31 - 8).to_bytes(4, "little") + b"\0" * 1000)
    before = pa.total_allocated_bytes()
    refused(lambda: table_of(path), "t.arrow", "damaged", kind=errors.SourceError)
    assert pa.total_allocated_bytes() <= before


def test_files_without_rows_or_features(tmp_path):
    empty = TABLE.slice(0, 0)
    for path in (parquet(tmp_path / "e.parquet", empty), arrow(tmp_path / "e.arrow", empty)):
        refused(lambda path=path: table_of(path, "y"), "0 sample(s)", path.name, kind=errors.EmptyDataError)
    path = parquet(tmp_path / "y.parquet", TABLE.select(["y"]))
    refused(lambda: open_source(path, "y"), "besides the target", kind=errors.EmptyDataError)
    path = parquet(tmp_path / "n.parquet", TABLE.select([]))
    refused(lambda: open_source(path, "y"), "no columns at all", kind=errors.ColumnError)


def test_columns_of_one_name(tmp_path):
    path = parquet(tmp_path / "t.parquet", pa.table([[1], [2]], names=["a", "a"]))
    refused(lambda: open_source(path), "'a'", kind=errors.ColumnError)


def test_dictionaries_that_grow_from_row_group_to_row_group(tmp_path):
    cells = [f"v{i // 50}" for i in range(3000)]
    table = pa.table({"c": pa.array(cells).dictionary_encode(), "y": [i % 2 for i in range(3000)]})
    path = parquet(tmp_path / "t.parquet", table, row_group_size=400)
    assert table_of(path, "y")["c"] == cells
    model = tb.NaiveBayes().fit(path, "y")
    assert set(model.tallies_["categorical"].values[0]) == set(cells)
