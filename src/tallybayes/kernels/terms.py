"""The terms of one document after the other, for kernels that count them.

>>> from tallybayes.kernels.texts import make_room
>>> from tallybayes.text.analyzer import Analyzer
>>> analyzer = Analyzer(ngrams=(1, 2))
>>> texts, plan, room = analyzer.read(["To be"]), analyzer.plan, make_room(8, 8)
>>> n, room = terms_of(texts, 0, plan, room)
>>> n, hex(int(room.keys[0])) == hex(analyzer.key("to"))
(3, True)
"""

from __future__ import annotations

import numpy as np

from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels._jit import jit
from tallybayes.kernels.characters import char_units
from tallybayes.kernels.hashing import ONE, SEED, fed, finished, hash_bytes
from tallybayes.kernels.ngrams import drop_stops, ngrams_of
from tallybayes.kernels.texts import GIVEN, PIECES, TERMS, WORD, WORDS, Plan, Room, Texts, make_room
from tallybayes.kernels.tokens import fed_folded, put, word_units
from tallybayes.kernels.utf8 import APOSTROPHE, IGNORED, PUNCTUATION, class_of, decode, signed


@jit_borrowing
def _cut_units(texts: Texts, row: int, plan: Plan, room: Room) -> int:
    """Write the terms that were cut elsewhere: as they are, or folded where there is more to them than signs."""
    data = texts.data
    n: int = signed(0)
    for k in range(texts.begins[row], texts.ends[row]):
        begin, end = texts.cuts[k], texts.cuts[k + 1]
        if plan.mode == TERMS:
            n = put(room, n, hash_bytes(data, begin, end), begin, end, GIVEN)
            continue
        hashed, held = SEED, ONE
        at, worth = begin, False
        while at < end:
            code, size = decode(data, at, end)
            kind = class_of(code, plan.tables)
            if kind == APOSTROPHE:
                hashed, held = fed(hashed, held, np.uint8(39))
            elif kind != IGNORED and code >= 0:
                hashed, held = fed_folded(hashed, held, data, at, size, code, plan.tables)
                worth = worth or kind < PUNCTUATION
            at += size
        if worth:
            n = put(room, n, finished(hashed, held), begin, end, WORD)
    return n


@jit_borrowing
def _write_units(texts: Texts, row: int, plan: Plan, room: Room) -> int:
    if plan.mode == PIECES or plan.mode == TERMS:
        return _cut_units(texts, row, plan, room)
    if plan.mode == WORDS:
        return word_units(texts.data, texts.begins[row], texts.ends[row], plan, room)
    return char_units(texts.data, texts.begins[row], texts.ends[row], plan, room)


@jit_inlined
def put_units(texts: Texts, row: int, plan: Plan, room: Room) -> int:
    """Write the units of a document, without stop words; return their number, or -1 where the room is too small."""
    n = _write_units(texts, row, plan, room)
    if n > room.hashes.shape[0]:
        return -1
    return drop_stops(room, n, plan.stops) if plan.stops.shape[0] > 0 else n


@jit_inlined
def put_terms(texts: Texts, row: int, plan: Plan, room: Room) -> int:
    """Write the units and terms of a document; return the number of terms, or -1 where the room is too small."""
    units = put_units(texts, row, plan, room)
    if units < 0:
        return -1
    n = ngrams_of(room, units, plan)
    return n if n <= room.keys.shape[0] else -1


@jit
def room_for(texts: Texts, row: int, plan: Plan, room: Room) -> Room:
    """Return room that is large enough for a document, and never less than a room had."""
    n = _write_units(texts, row, plan, room)
    units = max(n, room.hashes.shape[0])
    longer = make_room(units, room.keys.shape[0])
    terms = ngrams_of(longer, put_units(texts, row, plan, longer), plan)
    return longer if terms <= longer.keys.shape[0] else make_room(units, terms)


@jit
def units_of(texts: Texts, row: int, plan: Plan, room: Room) -> tuple[int, Room]:
    """Write the units of a document, without stop words; return their number and the room, now perhaps a longer one."""
    n = put_units(texts, row, plan, room)
    if n >= 0:
        return n, room
    room = room_for(texts, row, plan, room)
    return put_units(texts, row, plan, room), room


@jit
def terms_of(texts: Texts, row: int, plan: Plan, room: Room) -> tuple[int, Room]:
    """Write the units and terms of a document; return the number of terms and the room, now perhaps a longer one.

    Where many short documents are read, call `put_terms`, and `room_for` only if it gives -1: not to hand on the room
    saves a third of a microsecond each.
    """
    n = put_terms(texts, row, plan, room)
    if n >= 0:
        return n, room
    room = room_for(texts, row, plan, room)
    return put_terms(texts, row, plan, room), room
