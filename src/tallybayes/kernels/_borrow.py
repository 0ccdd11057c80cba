"""How kernels are compiled that only read and write arrays which their caller holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "_nrt": False}
# The last is numba's own name, missing from its types.


def jit_borrowing(function: F) -> F:
    """Like `jit`, for functions that make no arrays: they count no references to those that they are given.

    Counting them costs more than the work itself where small functions pass tuples of arrays on to one another.
    """
    return cast(F, numba.njit(**_OPTIONS)(function))


def jit_inlined(function: F) -> F:
    """Like `jit_borrowing`, for parts of a loop that are called from a place or two: tuples of arrays are not copied."""
    return cast(F, numba.njit(**_OPTIONS, forceinline=True)(function))
