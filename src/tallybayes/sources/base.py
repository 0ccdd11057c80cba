"""What a source is: rows, read once, in pieces of a size that depends on the data alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tallybayes._types import Name
from tallybayes.errors import EmptyDataError, TallyBayesError
from tallybayes.schema.rows import Cells, Rows

CHUNK_ROWS = 65_536
"""The rows of a piece, where they are not very wide."""

CHUNK_BYTES = 1 << 25
"""What the cells of a piece may take as float64, so that wide rows come in shorter pieces."""


def chunk_rows(row_bytes: int) -> int:
    """Return how many rows a piece has; never a matter of how many threads there are."""
    return max(1, min(CHUNK_ROWS, CHUNK_BYTES // max(1, row_bytes)))


def spans(rows: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut `rows` rows into pieces of at most `most`: where each starts and stops."""
    return ((start, min(start + most, rows)) for start in range(0, rows, most))


def in_words(reason: BaseException) -> str:
    """Return what an error of another library says, as a part of a sentence."""
    return " ".join(str(reason).split()).rstrip(".")


def brief(shown: str, most: int = 80) -> str:
    """Return what is shown of the data on one line, cut off where it is long."""
    line = " ".join(shown.split())
    return line if len(line) <= most else f"{line[:most]}..."


def some_rows(source: Source) -> Iterator[Rows]:
    """Yield the rows of a source in order; `EmptyDataError` where it has none."""
    none = True
    for rows in source.rows():
        none = False
        yield rows
    if none:
        raise EmptyDataError(f"{source.label} has no rows. Check where it comes from.")


class Source(ABC):
    """Rows with a target and weights, piece by piece; what an engine reads.

    A subclass of one's own (a queue, a database cursor) sets `names` and `named` and yields `Rows`; `fit`
    takes it as it takes a file.

    Attributes
    ----------
    names
        The feature columns, in the order in which `rows` has them.
    named
        Whether they go by header; otherwise by position.
    n_rows
        How many rows there are, where that is known beforehand.
    label
        What messages call the source.
    target
        The column that is the target, where a column of the source is.
    extra
        Columns that the source has and does not read, because nobody asked for them.
    once
        Whether `rows` can be called a single time. Who has to read twice keeps the rows of such a source in memory.
    """

    names: tuple[Name, ...]
    named: bool
    n_rows: int | None = None
    label: str = "X"
    target: Name | None = None
    extra: tuple[Name, ...] = ()
    once: bool = True

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """Yield the rows in order, at most `CHUNK_ROWS` at a time."""


class Table(ABC):
    """Columns in some form, before anyone says which of them is the target; each form has one subclass.

    Attributes
    ----------
    names
        Every column that may be a feature, in order.
    hidden
        Columns that are features only when asked for by name: an index that was written with the table.
    target, sample_weight
        The columns that play these parts, where the table itself knows.
    note
        What a person who opens the table for the first time is warned of.
    matrix
        Whether the pieces are matrices; otherwise they are record batches.
    text
        Whether the cells are those of a text file.
    dated
        Whether texts may stand for dates.
    prose
        Columns that are whole texts.
    once
        Whether the pieces can be had a single time.
    unreadable
        The columns that turned out to hold what is no cell, with the error of each; they are read as nulls.
    """

    names: tuple[Name, ...]
    named: bool
    n_rows: int | None = None
    label: str = "X"
    hidden: tuple[str, ...] = ()
    target: str | None = None
    sample_weight: str | None = None
    note: str = ""
    matrix: bool = False
    text: bool = False
    dated: bool = False
    prose: frozenset[Name] = frozenset()
    once: bool = False
    unreadable: Mapping[Name, TallyBayesError] = MappingProxyType({})

    def most_rows(self, width: int) -> int:
        """Return the rows of a piece when `width` features are read."""
        return chunk_rows(8 * width)

    @abstractmethod
    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[Cells]:
        """Yield the cells of `columns` in their order: a matrix `most` rows at a time, the last time fewer.

        Record batches may have any number of rows and any Arrow types; `tallybayes.sources.joined` makes them
        even. A matrix is only ever asked for all of its columns.
        """
