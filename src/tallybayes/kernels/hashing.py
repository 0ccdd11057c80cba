"""The 64-bit hash of a text, byte by byte, and of texts in a row.

The bytes are taken eight at a time as a number, the first byte highest, and the rest of nought to seven bytes as a
number behind a leading 1, so that different texts give different numbers. Each number is mixed into the hash by steps
that can be undone: texts of up to seven bytes never have the same hash, longer ones by chance, about once in 10
million terms per 300,000 such collections. A hash is never 0, which is free to mean an empty slot. It keeps nobody
out who looks for collisions on purpose.

Hashes are stored in model files: another way to hash needs another format of the file.
"""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing

SEED = np.uint64(0x7A11_BA7E_5C0D_E001)
_FIRST = np.uint64(0x9E37_79B9_7F4A_7C15)
_SECOND = np.uint64(0xD6E8_FEB8_6659_FD93)
_THIRD = np.uint64(0xA5A3_564E_27F8_865B)
_HALF, _BYTE, _SEVEN = np.uint64(32), np.uint64(8), np.uint64(56)
_ZERO, ONE = np.uint64(0), np.uint64(1)


@jit_borrowing
def fed_eight(hashed: np.uint64, eight: np.uint64) -> np.uint64:
    """Take eight bytes, where none are held."""
    hashed = (hashed ^ eight) * _FIRST
    return hashed ^ (hashed >> _HALF)


@jit_borrowing
def fed(hashed: np.uint64, held: np.uint64, byte: int | np.uint8) -> tuple[np.uint64, np.uint64]:
    """Take one more byte; the state begins as `SEED` and `ONE`."""
    more = (held << _BYTE) | np.uint64(byte)
    if held >> _SEVEN == _ZERO:
        return hashed, more
    return fed_eight(hashed, more), ONE


@jit_borrowing
def finished(hashed: np.uint64, held: np.uint64) -> np.uint64:
    """Return the hash of the bytes that were taken."""
    return _spread((hashed ^ held) * _FIRST)


@jit_borrowing
def _spread(x: np.uint64) -> np.uint64:
    x = (x ^ (x >> _HALF)) * _SECOND
    x = (x ^ (x >> _HALF)) * _FIRST
    x ^= x >> _HALF
    return ONE if x == _ZERO else x


@jit_borrowing
def joined(key: np.uint64, more: np.uint64, close: bool) -> np.uint64:
    """Return the key of the texts of `key` followed by one with the hash `more`, without a blank between if close."""
    return _spread((key * (_THIRD if close else _SECOND)) ^ more)


@jit_borrowing
def bucket(key: np.uint64, bits: int) -> np.uint64:
    """Return the last bits of a key, those of 0 as the number behind all others: a key is never 0."""
    size = ONE << np.uint64(bits)
    kept = key & (size - ONE)
    return size if kept == _ZERO else kept


@jit_borrowing
def hash_bytes(data: AnyArray, begin: int, end: int) -> np.uint64:
    """Return the hash of ``data[begin:end]``."""
    hashed, held = SEED, ONE
    for at in range(begin, end):
        hashed, held = fed(hashed, held, data[at])
    return finished(hashed, held)
