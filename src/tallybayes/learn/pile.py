"""Adding up the tallies of many pieces."""

from __future__ import annotations

from typing import final

from tallybayes.tallies.base import Tally


@final
class Pile:
    """The sum of tallies that come one after the other.

    A tally that stays small is added to the total at once. One that grows with the rows, as a dictionary does, is added
    to one of as many pieces as itself, as a binary counter carries: so each entry is copied as often as the number of
    pieces has binary digits, and not once for every piece.

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
        while self._parts and (self._parts[-1][0] == level or not tally.grows):
            tally = self._parts.pop()[1] + tally
            level += 1
        self._parts.append((level, tally))

    def total(self) -> Tally:
        """Return the sum."""
        total = None
        for _, part in reversed(self._parts):
            total = part if total is None else part + total
        return self._empty if total is None else self._empty + total
