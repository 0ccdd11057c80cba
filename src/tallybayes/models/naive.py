"""Naive Bayes: p(x, c) = P(c) prod_j p(x_j | c)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Conditional, Factor
from tallybayes.factors.presence import PresenceConditional
from tallybayes.models.base import CLASSES, Joint, JointModel, Tallies, class_tally
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally


@dataclass(frozen=True)
class NaiveModel(JointModel):
    """Columns that are independent given the class.

    Attributes
    ----------
    prior
        P(c).
    factors
        One for each block of columns, by the name of its tally; a column may stand in several, as a density
        and as P(missing | c).
    """

    prior: Prior
    factors: Mapping[str, Factor[Any]]

    def needs(self) -> Tallies:
        return {CLASSES: ClassTally.empty(), **{key: factor.tally() for key, factor in self.factors.items()}}

    def estimate(self, tallies: Tallies, classes: Values) -> NaiveJoint:
        counted = class_tally(tallies)
        log_prior = self.prior.estimate(counted, classes)
        conditionals = {key: factor.estimate(tallies[key], classes) for key, factor in self.factors.items()}
        return NaiveJoint(classes, log_prior, conditionals, self.prior, counted)


class NaiveJoint(Joint):
    """An estimated naive Bayes model.

    Parameters
    ----------
    classes, log_prior
        The classes and log P(c).
    conditionals
        The factors, by the names of their tallies.
    prior, counted
        What log P(c) was estimated by and from.
    """

    def __init__(
        self,
        classes: Values,
        log_prior: Floats,
        conditionals: Mapping[str, Conditional],
        prior: Prior,
        counted: ClassTally,
    ) -> None:
        self.classes = classes
        self.log_prior = log_prior
        self.conditionals = conditionals
        self._prior = prior
        self._counted = counted
        self.names = tuple(dict.fromkeys(name for part in conditionals.values() for name in part.names))

    def log_joint(self, batch: Batch) -> Floats:
        out = np.tile(self.log_prior, (len(batch), 1))
        for part in self.conditionals.values():
            part.add_log_prob(batch, out)
        return out

    def contributions(self, batch: Batch) -> Floats:
        return self._by_column(batch, lambda part: part.contributions(batch))

    def _by_column(self, batch: Batch, of: Callable[[Conditional], Floats]) -> Floats:
        """Add up what each factor says of its columns."""
        place = {name: j for j, name in enumerate(self.names)}
        out = np.zeros((len(batch), len(self.names), len(self.classes)))
        for part in self.conditionals.values():
            out[:, [place[name] for name in part.names]] += of(part)
        return out

    def left_out(self, batch: Batch) -> Floats:
        out = self.left_out_log_prior(batch)
        for part in self.conditionals.values():
            part.add_left_out(batch, out)
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        return self._prior.left_out(self._counted, self.classes, batch, self.log_prior)

    def left_out_contributions(self, batch: Batch) -> Floats:
        return self._by_column(batch, lambda part: part.left_out_contributions(batch))

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        return [(key, part.digest()) for key, part in self.conditionals.items()]

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        drawn: dict[Name, AnyArray] = {}
        missing: dict[Name, AnyArray] = {}
        for part in self.conditionals.values():
            into = missing if isinstance(part, PresenceConditional) else drawn
            into.update(part.sample(classes, rng))
        return with_holes(drawn, missing)


def with_holes(drawn: dict[Name, AnyArray], missing: Mapping[Name, AnyArray]) -> dict[Name, AnyArray]:
    """Return columns that were drawn with the cells missing that were drawn to be."""
    for name, gone in missing.items():
        if gone.any():
            values = drawn[name]
            cells = values.astype(object if values.dtype == object else np.float64)
            cells[gone] = None if values.dtype == object else np.nan
            drawn[name] = cells
    return drawn
