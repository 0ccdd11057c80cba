"""Cutting a text into words.

A word is letters, digits and marks in a row. An apostrophe between two letters and a single connector such as _
between two letters or digits are part of it. Letters of scripts that are written without blanks are units of their
own, each with its marks, and so are pictures. Everything else separates, bytes that are no UTF-8 included.
"""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels._jit import load_eight
from tallybayes.kernels.eights import held_of, word_of
from tallybayes.kernels.hashing import ONE, SEED, fed, fed_eight, finished
from tallybayes.kernels.markup import markup_end, name_end, number_end, url_end
from tallybayes.kernels.texts import AS_TEXT, CLOSE, CLUSTER, MARKED, NUMBER, TAG, URL, WORD, Plan, Room
from tallybayes.kernels.utf8 import (
    APOSTROPHE,
    CONNECTOR,
    DENSE,
    DIGIT,
    EMOJI,
    IGNORED,
    LETTER,
    MARK,
    MULTIBYTE,
    SPACE,
    Tables,
    class_of,
    decode,
    fold_of,
    signed,
)

NUMBER_TEXT, URL_TEXT = b"<number>", b"<url>"

_IN_WORD = (DIGIT + 1) << 8
_DIGIT = DIGIT << 8
_CAPITAL_A = 65


@jit_borrowing
def fed_folded(
    hashed: np.uint64, held: np.uint64, data: AnyArray, at: int, size: int, code: int, tables: Tables
) -> tuple[np.uint64, np.uint64]:
    """Take the folded text of a code point that stands at a place."""
    place = fold_of(code, tables)
    if place == 0:
        for k in range(at, at + size):
            hashed, held = fed(hashed, held, data[k])
    else:
        for k in range(tables.fold_at[place], tables.fold_at[place + 1]):
            hashed, held = fed(hashed, held, tables.fold_bytes[k])
    return hashed, held


@jit_inlined
def put(room: Room, n: int, hashed: np.uint64, begin: int, end: int, flags: int) -> int:
    """Write a unit if there is room for it, and count it in any case."""
    if n < room.hashes.shape[0]:
        room.hashes[n] = hashed
        room.begins[n] = begin
        room.ends[n] = end
        room.flags[n] = flags
    return n + 1


@jit_borrowing
def hash_marker(text: bytes) -> np.uint64:
    """Return the hash of the text of a marker."""
    hashed, held = SEED, ONE
    for k in range(len(text)):
        hashed, held = fed(hashed, held, text[k])
    return finished(hashed, held)


@jit_borrowing
def _hash_tag(data: AnyArray, begin: int, end: int) -> np.uint64:
    hashed, held = fed(SEED, ONE, np.uint8(60))
    for k in range(begin + 1, name_end(data, begin + 1, end)):
        hashed, held = fed(hashed, held, np.uint8(data[k] | 32))
    hashed, held = fed(hashed, held, np.uint8(62))
    return finished(hashed, held)


@jit_borrowing
def _dense_run(data: AnyArray, at: int, stop: int, tables: Tables, room: Room, n: int) -> tuple[int, int]:
    """Write the dense letters from a place on, each with its marks; return where they end and the number of units."""
    code, size = decode(data, at, stop)
    flags, kind = CLUSTER, DENSE
    while kind == DENSE:
        hashed, held = fed_folded(SEED, ONE, data, at, size, code, tables)
        begin = at
        at += size
        end, kind = at, SPACE
        while at < stop and data[at] >= 0x80:
            code, size = decode(data, at, stop)
            kind = class_of(code, tables)
            if kind == MARK:
                hashed, held = fed_folded(hashed, held, data, at, size, code, tables)
                end = at + size
            elif kind != IGNORED:
                break
            at += size
        n = put(room, n, finished(hashed, held), begin, end, flags)
        flags = CLUSTER | CLOSE
    return at, n


