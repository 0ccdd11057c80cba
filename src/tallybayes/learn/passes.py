"""The rows of a source, as often as they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source, some_rows


@final
class Passes:
    """Rows that are read once for each question that needs all of them.

    The first pass goes on with what was begun. A source that can be read a single time is kept in memory on that pass,
    if there are to be `several`; a file is read again.

    Parameters
    ----------
    source : Source
        Where the rows come from.
    first : Rows
        Its first piece, which was looked at already.
    rest : iterator of Rows
        The pieces after it.

    Attributes
    ----------
    several
        Whether there will be more than one pass; to be said before the first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from tallybayes.sources import open_source
    >>> stream = pa.table({"x": [1, 2, 3]}).to_reader(max_chunksize=2)
    >>> pieces = (source := open_source(stream)).rows()
    >>> passes = Passes(source, next(pieces), pieces)
    >>> passes.several = True
    >>> [sum(len(rows) for rows in passes.rows()) for _ in range(3)]
    [3, 3, 3]
    """

    def __init__(self, source: Source, first: Rows, rest: Iterator[Rows]) -> None:
        self.source = source
        self.first = first
        self.several = False
        self._rest: Iterator[Rows] | None = rest
        self._kept: list[Rows] | None = None

    def rows(self) -> Iterator[Rows]:
        """Yield all rows, from the first on."""
        rest, self._rest = self._rest, None
        if rest is None:
            yield from some_rows(self.source) if self._kept is None else self._kept
            return
        keep = self.several and self.source.once
        kept = [self.first]
        yield self.first
        for rows in rest:
            if keep:
                kept.append(rows)
            yield rows
        if keep:
            self._kept = kept
