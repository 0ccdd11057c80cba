"""Pieces with columns of texts, cut by how much text there is: rows alone do not say how long a piece takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes._types import Counts
from tallybayes.learn.encoder import Encoder
from tallybayes.schema.arrow import is_string
from tallybayes.schema.match import match
from tallybayes.schema.rows import Rows
from tallybayes.sources.picked import run

PORTION = 6 << 20
"""About how many bytes of text a thread is given at a time: much beside what it costs to add two tallies, and little
beside the memory of any machine."""


def portions(pieces: Iterable[Rows], encoder: Encoder, *, most: int = PORTION) -> Iterator[Rows]:
    """Cut pieces into portions of about as many bytes of text each, no more than `most` unless a single row has more.

    Where they are cut depends on the texts alone, and never on the number of threads. Without columns of texts, pieces
    stay as they are.

    Parameters
    ----------
    pieces
        Rows, as a source yields them.
    encoder
        What says which columns are texts.
    most
        The bytes of text of a piece.

    Examples
    --------
    >>> from tallybayes.schema.field import Field, Schema
    >>> encoder = Encoder(Schema((Field("body", "text", "string", "texts"),), True), "string", False, "TextNB")
    >>> cells = pa.RecordBatch.from_pydict({"body": ["four", "four", "four", "a longer text", "a", "b"]})
    >>> [len(piece) for piece in portions([Rows(cells, ("body",))], encoder, most=10)]
    [2, 1, 1, 2]
    """
    texts = encoder.schema.of_kind("text")
    if not texts:
        yield from pieces
        return
    for piece in pieces:
        places = match(piece.names, encoder.schema, warn=False, estimator=encoder.estimator)
        sizes = np.zeros(len(piece), np.int64)
        for name in texts:
            place = int(places[encoder.schema.index[name]])
            if isinstance(piece.cells, pa.RecordBatch) and piece.names[place] not in piece.unreadable:
                sizes += _sizes(piece.column(place))
        if sizes.sum() <= most:
            yield piece
            continue
        for start, stop in _cuts(sizes, most):
            yield run(piece, piece.first + start, piece.first + stop)


def _sizes(column: pa.Array) -> Counts:
    """Return the bytes of each text; whatever is no text has none."""
    if pa.types.is_dictionary(column.type) and is_string(column.type.value_type):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
    elif is_string(column.type):
        lengths = pc.binary_length(column)
    else:
        return np.zeros(len(column), np.int64)
    sizes: Counts = lengths.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return sizes


def _cuts(sizes: Counts, most: int) -> Iterator[tuple[int, int]]:
    """Yield where portions start and stop: as many as `most` asks for, and as even as they can be."""
    ends = np.cumsum(sizes)
    even = -(-int(ends[-1]) // most)
    # A portion stops before the row with which it would be longer than its share, and has one row at least.
    share = -(-int(ends[-1]) // even)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + share, side="right")), start + 1)
        yield start, stop
        start = stop
