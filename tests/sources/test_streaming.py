"""Files are read in pieces of a size that depends on the data alone, and never whole."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallybayes as tb
from tallybayes.engines import threads
from tallybayes.sources import CHUNK_ROWS, delimited, jsonl, open_source

ROWS = 1_000_000
PIECES = [CHUNK_ROWS] * 15 + [ROWS - 15 * CHUNK_ROWS]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One table in every format, in parts of sizes that are nothing like a piece."""
    folder = tmp_path_factory.mktemp("large")
    numbers = np.arange(ROWS)
    table = pa.table(
        {
            "a": numbers,
            "b": numbers / 8,
            "c": pa.array([f"text {i % 7}" for i in range(1000)] * (ROWS // 1000)),
            "y": pa.array(["p", "q"] * (ROWS // 2)),
        }
    )
    pq.write_table(table, folder / "one.parquet", row_group_size=ROWS)
    pq.write_table(table, folder / "many.parquet", row_group_size=30_011)
    with pa.ipc.new_file(folder / "t.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=ROWS)
    with pa.ipc.new_file(folder / "t.ipc", table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table, max_chunksize=30_011)
    with pa.ipc.new_stream(folder / "stream.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=30_011)
    with (folder / "t.csv").open("w") as file:
        file.write("a,b,c,y\n")
        file.writelines(f"{i},{i / 8},text {i % 7},{'pq'[i % 2]}\n" for i in range(ROWS))
    with (folder / "t.jsonl").open("w") as file:
        rows = ({"a": i, "b": i / 8, "c": f"text {i % 7}", "y": "pq"[i % 2]} for i in range(ROWS))
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


NAMES = ["one.parquet", "many.parquet", "t.arrow", "t.ipc", "stream.arrow", "t.csv", "t.jsonl"]


@pytest.mark.parametrize("name", NAMES)
def test_pieces_are_even_whatever_the_parts_of_the_file(name, files):
    path = files / name
    lengths, firsts, total = [], [], 0
    for piece in open_source(path, "y").rows():
        lengths.append(len(piece))
        firsts.append(piece.first)
        cells = piece.cells.column(0)
        total += sum(map(int, cells.to_pylist())) if piece.text else pa.compute.sum(cells).as_py()
    assert lengths == PIECES
    assert firsts == [sum(PIECES[:i]) for i in range(len(PIECES))]
    assert total == ROWS * (ROWS - 1) // 2


@pytest.mark.parametrize("name", NAMES)
def test_what_is_held_of_a_file_is_a_few_pieces(name, files, monkeypatch):
    """Counted by the allocators of Arrow and of Python, beside cells of 31 MB, and text of 25 and of 54."""
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1 << 18)
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 1 << 18)
    before, peak = pa.total_allocated_bytes(), 0
    tracemalloc.start()
    for _ in open_source(files / name, "y").rows():
        peak = max(peak, pa.total_allocated_bytes() - before)
    peak += tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15 << 20


def test_a_query_is_fetched_in_pieces():
    relation = duckdb.sql(f"select i as a, i / 8 as b, i % 2 as y from range({ROWS}) r(i)")
    before, peak, rows = pa.total_allocated_bytes(), 0, 0
    for piece in open_source(relation, "y").rows():
        peak = max(peak, pa.total_allocated_bytes() - before)
        rows += len(piece)
    assert rows == ROWS
    assert peak < 8 << 20


def test_a_stream_is_read_no_further_than_it_is_asked():
    asked = 0

    def batches():
        nonlocal asked
        while True:
            asked += 1
            yield pa.record_batch({"a": np.arange(1000), "y": ["p", "q"] * 500})

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64(), "y": pa.string()}), batches())
    rows = open_source(reader, "y").rows()
    for pieces in (1, 2, 3):
        next(rows)
        assert asked <= pieces * CHUNK_ROWS / 1000 + 2


@pytest.mark.parametrize("name", ["many.parquet", "t.csv", "t.jsonl"])
def test_the_model_is_the_same_to_the_last_bit_whatever_the_number_of_threads(name, files, monkeypatch):
    states = []
    for count in ("1", "2", "5"):
        monkeypatch.setenv("TALLYBAYES_THREADS", count)
        assert threads.workers() == int(count)
        model = tb.NaiveBayes().fit(files / name, "y")
        states.append({key: tally.state() for key, tally in model.tallies_.items()})
    for state in states[1:]:
        for key, arrays in states[0].items():
            assert repr(state[key]) == repr(arrays)


def test_importing_and_fitting_an_array_loads_no_library_of_frames():
    code = (
        "import sys, numpy as np, tallybayes as tb; "
        "tb.NaiveBayes().fit(np.arange(12.0).reshape(6, 2), [0, 1] * 3); "
        "print(sorted({'polars', 'duckdb'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
