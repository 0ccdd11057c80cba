"""How kernels are compiled that only read and write arrays which their caller holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tallybayes.kernels._jit import with_options

F = TypeVar("F", bound=Callable[..., Any])


def jit_borrowing(function: F) -> F:
    """Like `jit`, for functions that make no arrays: they count no references to those that they are given.

    Counting them costs more than the work itself where small functions pass tuples of arrays on to one another.
    """
    return with_options(function, _nrt=False)  # numba's own name, missing from its types


def jit_inlined(function: F) -> F:
    """Like `jit_borrowing`, for parts of a loop that are called from a place or two.

    Tuples of arrays are then not copied for a call.
    """
    return with_options(function, _nrt=False, forceinline=True)
