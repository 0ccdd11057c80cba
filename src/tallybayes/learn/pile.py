"""Adding up the tallies of many pieces."""

from __future__ import annotations

from typing import final

from tallybayes.tallies.base import Tally


@final
class Pile:
    """The sum of tallies that come one after the other.

    A tally that stays small is added to the total at once. One that grows with the rows, as a dictionary does, is added
    to one of as many pieces as itself, as a binary counter carries: so each entry is copied as often as the number of
    pieces has binary digits, and not once for every piece. Where it says how many entries it has, it is added to one
    that has less than twice as many: so all that waits is at most as large as the largest, however many pieces have the
    same entries.

    Examples
    --------
    >>> from tallybayes.tallies.classes import ClassTally
    >>> pile = Pile(ClassTally.empty())
    >>> pile.total().n_rows
    0
    """

    def __init__(self, empty: Tally) -> None:
        self._parts: list[tuple[int, Tally]] = []
        self._empty = empty

    def add(self, tally: Tally) -> None:
        """Add the tally of the next piece."""
        level = 0
        while self._parts and (not tally.grows or self._are_alike(tally, level)):
            tally = self._parts.pop()[1] + tally
            level += 1
        self._parts.append((level, tally))

    def _are_alike(self, tally: Tally, level: int) -> bool:
        """Whether a tally is about as large as the last one that waits."""
        last = self._parts[-1]
        theirs, ours = last[1].entries, tally.entries
        return last[0] == level if theirs is None or ours is None else theirs < 2 * ours

    def total(self) -> Tally:
        """Return the sum; what is added then goes on from there."""
        level = 0
        while len(self._parts) > 1:  # no part is held longer than until it is added
            (_, last), (level, tally) = self._parts.pop(), self._parts.pop()
            self._parts.append((level + 1, tally + last))
        return self._empty + self._parts[0][1] if self._parts else self._empty
