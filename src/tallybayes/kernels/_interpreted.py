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
    try:
        return float(Fraction(a) * Fraction(b) + Fraction(c)) or a * b + c  # whose zero has the right sign
    except OverflowError:
        return a * b + c


def _load_eight(data: AnyArray, at: int) -> np.uint64:
    return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "big"))


def _leading_zeros(number: np.uint64) -> np.int64:
    return np.int64(64 - int(number).bit_length())


Four = tuple[float, float, float, float]


def _times_four(factors: Four, data: AnyArray, at: int) -> Four:
    a, b, c, d = factors
    return a * data[at], b * data[at + 1], c * data[at + 2], d * data[at + 3]


fma: Any = _fma
load_eight: Any = _load_eight
leading_zeros: Any = _leading_zeros
times_four: Any = _times_four
