"""Reading UTF-8 bytes as code points, and what the tables say of a code point.

Whatever the bytes are, nothing is read outside ``data[at:stop]``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing

signed: Any = np.int64
"""Makes signed integers of bytes and small unsigned ones, which would not stay integers beside signed ones."""

BLOCK = 128
"""Code points in a block of a table of two stages."""

LETTER, DIGIT, MARK, IGNORED, APOSTROPHE, CONNECTOR, DENSE, EMOJI, PUNCTUATION, SPACE, MULTIBYTE = range(11)
"""The classes of code points, and of a byte that is part of a longer one.

A letter or digit begins a word, a mark continues what stands before it, what is ignored is left out of it. An
apostrophe or connector is part of a word in which it stands. Dense letters are those of scripts without blanks.
"""


class Tables(NamedTuple):
    """The tables of two stages, for one way of folding; see `tallybayes.text.tables`.

    `ascii` has the class of a byte times 256, plus the byte that it is folded to.
    """

    ascii: AnyArray
    class_index: AnyArray
    classes: AnyArray
    fold_index: AnyArray
    fold_places: AnyArray
    fold_at: AnyArray
    fold_bytes: AnyArray


@jit_borrowing
def decode(data: AnyArray, at: int, stop: int) -> tuple[int, int]:
    """Return the code point at a place before `stop`, and its number of bytes.

    Bytes that are no UTF-8 (stray, cut short, overlong, a surrogate, beyond the last code point) give -1, one by one.
    """
    a = signed(data[at])
    if a < 0x80:
        return a, 1
    if a < 0xC2:
        return -1, 1
    if a < 0xE0:
        if at + 1 < stop:
            b = signed(data[at + 1])
            if b & 0xC0 == 0x80:
                return ((a & 0x1F) << 6) | (b & 0x3F), 2
    elif a < 0xF0:
        if at + 2 < stop:
            b, c = signed(data[at + 1]), signed(data[at + 2])
            code = ((a & 0x0F) << 12) | ((b & 0x3F) << 6) | (c & 0x3F)
            if b & 0xC0 == 0x80 and c & 0xC0 == 0x80 and code >= 0x800 and (code < 0xD800 or code > 0xDFFF):
                return code, 3
    elif a < 0xF5 and at + 3 < stop:
        b, c, d = signed(data[at + 1]), signed(data[at + 2]), signed(data[at + 3])
        code = ((a & 0x07) << 18) | ((b & 0x3F) << 12) | ((c & 0x3F) << 6) | (d & 0x3F)
        if b & 0xC0 == 0x80 and c & 0xC0 == 0x80 and d & 0xC0 == 0x80 and 0x10000 <= code <= 0x10FFFF:
            return code, 4
    return -1, 1


@jit_borrowing
def class_of(code: int, tables: Tables) -> int:
    """Return the class of what `decode` found; what is no UTF-8 is like a blank."""
    if code < 0:
        return SPACE
    kind: int = signed(tables.classes[signed(tables.class_index[code >> 7]) * BLOCK + (code & 127)])
    return kind


@jit_borrowing
def fold_of(code: int, tables: Tables) -> int:
    """Return the place of the folded text of a code point, or 0 where it stays as it is."""
    place: int = signed(tables.fold_places[signed(tables.fold_index[code >> 7]) * BLOCK + (code & 127)])
    return place
