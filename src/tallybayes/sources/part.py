"""A part of a source: the rows that chance holds out, and the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import final

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Bools, Counts
from tallybayes.errors import EmptyDataError, OptionError
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source
from tallybayes.sources.watched import WrappedSource


@final
class PartSource(WrappedSource):
    """The rows of another source that are held out, or those that are not.

    A row is held out when a hash of its number and the seed falls below the share; nothing is kept in memory,
    and however often, and in whatever pieces, the file is read, the parts are the same.

    Parameters
    ----------
    source : Source
        All rows. To have both parts it has to be read twice.
    share : float
        The share of the rows that is held out, more than 0 and less than 1.
    seed : int
        Another seed holds out other rows.
    held_out : bool
        Which of the two parts this is.

    Examples
    --------
    >>> from tallybayes.sources import open_source
    >>> rows = [{"number": i} for i in range(1000)]
    >>> parts = [PartSource(open_source(rows), 0.2, held_out=held_out) for held_out in (True, False)]
    >>> [sum(len(piece) for piece in part.rows()) for part in parts]
    [196, 804]
    """

    def __init__(self, source: Source, share: float, *, seed: int = 0, held_out: bool) -> None:
        if not 0 < share < 1:
            raise OptionError(f"share={share!r} of the rows cannot be held out; give more than 0 and less than 1.")
        super().__init__(source)
        self._share, self._seed, self._held_out = share, seed, held_out
        self.n_rows = None

    def rows(self) -> Iterator[Rows]:
        """Yield the rows of the part in order; they are numbered as they are here, not as in the whole."""
        first = seen = 0
        for rows in self.source.rows():
            numbers = np.arange(rows.first, rows.first + len(rows), dtype=np.uint64)
            part = rows_where(rows, held_out(numbers, self._share, self._seed) == self._held_out)
            seen += len(rows)
            if len(part):
                yield replace(part, first=first)
                first += len(part)
        if first == 0:
            which = "none" if self._held_out else "all"
            raise EmptyDataError(
                f"Of the {seen} rows of {self.label}, {which} would be held out with the share "
                f"{self._share:g}; give a {'larger' if self._held_out else 'smaller'} one, or another seed."
            )


def held_out(numbers: AnyArray, share: float, seed: int) -> Bools:
    """Return which rows are held out, from their numbers.

    The hash is SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA
    2014), which makes independent-looking 64-bit integers of consecutive ones.

    Examples
    --------
    >>> held_out(np.arange(8, dtype=np.uint64), 0.5, seed=1).astype(int).tolist()
    [0, 0, 0, 0, 1, 1, 1, 0]
    """
    # From 1 on, for what is 0 hashes to 0, and row 0 would be held out however small the share.
    z = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed * 0xD1342543DE82EF95 % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    uniform: AnyArray = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
    below: Bools = uniform < share
    return below


def rows_where(rows: Rows, mask: Bools) -> Rows:
    """Return the rows at which a mask is true."""
    places: Counts = np.flatnonzero(mask)
    take = pa.array(places)
    cells, target = rows.cells, rows.target
    return replace(
        rows,
        cells=cells.take(take) if isinstance(cells, pa.RecordBatch) else cells[places],
        target=target[places] if isinstance(target, np.ndarray) else None if target is None else target.take(take),
        weights=None if rows.weights is None else rows.weights[places],
    )
