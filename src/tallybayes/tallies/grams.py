"""N-grams of one class: counting them, and finding them again by their keys."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Counts
from tallybayes.kernels.sequences import Grams, Met, count_grams, find_all
from tallybayes.kernels.vocabulary import put_slots

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
    context: Counts
    suffix: Counts
    units: Counts


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
            own = own[np.argsort(self._met.grams.keys[own])]
            tables.append(Grams(*(column[own] for column in self._met.grams)))
        return tuple(tables)


def _room(size: int) -> Met:
    keys, contexts, units = (np.empty(size, np.uint64) for _ in range(3))
    grams = Grams(keys, contexts, units, np.empty(size, np.int64))
    return Met(np.zeros(1, np.int64), slots_for(size), grams, np.empty(size, np.uint8))


def _grown(old: Met, size: int) -> Met:
    n = int(old.size[0])
    new = _room(size)
    new.size[0] = n
    for ours, theirs in zip((*new.grams, new.lengths), (*old.grams, old.lengths), strict=True):
        ours[:n] = theirs[:n]
    put_slots(new.slots, new.grams.keys[:n])
    return new


def texts_of(text: AnyArray, at: Counts) -> list[str]:
    """Return the texts that stand one after the other in some bytes."""
    data = text.tobytes()
    return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(at.tolist())]


def slots_for(size: int) -> AnyArray:
    """Return an empty table for so many keys, at most half full."""
    return np.zeros((1 << max(2 * size - 1, 1).bit_length(), 2), np.uint64)


def places_of(keys: AnyArray, among: AnyArray) -> Counts:
    """Return where each key stands among distinct ones, -1 for one that is not there."""
    slots = slots_for(len(among))
    put_slots(slots, among)
    places = np.empty(len(keys), np.int64)
    find_all(slots, keys, places)
    return places
