"""N-grams of one class: counting them, and finding them again by their keys."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels.sequences import Grams, Met, count_grams, find_all, merge_grams, put_met
from tallybayes.kernels.vocabulary import put_slots
from tallybayes.tallies.pages import room_for

Tables = tuple[Grams, ...]
"""The n-grams of one class, those of two units first."""


class Links(NamedTuple):
    """The n-grams of one length: how often each occurs, and where its parts stand.

    Attributes
    ----------
    counts
        How often each occurs.
    context, suffix
        The places of the n-gram without its last unit, and of that without its first, among those one shorter; all 0
        where there is one unit.
    units
        The place of the last unit in the vocabulary.
    """

    counts: Counts
    context: Codes
    suffix: Codes
    units: Codes


def no_grams() -> Grams:
    """Return a table of nothing."""
    none = np.zeros(0, np.uint64)
    return Grams(none, none, none, np.zeros(0, np.int64))


class GramCounter:
    """The n-grams of one class."""

    def __init__(self, order: int, boundaries: bool) -> None:
        self._order, self._boundaries = order, boundaries
        self._singles = np.zeros(0, np.int64)
        self._past = np.zeros(order, np.uint64)
        self._met = _room(0)

    def add(self, numbers: Any, bounds: Counts, weights: Counts, keys: AnyArray, units: int) -> None:
        """Count some texts, in whose numbers there are by now so many units."""
        if units > len(self._singles):
            longer = np.zeros(2 * units, np.int64)
            longer[: len(self._singles)] = self._singles
            self._singles = longer
        more = (len(numbers) + len(bounds) - 1) * (self._order - 1)
        if int(self._met.size[0]) + more > len(self._met.lengths):
            self._met = _grown(self._met, 2 * int(self._met.size[0]) + more)
        count_grams(numbers, bounds, weights, keys, self._order, self._boundaries, self._singles, self._met, self._past)

    def singles(self) -> tuple[Counts, Counts]:
        """Return the units by their numbers, and how often each occurs."""
        there = np.flatnonzero(self._singles)
        return there, self._singles[there]

    def tables(self) -> Tables:
        """Return the n-grams by their lengths and keys."""
        n = int(self._met.size[0])
        lengths = self._met.lengths[:n]
        tables = []
        for length in range(2, self._order + 1):
            own = np.flatnonzero(lengths == length)
            keys = self._met.counted[own, 0]
            order = np.argsort(keys)
            own = own[order]
            counts = self._met.counted[own, 1].astype(np.int64)
            tables.append(Grams(keys[order], self._met.contexts[own], self._met.units[own], counts))
        return tuple(tables)


def merged(a: Grams, b: Grams, sign: int) -> tuple[Grams, bool]:
    """Return a with b, or without it with the sign -1, and whether a has fewer of some than is taken away."""
    if not len(b.keys) or (sign > 0 and not len(a.keys)):
        return a if not len(b.keys) else b, False
    out = _gram_room(len(a.keys) + len(b.keys))
    n, short = merge_grams(a, b, sign, out)
    return Grams(*(column[:n] for column in out)), bool(short)


def _gram_room(size: int) -> Grams:
    keys, contexts, units = (room_for(size, np.uint64) for _ in range(3))
    return Grams(keys, contexts, units, room_for(size, np.int64))


def _room(size: int) -> Met:
    slots = np.zeros(1 << max(3 * size // 2, 1).bit_length(), np.uint32)
    contexts, units = (np.empty(size, np.uint64) for _ in range(2))
    return Met(np.zeros(1, np.int64), slots, np.empty((size, 2), np.uint64), contexts, units, np.empty(size, np.uint8))


def _grown(old: Met, size: int) -> Met:
    n = int(old.size[0])
    new = _room(size)
    new.size[0] = n
    for ours, theirs in zip(new[2:], old[2:], strict=True):
        ours[:n] = theirs[:n]
    put_met(new.slots, new.counted, n)
    return new


def texts_of(text: AnyArray, at: Counts) -> list[str]:
    """Return the texts that stand one after the other in some bytes."""
    data = text.tobytes()
    return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(at.tolist())]


def slots_for(size: int) -> AnyArray:
    """Return an empty table for so many keys, at most half full."""
    slots = 1 << max(2 * size - 1, 1).bit_length()
    return np.zeros((slots, 2), np.uint64)


def table_of(keys: AnyArray) -> AnyArray:
    """Return a table by which distinct keys are found."""
    slots = slots_for(len(keys))
    put_slots(slots, keys)
    return slots


def places_of(keys: AnyArray, table: AnyArray) -> Codes:
    """Return where each key stands among those of a table, -1 for one that is not there."""
    places: Codes = room_for(len(keys), np.int32)
    find_all(table, keys, places)
    return places
