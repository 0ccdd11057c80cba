from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import DataError, UnsupportedDataError
from tallybayes.text.read import cut_texts, read_texts

CELLS = st.lists(st.none() | st.text(max_size=6), max_size=8)


def documents(texts) -> list[bytes]:
    data = texts.data.tobytes()
    return [data[begin:end] for begin, end in zip(texts.begins, texts.ends, strict=True)]


def expected(cells) -> list[bytes]:
    return [(cell or "").encode() for cell in cells]


@given(CELLS, st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]), st.data())
def test_arrow_columns_whole_and_in_slices(cells, kind, data):
    column = pa.array(cells, kind)
    assert documents(read_texts(column)) == expected(cells)
    first = data.draw(st.integers(0, len(cells)))
    length = data.draw(st.integers(0, len(cells)))
    assert documents(read_texts(column.slice(first, length))) == expected(cells[first : first + length])


@given(CELLS, CELLS)
def test_chunks_and_dictionaries(a, b):
    chunked = pa.chunked_array([pa.array(a, pa.string()), pa.array(b, pa.string())])
    assert documents(read_texts(chunked)) == expected(a + b)
    assert documents(read_texts(pa.chunked_array([pa.array(a, pa.string())]))) == expected(a)
    assert documents(read_texts(pa.array(a + b, pa.string()).dictionary_encode())) == expected(a + b)
    assert documents(read_texts(chunked.dictionary_encode())) == expected(a + b)


def test_empty_columns():
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.null()):
        assert documents(read_texts(pa.array([], kind))) == []
        assert documents(read_texts(pa.chunked_array([], kind))) == []
        assert documents(read_texts(pa.array([None, None], kind))) == [b"", b""]
    assert documents(read_texts([])) == []


def test_the_bytes_of_a_column_are_not_copied():
    column = pa.array(["one", "two"])
    texts = read_texts(column)
    assert texts.data.ctypes.data == column.buffers()[2].address
    assert not texts.data.flags.writeable


@given(CELLS)
def test_lists_arrays_and_bytes(cells):
    assert documents(read_texts(cells)) == expected(cells)
    assert documents(read_texts(np.array(cells, dtype=object))) == expected(cells)
    assert documents(read_texts(pa.array([c and c.encode() for c in cells], pa.binary()))) == expected(cells)
    assert not read_texts(cells).data.flags.writeable


def test_cells_of_a_list():
    assert documents(read_texts(["é", b"\xff", None, float("nan"), "\ud800"])) == [
        "é".encode(), b"\xff", b"", b"", b"\xed\xa0\x80",
    ]  # fmt: skip


def test_what_lies_under_a_missing_cell_is_not_read():
    offsets, data = pa.py_buffer(np.array([0, 3, 9, 12], np.int32)), pa.py_buffer(b"onehiddentwo")
    column = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x05"), offsets, data])
    assert documents(read_texts(column)) == [b"one", b"", b"two"]


@pytest.mark.parametrize("bounds", [[0, 99, 3], [0, -4, 3], [0, 3, 1], [0, 2**31 - 1, 3]])
@pytest.mark.parametrize("large", [False, True])
def test_offsets_that_point_elsewhere_are_refused(bounds, large):
    offsets = pa.py_buffer(np.array(bounds, np.int64 if large else np.int32))
    column = pa.Array.from_buffers(
        pa.large_string() if large else pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")]
    )
    with pytest.raises(DataError, match="outside its data"):
        read_texts(column)


@pytest.mark.parametrize("cells", ["text", b"text", 3, {"a": 1}, [1], ["a", ["b"]], pa.array([1]), pa.array([["a"]])])
def test_what_is_no_text_is_refused(cells):
    with pytest.raises(UnsupportedDataError):
        read_texts(cells)


def test_the_row_of_a_cell_that_is_no_text_is_named():
    with pytest.raises(UnsupportedDataError, match="Text 2 is int"):
        read_texts(["a", 7])
    with pytest.raises(DataError, match="for text 2"):
        cut_texts(["a", "b"], lambda text: [text] if text == "a" else [None])


@given(st.lists(st.none() | st.text("ab ", max_size=6), max_size=6))
def test_cut_texts(cells):
    texts = cut_texts(pa.array(cells, pa.string()), str.split)
    data = texts.data.tobytes()
    got = [
        [data[texts.cuts[k] : texts.cuts[k + 1]].decode() for k in range(begin, end)]
        for begin, end in zip(texts.begins, texts.ends, strict=True)
    ]
    assert got == [(cell or "").split() for cell in cells]


def test_a_callable_sees_every_text_but_missing_and_empty_ones():
    seen = []
    cut_texts(["a", None, "", b"\xff", " "], lambda text: seen.append(text) or [])
    assert seen == ["a", "\ufffd", " "]
