"""What a model has learned: all that a model file keeps besides the options, and all that two models add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tallybayes._types import Name
from tallybayes.errors import MergeError, OptionError
from tallybayes.models.base import CLASSES, JointModel, Tallies
from tallybayes.schema.agree import united
from tallybayes.schema.field import CellType, Schema
from tallybayes.schema.values import Values
from tallybayes.tallies.base import Tally
from tallybayes.tallies.counts import CountTally
from tallybayes.tallies.groups import GroupTally


@dataclass(frozen=True, eq=False)
class Learned:
    """Columns and tallies; an immutable value, so that a failure on the way loses nothing.

    Attributes
    ----------
    schema
        What the columns mean.
    tallies
        What was counted.
    target
        The name of the target's column, where it has one.
    target_type
        How labels are read.
    declared
        Classes that are known whether or not a row has them.
    chosen
        What `fit` chose besides edges and values, which the schema has: a structure, an order, a winner. Plain JSON; it
        is kept by all that adds rows or takes them out.
    found
        What `fit` measured on its way and no answer depends on: what it compared. Plain JSON; kept like `chosen`, and
        of two models that are added the first one's counts.
    """

    schema: Schema
    tallies: Tallies
    target: Name | None
    target_type: CellType
    declared: Values = Values()  # noqa: RUF009 - immutable
    chosen: Mapping[str, Any] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> Values:
        """The classes seen and declared."""
        return self.tallies[CLASSES].classes.union(self.declared)[0]

    @property
    def values(self) -> dict[Name, Values]:
        """The values seen of each column that is counted by value."""
        counted = [tally for tally in self.tallies.values() if isinstance(tally, CountTally | GroupTally)]
        return {name: seen for tally in counted for name, seen in zip(tally.names, tally.values, strict=True)}

    def plus(self, counted: Tallies, declared: Values | None = None) -> Learned:
        """Return what is known after more rows, and perhaps more classes."""
        tallies = {key: tally + counted[key] for key, tally in self.tallies.items()}
        return replace(self, tallies=tallies, declared=self.declared.union(declared or Values())[0])

    def minus(self, counted: Tallies) -> Learned:
        """Return what is known without some rows; `MergeError` where they were never learned."""
        return replace(self, tallies={key: tally - counted[key] for key, tally in self.tallies.items()})

    def __add__(self, other: Learned) -> Learned:
        if (self.target_type == "string") != (other.target_type == "string"):
            raise MergeError(
                f"The labels of one model are texts and those of the other are not: {list(self.classes)} and "
                f"{list(other.classes)}. Train both with labels of one type."
            )
        schema = united(self.schema, other.schema)
        if self.tallies.keys() != other.tallies.keys():
            odd = sorted(self.tallies.keys() ^ other.tallies.keys())
            raise MergeError(
                f"The two models have counted other things: only one of them has counts for {odd}. Fit both with "
                "the same options, and with the same columns=."
            )
        odd = [key for key in {**self.chosen, **other.chosen} if self.chosen.get(key) != other.chosen.get(key)]
        if odd:
            parts = [f"{key} {self.chosen.get(key)!r} in the first and {other.chosen.get(key)!r}" for key in odd]
            raise MergeError(
                f"The two models differ in what fit chose: {'; '.join(parts)} in the second. What two models have "
                "counted adds where both chose the same: name it in their options, or let the second go on from a copy "
                "of the first with partial_fit."
            )
        return replace(self.plus(other.tallies, other.declared), schema=schema)

    def for_model(self, model: JointModel) -> Tallies:
        """Return the tallies that a model wants; `OptionError` where a change of options asks for other counts."""
        found: dict[str, Tally] = {}
        other = []
        for key, empty in model.needs().items():
            try:
                found[key] = self.tallies[key].like(empty)
            except (KeyError, MergeError):
                other.append(key)
        if other:
            raise OptionError(
                f"The options have changed since fit in a way that needs other counts, those for {other}. Call fit "
                "again; smoothing and priors may change without."
            )
        return found
