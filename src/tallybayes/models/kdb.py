"""k-dependence Bayes: p(x, c) = P(c) prod_j P(x_j | c, up to k other columns) (Sahami 1996)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallybayes._types import Name
from tallybayes.errors import ModelFileError
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.dependence import DependenceModel
from tallybayes.models.graph_joint import GraphJoint
from tallybayes.models.ladders import FACTOR, Smoothing
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.group_plan import Groups


@dataclass(frozen=True)
class KDependenceModel(DependenceModel):
    """A graph that is given.

    Attributes
    ----------
    order
        The columns, parents before their children.
    parents
        The parents of each of these, the strongest first.
    lean, factor
        How tables are smoothed, as `ladders` says.
    """

    order: tuple[Name, ...] = ()
    parents: tuple[tuple[Name, ...], ...] = ()
    lean: Smoothing = "hierarchical"
    factor: float = FACTOR

    def groups(self) -> Groups:
        place = {name: j for j, name in enumerate(self.names)}
        families = {
            tuple(sorted(place[name] for name in (child, *those)))
            for child, those in zip(self.order, self.parents, strict=True)
        }
        return tuple(sorted(families))

    def joint(self, columns: CountedColumns, counted: ClassTally) -> GraphJoint:
        place = {name: j for j, name in enumerate(columns.names)}
        of = dict(zip(self.order, self.parents, strict=True))
        parents = [[place[name] for name in of[child]] for child in columns.names]
        prior = ClassPrior(self.prior, counted, columns.classes)
        return GraphJoint(prior, columns, parents, [place[name] for name in self.order], self.lean, self.factor)


def require_graph(chosen: Mapping[str, Any], names: Sequence[Name]) -> None:
    """Refuse what a file says was chosen where it is no graph of these columns."""
    order, parents, factor = (chosen.get(key) for key in ("order", "parents", "factor"))
    before: list[Any] = []
    good = isinstance(order, list) and isinstance(parents, list) and len(order) == len(parents)
    good = good and isinstance(factor, float) and math.isfinite(factor) and factor > 0
    good = good and isinstance(chosen.get("asked"), dict)
    if good:
        for name, those in zip(order, parents, strict=True):  # type: ignore[arg-type]
            good = good and name in names and name not in before and isinstance(those, list)
            good = good and len({*those}) == len(those) and all(above in before for above in those)
            before.append(name)
    if not good:
        raise ModelFileError(
            "The model file is damaged: what depends on what in it is no graph of its columns. Train the model again "
            "or fetch an intact copy."
        )
