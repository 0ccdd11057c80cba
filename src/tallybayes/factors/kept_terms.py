"""The terms of a tally that parameters are estimated for: which are kept, their sums, and how rare they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.factors.term_choice import TermChoice
from tallybayes.schema.values import Values
from tallybayes.tallies.alike import alike, picked
from tallybayes.tallies.terms import TermTally

Rarity = bool | Literal["smooth"]
"""Whether terms weigh by how rare they are, and by which rule."""

_FEW = 4
"""The classes up to which a table of all terms is no larger than what is said of each term anyway."""


@dataclass(frozen=True, eq=False)
class KeptTerms:
    """Terms in groups of those with the same counts: a table of all terms and classes would mostly repeat itself.

    Attributes
    ----------
    sums
        What the terms of each group sum to, times their rarity, shape (groups, classes); 0 where none is kept.
    times
        How many terms of each group are kept; None where each term is kept and is of a group of its own.
    group
        The group of each term; the number of groups where it is passed over.
    rarity
        How much the terms of each group weigh, and last, a term that no text has.
    """

    sums: Floats
    times: Counts | None
    group: Codes
    rarity: Floats

    @property
    def kept(self) -> Any:
        """Which groups have terms that are kept, as an index."""
        return slice(None) if self.times is None else self.times > 0

    def total(self, table: AnyArray) -> AnyArray:
        """Return the sum over all kept terms of what a table has by group."""
        whole: AnyArray = table.sum(axis=0) if self.times is None else self.times[self.kept] @ table[self.kept]
        return whole


def rarity_of(rows: Counts, texts: int, idf: Rarity) -> Floats:
    """Return how much terms weigh that so many texts have.

    log(texts / rows) or, smooth, 1 + log((1 + texts) / (1 + rows)), as if one more text had every term: a term of all
    texts weighs 1, and rare terms not as many times more. A term that no text has is as rare as one that a single text
    has, or, smooth, rarer. Only the first part depends on how many texts there are, so that it adds the same to all.
    """
    if idf == "smooth":
        smooth: Floats = 1.0 + np.log(1.0 + texts) - np.log1p(rows)
        return smooth
    plain: Floats = np.log(max(texts, 1) / np.maximum(rows, 1))
    return plain


def kept_terms(tally: TermTally, classes: Values, choice: TermChoice, *, idf: Rarity) -> KeptTerms:
    """Return the terms that are kept.

    Parameters
    ----------
    tally, classes
        What was counted, and the classes in their order.
    choice
        Which terms are kept.
    idf
        Whether terms weigh by how rare they are, and by which rule.
    """
    texts = tally.texts_of(classes)[0]
    group: Codes = np.arange(len(tally), dtype=np.int32)
    if len(classes) > _FEW:
        group, first = alike(tally.counted)
        tally = replace(tally, counted=picked(tally.counted, first))
    groups = len(tally)
    times: Counts | None = np.bincount(group, minlength=groups) if len(classes) > _FEW else None
    if not choice.is_all:
        kept = choice.kept(tally.rows_of(classes), texts, group)
        times = np.bincount(group[kept], minlength=groups)
        group = np.where(kept, group, np.int32(groups))
    rarity = np.ones(groups + 1)
    sums = tally.sums_of(classes)
    if idf:
        rarity = rarity_of(np.append(tally.rows_with_each(), 0), int(texts.sum()), idf)
        sums *= rarity[:-1, None]
    if times is not None:
        sums[times == 0] = 0.0
    return KeptTerms(sums, times, group, rarity)
