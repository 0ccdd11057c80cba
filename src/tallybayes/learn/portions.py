"""Pieces with columns of texts, cut by how much text there is: rows alone do not say how long a piece takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

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
    """Cut pieces into portions of about as many bytes of text each, and of about `most` bytes at the most.

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
    >>> cells = pa.RecordBatch.from_pydict({"body": ["four", "four", "four", "four", "sixteen letters.", "a", "b"]})
    >>> [len(piece) for piece in portions([Rows(cells, ("body",))], encoder, most=20)]
    [4, 3]
    """
    texts = encoder.schema.of_kind("text")
    if not texts:
        yield from pieces
        return
    for piece in pieces:
        places = match(piece.names, encoder.schema, warn=False, estimator=encoder.estimator)
        if _is_short(piece, most):
            yield piece
            continue
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


def _is_short(piece: Rows, most: int) -> bool:
    """Return whether a piece is short enough with all of its columns; Arrow imports pandas to say more of it."""
    cells = piece.cells
    if not isinstance(cells, pa.RecordBatch) or any(pa.types.is_dictionary(kind) for kind in cells.schema.types):
        return False  # a long text that many rows refer to is there once
    return bool(cells.nbytes <= most)


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
    """Yield where portions start and stop: as many as `most` asks for, and as even as rows can be shared out."""
    before = np.concatenate([[0], np.cumsum(sizes)])  # the bytes before each row
    whole = int(before[-1])
    parts = -(-whole // most)
    shares = whole * np.arange(1, parts) / parts
    after = np.searchsorted(before, shares)
    cuts = after - (shares - before[after - 1] < before[after] - shares)  # between the rows where it is nearest
    yield from pairwise(np.unique([0, *cuts, len(sizes)]).tolist())
