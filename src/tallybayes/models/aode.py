"""Averaged one- and two-dependence estimators: the mean of P(c, x_i) prod_{j != i} P(x_j | c, x_i) over columns i."""

from __future__ import annotations

from dataclasses import dataclass

from tallybayes.models.averaged_joint import AveragedJoint
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.dependence import DependenceModel
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.group_plan import Groups, all_groups


@dataclass(frozen=True)
class AveragedModel(DependenceModel):
    """Each column, or each pair of columns, is the super-parent of all others in turn.

    Attributes
    ----------
    order
        How many columns a super-parent has: 1 (AODE; Webb, Boughton and Wang 2005) or 2 (A2DE; Webb et al. 2012).
    min_count
        In how many rows the values of a super-parent must have been seen together.
    weighted
        Whether super-parents weigh as much as they say of the class (Jiang and Zhang 2006), and not all the same.
    subsumed
        Values that another value of their row implies take no part, where that one was seen in so many rows (Zheng and
        Webb 2006); None where all take part.
    own_prior
        Whether P(c) is that of `prior`; else it is counted with each super-parent.
    """

    order: int = 1
    min_count: int = 30
    weighted: bool = False
    subsumed: int | None = None
    own_prior: bool = False

    def groups(self) -> Groups:
        return all_groups(len(self.names), self.order + 1)

    def joint(self, columns: CountedColumns, counted: ClassTally) -> AveragedJoint:
        return AveragedJoint(ClassPrior(self.prior, counted, columns.classes), columns, self)
