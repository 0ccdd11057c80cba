"""Counts of columns by which a model in which they depend on one another is estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallybayes._types import Counts, Name
from tallybayes.models.family import Family, family
from tallybayes.schema.values import Values
from tallybayes.tallies.groups import GroupTally


@dataclass(frozen=True, eq=False)
class CountedColumns:
    """A tally of groups, laid out by all classes and all values that are known.

    Attributes
    ----------
    tally
        The counts.
    first
        For each column the first slot that is a value: 1, or 0 where a missing cell is one.
    smoothing
        What is added to each count.
    missing_is_value
        Whether a missing cell is a value; where no row had one, it is a value that was never seen.
    """

    tally: GroupTally
    first: tuple[int, ...]
    smoothing: float
    missing_is_value: bool = False

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self.tally.names

    @property
    def classes(self) -> Values:
        """The classes."""
        return self.tally.classes

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each column has, a missing cell among them where it is one."""
        return tuple(len(v) + 1 - begin for v, begin in zip(self.tally.values, self.first, strict=True))

    def family(self, child: int, parents: Sequence[int]) -> Family:
        """Return P(child | parents, class); a parent without any value is none."""
        known = [j for j in parents if self.sizes[j]]
        first = tuple(self.first[j] for j in (*known, child))
        if not known:
            return family(self.tally.row_margin(child), self.tally.margin(child), first, self.smoothing)
        members = (*known, child)
        return family(self.tally.row_table(members), self.tally.table(members), first, self.smoothing)

    def slot_map(self, column: int, values: Values) -> Counts:
        """Return the slot of each cell of a block with other values: a missing cell, and then each value.

        The slots are 0 for what is summed out, one for each value, and one more for a value that was never seen.
        """
        places, begin = values.places_in(self.tally.values[column]), self.first[column]
        unseen = self.sizes[column] + 1
        missing = 1 if begin == 0 else unseen if self.missing_is_value else 0
        return np.append(missing, np.where(places >= 0, places + 2 - begin, unseen))


def counted_columns(
    tally: GroupTally,
    classes: Values,
    declared: Mapping[Name, Values],
    smoothing: float,
    *,
    missing_is_value: bool = False,
) -> CountedColumns:
    """Return a tally laid out for a model.

    Parameters
    ----------
    tally
        The counts.
    classes
        The classes of the model.
    declared
        Values that belong to the event space of a column whether or not a row has them.
    smoothing
        What is added to each count.
    missing_is_value
        Whether a missing cell is a value like any other, where some row has one; else it is summed out.
    """
    values = [v.union(declared[n])[0] if n in declared else v for n, v in zip(tally.names, tally.values, strict=True)]
    laid = tally.aligned(classes, values)
    holes = [missing_is_value and bool(laid.row_margin(j)[0].any()) for j in range(len(values))]
    return CountedColumns(laid, tuple(0 if hole else 1 for hole in holes), smoothing, missing_is_value)
