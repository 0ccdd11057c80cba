"""NumPy arrays: matrices of numbers are read as they stand, everything else column by column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Name
from tallybayes.errors import DataError, UnsupportedDataError
from tallybayes.sources.base import Table, brief, spans
from tallybayes.sources.columns import ColumnTable, column_of, complex_error

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
    "array.reshape(1, -1) if it contains a single sample."
)


@final
class Matrix(Table):
    """A dense matrix of numbers or truth values, whose pieces are views; masked floats are missing."""

    named = False
    matrix = True

    def __init__(self, X: AnyArray) -> None:
        self._X = X
        self.n_rows = X.shape[0]
        self.names = tuple(range(X.shape[1]))
        kind = X.dtype
        # The types that are computed with are those of this machine, and floats have 4 or 8 bytes.
        self._type = kind.newbyteorder("=")
        if kind.kind == "f" and kind.itemsize not in (4, 8):
            self._type = np.dtype(np.float32 if kind.itemsize < 4 else np.float64)

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[AnyArray]:
        """Yield slices of the matrix, NaN where it is masked, converted only where they have to be."""
        for start, stop in spans(len(self._X), most):
            piece = self._X[start:stop]
            if isinstance(piece, np.ma.MaskedArray):
                piece = np.asarray(piece.filled(np.nan))
            yield piece.astype(self._type, copy=False)


@final
class ArrayColumns(ColumnTable):
    """An array that is no matrix of numbers: of objects, texts, times or masked integers; or of records."""

    def __init__(self, X: AnyArray) -> None:
        self._X = X
        self.n_rows = X.shape[0]
        self.named = X.dtype.names is not None
        self.names = X.dtype.names or tuple(range(X.shape[1]))

    def column(self, position: int, start: int, stop: int) -> pa.Array:
        """Return a column, or a field, of some rows."""
        name, rows = self.names[position], self._X[start:stop]
        return column_of(rows[name] if self.named else rows[:, position], f"Column {name!r}", start)


def array_table(X: Any) -> Table:
    """Return the table that an array is.

    Raises
    ------
    DataError
        The array has not two dimensions, or complex numbers.
    UnsupportedDataError
        It is an `np.matrix`, or holds what is no cell.
    """
    if isinstance(X, np.matrix):
        raise UnsupportedDataError(
            "np.matrix is not supported. Please convert to a numpy array with np.asarray, whose operators mean "
            "what those of other arrays mean."
        )
    masked = isinstance(X, np.ma.MaskedArray) and (X.dtype.names or np.ma.getmaskarray(X).any())
    array: AnyArray = X if masked else np.asarray(X)
    fields = array.dtype.names
    for kind in [array.dtype[name] for name in fields] if fields else [array.dtype]:
        if kind.kind == "c":
            raise complex_error(f"an array of type {array.dtype}")
        if kind.kind not in "biufOUSTMm":
            raise UnsupportedDataError(
                f"An array of type {array.dtype} has no cells that are read; convert it to numbers or strings."
            )
    # The fields of a structured array are its columns.
    check_dimensions((*array.shape, len(fields)) if fields else array.shape, str(array))
    if array.dtype.kind in "biuf" and (not masked or array.dtype.kind == "f"):
        return Matrix(array)
    return ArrayColumns(array)


def check_dimensions(shape: tuple[int, ...], shown: str) -> None:
    """Refuse what has not rows and columns, in scikit-learn's words."""
    if len(shape) == 2:
        return
    if len(shape) < 2:
        what = "1D array" if shape else "scalar array"
        raise DataError(f"Expected 2D array, got {what} instead: array={brief(shown)}. {_RESHAPE}")
    raise DataError(
        f"Found array with dim {len(shape)}, where 2 are expected: rows and columns. "
        f"The shape is {shape}; flatten it, for example with X.reshape(len(X), -1)."
    )
