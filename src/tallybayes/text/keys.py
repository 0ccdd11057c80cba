"""Keys of terms from their texts, and texts from the places of terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels.hashing import joined
from tallybayes.kernels.terms import units_of
from tallybayes.kernels.texts import AS_TEXT, CHARS, CLOSE, PADDED, PIECES, TERMS, WORDS, Plan, Room, Texts, make_room
from tallybayes.kernels.tokens import hash_marker
from tallybayes.kernels.writing import write_term
from tallybayes.text.read import cut_texts, read_texts

NO_STOPS = np.empty(0, np.uint64)


def key_of(term: str, plan: Plan) -> int:
    """Return the key of a term, given as its text is written, or 0 where the text holds no unit."""
    key = 0
    for unit, close in _units(term, plan._replace(html=AS_TEXT, urls=AS_TEXT, numbers=AS_TEXT, stops=NO_STOPS)):
        key = int(joined(np.uint64(key), np.uint64(unit), close)) if key else unit
    return key


def _units(term: str, plan: Plan) -> Iterator[tuple[int, bool]]:
    """Yield the hash of each unit of a term, and whether it stands close to the one before."""
    if plan.mode in (PIECES, TERMS):
        texts = cut_texts([term or " "], lambda text: [text if term else ""])
    else:
        texts = read_texts([term])
    if plan.mode == PADDED:
        plan = plan._replace(mode=CHARS)
    if plan.mode != WORDS or "<" not in term:
        n, room = units_of(texts, 0, plan, make_room(8, 8))
        yield from zip(room.hashes[:n].tolist(), (room.flags[:n] & CLOSE != 0).tolist(), strict=True)
        return
    for word in term.split(" "):
        if word.startswith("<") and word.endswith(">"):
            yield int(hash_marker(word.lower().encode("utf-8", "surrogatepass"))), False
        else:
            yield from _units(word.replace("<", " "), plan)


def stop_table(keys: Sequence[int]) -> AnyArray:
    """Return a table of the keys with open addressing, a power of two long and at most half full.

    A 0 stands for a text without terms, and is left out.
    """
    distinct = sorted(set(keys) - {0})
    if not distinct:
        return NO_STOPS
    table = [0] * (1 << (2 * len(distinct) - 1).bit_length())
    for key in distinct:
        slot = key % len(table)
        while table[slot]:
            slot = (slot + 1) % len(table)
        table[slot] = key
    return np.array(table, np.uint64)


def text_of(texts: Texts, room: Room, term: int, plan: Plan) -> str:
    """Return the text of a term.

    Half a surrogate pair, which only a callable can put into a term, comes back as it was.
    """
    out = np.empty(64, np.uint8)
    if (size := write_term(texts.data, room, term, plan, out, 0)) > len(out):
        out = np.empty(size, np.uint8)
        write_term(texts.data, room, term, plan, out, 0)
    return out[:size].tobytes().decode("utf-8", "surrogatepass")
