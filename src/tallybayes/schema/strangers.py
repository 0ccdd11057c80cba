"""Columns of texts nearly all of which are numbers or dates: the others are mistakes, or somebody says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tallybayes._types import Name
from tallybayes.errors import KindError
from tallybayes.schema.arrow import distinct
from tallybayes.schema.texts import are_dates, are_numbers, padded, tidy

MOSTLY = 90
"""The percentage of numbers, or of dates, from which a text among them is a mistake and no kind of its own."""


@dataclass(frozen=True)
class Stranger:
    """The first cell of a column that is not what the others are.

    Attributes
    ----------
    cell, row
        The text, and its row among those that were looked at.
    words
        What the others are.
    others, present
        How many others there are, and how many cells with a value.
    varied
        How many different values the others are.
    """

    cell: str
    row: int
    words: str
    others: int
    present: int
    varied: int

    @property
    def mistaken(self) -> bool:
        """Whether so many cells are numbers, or dates, that the column is one of these."""
        return 100 * self.others >= MOSTLY * self.present

    def refusal(self, name: Name, first: int, *, commas: bool = False) -> KindError:
        """Return the error for a column whose first row has this number; its texts may be numbers but for commas."""
        decimal = "; or open the file by CsvSource(path, decimal=','), where commas are decimal" if commas else ""
        return KindError(
            f"Column {name!r} has {self.words} in {self.others} of {self.present} cells, but row "
            f"{first + self.row + 1} holds {self.cell!r}. Mend the cell, and leave empty what is not known; or say "
            f"columns={{{name!r}: 'categorical'}} if texts belong there, or columns={{{name!r}: 'ignored'}} to leave "
            f"the column out{decimal}."
        )


def stranger(texts: pa.Array, text: bool) -> Stranger | None:
    """Return the first cell that is no number, or no date, where at least half of the others are.

    Parameters
    ----------
    texts : pyarrow.Array
        The cells of a column that as a whole are neither numbers nor dates.
    text : bool
        Whether they are those of a text file, where texts may stand for numbers. Integers with leading zeros are
        texts there, and so is a column that has one.

    Examples
    --------
    >>> found = stranger(pa.array(["1.5", "2", None, "2,5", "3"]), text=True)
    >>> found.cell, found.row, found.words, found.others, found.present
    ('2,5', 3, 'numbers', 3, 4)
    """
    places, values = distinct(texts)
    values = tidy(values, text)
    there = values.is_valid().to_numpy(zero_copy_only=False)
    times = np.bincount(places[places >= 0], minlength=len(values))[: len(values)]
    present = int(times[there].sum())
    if not present:
        return None
    looks = [("dates", are_dates)]
    if text and not padded(values):
        looks.insert(0, ("numbers", are_numbers))
    for words, test in looks:
        fit = test(values)
        others = int(times[fit].sum())
        if 2 * others >= present > others:
            odd = np.append(there & ~fit, False)  # the last entry is for -1, a missing cell
            row = int(np.flatnonzero(odd[places])[0])
            return Stranger(texts[row].as_py(), row, words, others, present, int(fit.sum()))
    return None
