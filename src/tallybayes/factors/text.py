"""Columns of texts: the terms of a text as a die thrown for each, or as a coin for each that may be there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name
from tallybayes.errors import UnsupportedDataError
from tallybayes.factors.base import Conditional, Factor, logarithm
from tallybayes.factors.term_choice import TermChoice
from tallybayes.kernels.numbers import weigh_texts
from tallybayes.kernels.texts import Texts
from tallybayes.kernels.vocabulary import Vocabulary
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.terms import TermTally
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Numbering, vocabulary_of

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

    Attributes
    ----------
    analyzer
        How texts become terms.
    event, smoothing, dictionary
        As above; s is the smoothing.
    choice
        Which terms are kept; the others are passed over, in training and in prediction.
    """

    analyzer: Analyzer = field(default_factory=Analyzer)
    event: Event = "multinomial"
    smoothing: float = 1.0
    dictionary: Dictionary = "shared"
    choice: TermChoice = field(default_factory=TermChoice)

    def tally(self) -> TermTally:
        (name,) = self.names
        return TermTally.empty(name, self.analyzer, measure="count" if self.event == "multinomial" else "presence")

    def estimate(self, tally: TermTally, classes: Values) -> TextConditional:
        sums, kept = self.kept(tally, classes)
        if self.event == "bernoulli":
            weights, unknown, base, certain = self._coins(sums, kept, tally.texts_of(classes)[1])
            whole = tally.texts_of(classes)[1]
        else:
            weights, unknown, whole = self._dice(sums)
            base, certain = np.zeros(len(classes)), None
        weights[~kept] = np.nan
        keys = tally.counted.keys
        return TextConditional(self.names, self.analyzer, keys, weights, unknown, base, self.event, whole, certain)

    def kept(self, tally: TermTally, classes: Values) -> tuple[Floats, Bools]:
        """Return the sums of all terms, 0 for those that are passed over, and which are not."""
        kept = self.choice.kept(tally.rows_of(classes), tally.texts_of(classes)[0])
        return np.where(kept[:, None], tally.sums_of(classes), 0.0), kept

    def _dice(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Return log P(term | c) of each term, and of one that was never seen, and the smoothed number of all terms."""
        there = sums > 0
        shared = np.full(sums.shape[1], int(there.any(axis=1).sum()))
        terms = shared if self.dictionary == "shared" else there.sum(axis=0)
        whole = sums.sum(axis=0) + self.smoothing * terms
        # A class without a single term, and no smoothing, has the terms of all classes together.
        pooled = sums.sum(axis=1, keepdims=True)
        empty = whole <= 0
        counts = np.where(empty, pooled, sums + self.smoothing)
        whole = np.where(empty, pooled.sum() or 1.0, whole)
        return logarithm(counts / whole), logarithm(np.where(empty, 0.0, self.smoothing) / whole), whole

    def _coins(self, sums: Floats, kept: Bools, weight: Floats) -> tuple[Floats, Floats, Floats, Bools | None]:
        """Return what each term adds, what one never seen does, what no term at all gives, and which are certain."""
        whole = weight + 2.0 * self.smoothing
        known = whole > 0  # of a class without texts, and without smoothing, nothing is known: a coin is fair
        whole = np.where(known, whole, 1.0)
        present = np.where(known, np.minimum((sums + self.smoothing) / whole, 1.0), 0.5)
        certain = kept[:, None] & (present >= 1.0)
        absent = logarithm(np.where(certain, 1.0, 1.0 - present))
        unknown = logarithm(np.where(known, self.smoothing / whole, 0.5))
        return logarithm(present) - absent, unknown, absent[kept].sum(axis=0), certain if certain.any() else None


@dataclass(frozen=True, eq=False)
class TextConditional(Conditional):
    """Estimated weights of terms.

    Attributes
    ----------
    weights
        What a term adds, shape (terms, classes), NaN where it is passed over.
    unknown
        What a term that was never seen adds.
    base
        What every text begins with: for coins, that it has no term at all.
    whole
        The smoothed number of terms of each class; for coins, the weight of its texts.
    certain
        Which terms a text of a class cannot be without, shape (terms, classes); None where there are none.
    """

    names: tuple[Name, ...]
    analyzer: Analyzer
    keys: AnyArray
    weights: Floats
    unknown: Floats
    base: Floats
    event: Event
    whole: Floats
    certain: Bools | None = None

    @cached_property
    def known(self) -> Vocabulary:
        """The terms by their keys."""
        return vocabulary_of(self.keys)

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        column = batch.texts(self.names[0])
        texts = self.analyzer.read(column)
        there = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else np.ones(len(column), bool)
        out[there] += self.base
        self._weigh(texts, self.weights, self.unknown, out)
        if self.certain is not None:
            found = np.zeros(out.shape)
            self._weigh(texts, self.certain.astype(np.float64), np.zeros(out.shape[1]), found)
            out[there[:, None] & (found < self.certain.sum(axis=0))] = -np.inf

    def _weigh(self, texts: Texts, weights: Floats, unknown: Floats, out: Floats) -> None:
        once = self.event != "multinomial"
        last = np.full(len(weights) if once else 0, -1)
        for block in Numbering(self.analyzer, self.known).blocks(texts):
            part = out[block.first : block.first + len(block.bounds) - 1]
            weigh_texts(block.numbers, block.bounds, weights, unknown, once, last, block.first, part)

    def contributions(self, batch: Batch) -> Floats:
        out = np.zeros((len(batch), len(self.unknown)))
        self.add_log_prob(batch, out)
        return out[:, None, :]

    def sample(self, classes: Counts, rng: np.random.Generator) -> NoReturn:
        raise UnsupportedDataError(
            "A text is more than its terms, so that none can be drawn from a model of terms. Leave the column out."
        )

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {self.names[0]: {"terms": int((~np.isnan(self.weights[:, 0])).sum())}}
