"""Complement naive Bayes: a score from the terms of all other classes, which is no joint distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import NotAJointError
from tallybayes.factors.multinomial import MultinomialConditional
from tallybayes.models.base import CLASSES, Joint, JointModel, Tallies, class_tally
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.sums import SumTally

NOT_A_JOINT = (
    "complement naive Bayes scores a class by how little a row looks like the other classes; the scores are "
    "not log p(x, c) of any distribution, so no posterior follows from them"
)


@dataclass(frozen=True)
class ComplementModel(JointModel):
    """The negated log share of each term in the classes other than c, as the weight of the term for c.

    From Rennie, Shih, Teevan and Karger, "Tackling the poor assumptions of naive Bayes text classifiers",
    ICML 2003.

    Attributes
    ----------
    smoothing
        Lambda, one for all columns or one for each.
    norm
        Whether the weights of a class are divided by the sum of their sizes.
    """

    names: tuple[Name, ...]
    prior: Prior
    smoothing: float | Floats = 1.0
    norm: bool = False

    def needs(self) -> Tallies:
        return {CLASSES: ClassTally.empty(), "complement": SumTally.empty(self.names)}

    def estimate(self, tallies: Tallies, classes: Values) -> ComplementScore:
        counted = class_tally(tallies)
        sums: Any = tallies["complement"]
        weights = complement_weights(sums.aligned(classes).totals, self.smoothing, norm=self.norm)
        return ComplementScore(classes, self.prior.estimate(counted, classes), self.names, weights)


def complement_weights(totals: Floats, smoothing: float | Floats, *, norm: bool, times: Counts | None = None) -> Floats:
    """Return the weight of each column for each class, from its totals, shape (classes, columns).

    `times` is how many columns each one stands for, by default 1.
    """
    each = 1 if times is None else times
    others = totals.sum(axis=0) - totals + smoothing
    with np.errstate(divide="ignore", invalid="ignore"):
        logged = np.log(others / (others * each).sum(axis=1, keepdims=True))
        weights = logged / (logged * each).sum(axis=1, keepdims=True) if norm else -logged
    finite: Floats = np.nan_to_num(weights, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return finite


class ComplementScore(Joint):
    """Estimated weights, shape (classes, columns)."""

    def __init__(self, classes: Values, log_prior: Floats, names: tuple[Name, ...], weights: Floats) -> None:
        self.classes = classes
        self.log_prior = log_prior
        self.names = names
        self.weights = weights
        self._products = MultinomialConditional(names, np.ascontiguousarray(weights.T), np.zeros(len(classes)))

    def log_joint(self, batch: Batch) -> Floats:
        """Return the scores; with a single class, its log prior is added, as scikit-learn does."""
        out = np.zeros((len(batch), len(self.classes)))
        if len(self.classes) == 1:
            out += self.log_prior
        self._products.add_log_prob(batch, out)
        return out

    def contributions(self, batch: Batch) -> NoReturn:
        raise NotAJointError(f"There is no evidence to add up: {NOT_A_JOINT}. Use MultinomialNB.")

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        weights = self.weights.T.tolist()
        return [("complement", {name: {"weight": line} for name, line in zip(self.names, weights, strict=True)})]

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        raise NotAJointError(f"There is nothing to draw from: {NOT_A_JOINT}. Use MultinomialNB.")
