"""Rows picked from a source by their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import final

import pyarrow as pa

from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source
from tallybayes.sources.watched import WrappedSource


@final
class PickedSource(WrappedSource):
    """Some rows of another source, which is read no further than to the last of them.

    Each piece is a run of consecutive rows, so that it still knows their numbers in the whole.

    Parameters
    ----------
    source : Source
        All rows.
    ranges : sequence of range, optional
        The rows, counted from 0: ranges of step 1 that do not overlap, in their order. By default all rows.
    most : int
        How many rows a piece has at most.

    Examples
    --------
    >>> from tallybayes.sources import open_source
    >>> whole = open_source([{"number": i} for i in range(10)])
    >>> picked = PickedSource(whole, [range(2, 4), range(8, 100)])
    >>> [(rows.first, rows.cells.to_pylist()) for rows in picked.rows()]
    [(2, [{'number': 2}, {'number': 3}]), (8, [{'number': 8}, {'number': 9}])]
    """

    def __init__(self, source: Source, ranges: Sequence[range] | None = None, *, most: int = 4096) -> None:
        super().__init__(source)
        self._ranges, self._most = ranges, most
        self.n_rows = source.n_rows if ranges is None else None

    def rows(self) -> Iterator[Rows]:
        """Yield the rows in order."""
        end = None if self._ranges is None else max((part.stop for part in self._ranges), default=0)
        for rows in self.source.rows():
            stop = rows.first + len(rows)
            for part in [range(rows.first, stop)] if self._ranges is None else self._ranges:
                for start in range(max(part.start, rows.first), min(part.stop, stop), self._most):
                    yield run(rows, start, min(start + self._most, part.stop, stop))
            if end is not None and stop >= end:
                return


def run(rows: Rows, start: int, stop: int) -> Rows:
    """Return the rows of a piece whose numbers in the whole are from `start` and before `stop`."""
    at = slice(start - rows.first, stop - rows.first)
    cells, target = rows.cells, rows.target
    return replace(
        rows,
        cells=_cut(cells, at) if isinstance(cells, pa.RecordBatch) else cells[at],
        target=_cut(target, at) if isinstance(target, pa.Array) else None if target is None else target[at],
        weights=None if rows.weights is None else rows.weights[at],
        first=start,
    )


def _cut(table: pa.RecordBatch | pa.Array, at: slice) -> pa.RecordBatch | pa.Array:
    return table.slice(at.start, at.stop - at.start)


@final
class PieceSource(WrappedSource):
    """One piece of a source, for a question about these rows alone."""

    def __init__(self, source: Source, piece: Rows) -> None:
        super().__init__(source)
        self.names = piece.names
        self._piece = piece
        self.once = False
        self.n_rows = len(piece)

    def rows(self) -> Iterator[Rows]:
        """Yield the piece."""
        yield self._piece
