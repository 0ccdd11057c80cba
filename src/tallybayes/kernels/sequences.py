"""Counting n-grams, one table for each class, and adding such tables.

The key of an n-gram is the key of its context, the n-gram without its last unit, joined with the key of that unit; the
key of a single unit is its own. So all keys that end at a place follow from those of the place before, by one step
each. Two n-grams have the same key by chance, about once in 2**64 pairs: among a hundred million n-grams, once in
four thousand such collections.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.hashing import joined
from tallybayes.kernels.utf8 import signed
from tallybayes.kernels.vocabulary import find

BEGIN, END = np.uint64(1), np.uint64(2)
"""The keys of what stands before the first unit of a text and after the last."""


class Grams(NamedTuple):
    """N-grams of one length, by their keys, ascending.

    Attributes
    ----------
    keys
        64-bit hashes.
    contexts, units
        The key of the n-gram without its last unit, and the key of that unit.
    counts
        How often each occurs.
    """

    keys: AnyArray
    contexts: AnyArray
    units: AnyArray
    counts: Counts


class Met(NamedTuple):
    """N-grams of all lengths in the order in which they came.

    Attributes
    ----------
    size
        How many there are.
    slots
        Finds them: the number of an n-gram and one more, 0 where it is empty. Small, so that it stays in the cache.
    counted
        By n-gram its key and its count, next to one another for the same reason.
    contexts, units
        As in `Grams`.
    lengths
        How many units each has.
    """

    size: Counts
    slots: AnyArray
    counted: AnyArray
    contexts: AnyArray
    units: AnyArray
    lengths: AnyArray


@jit_inlined
def _slot_of(slots: AnyArray, counted: AnyArray, key: np.uint64) -> Any:
    """Return the slot that has a key, or where it belongs."""
    mask = np.uint64(slots.shape[0] - 1)
    slot = key & mask
    while slots[slot] != 0 and counted[slots[slot] - 1, 0] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@jit_borrowing
def put_met(slots: AnyArray, counted: AnyArray, size: int) -> None:
    """Write the first n-grams into slots, which are empty."""
    for gram in range(size):
        slots[_slot_of(slots, counted, counted[gram, 0])] = gram + 1


@jit_borrowing
def count_grams(
    numbers: Codes,
    bounds: Counts,
    weights: Counts,
    keys: AnyArray,
    order: int,
    boundaries: bool,
    singles: Counts,
    met: Met,
    past: AnyArray,
) -> None:
    """Count the n-grams of up to `order` units of some texts; text k is ``numbers[bounds[k]:bounds[k + 1]]``.

    ``keys[n]`` is the key of unit n. With `boundaries` each text stands between `BEGIN` and `END`. `weights` may be
    empty. ``singles[n]`` counts unit n alone; `met` has room for all longer n-grams, and `past` for `order` keys.
    """
    for k in range(bounds.shape[0] - 1):
        weight = weights[k] if weights.shape[0] > 0 else 1
        depth = 0  # past[j] is the key of the last j + 1 units, of which so many are known
        if boundaries:
            past[0] = BEGIN
            depth = 1
        last = bounds[k + 1]
        for place in range(bounds[k], last + 1 if boundaries else last):
            unit = END
            if place < last:
                unit = keys[numbers[place]]
                singles[numbers[place]] += weight
            for j in range(min(depth, order - 1), 0, -1):
                context = past[j - 1]
                key = joined(context, unit, False)
                if j < order - 1:
                    past[j] = key
                slot = _slot_of(met.slots, met.counted, key)
                gram = signed(met.slots[slot]) - 1
                if gram < 0:
                    gram = met.size[0]
                    met.slots[slot] = gram + 1
                    met.counted[gram, 0], met.counted[gram, 1] = key, 0
                    met.contexts[gram], met.units[gram] = context, unit
                    met.lengths[gram] = j + 1
                    met.size[0] = gram + 1
                met.counted[gram, 1] += np.uint64(weight)
            past[0] = unit
            depth = min(depth + 1, order - 1)


@jit_inlined
def _put_gram(of: Grams, gram: int, count: int, out: Grams, n: int) -> None:
    out.keys[n], out.contexts[n], out.units[n], out.counts[n] = of.keys[gram], of.contexts[gram], of.units[gram], count


@jit_borrowing
def merge_grams(a: Grams, b: Grams, sign: int, out: Grams) -> tuple[int, bool]:
    """Add b to a, or take it away with the sign -1; `out` is room for both.

    Returns how many there are then, and whether a has fewer of some than is taken away. What does not occur any more is
    left out.
    """
    i, j, n, short = 0, 0, 0, False
    ours, theirs = a.keys.shape[0], b.keys.shape[0]
    while i < ours and j < theirs:
        if a.keys[i] < b.keys[j]:
            _put_gram(a, i, a.counts[i], out, n)
            i += 1
            n += 1
        elif b.keys[j] < a.keys[i]:
            _put_gram(b, j, b.counts[j], out, n)
            short = short or sign < 0
            j += 1
            n += 1
        else:
            count = a.counts[i] + sign * b.counts[j]
            _put_gram(a, i, count, out, n)
            short = short or count < 0
            i += 1
            j += 1
            n += count > 0
    for gram in range(i, ours):
        _put_gram(a, gram, a.counts[gram], out, n)
        n += 1
    for gram in range(j, theirs):
        _put_gram(b, gram, b.counts[gram], out, n)
        n += 1
    return n, short or (sign < 0 and j < theirs)


@jit_borrowing
def find_all(slots: AnyArray, keys: AnyArray, places: Codes) -> None:
    """Write where each key stands, -1 for one that is not there."""
    for i in range(keys.shape[0]):
        places[i] = find(slots, keys[i])


@jit_borrowing
def join_all(contexts: AnyArray, units: AnyArray, keys: AnyArray) -> None:
    """Write the key of each context followed by a unit."""
    for i in range(units.shape[0]):
        keys[i] = joined(contexts[i], units[i], False)
