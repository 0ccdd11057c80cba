"""Eight bytes of a text at a time: where a word of ASCII ends, and its bytes folded.

The bytes are those of a number, the first byte highest, as they are hashed. What is asked of each byte is asked of all
at once: an addition carries into the high bit of a byte that is at least some number, and none goes further.
"""

from __future__ import annotations

import numpy as np

from tallybayes.kernels._borrow import jit_inlined
from tallybayes.kernels._jit import leading_zeros
from tallybayes.kernels.hashing import ONE
from tallybayes.kernels.utf8 import signed


def _all(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101_0101_0101_0101)


_HIGH, _SEVEN_BITS, _SMALL = _all(0x80), _all(0x7F), _all(0x20)
_FROM_A, _BEYOND_Z = _all(0x80 - ord("a")), _all(0x7F - ord("z"))
_FROM_0, _BEYOND_9 = _all(0x80 - ord("0")), _all(0x7F - ord("9"))
_ZERO, _TWO, _SEVEN, _EIGHT = (np.uint64(n) for n in (0, 2, 7, 8))


@jit_inlined
def word_of(eight: np.uint64, lowercase: bool) -> tuple[int, np.uint64, bool]:
    """Return how many letters and digits of ASCII eight bytes begin with, these folded, and whether all are digits.

    What follows them in the folded bytes is not defined.
    """
    plain = eight & _SEVEN_BITS
    small = plain | _SMALL
    letters = (small + _FROM_A) & ~(small + _BEYOND_Z) & _HIGH
    digits = (plain + _FROM_0) & ~(plain + _BEYOND_9) & _HIGH
    others = (~(letters | digits) | eight) & _HIGH
    size: int = signed(leading_zeros(others)) >> 3
    first_letter: int = signed(leading_zeros(letters)) >> 3
    folded = eight | (letters >> _TWO) if lowercase else eight
    return size, folded, first_letter >= size


@jit_inlined
def held_of(folded: np.uint64, size: int) -> np.uint64:
    """Return what is held of a hash of which the first `size` bytes, fewer than eight, were taken."""
    bits = _EIGHT * np.uint64(size)
    return (ONE << bits) | ((folded >> _EIGHT) >> (np.uint64(56) - bits))
