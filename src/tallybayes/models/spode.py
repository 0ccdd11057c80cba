"""A super-parent one-dependence estimator: p(x, c) = P(c, x_i) prod_{j != i} P(x_j | c, x_i)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from tallybayes._types import Name
from tallybayes.models.base import Joint, Tallies
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.dependence import DependenceModel
from tallybayes.models.given_normal import GivenNormal
from tallybayes.models.graph_joint import leaning_tree
from tallybayes.models.prior import Prior
from tallybayes.models.star_joint import StarJoint
from tallybayes.models.tree_joint import TreeJoint
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.given import GivenTally
from tallybayes.tallies.group_plan import Groups, all_groups


@dataclass(frozen=True)
class SuperParentModel(DependenceModel):
    """All columns depend on one of them.

    Attributes
    ----------
    superparent
        This column.
    own_prior
        Whether P(c) is that of `prior`; else it follows from P(c, x_i) = (count + l) / (n + l N N_i), n being the rows
        in which x_i is present, N the number of classes and N_i that of its values.
    all_pairs
        Whether all pairs are counted, so that another column can be the super-parent.
    numbers
        Columns of numbers, which are normally distributed given the class and the super-parent.
    leans
        Whether P(x_j | c, x_i) leans on P(x_j | c), as `tallybayes.models.ladders` says; not beside `numbers`.
    """

    superparent: Name | None = None
    own_prior: bool = False
    all_pairs: bool = False
    numbers: tuple[Name, ...] = ()
    leans: bool = False

    def groups(self) -> Groups:
        p = len(self.names)
        if self.all_pairs or p < 2:
            return all_groups(p, 2)
        i = self._place
        return tuple(sorted((min(i, j), max(i, j)) for j in range(p) if j != i))

    @property
    def numeric(self) -> tuple[Name, ...]:
        return self.numbers

    def needs(self) -> Tallies:
        centres = () if not self.numbers else self.names if self.all_pairs else (self.names[self._place],)
        moments = {
            given_key(name): GivenTally.empty(self.numbers, name, missing_is_value=self.missing_is_value)
            for name in centres
        }
        return {**super().needs(), **moments}

    def estimate(self, tallies: Tallies, classes: Values) -> Joint:
        joint = super().estimate(tallies, classes)
        if not self.numbers:
            return joint
        core = cast(TreeJoint, joint)
        i = self._place
        moments = cast(GivenTally, tallies[given_key(self.names[i])])
        values = core.values_of(i)
        table = moments.table(classes, values)
        return StarJoint(core, i, GivenNormal(table, len(classes), len(values), self.smoothing))

    def joint(self, columns: CountedColumns, counted: ClassTally) -> Joint:
        i = self._place
        parents = [None if j == i else i for j in range(len(self.names))]
        prior = self._class_prior(columns, counted)
        return leaning_tree(prior, columns, parents) if self.leans else TreeJoint(prior, columns, parents)

    def _class_prior(self, columns: CountedColumns, counted: ClassTally) -> ClassPrior:
        """Return P(c), which P(c, x_i) summed over the values of the super-parent gives."""
        i = self._place
        if self.own_prior or not self.names or not columns.sizes[i]:
            return ClassPrior(self.prior, counted, columns.classes)
        present = slice(columns.first[i], None)
        rows, weights = columns.tally.row_margin(i)[present].sum(axis=0), columns.tally.margin(i)[present].sum(axis=0)
        prior = Prior("empirical", self.smoothing * columns.sizes[i])
        of = None if columns.missing_is_value else self.names[i]
        return ClassPrior(prior, ClassTally(columns.classes, rows, weights), columns.classes, of)

    @property
    def _place(self) -> int:
        return 0 if self.superparent is None else self.names.index(self.superparent)


def given_key(name: Name) -> str:
    """Return the name of the tally of moments given a column."""
    return f"given {name}"
