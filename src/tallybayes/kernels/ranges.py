"""The least and the greatest number of each column, how many there are, and whole numbers as small codes."""

from __future__ import annotations

import math

from tallybayes._types import AnyArray, Bools, Codes, Counts, Floats
from tallybayes.kernels._jit import jit


@jit
def integer_ranges(matrix: AnyArray, low: AnyArray, high: AnyArray) -> None:
    """Lower `low` and raise `high`, which are of the matrix' own type, to the range of each column.

    Four rows go at once, so that `low` and `high` are fetched and kept a fourth as often.
    """
    rows, columns = matrix.shape
    fours = rows // 4 * 4
    for i in range(0, fours, 4):
        for j in range(columns):
            a, b, c, d = matrix[i, j], matrix[i + 1, j], matrix[i + 2, j], matrix[i + 3, j]
            low[j] = min(low[j], a, b, c, d)
            high[j] = max(high[j], a, b, c, d)
    for i in range(fours, rows):
        for j in range(columns):
            low[j] = min(low[j], matrix[i, j])
            high[j] = max(high[j], matrix[i, j])


@jit
def float_ranges(matrix: Floats, low: Floats, high: Floats, whole: Bools) -> None:
    """Do so for floats, passing over NaN, and clear `whole` where a column has a fraction or an infinity."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            value = matrix[i, j]
            # A comparison with NaN is false, so that NaN changes nothing.
            low[j] = value if value < low[j] else low[j]
            high[j] = value if value > high[j] else high[j]
            # An infinity less itself is NaN, and so is not 0.
            whole[j] &= value != value or (value - value == 0.0 and math.floor(value) == value)


@jit
def small_integers(matrix: AnyArray, low: Counts, masks: Counts) -> None:
    """Set bit ``x - low[j]`` of ``masks[j]`` for every x in column j; of no use where that is 64 or more."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            masks[j] |= 1 << ((int(matrix[i, j]) - low[j]) & 63)


@jit
def few_values(matrix: AnyArray, values: AnyArray, distinct: Counts) -> None:
    """Count the distinct values of each column, NaN apart, until there are more than `values` has room for.

    `values`, with a row for each column and of the matrix' own type, is where they are written; the count of
    a column that has more of them ends at one more than there is room for.
    """
    rows, columns = matrix.shape
    room = values.shape[1]
    for start in range(0, rows, 256):
        for j in range(columns):
            count = distinct[j]
            for i in range(start, min(start + 256, rows)):
                if count > room:
                    break
                value = matrix[i, j]
                k = 0
                while k < count and values[j, k] != value:
                    k += 1
                if k == count and value == value:
                    if count < room:
                        values[j, count] = value
                    count += 1
            distinct[j] = count


@jit
def code_whole(matrix: Floats, low: Floats, codes: Codes) -> None:
    """Write how far each whole number is above the least of its column, -1 for NaN."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            value = matrix[i, j]
            codes[i, j] = int(value - low[j]) if value == value else -1
