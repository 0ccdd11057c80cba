"""The one way in which kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tallybayes.kernels._mode import compiled

if compiled():
    from tallybayes.kernels._instructions import fma, leading_zeros, load_eight, times_four
else:
    from tallybayes.kernels._interpreted import fma, leading_zeros, load_eight, times_four

__all__ = ["fma", "jit", "jit_reassociating", "leading_zeros", "load_eight", "times_four"]

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile ``function`` without the interpreter lock, and keep the machine code on disk."""
    return with_options(function)


def jit_reassociating(function: F) -> F:
    """Like `jit`, and let sums be reordered so that they use the vector units.

    For sums of many terms whose last bits do not matter; never for compensated arithmetic, which
    reordering would optimise away. Infinities and NaN keep their meaning.
    """
    return with_options(function, fastmath={"reassoc", "contract", "nsz"})


def with_options(function: F, **options: Any) -> F:
    """Compile ``function`` with options of numba besides those of `jit`."""
    if not compiled():
        return function
    import numba

    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", **options)(function))
