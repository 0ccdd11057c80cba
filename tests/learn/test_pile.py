"""However many pieces there are, their sum is that of one fold from the left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import pytest

from tallybayes.learn.pile import Pile
from tallybayes.tallies.base import Tally


@dataclass(frozen=True)
class Word(Tally):
    """A monoid whose sums show in which order they were made."""

    text: str = ""
    work: int = 0
    grows: Any = True

    def __add__(self, other: Word) -> Word:
        text = self.text + other.text
        return Word(text, self.work + other.work + len(text), self.grows)

    count = __sub__ = state = from_state = None  # type: ignore[assignment]


@pytest.mark.parametrize("pieces", [0, 1, 2, 3, 7, 8, 33, 100])
@pytest.mark.parametrize("grows", [True, False])
def test_the_sum_is_in_order(pieces: int, grows: bool) -> None:
    pile = Pile(Word(grows=grows))
    words = [Word(f"{i},", 0, grows) for i in range(pieces)]
    for word in words:
        pile.add(word)
    assert pile.total().text == "".join(word.text for word in words)


def test_what_grows_is_copied_a_few_times_only() -> None:
    words = [Word("x") for _ in range(256)]
    pile = Pile(Word())
    for word in words:
        pile.add(word)
    assert pile.total().work <= 256 * 10
    assert reduce(Word.__add__, words).work > 256 * 100


@dataclass(frozen=True)
class Letters(Word):
    """One that knows how many entries it has: its different letters."""

    @property
    def entries(self) -> int:
        return len(set(self.text))

    def __add__(self, other: Word) -> Letters:
        return Letters(self.text + other.text, self.work + other.work + self.entries)


def test_what_has_the_same_entries_does_not_wait_in_many_copies() -> None:
    pieces = [Letters("abcdefgh"[k % 8] * 2) for k in range(500)]
    pile = Pile(Letters())
    most = 0
    for piece in pieces:
        pile.add(piece)
        most = max(most, sum(part.entries for _, part in pile._parts))  # type: ignore[misc]
    assert most < 16
    assert pile.total().text == "".join(piece.text for piece in pieces)
    assert pile.total().work <= 500 * 10
