"""Which bin of a column a number lies in."""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import Codes, Counts, Floats
from tallybayes.kernels._jit import jit

_ROWS = 1024  # at a time: what the first cache holds
_FEW = 384  # edges that are quicker compared one and all than searched, because the vector units do it


@jit
def bin_numbers(numbers: Floats, edges: Floats, start: Counts, places: Counts, out: Codes) -> None:
    """Write to ``out[:, places[j]]`` how many edges of column j are at most each number; -1 for NaN.

    The edges of column j are ``edges[start[j] : start[j + 1]]``, ascending; infinities lie in the outer bins.
    """
    n, p = numbers.shape
    cells, codes = np.empty(_ROWS), np.empty(_ROWS, np.int64)
    for begin in range(0, n, _ROWS):
        size = min(_ROWS, n - begin)
        for j in range(p):
            for i in range(size):
                cells[i] = numbers[begin + i, j]
            first, last = start[j], start[j + 1]
            if last - first <= _FEW:
                for i in range(size):
                    codes[i] = 0
                for e in range(first, last):
                    edge = edges[e]
                    for i in range(size):
                        codes[i] += cells[i] >= edge
            else:
                for i in range(size):
                    low, length = first, last - first
                    while length > 1:
                        half = length >> 1
                        low += half * (edges[low + half - 1] <= cells[i])
                        length -= half
                    codes[i] = low - first + (edges[low] <= cells[i])
            for i in range(size):
                out[begin + i, places[j]] = -1 if math.isnan(cells[i]) else codes[i]
