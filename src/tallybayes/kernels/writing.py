"""Writing the text of a unit or a term, as it was hashed."""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing
from tallybayes.kernels.markup import name_end
from tallybayes.kernels.texts import BLANK, CHAR, CLOSE, GIVEN, KIND, NUMBER, TAG, URL, WHICH, Plan, Room
from tallybayes.kernels.tokens import NUMBER_TEXT, URL_TEXT
from tallybayes.kernels.utf8 import APOSTROPHE, IGNORED, class_of, decode, fold_of


@jit_borrowing
def _write(out: AnyArray, at: int, byte: np.uint8) -> int:
    if at < out.shape[0]:
        out[at] = byte
    return at + 1


@jit_borrowing
def _write_folded(data: AnyArray, begin: int, end: int, which: int, plan: Plan, out: AnyArray, to: int) -> int:
    """Write a place as it is folded; of a character (which >= 0), only that one of those that it is folded to."""
    tables = plan.tables
    at = begin
    while at < end:
        code, size = decode(data, at, end)
        kind = class_of(code, tables)
        if which < 0 and (kind == IGNORED or code < 0):
            pass
        elif which < 0 and kind == APOSTROPHE:
            to = _write(out, to, np.uint8(39))
        elif fold_of(code, tables) == 0:
            for k in range(at, at + size):
                to = _write(out, to, np.uint8(data[k]))
        else:
            place = fold_of(code, tables)
            nth = -1
            for k in range(tables.fold_at[place], tables.fold_at[place + 1]):
                byte = tables.fold_bytes[k]
                if byte & 0xC0 != 0x80:
                    nth += 1
                if which < 0 or nth == which:
                    to = _write(out, to, np.uint8(byte))
        at += size
    return to


@jit_borrowing
def write_unit(data: AnyArray, room: Room, unit: int, plan: Plan, out: AnyArray, at: int) -> int:
    """Write the text of a unit into `out` from `at` on as far as there is room; return where it ends or would end."""
    begin, end, flags = room.begins[unit], room.ends[unit], room.flags[unit]
    kind = flags & KIND
    if kind == BLANK:
        return _write(out, at, np.uint8(32))
    if kind in (NUMBER, URL):
        text = NUMBER_TEXT if kind == NUMBER else URL_TEXT
        for k in range(len(text)):
            at = _write(out, at, np.uint8(text[k]))
        return at
    if kind == TAG:
        at = _write(out, at, np.uint8(60))
        for k in range(begin + 1, name_end(data, begin + 1, end)):
            at = _write(out, at, np.uint8(data[k] | 32))
        return _write(out, at, np.uint8(62))
    if kind == GIVEN:
        for k in range(begin, end):
            at = _write(out, at, np.uint8(data[k]))
        return at
    return _write_folded(data, begin, end, flags >> WHICH if kind == CHAR else -1, plan, out, at)


@jit_borrowing
def write_term(data: AnyArray, room: Room, term: int, plan: Plan, out: AnyArray, at: int) -> int:
    """Write the text of a term into `out` from `at` on as far as there is room; return where it ends or would end.

    Words are joined by a blank; characters, and dense letters that stand close, by nothing. Where the end lies beyond
    ``len(out)``, take a longer one and write again.
    """
    first = room.firsts[term]
    for unit in range(first, first + room.sizes[term]):
        if unit > first and not room.flags[unit] & CLOSE:
            at = _write(out, at, np.uint8(32))
        at = write_unit(data, room, unit, plan, out, at)
    return at
