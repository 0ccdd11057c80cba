"""Dense matrices as codes: where the numbers of each column lie close together, they are their own codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.kernels.ranges import code_whole, float_ranges, integer_ranges
from tallybayes.schema.cells import AS_THEY_ARE, WIDEST, codes, integer_values
from tallybayes.schema.coded import CodedBlock
from tallybayes.schema.reading import Reading
from tallybayes.schema.values import Values


def integer_block(matrix: AnyArray, readings: Sequence[Reading]) -> CodedBlock:
    """Code a matrix of integers or truth values; the block holds the matrix itself where it can."""
    raw = matrix
    if matrix.dtype.kind == "b":
        matrix = matrix.view(np.uint8)
        readings = [_of_truth(reading) for reading in readings]
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        # A few rows of a matrix by columns: keep its order, which is the quicker copy.
        matrix = matrix.copy(order="F" if matrix.strides[0] == matrix.itemsize else "C")
    n, p = matrix.shape
    if n == 0 or p == 0:
        return CodedBlock(matrix.astype(np.int32), np.zeros(p, np.int64), (Values(),) * p)
    low, high = ranges(matrix)
    # Differences of wrapped unsigned numbers are right even where those of signed ones overflow.
    close = high.astype(np.uint64) - low.astype(np.uint64) <= WIDEST
    if matrix.dtype == np.uint64:
        close &= high <= np.iinfo(np.int64).max
    bottom, top = low.astype(np.int64), high.astype(np.int64)
    close &= _fits(readings, bottom, top)
    values = _values(readings, bottom, top, close)
    if all(v is not None for v in values):
        if matrix.dtype == np.uint64:  # signed and unsigned do not mix in compiled arithmetic
            matrix = matrix.view(np.int64)
        return CodedBlock(matrix, bottom, tuple(v for v in values if v is not None))
    return _by_column(raw, readings, bottom, values)


def ranges(matrix: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the least and the greatest integer of each column."""
    if matrix.flags.c_contiguous:
        low, high = matrix[0].copy(), matrix[0].copy()
        integer_ranges(matrix, low, high)
        return low, high
    return matrix.min(axis=0), matrix.max(axis=0)


def float_block(matrix: Floats, readings: Sequence[Reading]) -> CodedBlock:
    """Code a matrix of float64 in C order; NaN is missing."""
    n, p = matrix.shape
    low, high, whole = np.full(p, np.inf), np.full(p, -np.inf), np.ones(p, dtype=bool)
    float_ranges(matrix, low, high, whole)
    empty = low > high
    whole &= (high - low <= WIDEST) | empty
    whole &= (np.abs(low) < 2**53) | empty
    bottom = np.where(whole & ~empty, low, 0).astype(np.int64)
    top = np.where(whole & ~empty, high, -1).astype(np.int64)
    whole &= _fits(readings, bottom, top) | empty
    values = _values(readings, bottom, top, whole)
    if all(v is not None for v in values):
        cells = np.empty((n, p), dtype=np.int32)
        code_whole(matrix, bottom.astype(np.float64), cells)
        return CodedBlock(cells, np.zeros(p, np.int64), tuple(v for v in values if v is not None))
    return _by_column(matrix, readings, bottom, values)


def _fits(readings: Sequence[Reading], low: Counts, high: Counts) -> Bools:
    """Return which columns take integers of a range as they are, as numbers or as truth values."""
    types = [reading.type for reading in readings]
    plain = np.fromiter((kind in AS_THEY_ARE for kind in types), bool, len(types))
    truth = np.fromiter((kind == "boolean" for kind in types), bool, len(types))
    fits: Bools = plain | (truth & (low >= 0) & (high <= 1))
    return fits


def _values(readings: Sequence[Reading], low: Counts, high: Counts, fits: Bools) -> list[Values | None]:
    """Return the values of each column from least to greatest, None for one that has to be looked up."""
    values: list[Values | None] = []
    for reading, a, b, fit in zip(readings, low.tolist(), high.tolist(), fits.tolist(), strict=True):
        if not fit:
            values.append(None)
        elif reading.type == "boolean":
            values.append(Values(map(bool, range(a, b + 1))))
        else:
            values.append(integer_values(a, b))
    return values


def _of_truth(reading: Reading) -> Reading:
    """Return how truth values are read where the field says nothing of its own."""
    if reading.type != "unknown":
        return reading
    return replace(reading, field=replace(reading.field, type="boolean"))


def _by_column(
    matrix: AnyArray, readings: Sequence[Reading], low: Counts, values: Sequence[Values | None]
) -> CodedBlock:
    """Code each column by itself: from its least number where it has values already, or by looking up."""
    block = np.empty(matrix.shape, dtype=np.int32, order="F")
    found = []
    for j, (reading, known) in enumerate(zip(readings, values, strict=True)):
        column = np.ascontiguousarray(matrix[:, j])
        if known is None:
            block[:, j], known = codes(pa.array(column), reading)
        elif column.dtype.kind == "f":
            missing = np.isnan(column)
            block[:, j] = np.where(missing, -1, np.where(missing, 0, column) - low[j])
        else:
            block[:, j] = column.astype(np.int64) - low[j]
        found.append(known)
    return CodedBlock(block, np.zeros(len(found), np.int64), tuple(found))
