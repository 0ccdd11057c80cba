"""Tree-augmented naive Bayes: p(x, c) = P(c) prod_j P(x_j | c, x_parent(j)) (Friedman, Geiger & Goldszmidt 1997)."""

from __future__ import annotations

from dataclasses import dataclass

from tallybayes._types import Name
from tallybayes.models.base import Joint
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.dependence import DependenceModel
from tallybayes.models.graph_joint import leaning_tree
from tallybayes.models.tree_joint import TreeJoint
from tallybayes.structure.information import pairwise_information
from tallybayes.structure.tree import rooted, spanning_tree
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.group_plan import Groups, all_groups


@dataclass(frozen=True)
class TreeModel(DependenceModel):
    """The tree over the columns that says most: the maximum weighted spanning tree by I(X; Y | C).

    Attributes
    ----------
    root
        The column without a parent; by default the first.
    leans
        Whether P(x_j | c, x_parent) leans on P(x_j | c), as `tallybayes.models.ladders` says.
    """

    root: Name | None = None
    leans: bool = False

    def groups(self) -> Groups:
        return all_groups(len(self.names), 2)

    def joint(self, columns: CountedColumns, counted: ClassTally) -> Joint:
        weights = pairwise_information(columns.tally, columns.first)
        edges = spanning_tree(weights)
        root = 0 if self.root is None else self.names.index(self.root)
        parents = rooted(edges, len(self.names), root) if self.names else ()
        weight = sum(float(weights[edge]) for edge in edges)
        prior = ClassPrior(self.prior, counted, columns.classes)
        if self.leans:
            return leaning_tree(prior, columns, parents, weight)
        return TreeJoint(prior, columns, parents, weight)
