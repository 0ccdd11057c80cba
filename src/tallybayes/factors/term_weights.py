"""What the terms of a text say for each class, once it is estimated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np

from tallybayes._types import AnyArray, Bools, Codes, Counts, Floats, Name
from tallybayes.errors import UnsupportedDataError
from tallybayes.factors.base import Conditional
from tallybayes.factors.text_left_out import TextLeftOut
from tallybayes.kernels.numbers import COUNT, LOGARITHM, PRESENCE, weigh_measured, weigh_texts
from tallybayes.kernels.texts import Texts
from tallybayes.kernels.vocabulary import Vocabulary
from tallybayes.schema.batch import Batch
from tallybayes.tallies.terms import Measure
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.lookup import looked_up
from tallybayes.text.numbering import Block, Numbering, vocabulary_of

_MEASURES: Mapping[Measure, int] = {"count": COUNT, "presence": PRESENCE, "log": LOGARITHM}


@dataclass(frozen=True, eq=False)
class TextConditional(Conditional):
    """Estimated weights of terms.

    Attributes
    ----------
    keys
        The terms, ascending.
    group
        The group of each term; the number of groups where it is passed over.
    weights
        What the terms of a group add, shape (groups, classes).
    unknown
        What a term that was never seen adds.
    base
        What every text begins with: for coins, that it has no term at all.
    whole
        The smoothed number of terms of each class; for coins, the weight of its texts.
    certain
        Which terms a text of a class cannot be without, shape (groups, classes); None where there are none.
    measure, norm
        What a text adds for a term, times which a term weighs, and whether all of it is scaled to the length 1.
    left_out
        What takes single texts out, where the weights are those of a distribution.
    """

    names: tuple[Name, ...]
    analyzer: Analyzer
    keys: AnyArray
    group: Codes
    weights: Floats
    unknown: Floats
    base: Floats
    event: Literal["multinomial", "binary", "bernoulli"]
    whole: Floats
    certain: Bools | None = None
    measure: Measure = "count"
    norm: bool = False
    left_out: TextLeftOut | None = None

    @cached_property
    def known(self) -> Vocabulary:
        """The terms by their keys; where each place of a term weighs the same, by the numbers of their groups."""
        return vocabulary_of(self.keys, self.group if self._plain else None)

    @property
    def _plain(self) -> bool:
        """Whether each place of a term weighs the same, wherever it stands."""
        return self.measure == "count" and not self.norm

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        column = batch.texts(self.names[0])
        texts = self.analyzer.read(column)
        there = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else np.ones(len(column), bool)
        out[there] += self.base
        self._weigh(texts, self.weights, self.unknown, out)
        if self.certain is not None:
            found, times = np.zeros(out.shape), np.bincount(self.group, minlength=len(self.certain))
            self._weigh(texts, self.certain.astype(np.float64), np.zeros(out.shape[1]), found)
            out[there[:, None] & (found < times[: len(self.certain)] @ self.certain)] = -np.inf

    def _weigh(self, texts: Texts, weights: Floats, unknown: Floats, out: Floats) -> None:
        terms = 0 if self._plain else len(self.keys)
        state, odd, met = np.zeros((terms, 2), np.int64), _slots(0), np.empty(0, np.int64)
        for block in self._numbered(texts):
            part = out[block.first : block.first + len(block.bounds) - 1]
            if self._plain:
                weigh_texts(block.numbers, block.bounds, weights, unknown, part)
                continue
            longest = int(np.diff(block.bounds).max(initial=0))
            if longest > len(met):
                odd, met = _slots(2 * longest), np.empty(2 * longest, np.int64)
            weigh_measured(
                block.numbers, block.bounds, block.first + 1, self.group, weights, unknown, _MEASURES[self.measure],
                self.norm, state, odd, met, part,
            )  # fmt: skip

    def _numbered(self, texts: Texts) -> Iterator[Block]:
        """Yield texts as the numbers in `known` of their terms; a table of all is not made for a few of them."""
        few = int((texts.ends - texts.begins).sum()) < len(self.keys)
        if not few or "known" in vars(self):
            yield from Numbering(self.analyzer, self.known).blocks(texts)
            return
        for block in looked_up(self.analyzer, self.keys, texts):
            if self._plain:
                there = block.numbers >= 0
                block.numbers[there] = self.group[block.numbers[there]]
            yield block

    def term_log_prob(self, terms: Counts | slice = slice(None)) -> Floats:
        """Return what some terms add where they are there, shape (terms, classes): of coins log P(term | c)."""
        weights = self._weights_of(terms)
        return weights + self.absent_log_prob(terms) if self.event == "bernoulli" else weights

    def absent_log_prob(self, terms: Counts | slice = slice(None)) -> Floats:
        """Return log(1 - P(term | c)) of coins; 0 where a term is certain, which `certain` says."""
        with np.errstate(invalid="ignore"):  # NaN is what is passed over
            absent: Floats = -np.logaddexp(0.0, self._weights_of(terms))
        return absent if self.certain is None else np.where(self.are_certain(terms), 0.0, absent)

    def _weights_of(self, terms: Counts | slice) -> Floats:
        """Return the weights of some terms, NaN for those that are passed over."""
        group = self.group[terms]
        weights: Floats = self.weights[np.minimum(group, len(self.weights) - 1)]
        weights[group == len(self.weights)] = np.nan
        return weights

    def are_certain(self, terms: Counts | Bools | slice = slice(None)) -> Bools:
        """Return which of some terms a text of a class cannot be without, shape (terms, classes)."""
        if self.certain is None:
            return np.zeros((len(self.group[terms]), len(self.unknown)), bool)
        return np.concatenate([self.certain, np.zeros((1, len(self.unknown)), bool)])[self.group[terms]]

    def amounts(self, often: Counts) -> Floats:
        """Return what one text adds for each of its distinct terms, from how often it has them."""
        amounts: Floats = often.astype(np.float64)
        if self.measure == "presence":
            amounts = np.ones(len(often))
        elif self.measure == "log":
            amounts = np.log1p(amounts)
        return amounts / (np.linalg.norm(amounts) or 1.0) if self.norm else amounts

    def contributions(self, batch: Batch) -> Floats:
        out = np.zeros((len(batch), len(self.unknown)))
        self.add_log_prob(batch, out)
        return out[:, None, :]

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        if self.left_out is None:
            super().add_left_out(batch, out)
            return
        self.left_out.add(batch, out, self.add_log_prob)

    def left_out_contributions(self, batch: Batch) -> Floats:
        if self.left_out is None:
            return super().left_out_contributions(batch)
        out = np.zeros((len(batch), len(self.unknown)))
        self.add_left_out(batch, out)
        return out[:, None, :]

    def sample(self, classes: Counts, rng: np.random.Generator) -> NoReturn:
        raise UnsupportedDataError(
            "A text is more than its terms, so that none can be drawn from a model of terms. Leave the column out."
        )

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        return {self.names[0]: {"terms": int((self.group < len(self.weights)).sum())}}


def _slots(terms: int) -> Counts:
    """Return a table for so many terms without numbers, with slots to spare."""
    return np.zeros((1 << terms.bit_length(), 3), np.int64)
