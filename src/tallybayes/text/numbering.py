"""Texts as the numbers of their terms, a block of texts at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, final

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels.texts import Room, Texts, make_room
from tallybayes.kernels.vocabulary import (
    DONE,
    NUMBERS_FULL,
    ROOM_FULL,
    TERMS_FULL,
    TEXT_FULL,
    Vocabulary,
    number_terms,
    put_numbers,
    put_slots,
)
from tallybayes.text.analyzer import Analyzer

_BLOCK_TERMS = 1 << 17
_BLOCK_TEXTS = 1 << 14


class Block(NamedTuple):
    """Some texts: text ``first + k`` is ``numbers[bounds[k]:bounds[k + 1]]``, until the next block is read."""

    first: int
    numbers: Codes
    bounds: Counts


@final
class Numbering:
    """Reads texts by an analyzer, and numbers their terms.

    Parameters
    ----------
    analyzer : Analyzer
        How texts become terms.
    known : Vocabulary, optional
        The terms that have numbers; others get negative ones. By default terms are numbered as they come.
    single : bool
        Whether terms are single units whatever `ngrams` says, in dense scripts too: each place of a text once.

    Examples
    --------
    >>> numbering = Numbering(Analyzer())
    >>> [block.numbers.tolist() for block in numbering.blocks(Analyzer().read(["to be or", "not to be"]))]
    [[0, 1, 2, 3, 0, 1]]
    >>> len(numbering)
    4
    """

    def __init__(self, analyzer: Analyzer, known: Vocabulary | None = None, *, single: bool = False) -> None:
        # The least and the largest size of (1, 0) ends an n-gram with its first unit.
        self._plan = analyzer.plan._replace(low=1, high=0) if single else analyzer.plan
        self._learning = known is None
        self.known = _new_vocabulary(1 << 14, 1 << 17) if known is None else known
        self._room: Room = make_room(1 << 10, 1 << 10)
        self._numbers: Codes = np.empty(_BLOCK_TERMS, np.int32)
        self._bounds: Counts = np.empty(_BLOCK_TEXTS + 1, np.int64)

    def __len__(self) -> int:
        return int(self.known.size[0])

    def blocks(self, texts: Texts) -> Iterator[Block]:
        """Yield the numbers of all terms of all texts, in order."""
        at, n = 0, len(texts.begins)
        while at < n:
            after, why = number_terms(
                texts, at, self._plan, self._room, self.known, self._learning, self._numbers, self._bounds
            )
            if after > at:
                bounds = self._bounds[: after - at + 1]
                yield Block(at, self._numbers[: bounds[-1]], bounds)
            if why != DONE and (why != NUMBERS_FULL or after == at):
                self._grow(why)
            at = after

    def _grow(self, why: int) -> None:
        """Make room where there was too little."""
        if why == ROOM_FULL:
            self._room = make_room(4 * len(self._room.hashes), 4 * len(self._room.keys))
        elif why == NUMBERS_FULL:
            self._numbers = np.empty(4 * len(self._numbers), np.int32)
        elif why == TERMS_FULL:
            self.known = _with_terms(self.known, 2 * len(self.known.keys))
        elif why == TEXT_FULL:
            self.known = self.known._replace(text=_longer(self.known.text, 4 * len(self.known.text)))


def vocabulary_of(keys: AnyArray, numbers: Codes | None = None) -> Vocabulary:
    """Return a vocabulary of terms that are known by their keys alone; their numbers are by default their places."""
    slots = _slots(len(keys))
    if numbers is None:
        put_slots(slots, keys)
    else:
        put_numbers(slots, keys, numbers)
    return Vocabulary(np.array([len(keys)]), slots, keys, np.zeros(1, np.int64), np.zeros(0, np.uint8))


def _new_vocabulary(terms: int, size: int) -> Vocabulary:
    bounds, text = np.zeros(terms + 1, np.int64), np.empty(size, np.uint8)
    return Vocabulary(np.zeros(1, np.int64), _slots(terms), np.empty(terms, np.uint64), bounds, text)


def _with_terms(old: Vocabulary, terms: int) -> Vocabulary:
    size = int(old.size[0])
    slots = _slots(terms)
    put_slots(slots, old.keys[:size])
    return Vocabulary(old.size, slots, _longer(old.keys, terms), _longer(old.text_at, terms + 1), old.text)


def _slots(terms: int) -> AnyArray:
    """Return an empty table for so many terms, at most half full."""
    return np.zeros((1 << max(2 * terms - 1, 1).bit_length(), 2), np.uint64)


def _longer(array: AnyArray, size: int) -> AnyArray:
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer
