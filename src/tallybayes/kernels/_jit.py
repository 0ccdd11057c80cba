"""The one way in which kernels are compiled, and the fused multiply-add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile ``function`` without the interpreter lock, and keep the machine code on disk."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def jit_reassociating(function: F) -> F:
    """Like `jit`, and let sums be reordered so that they use the vector units.

    For sums of many terms whose last bits do not matter; never for compensated arithmetic, which
    reordering would optimise away. Infinities and NaN keep their meaning.
    """
    flags = {"reassoc", "contract", "nsz"}
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=flags)(function))


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    signature = types.float64(types.float64, types.float64, types.float64)

    def code(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        return builder.fma(*args)

    return signature, code


fma: Any = _fma
"""``fma(a, b, c)`` is a * b + c, rounded once; the exact rest of a product is ``fma(a, b, -(a * b))``."""
