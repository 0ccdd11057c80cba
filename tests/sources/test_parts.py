"""Parts of a source: held out by chance, picked by number, or watched as they go by."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from tallybayes import errors
from tallybayes.sources import CHUNK_ROWS, open_source
from tallybayes.sources.part import PartSource, held_out
from tallybayes.sources.picked import PickedSource, PieceSource
from tallybayes.sources.watched import WatchedSource
from tests.sources.asking import plain, refused

ROWS = CHUNK_ROWS + 500
NUMBERS = np.arange(ROWS)
SOURCES = {
    "table": lambda: open_source(pa.table({"n": NUMBERS, "w": NUMBERS % 3, "y": NUMBERS % 2}), "y", "w"),
    "frame": lambda: open_source(pd.DataFrame({"n": NUMBERS}), NUMBERS % 2, NUMBERS % 3),
    "matrix": lambda: open_source(NUMBERS[:, None], NUMBERS % 2, NUMBERS % 3),
    "sparse": lambda: open_source(sparse.csr_array(NUMBERS[:, None]), pa.array(NUMBERS % 2), NUMBERS % 3),
}


def read(source):
    """Return the numbers of all rows, having checked that all that is beside them came along."""
    numbers = []
    for piece in source.rows():
        [cells] = plain(piece.cells)
        found = np.array(cells, dtype=np.int64)
        np.testing.assert_array_equal(np.asarray(piece.target), found % 2)
        np.testing.assert_array_equal(piece.weights, found % 3)
        numbers += found.tolist()
    return numbers


@pytest.mark.parametrize("form", SOURCES)
def test_two_parts_are_the_whole(form):
    parts = [PartSource(SOURCES[form](), 0.3, seed=5, held_out=held) for held in (True, False)]
    out, rest = map(read, parts)
    assert sorted(out + rest) == NUMBERS.tolist()
    assert out == np.flatnonzero(held_out(NUMBERS.astype(np.uint64), 0.3, 5)).tolist()
    assert 0.29 < len(out) / ROWS < 0.31
    first = 0
    for piece in parts[0].rows():  # numbered as they are in the part
        assert piece.first == first
        first += len(piece)


def test_other_seeds_hold_other_rows_out():
    numbers = np.arange(20_000, dtype=np.uint64)
    one, other = (held_out(numbers, 0.5, seed) for seed in (0, 1))
    assert 0.48 < (one == other).mean() < 0.52
    assert 0.48 < (one[1:] == one[:-1]).mean() < 0.52


def test_shares_that_are_none():
    for share in (0, 1, -0.5, 2):
        refused(
            lambda share=share: PartSource(SOURCES["frame"](), share, held_out=True), "share", kind=errors.OptionError
        )
    few = open_source([{"a": 1}, {"a": 2}], [0, 1])
    refused(lambda: list(PartSource(few, 1e-9, held_out=True).rows()), "none", "larger", kind=errors.EmptyDataError)
    refused(
        lambda: list(PartSource(few, 1 - 1e-9, held_out=False).rows()), "all", "smaller", kind=errors.EmptyDataError
    )


@pytest.mark.parametrize("form", SOURCES)
def test_rows_are_picked_by_number(form):
    ranges = [range(3, 5), range(CHUNK_ROWS - 1, CHUNK_ROWS + 2), range(ROWS - 1, ROWS + 10)]
    source = PickedSource(SOURCES[form](), ranges)
    assert read(source) == [n for part in ranges for n in part if n < ROWS]
    for piece in source.rows():
        assert plain(piece.cells)[0][0] == piece.first
    assert read(PickedSource(SOURCES[form]())) == NUMBERS.tolist()
    assert {len(piece) for piece in PickedSource(SOURCES[form](), most=1000).rows()} <= {1000, 536, 500}


def test_picking_stops_at_the_last_row_that_is_wanted():
    seen = []
    source = PickedSource(WatchedSource(SOURCES["matrix"](), seen.append), [range(2)])
    assert read(source) == [0, 1]
    assert seen == []  # the first piece is not even done with


def test_watching_and_single_pieces():
    seen = []
    source = WatchedSource(SOURCES["table"](), seen.append)
    assert (source.names, source.n_rows, source.target, source.label) == (("n",), ROWS, "y", "X")
    pieces = list(source.rows())
    assert seen == [CHUNK_ROWS, 500]
    assert read(PieceSource(source, pieces[1])) == list(range(CHUNK_ROWS, ROWS))
    seen.clear()
    assert sum(map(len, source.rows())) == ROWS
    assert seen == [-ROWS, CHUNK_ROWS, 500]  # read again, it begins at 0
