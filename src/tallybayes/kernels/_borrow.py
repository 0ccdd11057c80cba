"""How kernels are compiled that only read and write arrays which their caller holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def jit_borrowing(function: F) -> F:
    """Like `jit`, for functions that make no arrays: they count no references to those that they are given.

    Counting them costs more than the work itself where small functions pass tuples of arrays on to one another.
    """
    options: dict[str, Any] = {"_nrt": False}  # numba's own name, missing from its types
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", **options)(function))
