"""p(text, c): naive Bayes on the terms of a text, with what the literature adds to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import NotAJointError
from tallybayes.factors.base import logarithm, quotient
from tallybayes.factors.term_weights import TextConditional
from tallybayes.factors.text import TextFactor
from tallybayes.factors.text_left_out import TextLeftOut
from tallybayes.models.base import CLASSES, Joint, JointModel, Tallies, class_tally
from tallybayes.models.complement import NOT_A_JOINT, complement_weights
from tallybayes.models.naive import NaiveJoint
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally

TEXT = "text"


@dataclass(frozen=True)
class TextModel(JointModel):
    """Naive Bayes on one column of texts.

    Attributes
    ----------
    prior
        P(c).
    factor
        P(text | c).
    by_tokens
        Whether P(c) is in proportion to the smoothed number of terms of the class, instead.
    """

    prior: Prior
    factor: TextFactor
    by_tokens: bool = False

    def needs(self) -> Tallies:
        return {CLASSES: ClassTally.empty(), TEXT: self.factor.tally()}

    def estimate(self, tallies: Tallies, classes: Values) -> NaiveJoint:
        counted: Any = tallies[TEXT]
        of_classes = class_tally(tallies)
        conditional = self.factor.estimate(counted, classes)
        if self.by_tokens:
            log_prior = _in_proportion(conditional.whole)
            return ByTokens(classes, log_prior, {TEXT: conditional}, self.prior, of_classes)
        log_prior = self.prior.estimate(of_classes, classes)
        return NaiveJoint(classes, log_prior, {TEXT: conditional}, self.prior, of_classes)


class ByTokens(NaiveJoint):
    """Naive Bayes on texts whose classes are as probable as they have terms."""

    def left_out_log_prior(self, batch: Batch) -> Floats:
        conditional: Any = self.conditionals[TEXT]
        return _in_proportion(conditional.left_out.whole(batch, conditional.whole))


def _in_proportion(whole: Floats) -> Floats:
    """Return the logarithms of the shares of the numbers of terms of the classes, shape (..., classes)."""
    return logarithm(quotient(whole, whole.sum(axis=-1, keepdims=True), 0.0))


@dataclass(frozen=True)
class TextComplementModel(JointModel):
    """Complement naive Bayes on one column of texts; its scores are no joint (Rennie et al., ICML 2003)."""

    prior: Prior
    factor: TextFactor
    norm: bool = False

    def needs(self) -> Tallies:
        return {CLASSES: ClassTally.empty(), TEXT: self.factor.tally()}

    def estimate(self, tallies: Tallies, classes: Values) -> TextScore:
        counted: Any = tallies[TEXT]
        terms, none = self.factor.kept(counted, classes), np.zeros(len(classes))
        kept = terms.kept
        times = None if terms.times is None else terms.times[kept]
        weights = np.zeros(terms.sums.shape)
        weights[kept] = complement_weights(terms.sums[kept].T, self.factor.smoothing, norm=self.norm, times=times).T
        conditional = self.factor.conditional(counted, terms, weights, none, base=none, whole=none)
        if not self.norm:
            conditional = replace(conditional, left_out=TextLeftOut(self.factor, counted, classes, others=True))
        return TextScore(classes, self.prior.estimate(class_tally(tallies), classes), conditional)


class TextScore(Joint):
    """Estimated weights of terms; one that was never seen weighs nothing."""

    def __init__(self, classes: Values, log_prior: Floats, weights: TextConditional) -> None:
        self.classes, self.log_prior, self.names = classes, log_prior, weights.names
        self._weights = weights

    def log_joint(self, batch: Batch) -> Floats:
        out = np.zeros((len(batch), len(self.classes)))
        if len(self.classes) == 1:
            out += self.log_prior
        self._weights.add_log_prob(batch, out)
        return out

    def left_out(self, batch: Batch) -> Floats:
        """Return the scores without each row; they are no joint here either, and only say which class is the first."""
        out = np.zeros((len(batch), len(self.classes)))
        if len(self.classes) == 1:
            out += self.log_prior
        self._weights.add_left_out(batch, out)
        return out

    def contributions(self, batch: Batch) -> NoReturn:
        raise NotAJointError(f"There is no evidence to add up: {NOT_A_JOINT}. Use event='multinomial'.")

    def digests(self) -> list[tuple[str, Any]]:
        return [("complement", self._weights.digest())]

    def sample(self, classes: Counts, rng: np.random.Generator) -> dict[Name, AnyArray]:
        raise NotAJointError(f"There is nothing to draw from: {NOT_A_JOINT}. Use event='multinomial'.")
