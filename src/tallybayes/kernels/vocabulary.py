"""Terms as numbers: the vocabulary that texts are read by, and that grows as they are.

This is the one kernel that reads texts for models. What comes after it, counting and weighing, goes by the numbers, so
that the long machine code of the tokeniser is compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.hashing import bucket
from tallybayes.kernels.terms import put_terms
from tallybayes.kernels.texts import KIND, WORD, Plan, Room, Texts
from tallybayes.kernels.utf8 import fold_of, signed
from tallybayes.kernels.writing import write_term

_PLAIN = -1
_TO_30_BITS = np.uint64(34)
_CAPITAL_A = 65

DONE, NUMBERS_FULL, TERMS_FULL, TEXT_FULL, ROOM_FULL = range(5)
"""Why the reading of texts stopped."""


class Vocabulary(NamedTuple):
    """Terms in the order in which they came; term t has the key ``keys[t]``.

    `size` is how many there are. `slots` is a table with open addressing: in each row a key and the number of its
    term, or twice 0. The text of term t is ``text[text_at[t]:text_at[t + 1]]``.
    """

    size: Counts
    slots: AnyArray
    keys: AnyArray
    text_at: Counts
    text: AnyArray


@jit_inlined
def find(slots: AnyArray, key: int | np.uint64) -> int:
    """Return the number of a term, -1 where it is new."""
    mask = np.uint64(slots.shape[0] - 1)
    slot = key & mask
    while slots[slot, 0] != 0:
        if slots[slot, 0] == key:
            number: int = signed(slots[slot, 1])
            return number
        slot = (slot + np.uint64(1)) & mask
    none: int = signed(-1)
    return none


@jit_inlined
def put_slot(slots: AnyArray, key: int | np.uint64, number: int) -> None:
    """Write a key that is not there, and its number."""
    mask = np.uint64(slots.shape[0] - 1)
    slot = key & mask
    while slots[slot, 0] != 0:
        slot = (slot + np.uint64(1)) & mask
    slots[slot, 0], slots[slot, 1] = key, np.uint64(number)


@jit_borrowing
def put_slots(slots: AnyArray, keys: AnyArray) -> None:
    """Write all keys, which are distinct and none 0, with their places for numbers."""
    for number in range(keys.shape[0]):
        put_slot(slots, keys[number], number)


@jit_borrowing
def put_numbers(slots: AnyArray, keys: AnyArray, numbers: Codes) -> None:
    """Write all keys, which are distinct and none 0, with numbers of which several may be the same."""
    for place in range(keys.shape[0]):
        put_slot(slots, keys[place], numbers[place])


@jit_inlined
def _write_ascii(data: AnyArray, begin: int, end: int, lowercase: bool, out: AnyArray, at: int) -> int:
    """Write a word of ASCII as `write_term` does, at a third of its cost; return where it ends, or -1 if it is none."""
    size = end - begin
    if at + size > out.shape[0]:
        return _PLAIN
    for k in range(size):
        byte = data[begin + k]
        if byte >= 128:
            return _PLAIN
        out[at + k] = byte | 32 if lowercase and 65 <= byte <= 90 else byte
    return at + size


@jit_inlined
def _write(data: AnyArray, room: Room, term: int, plan: Plan, lowercase: bool, out: AnyArray, at: int) -> int:
    """Write the text of a term as `write_term` does; return where it ends or would end."""
    unit = room.firsts[term]
    if room.sizes[term] == 1 and room.flags[unit] & KIND == WORD:
        end = _write_ascii(data, room.begins[unit], room.ends[unit], lowercase, out, at)
        if end != _PLAIN:
            return end
    return write_term(data, room, term, plan, out, at)


@jit_borrowing
def odd_number(key: np.uint64, bits: int) -> int:
    """Return the negative number of a term that is not known: one of its own, as far as 32 bits go."""
    odd: int = -signed(key) if bits > 0 else -1 - signed(key >> _TO_30_BITS)
    return odd


@jit_borrowing
def number_terms(
    texts: Texts,
    first: int,
    plan: Plan,
    room: Room,
    known: Vocabulary,
    learning: bool,
    numbers: Codes,
    bounds: Counts,
) -> tuple[int, int]:
    """Write the numbers of the terms of text after text, from text `first` on.

    Those of text ``first + k`` are ``numbers[bounds[k]:bounds[k + 1]]``. When `learning`, a new term gets the next
    number; otherwise it gets a negative one, by which equal ones among the terms of a text are told. Stops where an
    array is full, and returns the text to go on with and why it stopped.
    """
    filled = 0
    bounds[0] = 0
    for i in range(first, texts.begins.shape[0]):
        place = i - first
        if place + 1 >= bounds.shape[0]:
            return i, NUMBERS_FULL
        count = put_terms(texts, i, plan, room)
        if count < 0:
            return i, ROOM_FULL
        if filled + count > numbers.shape[0]:
            return i, NUMBERS_FULL
        if learning and known.size[0] + count > known.keys.shape[0]:
            return i, TERMS_FULL
        if not _number(texts.data, room, count, plan, known, learning, numbers, filled):
            return i, TEXT_FULL
        filled += count
        bounds[place + 1] = filled
    return texts.begins.shape[0], DONE


@jit_inlined
def _number(
    data: AnyArray, room: Room, count: int, plan: Plan, known: Vocabulary, learning: bool, numbers: Codes, at: int
) -> bool:
    """Write the numbers of the terms of one text; return False where the texts of new ones find no room."""
    lowercase = fold_of(_CAPITAL_A, plan.tables) != 0
    for k in range(count):
        key = room.keys[k] if plan.bits == 0 else bucket(room.keys[k], plan.bits)
        term = find(known.slots, key)
        if term < 0 and learning:
            term = known.size[0]
            begin = end = known.text_at[term]
            if plan.bits == 0:  # otherwise a term has no text
                end = _write(data, room, k, plan, lowercase, known.text, begin)
            if end > known.text.shape[0]:
                return False
            known.text_at[term + 1] = end
            known.keys[term] = key
            put_slot(known.slots, key, term)
            known.size[0] = term + 1
        numbers[at + k] = term if term >= 0 else odd_number(key, plan.bits)
    return True