@jit_borrowing
def _joins(data: AnyArray, at: int, stop: int, kind: int, last: int, tables: Tables) -> bool:
    """Say whether an apostrophe or connector joins what stands before it to what begins at a place."""
    if kind == APOSTROPHE and last == DIGIT:
        return False
    while at < stop:
        code, size = decode(data, at, stop)
        following = class_of(code, tables)
        if following != IGNORED:
            return following == LETTER or (following == DIGIT and kind == CONNECTOR)
        at += size
    return False


@jit_borrowing
def word_units(data: AnyArray, start: int, stop: int, plan: Plan, room: Room) -> int:
    """Write the words of ``data[start:stop]``; return their number, of which the room may hold fewer."""
    tables = plan.tables
    table = tables.ascii
    lowercase = table[_CAPITAL_A] & 0xFF != _CAPITAL_A
    at = start
    n: int = signed(0)
    while at < stop:
        kind = signed(table[data[at]]) >> 8
        if DIGIT < kind < MULTIBYTE:
            if plan.html != AS_TEXT and (data[at] == 60 or data[at] == 38):
                end = markup_end(data, at, stop)
                if end > at:
                    if plan.html == MARKED and data[at] == 60 and name_end(data, at + 1, end) > at + 1:
                        n = put(room, n, _hash_tag(data, at, end), at, end, TAG)
                    at = end
                    continue
            at += 1
            continue
        if kind == MULTIBYTE:
            code, size = decode(data, at, stop)
            kind = class_of(code, tables)
            if kind == DENSE:
                at, n = _dense_run(data, at, stop, tables, room, n)
                continue
            if kind > DIGIT:
                if kind == EMOJI:
                    hashed, held = fed_folded(SEED, ONE, data, at, size, code, tables)
                    n = put(room, n, finished(hashed, held), at, at + size, WORD)
                at += size
                continue
        elif plan.urls != AS_TEXT:
            end = url_end(data, at, stop)
            if end > at:
                if plan.urls == MARKED:
                    n = put(room, n, hash_marker(URL_TEXT), at, end, URL)
                at = end
                continue
        # A letter or digit stands here: a word begins.
        begin = end = at
        hashed, held = SEED, ONE
        digits, last = _DIGIT, LETTER
        while at + 8 <= stop:
            size, folded, plain = word_of(load_eight(data, at), lowercase)
            digits = digits if plain else 0
            at += size
            if size < 8:
                held = held_of(folded, size)
                break
            hashed = fed_eight(hashed, folded)
        if at > begin:
            end, last = at, signed(table[data[at - 1]]) >> 8
        while at < stop:
            entry = signed(table[data[at]])
            if entry < _IN_WORD:
                hashed, held = fed(hashed, held, np.uint8(entry & 0xFF))
                digits &= entry
                last = entry >> 8
                at += 1
                end = at
                continue
            code, size = signed(data[at]), 1
            kind = entry >> 8
            if kind == MULTIBYTE:
                code, size = decode(data, at, stop)
                kind = class_of(code, tables)
            if kind <= MARK:
                hashed, held = fed_folded(hashed, held, data, at, size, code, tables)
                digits &= kind << 8
                last = kind
                at += size
                end = at
            elif kind == IGNORED:
                at += size
            elif kind in (APOSTROPHE, CONNECTOR) and _joins(data, at + size, stop, kind, last, tables):
                if kind == APOSTROPHE:
                    hashed, held = fed(hashed, held, np.uint8(39))
                else:
                    hashed, held = fed_folded(hashed, held, data, at, size, code, tables)
                digits = 0
                at += size
            else:
                break
        if digits == _DIGIT and plan.numbers != AS_TEXT:
            at = end = number_end(data, end, stop)
            if plan.numbers == MARKED:
                n = put(room, n, hash_marker(NUMBER_TEXT), begin, end, NUMBER)
        else:
            n = put(room, n, finished(hashed, held), begin, end, WORD)
    return n
