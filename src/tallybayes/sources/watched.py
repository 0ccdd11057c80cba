"""A source that tells how far it has been read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import final

from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source


class WrappedSource(Source):
    """A source that says of itself what another says; a subclass hands out the rows of the other in its way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names, self.named, self.extra = source.names, source.named, source.extra
        self.n_rows, self.label, self.target = source.n_rows, source.label, source.target
        self.once = source.once


@final
class WatchedSource(WrappedSource):
    """The rows of another source; ``report`` is told the number of rows of each piece once it has been used.

    Where the rows are read again, it is told a negative number first, which takes back what it was told before.

    Parameters
    ----------
    source : Source
        The rows.
    report : callable
        What is called with the number of rows of a piece.

    Examples
    --------
    >>> from tallybayes.sources import open_source
    >>> seen = []
    >>> source = WatchedSource(open_source([{"sky": "blue"}, {"sky": "grey"}]), seen.append)
    >>> [len(rows) for rows in source.rows()], seen
    ([2], [2])
    """

    def __init__(self, source: Source, report: Callable[[int], None]) -> None:
        super().__init__(source)
        self._report = report
        self._told = 0

    def rows(self) -> Iterator[Rows]:
        """Yield the rows in order."""
        if self._told:
            self._report(-self._told)
            self._told = 0
        for rows in self.source.rows():
            yield rows
            self._told += len(rows)
            self._report(len(rows))
