"""Plain texts: a sequence of strings, a column with nothing beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import final

import numpy as np
import pyarrow as pa

from tallybayes._types import Name
from tallybayes.sources.base import Table, chunk_rows, spans

_SHARE = 6
"""A piece has about a sixth of the bytes that one of numbers may have, which is what a thread is given of texts."""

_SURROGATES = re.compile("[\ud800-\udfff]")


@final
class TextList(Table):
    """Strings, bytes and None, which become Arrow's a piece at a time: a copy of all of them is never made.

    Examples
    --------
    >>> table = TextList(["one", None, b"three"], "body")
    >>> [piece.to_pylist() for piece in table.pieces(("body",), 2)]
    [[{'body': 'one'}, {'body': None}], [{'body': 'three'}]]
    """

    named = True

    def __init__(self, cells: Sequence[str | bytes | None], name: str) -> None:
        self.names = (name,)
        self.n_rows = len(cells)
        self._cells = cells

    def called(self, name: str) -> TextList:
        """Return the same texts as a column of another name."""
        return TextList(self._cells, name)

    def most_rows(self, width: int) -> int:
        """Return the rows of a piece, by how long a text is on average."""
        whole = sum(len(cell) for cell in self._cells if cell is not None)
        return chunk_rows(_SHARE * -(-whole // max(1, len(self._cells))))

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield texts as record batches."""
        for start, stop in spans(len(self._cells), most):
            column = text_column(self._cells[start:stop])
            yield pa.RecordBatch.from_arrays([column], names=[str(self.names[0])])


def text_column(cells: Sequence[str | bytes | None]) -> pa.Array:
    """Return texts as an Arrow column; one after the other where some cannot be written as UTF-8."""
    # Arrow's own pool keeps several times what the columns take that come and go.
    pool = pa.system_memory_pool()
    try:
        return pa.array(cells, pa.large_string(), memory_pool=pool)
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return pa.array([readable(cell) for cell in cells], pa.large_string(), memory_pool=pool)


def one_text(text: str) -> pa.Array:
    """Return a single text as an Arrow column.

    Arrow imports pandas, where there is one, before it looks into a list.

    Examples
    --------
    >>> one_text("你好").to_pylist()
    ['你好']
    """
    data = text.encode()
    bounds = np.array([0, len(data)], np.int64)
    return pa.Array.from_buffers(pa.large_string(), 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)])


def readable(text: str | bytes | None) -> str | None:
    r"""Return a text with U+FFFD, which separates words, for what cannot be written as UTF-8.

    Examples
    --------
    >>> readable(b"cheap \xff pills") == readable("cheap \ud800 pills") == "cheap \ufffd pills"
    True
    """
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    return text if text is None else _SURROGATES.sub("\ufffd", text)
