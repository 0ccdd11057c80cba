"""Plain texts, as people have them, as rows of one column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import exists
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes.errors import UnsupportedDataError
from tallybayes.sources.base import brief
from tallybayes.sources.texts import TextList, readable, text_column

COLUMN = "text"
"""What the column of a plain list of texts is called."""

_ENDING = re.compile(r"\.\w{2,8}$")
"""The end of what may be meant for the path of a file."""

_PLAIN = {b"tallybayes": b"plain texts"}
"""What tells a table of plain texts from one whose column has a name of its own."""


def as_table(X: Any) -> Any:
    """Return plain texts as a table of one column, and anything else as it is."""
    if isinstance(X, pa.Array | pa.ChunkedArray):
        binary = pa.types.is_binary(X.type) or pa.types.is_large_binary(X.type)
        return _plain(pa.array(map(readable, X.to_pylist()), pa.large_string()) if binary else X)
    cells = _cells_of(X)
    return X if cells is None else _plain(text_column(cells))


def in_column(X: Any, name: str | None) -> Any:
    """Return what was made of plain texts as a column of some name, if there is one, and the rest as it is."""
    if name is None:
        return X
    if isinstance(X, TextList):
        return X.called(name)
    return X.rename_columns([name]) if isinstance(X, pa.Table) and X.schema.metadata == _PLAIN else X


def as_rows(X: Any) -> Any:
    """Return plain texts as `as_table` does, but those of a sequence so that they are never copied whole."""
    if isinstance(X, str) and not _ENDING.search(X) and not exists(X):
        raise UnsupportedDataError(f"{brief(X)!r} is no file. Put a single text into a list, as in [text].")
    cells = _cells_of(X)
    return as_table(X) if cells is None else TextList(cells, COLUMN)


def _plain(column: pa.Array | pa.ChunkedArray) -> pa.Table:
    return pa.table({COLUMN: column}).replace_schema_metadata(_PLAIN)


def _cells_of(X: Any) -> list[str | bytes | None] | None:
    """Return the texts of a sequence of texts, None where it is something else."""
    if type(X).__name__ == "Series":  # of pandas or Polars
        X = list(X)
    if not isinstance(X, list | tuple) and not (isinstance(X, np.ndarray) and X.ndim == 1):
        return None
    cells = [None if _is_missing(cell) else cell for cell in X]
    return cells if _are_texts(cells) else None


def _is_missing(cell: Any) -> bool:
    """Return whether a cell is None, NaN or NA of pandas, of which no comparison is true or false."""
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)


def _are_texts(cells: Sequence[Any]) -> bool:
    """Return whether all cells are texts, bytes or None; refuse texts among other things."""
    some = [cell for cell in cells if cell is not None]
    texts = [isinstance(cell, str | bytes) for cell in some]
    if any(texts) and not all(texts):
        odd = some[texts.index(False)]
        raise UnsupportedDataError(f"Among the texts is {odd!r}, which is none. Make it a text, or None.")
    return bool(cells) and all(texts)
