"""A model of some columns, and beside it others that are independent given the class: p(x, z, c) = p(x, c) p(z | c)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Factor
from tallybayes.factors.presence import PresenceConditional
from tallybayes.models.base import Joint, JointModel, Tallies, class_tally
from tallybayes.models.dependence import DependenceModel
from tallybayes.models.naive import NaiveJoint, with_holes
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values


@dataclass(frozen=True)
class BesideModel(JointModel):
    """A model, and factors of other columns by the names of their tallies.

    Attributes
    ----------
    prior
        P(c), of which the model of the core says how it is estimated.
    core
        The model of the columns that depend on one another.
    factors
        The others, as in naive Bayes.
    """

    prior: Prior
    core: DependenceModel
    factors: Mapping[str, Factor[Any]]

    def needs(self) -> Tallies:
        return {**self.core.needs(), **{key: factor.tally() for key, factor in self.factors.items()}}

    def estimate(self, tallies: Tallies, classes: Values) -> Joint:
        core, counted = self.core.estimate(tallies, classes), class_tally(tallies)
        conditionals = {key: factor.estimate(tallies[key], classes) for key, factor in self.factors.items()}
        return BesideJoint(core, NaiveJoint(classes, core.log_prior, conditionals, self.prior, counted))


class BesideJoint(Joint):
    """An estimated model with columns beside it."""

    is_product = False

    def __init__(self, core: Joint, beside: NaiveJoint) -> None:
        self.core = core
        self.beside = beside
        self.classes = core.classes
        self.log_prior = core.log_prior
        # A column of the core may stand beside it, too, as missing or not.
        self.names = tuple(dict.fromkeys((*core.names, *beside.names)))
        self.edges = core.edges

    def log_joint(self, batch: Batch) -> Floats:
        out = self.core.log_joint(batch)
        for part in self.beside.conditionals.values():
            part.add_log_prob(batch, out)
        return out

    def contributions(self, batch: Batch) -> Floats:
        return self._joined(self.core.contributions(batch), self.beside.contributions(batch))

    def left_out(self, batch: Batch) -> Floats:
        out = self.core.left_out(batch)
        for part in self.beside.conditionals.values():
            part.add_left_out(batch, out)
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        return self.core.left_out_log_prior(batch)

    def left_out_contributions(self, batch: Batch) -> Floats:
        return self._joined(self.core.left_out_contributions(batch), self.beside.left_out_contributions(batch))

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        return self.core.digests() + self.beside.digests()

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        drawn, missing = dict(self.core.sample(classes, rng)), dict[Name, AnyArray]()
        for part in self.beside.conditionals.values():
            into = missing if isinstance(part, PresenceConditional) else drawn
            into.update(part.sample(classes, rng))
        return with_holes(drawn, missing)

    def _joined(self, core: Floats, beside: Floats) -> Floats:
        """Return what is said of all columns, in the order of our names."""
        out = np.zeros((len(core), len(self.names), len(self.classes)))
        out[:, : core.shape[1]] = core
        out[:, [self.names.index(name) for name in self.beside.names]] += beside
        return out
