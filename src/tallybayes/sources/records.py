"""Lists: of rows, or of dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import pyarrow as pa

from tallybayes.errors import ColumnError, DataError, EmptyDataError, UnsupportedDataError
from tallybayes.sources.arrays import array_table, check_dimensions
from tallybayes.sources.base import Table
from tallybayes.sources.columns import ColumnTable, column_of

_SORTS: tuple[tuple[type, ...], ...] = (
    (bool, np.bool_),
    (int, np.integer),
    (float, np.floating),
    (complex, np.complexfloating),
)
"""Rows whose cells are all of one of these sorts are a matrix; otherwise each column has its own type."""


@final
class ListRows(ColumnTable):
    """A list of rows of one length, some of whose cells are no numbers."""

    named = False

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = rows
        self.n_rows = len(rows)
        self.names = tuple(range(len(rows[0])))

    def column(self, position: int, start: int, stop: int) -> pa.Array:
        """Return a column of some rows."""
        return column_of([row[position] for row in self._rows[start:stop]], f"Column {position}", start)


@final
class ListDicts(ColumnTable):
    """A list of dicts: a column for every key, in the order of coming; an absent key is missing."""

    named = True

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows
        self.n_rows = len(rows)
        keys: dict[Any, None] = {}
        for row in rows:
            keys.update(dict.fromkeys(row))
        wrong = next((key for key in keys if not isinstance(key, str)), None)
        if wrong is not None:
            raise ColumnError(f"A row has the key {wrong!r}; the keys of a row are column names, which are strings.")
        self.names = tuple(keys)

    def column(self, position: int, start: int, stop: int) -> pa.Array:
        """Return what some rows have under a key."""
        name = self.names[position]
        return column_of([row.get(str(name)) for row in self._rows[start:stop]], f"Column {name!r}", start)


def list_table(X: Sequence[Any]) -> Table:
    """Return the table that a list of rows or of dicts is.

    Raises
    ------
    DataError
        The rows have different lengths, or are no rows.
    """
    if len(X) == 0:
        raise EmptyDataError(
            "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required. X is an empty list; "
            "give at least one row."
        )
    if isinstance(X[0], Mapping):
        for i, row in enumerate(X, 1):
            if not isinstance(row, Mapping):
                raise UnsupportedDataError(
                    f"X is a list of dicts, but row {i} is a {type(row).__name__}; make every row a dict."
                )
        return ListDicts(X)
    rows = [_cells(row) for row in X]
    if all(row is None for row in rows):
        check_dimensions((len(X),), repr(list(X[:5])))
    width = len(rows[0] or ())
    for i, (row, cells) in enumerate(zip(X, rows, strict=True), 1):
        if cells is None:
            raise DataError(f"X is a list of rows, but row {i} is {row!r}; make every row a list of its cells.")
        if len(cells) != width:
            raise DataError(
                f"Row 1 has {width} cells and row {i} has {len(cells)}; give all rows the same number, with "
                "None where a cell is missing."
            )
    return _rows_table([row for row in rows if row is not None])


def _rows_table(rows: list[Sequence[Any]]) -> Table:
    kinds = {type(cell) for row in rows for cell in row}
    alike = any(all(issubclass(kind, sort) for kind in kinds) for sort in _SORTS) and not {bool, int} <= kinds
    deeper = all(issubclass(kind, (Sequence, np.ndarray)) and not issubclass(kind, (str, bytes)) for kind in kinds)
    if alike or deeper:  # what is deeper than rows and columns is refused as an array of its dimensions
        try:
            array = np.asarray(rows)
        except ValueError:  # its parts are of different lengths
            return ListRows(rows)
        if array.dtype.kind != "O":  # such as integers of more than 64 bits
            return array_table(array)
    return ListRows(rows)


def _cells(row: Any) -> Sequence[Any] | None:
    """Return the cells of a row, None where it is no row."""
    if isinstance(row, (str, bytes, Mapping)):
        return None
    if isinstance(row, Sequence):
        return row
    array = np.asarray(row) if hasattr(row, "__array__") else None
    return None if array is None or array.ndim == 0 else list(array)
