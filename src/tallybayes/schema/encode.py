"""Rows and a schema make a batch, of a table, a dense matrix or a sparse one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast, final

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Codes, Floats, Name
from tallybayes.schema import cells
from tallybayes.schema.arrow import is_string, to_python
from tallybayes.schema.coded import CodedBlock
from tallybayes.schema.encoded import EncodedBatch
from tallybayes.schema.field import CellType, Schema
from tallybayes.schema.match import match
from tallybayes.schema.matrices import float_block, integer_block
from tallybayes.schema.reading import Reading
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values

if TYPE_CHECKING:
    from scipy import sparse


@final
class TableBatch(EncodedBatch):
    """Rows of an Arrow record batch."""

    def _column(self, name: Name) -> pa.Array:
        table: Any = self.rows.cells
        place = int(self.places[self.schema.index[name]])
        there = self.rows.names[place]
        if there in self.rows.unreadable:
            raise self.rows.unreadable[there]
        return table.column(place)

    def raw(self, name: Name) -> list[Any]:
        """Return the cells of a column as they came, None where they are missing."""
        return to_python(self._column(name))

    def texts(self, name: Name) -> pa.Array:
        column = self._column(name)
        values = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not is_string(values) and not pa.types.is_null(values):
            raise Reading(self.schema[name], self.first).other_type(f"cells of the type {values}")
        return column

    def _codes(self, names: tuple[Name, ...]) -> CodedBlock:
        block: Codes = np.empty((len(self), len(names)), dtype=np.int32, order="F")
        values: list[Values] = []
        for j, reading in enumerate(self._readings(names)):
            block[:, j], seen = cells.codes(self._column(names[j]), reading)
            values.append(seen)
        return CodedBlock(block, np.zeros(len(names), dtype=np.int64), tuple(values))

    def _numbers(self, names: tuple[Name, ...]) -> Floats:
        readings = zip(names, self._readings(names), strict=True)
        columns = np.array([cells.numbers(self._column(name), reading) for name, reading in readings])
        block = np.empty((len(self), len(names)))
        for start in range(0, len(self) if names else 0, 1024):  # which the cache holds, the whole it does not
            block[start : start + 1024] = columns[:, start : start + 1024].T
        return block


@final
class MatrixBatch(EncodedBatch):
    """Rows of a dense matrix of numbers."""

    def raw(self, name: Name) -> list[Any]:
        """Return the cells of a column."""
        matrix: Any = self.rows.cells
        return cast("list[Any]", matrix[:, self.places[self.schema.index[name]]].tolist())

    def _matrix(self, names: tuple[Name, ...]) -> AnyArray:
        columns = self._columns(names)
        matrix: Any = self.rows.cells
        return matrix if columns is None else matrix.take(columns, axis=1)  # type: ignore[no-any-return]

    def _codes(self, names: tuple[Name, ...]) -> CodedBlock:
        self._refuse_times(names)
        matrix = self._matrix(names)
        if matrix.dtype.kind in "biu":
            return integer_block(matrix, self._readings(names))
        return float_block(np.ascontiguousarray(matrix, dtype=np.float64), self._readings(names))

    def _numbers(self, names: tuple[Name, ...]) -> Floats:
        self._refuse_times(names)
        matrix: Any = self.rows.cells
        if matrix.dtype.kind != "b":
            self._refuse_untrue(names, lambda place: matrix[:, place])
        return np.ascontiguousarray(self._matrix(names), dtype=np.float64)


@final
class SparseBatch(EncodedBatch):
    """Rows of a sparse matrix."""

    @cached_property
    def _by_column(self) -> sparse.csc_array:
        from scipy import sparse

        return sparse.csc_array(self.rows.cells)

    def raw(self, name: Name) -> list[Any]:
        """Return the cells of a column, 0 where the matrix stores nothing."""
        return cast("list[Any]", self._column(int(self.places[self.schema.index[name]])).tolist())

    def _column(self, place: int) -> AnyArray:
        columns = self._by_column
        stored = slice(columns.indptr[place], columns.indptr[place + 1])
        # What taking the column out of the matrix gives, without making a matrix of it, which takes far longer.
        cells = np.bincount(columns.indices[stored], columns.data[stored], len(self))
        return cells.astype(columns.dtype)

    def _csr(self, names: tuple[Name, ...]) -> sparse.csr_array:
        columns = self._columns(names)
        matrix: Any = self.rows.cells
        if columns is not None:
            matrix = matrix[:, columns]
        if matrix.dtype != np.float64:
            data = matrix.data.astype(np.float64)
            matrix = type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        return cast("sparse.csr_array", matrix)

    def terms(self, names: Sequence[Name]) -> Floats | sparse.csr_array:
        """Return columns as CSR; an explicit NaN is missing, an absent entry is 0."""
        key = "terms", tuple(names)
        if key not in self._kept:
            self._refuse_times(key[1])
            self._refuse_untrue(key[1], self._column)
            self._kept[key] = self._csr(key[1])
        return cast("sparse.csr_array", self._kept[key])

    def _codes(self, names: tuple[Name, ...]) -> CodedBlock:
        return float_block(self._numbers(names), self._readings(names))

    def _numbers(self, names: tuple[Name, ...]) -> Floats:
        self._refuse_times(names)
        self._refuse_untrue(names, self._column)
        return self._csr(names).toarray(order="C")


def encode(
    rows: Rows, schema: Schema, *, target_type: CellType | None = None, estimator: str = "this model"
) -> EncodedBatch:
    """Return the rows as a batch of the schema's columns.

    Columns are found by name, or by position where the rows or the schema have no names; `match` gives the
    warnings of this, once, where the learner asks it to.

    Parameters
    ----------
    rows : Rows
        The raw rows.
    schema : Schema
        What the columns mean.
    target_type : CellType, optional
        How the labels are read, from `tallybayes.schema.labels.target_type`.
    estimator : str
        Who asks, for messages.
    """
    places = match(rows.names, schema, warn=False, estimator=estimator)
    if isinstance(rows.cells, pa.RecordBatch):
        return TableBatch(rows, schema, places, target_type)
    if isinstance(rows.cells, np.ndarray):
        return MatrixBatch(rows, schema, places, target_type)
    return SparseBatch(rows, schema, places, target_type)
