"""Models in which columns depend on one another, given the class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from tallybayes._types import Name
from tallybayes.models.base import CLASSES, Joint, JointModel, Tallies
from tallybayes.models.counted import CountedColumns, counted_columns
from tallybayes.models.prior import Prior
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.group_plan import MOST_BYTES, Groups
from tallybayes.tallies.groups import GroupTally

TOGETHER = "together"
"""The name under which a model of dependent columns keeps the tally of its groups."""


@dataclass(frozen=True)
class DependenceModel(JointModel):
    """Columns that are counted in groups.

    Attributes
    ----------
    prior
        P(c).
    names
        The columns.
    smoothing
        What is added to each count.
    declared
        Values that belong to the event space of a column whether or not a row has them.
    missing_is_value
        Whether a missing cell is a value like any other; else it is summed out.
    most
        The bytes that the tables may take.
    """

    prior: Prior
    names: tuple[Name, ...]
    smoothing: float = 1.0
    declared: Mapping[Name, Values] = field(default_factory=dict)
    missing_is_value: bool = False
    most: int = MOST_BYTES

    @property
    def numeric(self) -> tuple[Name, ...]:
        """The columns of numbers that are not cut and have a part in the model."""
        return ()

    @abstractmethod
    def groups(self) -> Groups:
        """Return which columns are counted together."""

    @abstractmethod
    def joint(self, columns: CountedColumns, counted: ClassTally) -> Joint:
        """Return the joint that follows from counts."""

    def needs(self) -> Tallies:
        return {CLASSES: ClassTally.empty(), TOGETHER: GroupTally.empty(self.names, self.groups(), most=self.most)}

    def estimate(self, tallies: Tallies, classes: Values) -> Joint:
        return self.joint(self.columns(tallies, classes), cast(ClassTally, tallies[CLASSES]))

    def columns(self, tallies: Tallies, classes: Values) -> CountedColumns:
        """Return the counts, laid out by all classes and values that are known."""
        tally = cast(GroupTally, tallies[TOGETHER])
        return counted_columns(tally, classes, self.declared, self.smoothing, missing_is_value=self.missing_is_value)
