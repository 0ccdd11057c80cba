"""Memory for large arrays, in pages of their own."""

from __future__ import annotations

import mmap
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
    if wide < _LEAST:
        return np.empty(size, dtype)
    pages = mmap.mmap(-1, wide)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # As for arrays of NumPy's own: asking the system for many small pages takes longer than writing to them.
        pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype, size)
