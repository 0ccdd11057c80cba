"""What a text says of its class without itself: the counts of terms, with that one text taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tallybayes._types import Bools, Codes, Counts, Floats
from tallybayes.factors.kept_terms import rarity_of
from tallybayes.factors.left_out import OwnRows, never_learned, own_rows
from tallybayes.kernels.left_out_texts import coins_without_terms, left_out_coins, left_out_dice
from tallybayes.kernels.numbers import COUNT, LOGARITHM, PRESENCE
from tallybayes.kernels.vocabulary import Vocabulary
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.terms import Measure, TermTally
from tallybayes.text.numbering import Numbering, vocabulary_of

if TYPE_CHECKING:
    from tallybayes.factors.text import TextFactor

_MEASURES: Mapping[Measure, int] = {"count": COUNT, "presence": PRESENCE, "log": LOGARITHM}

Some = tuple[int, Codes, Counts, Counts, Floats, Counts, Counts, Floats]
"""Some texts: the first, their terms and where each ends, their classes and weights; and room for one."""


@dataclass(frozen=True, eq=False)
class TextLeftOut:
    """Texts taken out one at a time; the terms, which of them are kept and how many there are stay.

    How much a term weighs by how rare it is does not stay: it is that of the other texts.

    Attributes
    ----------
    factor, tally, classes
        What is estimated, from what, and the order of the classes.
    others
        Whether classes are scored by all others, as complement naive Bayes does.
    """

    factor: TextFactor
    tally: TermTally
    classes: Values
    others: bool = False

    def add(self, batch: Batch, out: Floats, add_log_prob: Callable[[Batch, Floats], None]) -> None:
        """Add what texts say without themselves; `add_log_prob` says what they and others say as all were learned."""
        own = own_rows(batch, self.classes)
        said = np.full(out.shape, np.nan)
        if self.factor.event == "bernoulli":
            said[own.cells] = self._coins(batch, own)
        else:
            said, _ = self._dice(batch, own)
        changed = ~np.isnan(said)
        if changed.all():
            out += said
            return
        before = out[changed]
        add_log_prob(batch, out)
        out[changed] = before + said[changed]

    def whole(self, batch: Batch, whole: Floats) -> Floats:
        """Return the smoothed number of terms of each class without each text, shape (rows, classes)."""
        left = self._dice(batch, own_rows(batch, self.classes))[1]
        return np.where(np.isnan(left), whole, left)

    def _dice(self, batch: Batch, own: OwnRows) -> tuple[Floats, Floats]:
        """Return what texts say and W, where these are otherwise without them, and NaN elsewhere."""
        factor, (rarity, support, totals, rare, places) = self.factor, self._totals
        out, whole = np.full((len(batch), len(self.classes)), np.nan), np.full((len(batch), len(self.classes)), np.nan)
        every = self.others or bool(factor.idf) or (factor.smoothing == 0.0 and bool((support == 0).any()))
        texts = int(self.tally.n_rows.sum())
        nowhere = np.zeros(1, np.int64)
        shift = 0.0
        if factor.idf:
            shift = float((rarity_of(nowhere, texts - 1, factor.idf) - rarity_of(nowhere, texts, factor.idf))[0])
        for first, numbers, bounds, classes, weights, state, met, added in self._blocks(batch, own):
            part = slice(first, first + len(bounds) - 1)
            odd = left_out_dice(
                numbers, bounds, first, classes, weights, _MEASURES[factor.measure], factor.norm, rarity,
                *self._entries, self._kept, shift, float(factor.smoothing), places, support, totals, rare,
                every, self.others, state, met, added, out[part], whole[part],
            )  # fmt: skip
            self._refuse(batch, first, odd)
        return out, whole

    def _coins(self, batch: Batch, own: OwnRows) -> Floats:
        """Return what each text says of its own class, NaN for a missing one."""
        n_rows, totals = self.tally.texts_of(self.classes)
        smoothing = float(self.factor.smoothing)
        every, certain = np.zeros(len(batch)), np.zeros(len(batch), np.int64)
        # A text without terms says the same for all of a class and a weight.
        pairs, which = np.unique(np.stack((own.classes, own.weights), axis=1), axis=0, return_inverse=True)
        start, classes, _, sums = self._entries
        kept = np.repeat(self._kept, np.diff(start))
        by_class = [sums[kept & (classes == c)] for c in range(len(self.classes))]
        many = int(self._kept.sum())
        blank = [
            coins_without_terms(int(n_rows[int(c)]), totals[int(c)], weight, smoothing, many, by_class[int(c)])
            for c, weight in pairs.tolist()
        ]
        if len(own.rows):
            every[own.rows] = np.array([score for score, _ in blank])[which.ravel()]
            certain[own.rows] = np.array([sure for _, sure in blank], np.int64)[which.ravel()]
        out = np.full(len(batch), np.nan)
        for first, numbers, bounds, codes, weights, state, met, added in self._blocks(batch, own):
            part = slice(first, first + len(bounds) - 1)
            odd = left_out_coins(
                numbers, bounds, first, codes, weights, *self._entries, self._kept, n_rows, totals, smoothing,
                state, met, added, every[part], certain[part], out[part],
            )  # fmt: skip
            self._refuse(batch, first, odd)
        return out[own.rows]

    def _blocks(self, batch: Batch, own: OwnRows) -> Iterator[Some]:
        """Yield the texts a block at a time; the class of one that was not learned is -1."""
        column, analyzer = batch.texts(self.factor.names[0]), self.tally.analyzer
        classes, weights = np.full(len(batch), -1, np.int64), np.zeros(len(batch))
        classes[own.rows], weights[own.rows] = own.classes, own.weights
        if column.null_count:
            classes[~column.is_valid().to_numpy(zero_copy_only=False)] = -1
        state, met, added = np.zeros((len(self._kept), 2), np.int64), np.empty(0, np.int64), np.empty(0)
        for block in Numbering(analyzer, self._known).blocks(analyzer.read(column)):
            longest = int(np.diff(block.bounds).max(initial=0))
            if longest > len(met):
                met, added = np.empty(2 * longest, np.int64), np.empty(2 * longest)
            part = slice(block.first, block.first + len(block.bounds) - 1)
            yield block.first, block.numbers, block.bounds, classes[part], weights[part], state, met, added

    def _refuse(self, batch: Batch, first: int, odd: int) -> None:
        if odd >= 0:
            raise never_learned(f"the text in row {batch.first + first + odd + 1} has terms that its class does not")

    @cached_property
    def _known(self) -> Vocabulary:
        return vocabulary_of(self.tally.counted.keys)

    @cached_property
    def _kept(self) -> Bools:
        choice = self.factor.choice
        if choice.is_all:
            return np.ones(len(self.tally), bool)
        return choice.kept(self.tally.rows_of(self.classes), self.tally.texts_of(self.classes)[0])

    @cached_property
    def _entries(self) -> tuple[Counts, Counts, Counts, Floats]:
        """Where the entries of each term begin; and by entry the class, the number of texts and the sum."""
        counted = self.tally.counted
        classes = self.tally.classes.places_in(self.classes)[counted.classes]
        return counted.start, classes, counted.rows, counted.sums

    @cached_property
    def _totals(self) -> tuple[Floats, Counts, Floats, Floats, Floats]:
        """How rare each term is with and without a text that has it; and by class what `left_out_dice` asks for."""
        k, rows = len(self.classes), self.tally.rows_with_each()
        start, classes, entry_rows, sums = self._entries
        terms = np.repeat(np.arange(len(rows)), np.diff(start))
        kept = self._kept[terms]
        terms, classes, sums = terms[kept], classes[kept], sums[kept]
        support = np.bincount(classes, entry_rows[kept], k).astype(np.int64)
        texts = int(self.tally.n_rows.sum())
        rarity = np.ones((len(rows), 2))
        if self.factor.idf:
            for less in (0, 1):
                rarity[:, less] = rarity_of(np.maximum(rows - less, 0), texts - less, self.factor.idf)
        weighed = sums * rarity[terms, 0]
        there = weighed > 0
        if self.others:
            places = np.full(k, float(self._kept.sum()))
        elif self.factor.dictionary == "shared":
            places = np.full(k, float((np.bincount(terms[there]) > 0).sum()))
        else:
            places = np.bincount(classes[there], minlength=k).astype(np.float64)
        totals, rare = (np.bincount(classes, amount, k).astype(np.float64) for amount in (sums, weighed))
        return rarity, support, totals, rare, places
