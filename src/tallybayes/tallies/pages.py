"""Memory for large arrays, in pages of their own."""

from __future__ import annotations

from mmap import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

_LEAST = 1 << 22
"""The bytes from which an array has pages of its own."""


def room_for(size: int, dtype: npt.DTypeLike) -> Any:
    """Return an array yet to be written.

    Where it is large, it lies in pages of its own, of which only those take memory that are written to, and all are
    given back with the array: room for as much as there may be costs no more than what there is.

    Examples
    --------
    >>> room_for(3, np.int32).shape
    (3,)
    """
    wide = np.dtype(dtype).itemsize * size
    return np.empty(size, dtype) if wide < _LEAST else np.frombuffer(mmap(-1, wide), dtype, size)
