"""Cutting a text into characters: every code point of its folded form, runs of blanks as one."""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing
from tallybayes.kernels.hashing import ONE, SEED, fed, finished
from tallybayes.kernels.texts import BLANK, BREAK, CHAR, CLOSE, PADDED, WHICH, Plan, Room
from tallybayes.kernels.tokens import put
from tallybayes.kernels.utf8 import IGNORED, MARK, SPACE, Tables, class_of, decode, fold_of, signed


@jit_borrowing
def _put_folded(data: AnyArray, at: int, size: int, place: int, plan: Plan, room: Room, n: int, flags: int) -> int:
    """Write a unit for each character that a code point is folded to, its place in the tables being known."""
    tables = plan.tables
    if place == 0:
        hashed, held = SEED, ONE
        for k in range(at, at + size):
            hashed, held = fed(hashed, held, data[k])
        return put(room, n, finished(hashed, held), at, at + size, flags)
    k, last = signed(tables.fold_at[place]), signed(tables.fold_at[place + 1])
    which = 0
    while k < last:
        hashed, held = fed(SEED, ONE, tables.fold_bytes[k])
        k += 1
        while k < last and tables.fold_bytes[k] & 0xC0 == 0x80:
            hashed, held = fed(hashed, held, tables.fold_bytes[k])
            k += 1
        n = put(room, n, finished(hashed, held), at, at + size, flags | which << WHICH)
        flags |= CLOSE
        which += 1
    return n


@jit_borrowing
def _vanishes(code: int, kind: int, tables: Tables) -> bool:
    """Say whether nothing is left of a code point."""
    if kind == IGNORED:
        return True
    if kind != MARK:
        return False
    place = fold_of(code, tables)
    return place != 0 and tables.fold_at[place] == tables.fold_at[place + 1]


@jit_borrowing
def char_units(data: AnyArray, start: int, stop: int, plan: Plan, room: Room) -> int:
    """Write the characters of ``data[start:stop]``; return their number, of which the room may hold fewer.

    In the mode of padded words each word between blanks begins and ends with a blank of its own.
    """
    tables = plan.tables
    padded = plan.mode == PADDED
    hashed, held = fed(SEED, ONE, np.uint8(32))
    blank = finished(hashed, held)
    at = start
    n: int = signed(0)
    inside = False  # behind a character that is no blank
    while at < stop:
        begin = at
        code, size = decode(data, at, stop)
        kind = class_of(code, tables)
        if kind == SPACE:
            while kind == SPACE or _vanishes(code, kind, tables):
                at += size
                if at >= stop:
                    break
                code, size = decode(data, at, stop)
                kind = class_of(code, tables)
            if inside or not padded:
                n = put(room, n, blank, begin, at, BLANK | CLOSE)
            inside = False
            continue
        at += size
        if _vanishes(code, kind, tables):
            continue
        if padded and not inside:
            n = put(room, n, blank, begin, begin, BLANK | BREAK)
        inside = True
        n = _put_folded(data, begin, size, fold_of(code, tables), plan, room, n, CHAR | CLOSE)
    if padded and inside:
        n = put(room, n, blank, stop, stop, BLANK | CLOSE)
    return n
