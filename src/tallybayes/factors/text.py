"""Columns of texts: the terms of a text as a die thrown for each, or as a coin for each that may be there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tallybayes._types import Bools, Floats
from tallybayes.factors.base import Factor, logarithm
from tallybayes.factors.kept_terms import KeptTerms, Rarity, kept_terms
from tallybayes.factors.term_choice import TermChoice
from tallybayes.factors.term_weights import TextConditional
from tallybayes.factors.text_left_out import TextLeftOut
from tallybayes.schema.values import Values
from tallybayes.tallies.terms import Measure, TermTally
from tallybayes.text.analyzer import Analyzer

Event = Literal["multinomial", "binary", "bernoulli"]
Dictionary = Literal["shared", "per-class"]


@dataclass(frozen=True)
class TextFactor(Factor[TermTally]):
    """P(text | c) of one column.

    With n_tc the number of times that the texts of class c have term t, n_c all its terms, and V the number of
    different terms:

    - ``"multinomial"``: prod over the terms of the text of (n_tc + s) / (n_c + s V);
    - ``"binary"``: the same with each term counted once in a text, in training and in prediction;
    - ``"bernoulli"``: with m_tc the texts of the class that have t and m_c all of them, and
      p_tc = (m_tc + s) / (m_c + 2 s), prod over the terms that the text has of p_tc and over the others of 1 - p_tc.

    (McCallum and Nigam, "A comparison of event models for naive Bayes text classification", AAAI-98 workshop.) A term
    never seen scores what a term with the count 0 scores. V counts the terms of all classes, or, with the dictionary
    ``"per-class"``, those of the class.

    Of dice, what a text adds for a term that it has f times can be transformed, after Rennie, Shih, Teevan and Karger,
    "Tackling the poor assumptions of naive Bayes text classifiers", ICML 2003: log(1 + f) instead of f, and all of it
    scaled to the Euclidean length 1. Both are done text by text, in training and in prediction. The weight of a term by
    how rare it is, idf_t = log(texts / texts that have t), needs all texts: it multiplies n_tc and what a text asked
    about adds when parameters are estimated, so that what was counted still adds up. ``"smooth"`` is, as in
    scikit-learn, 1 + log((1 + texts) / (1 + texts that have t)), by which no term weighs nothing. In the paper it is
    applied before the texts are scaled; here their length is that without it. And the paper weighs the plain counts of
    a text that is asked about, where here, as in scikit-learn's pipelines, it is transformed as those were that were
    learned from.

    Attributes
    ----------
    analyzer
        How texts become terms.
    event, smoothing, dictionary
        As above; s is the smoothing.
    choice
        Which terms are kept; the others are passed over, in training and in prediction.
    log, norm, idf
        Whether texts add logarithms, have the length 1, and their terms weigh by how rare they are, plain or smooth;
        not for coins.
    """

    analyzer: Analyzer = field(default_factory=Analyzer)
    event: Event = "multinomial"
    smoothing: float = 1.0
    dictionary: Dictionary = "shared"
    choice: TermChoice = field(default_factory=TermChoice)
    log: bool = False
    norm: bool = False
    idf: Rarity = False

    @property
    def measure(self) -> Measure:
        """What a text adds for a term."""
        return "presence" if self.event != "multinomial" else "log" if self.log else "count"

    def tally(self) -> TermTally:
        (name,) = self.names
        return TermTally.empty(name, self.analyzer, measure=self.measure, norm=self.norm)

    def estimate(self, tally: TermTally, classes: Values) -> TextConditional:
        terms = self.kept(tally, classes)
        base, certain = np.zeros(len(classes)), None
        if self.event == "bernoulli":
            whole = tally.texts_of(classes)[1]
            weights, unknown, base, certain = self._coins(terms, whole)
        else:
            weights, unknown, whole = self._dice(terms)
        if not self.choice.keeps_rare:  # no text has it, and terms are passed over that few texts have
            unknown = np.zeros(len(unknown))
        estimated = self.conditional(tally, terms, weights, unknown, base=base, whole=whole, certain=certain)
        return replace(estimated, left_out=TextLeftOut(self, tally, classes))

    def kept(self, tally: TermTally, classes: Values) -> KeptTerms:
        """Return the terms that are kept, and their sums."""
        return kept_terms(tally, classes, self.choice, idf=self.idf)

    def conditional(
        self,
        tally: TermTally,
        terms: KeptTerms,
        weights: Floats,
        unknown: Floats,
        *,
        base: Floats,
        whole: Floats,
        certain: Bools | None = None,
    ) -> TextConditional:
        """Return estimated weights, those of each group of terms times how much its terms weigh."""
        rarity = terms.rarity
        if self.idf:
            weights = np.where(rarity[:-1, None] > 0, rarity[:-1, None], 1.0) * weights
            weights[rarity[:-1] == 0] = 0.0  # also where the logarithm is that of 0
            unknown = np.zeros(len(unknown)) if rarity[-1] == 0 else rarity[-1] * unknown
        return TextConditional(
            self.names,
            self.analyzer,
            tally.counted.keys,
            terms.group,
            weights,
            unknown,
            base,
            self.event,
            whole,
            certain,
            self.measure,
            self.norm,
        )

    def _dice(self, terms: KeptTerms) -> tuple[Floats, Floats, Floats]:
        """Return log P(term | c) by group, that of a term that was never seen, and the smoothed number of all terms.

        The sums are overwritten.
        """
        sums = terms.sums
        there = sums > 0
        anywhere: Any = there.any(axis=1)
        shared = np.full(sums.shape[1], int(terms.total(anywhere)))
        whole = terms.total(sums) + self.smoothing * (shared if self.dictionary == "shared" else terms.total(there))
        if not there.any():  # terms say nothing where none was ever learned
            return np.zeros(sums.shape), np.zeros(len(whole)), np.ones(len(whole))
        empty = whole <= 0
        if empty.any():  # a class without a single term, and no smoothing, has the terms of all classes together
            pooled = sums.sum(axis=1, keepdims=True)
            sums = np.where(empty, pooled, sums + self.smoothing)
            whole = np.where(empty, terms.total(pooled), whole)
        else:
            sums += self.smoothing
        sums /= whole
        with np.errstate(divide="ignore"):
            weights = np.log(sums, out=sums)
        return weights, logarithm(np.where(empty, 0.0, self.smoothing) / whole), whole

    def _coins(self, terms: KeptTerms, weight: Floats) -> tuple[Floats, Floats, Floats, Bools | None]:
        """Return what the terms of each group add, what one never seen does, what no term at all gives, and certainty.

        The last says which terms a text of a class cannot be without.
        """
        whole = weight + 2.0 * self.smoothing
        known = whole > 0  # of a class without texts, and without smoothing, nothing is known: a coin is fair
        whole = np.where(known, whole, 1.0)
        present = np.where(known, np.minimum((terms.sums + self.smoothing) / whole, 1.0), 0.5)
        certain = present >= 1.0
        if terms.times is not None:
            certain[terms.times == 0] = False
        absent = logarithm(np.where(certain, 1.0, 1.0 - present))
        unknown = logarithm(np.where(known, self.smoothing / whole, 0.5))
        return logarithm(present) - absent, unknown, terms.total(absent), certain if certain.any() else None
