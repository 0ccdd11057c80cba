"""Counting n-grams, one table for each class, and adding such tables.

The key of an n-gram is the key of its context, the n-gram without its last unit, joined with the key of that unit; the
key of a single unit is its own. So all keys that end at a place follow from those of the place before, by one step
each. Two n-grams have the same key by chance, about once in 2**64 pairs: among a hundred million n-grams, once in
four thousand such collections.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels._borrow import jit_borrowing
from tallybayes.kernels._jit import jit
from tallybayes.kernels.hashing import joined
from tallybayes.kernels.vocabulary import find, put_slot

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
    """N-grams of all lengths in the order in which they came; `slots` finds them, and `size` is how many there are."""

    size: Counts
    slots: AnyArray
    grams: Grams
    lengths: AnyArray


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
                gram = find(met.slots, key)
                if gram < 0:
                    gram = met.size[0]
                    put_slot(met.slots, key, gram)
                    met.grams.keys[gram] = key
                    met.grams.contexts[gram] = context
                    met.grams.units[gram] = unit
                    met.grams.counts[gram] = 0
                    met.lengths[gram] = j + 1
                    met.size[0] = gram + 1
                met.grams.counts[gram] += weight
            past[0] = unit
            depth = min(depth + 1, order - 1)


@jit
def merge_grams(a: Grams, b: Grams, sign: int) -> tuple[Grams, bool]:
    """Add b to a, or take it away with the sign -1; also return whether a has fewer of some than is taken away.

    What does not occur any more is left out.
    """
    most = a.keys.shape[0] + b.keys.shape[0]
    keys, contexts = np.empty(most, np.uint64), np.empty(most, np.uint64)
    units, counts = np.empty(most, np.uint64), np.empty(most, np.int64)
    i, j, n, short = 0, 0, 0, False
    while i < a.keys.shape[0] or j < b.keys.shape[0]:
        ours = i < a.keys.shape[0] and (j == b.keys.shape[0] or a.keys[i] <= b.keys[j])
        theirs = j < b.keys.shape[0] and (i == a.keys.shape[0] or b.keys[j] <= a.keys[i])
        count = 0
        if ours:
            keys[n], contexts[n], units[n], count = a.keys[i], a.contexts[i], a.units[i], a.counts[i]
            i += 1
        if theirs:
            keys[n], contexts[n], units[n] = b.keys[j], b.contexts[j], b.units[j]
            count += sign * b.counts[j]
            j += 1
        short = short or count < 0
        if count > 0:
            counts[n] = count
            n += 1
    return Grams(keys[:n].copy(), contexts[:n].copy(), units[:n].copy(), counts[:n].copy()), short


@jit_borrowing
def find_all(slots: AnyArray, keys: AnyArray, places: Counts) -> None:
    """Write where each key stands, -1 for one that is not there."""
    for i in range(keys.shape[0]):
        places[i] = find(slots, keys[i])


@jit_borrowing
def join_all(contexts: AnyArray, units: AnyArray, keys: AnyArray) -> None:
    """Write the key of each context followed by a unit."""
    for i in range(units.shape[0]):
        keys[i] = joined(contexts[i], units[i], False)
