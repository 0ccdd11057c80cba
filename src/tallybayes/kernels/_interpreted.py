"""What `tallybayes.kernels._instructions` has, for kernels that Python runs."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from tallybayes._types import AnyArray


def _fma(a: float, b: float, c: float) -> float:
    if not (isfinite(a) and isfinite(b) and isfinite(c)):
        return a * b + c
    return float(Fraction(a) * Fraction(b) + Fraction(c)) or a * b + c  # whose zero has the right sign


def _load_eight(data: AnyArray, at: int) -> np.uint64:
    return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "big"))


def _leading_zeros(number: np.uint64) -> np.int64:
    return np.int64(64 - int(number).bit_length())


fma: Any = _fma
load_eight: Any = _load_eight
leading_zeros: Any = _leading_zeros
