"""From the units of a text to the keys of its terms."""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.hashing import joined
from tallybayes.kernels.texts import BREAK, CLOSE, CLUSTER, KIND, PADDED, Plan, Room
from tallybayes.kernels.utf8 import signed

_FREE = np.uint64(0)


@jit_inlined
def holds(table: AnyArray, key: np.uint64) -> bool:
    """Say whether a table of keys with open addressing holds a key."""
    if table.shape[0] == 0:
        return False
    last = np.uint64(table.shape[0] - 1)
    slot = key & last
    while table[slot] != _FREE:
        if table[slot] == key:
            return True
        slot = (slot + np.uint64(1)) & last
    return False


@jit_borrowing
def drop_stops(room: Room, n: int, stops: AnyArray) -> int:
    """Leave out the units that are stop words; what stood on their two sides does not stand close."""
    kept = 0
    gap = False
    for i in range(n):
        if holds(stops, room.hashes[i]):
            gap = True
            continue
        room.hashes[kept] = room.hashes[i]
        room.begins[kept] = room.begins[i]
        room.ends[kept] = room.ends[i]
        room.flags[kept] = room.flags[i] & ~np.uint8(CLOSE) if gap else room.flags[i]
        gap = False
        kept += 1
    return kept


@jit_inlined
def put_term(room: Room, n: int, key: np.uint64, first: int, size: int) -> int:
    """Write a term if there is room for it, and count it in any case."""
    if n < room.keys.shape[0]:
        room.keys[n] = key
        room.firsts[n] = first
        room.sizes[n] = size
    return n + 1


@jit_inlined
def ngrams_of(room: Room, units: int, plan: Plan) -> int:
    """Write the n-grams of the units; return their number, of which the room may hold fewer.

    They come in the order of their first unit, the shorter first. In a run of dense letters they are one unit longer
    than elsewhere. Of padded words, one that is too short for an n-gram counts once as a whole.
    """
    low, high = plan.low, plan.high
    n: int = signed(0)
    padded = plan.mode == PADDED
    for i in range(units):
        key, flags = room.hashes[i], room.flags[i]
        dense = flags & KIND == CLUSTER
        opens = padded and flags & BREAK != 0
        if low == 1:
            n = put_term(room, n, key, i, signed(1))
            if high == 0 or (high == 1 and not dense):
                continue
        size = signed(1)
        while i + size < units:
            flags = room.flags[i + size]
            if flags & BREAK:
                break
            close = flags & CLOSE != 0
            dense = dense and close
            if size >= high and not (dense and size == high):
                break
            key = joined(key, room.hashes[i + size], close)
            size += 1
            if size >= low and not (size > 1 and holds(plan.stops, key)):
                n = put_term(room, n, key, i, size)
        if opens and size < low:
            n = put_term(room, n, key, i, size)
    return n
