"""From counts of n-grams to probabilities: the smoothing methods of language models.

A *level* has the n-grams of one length. Each n-gram hw, a context h followed by a unit w, knows the place of h and of
h'w, h without its first unit, among the n-grams of the level below. With c(hw) the count, c(h) its sum over w, and the
level below the first one the uniform distribution over the vocabulary with ``<unk>``:

- ``"kneser-ney"``: max(a(hw) - D, 0) / a(h) + g(h) P(w | h'), where a is the count at the highest level and for n-grams
  at the beginning of texts, and elsewhere the number of units that come before hw; D depends on whether a(hw) is 1, 2
  or more, and is estimated from the numbers n_i of n-grams of the level with a = i: with Y = n_1 / (n_1 + 2 n_2),
  D_i = i - (i + 1) Y n_{i+1} / n_i. Where these are not all between 0 and i, as on tiny corpora, D is 0.5, 1, 1.5.
  g(h) is what makes it sum to 1. (Chen and Goodman, "An empirical study of smoothing techniques for language
  modeling", Computer Speech and Language 13, 1999: modified Kneser-Ney, interpolated.)
- ``"absolute"``: the same with a = c and one D = n_1 / (n_1 + 2 n_2) of each level, 0.5 where there is none (Ney,
  Essen and Kneser 1994).
- ``"witten-bell"``: (c(hw) + t(h) P(w | h')) / (c(h) + t(h)), with t(h) the number of different units after h (Witten
  and Bell 1991).
- ``"lidstone"``: (c(hw) + s) / (c(h) + s V), with V the size of the vocabulary.
- ``"mle"``: c(hw) / c(h), in the longest context that anything is known to follow.
- ``"stupid-backoff"``: c(hw) / c(h), or 0.4 times the score after h'; no distribution (Brants et al., EMNLP 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tallybayes._types import Codes, Counts, Floats
from tallybayes.factors.base import logarithm, quotient

Smoothing = Literal["kneser-ney", "witten-bell", "absolute", "lidstone", "mle", "stupid-backoff"]
INTERPOLATED = ("kneser-ney", "witten-bell", "absolute")
"""Smoothing that goes on to shorter contexts with a distribution, which an ARPA file can hold."""

STUPID = 0.4
FALLBACK = np.array([0.0, 0.5, 1.0, 1.5])


@dataclass(frozen=True, eq=False)
class Level:
    """The n-grams of one length.

    Attributes
    ----------
    counts
        How often each occurs.
    context, suffix
        The place of the n-gram without its last unit, and of that without its first, in the level below; all 0 in the
        first level.
    """

    counts: Counts
    context: Codes
    suffix: Codes


@dataclass(frozen=True, eq=False)
class Estimates:
    """Log probabilities of the n-grams of each level, and of what is not known.

    Attributes
    ----------
    log_prob
        By level and n-gram, log P(last unit | units before).
    log_rest
        By level and context, that of the empty context first: what a unit that is not known after the context adds
        before it is asked for after a shorter one; or its log probability, where none is asked.
    log_unknown
        Of a unit that is not known at all.
    """

    log_prob: list[Floats]
    log_rest: list[Floats]
    log_unknown: float


def estimate(
    levels: Sequence[Level], smoothing: Smoothing, *, vocabulary: int, amount: float = 1.0, boundaries: bool = True
) -> Estimates:
    """Return the estimates of a method.

    Parameters
    ----------
    levels
        The n-grams, those of one unit first.
    smoothing
        The method.
    vocabulary
        How many units there are, with the end of a text, without ``<unk>``.
    amount
        The s of ``"lidstone"``.
    boundaries
        Whether texts have a beginning and an end, so that something comes before every unit.
    """
    if smoothing in INTERPOLATED:
        return _interpolated(levels, smoothing, vocabulary, boundaries)
    shares = [_shares(level, _size(levels, k)) for k, level in enumerate(levels)]
    if smoothing == "stupid-backoff":
        rest = [np.full(_size(levels, k), np.log(STUPID)) for k in range(len(levels))]
        return Estimates([logarithm(share) for share, _ in shares], rest, float(np.log(STUPID / (vocabulary + 1))))
    s = amount if smoothing == "lidstone" else 0.0
    log_prob: list[Floats] = []
    log_rest: list[Floats] = []
    for level, (_, whole) in zip(levels, shares, strict=True):
        smoothed = whole + s * vocabulary
        counts = level.counts.astype(np.float64) + s
        log_prob.append(logarithm(quotient(counts, smoothed[level.context], 0.0)))
        log_rest.append(logarithm(quotient(np.full(len(whole), s), smoothed, 0.0)))
    return Estimates(log_prob, log_rest, float(logarithm(np.array(1.0 / vocabulary if s and vocabulary else 0.0))))


def _size(levels: Sequence[Level], k: int) -> int:
    """Return how many contexts level k has."""
    return len(levels[k - 1].counts) if k else 1


def _sums(of: Any, level: Level, size: int) -> Floats:
    """Return the sum over what follows each context."""
    sums: Floats = np.bincount(level.context, of, minlength=size).astype(np.float64)
    return sums


def _shares(level: Level, size: int) -> tuple[Floats, Floats]:
    whole = _sums(level.counts, level, size)
    return quotient(level.counts.astype(np.float64), whole[level.context], 0.0), whole


def _interpolated(levels: Sequence[Level], smoothing: Smoothing, vocabulary: int, boundaries: bool) -> Estimates:
    below = np.full(1, 1.0 / (vocabulary + 1))
    log_prob, log_rest = [], []
    unknown = below[0]
    for k, level in enumerate(levels):
        longer = levels[k + 1] if k + 1 < len(levels) else None
        counts = level.counts
        if smoothing == "kneser-ney" and longer is not None:
            counts = continuations(level, longer, boundaries)
        size = _size(levels, k)
        whole = _sums(counts, level, size)
        if smoothing == "witten-bell":
            kinds = _sums(counts > 0, level, size)
            own = quotient(counts.astype(np.float64), (whole + kinds)[level.context], 0.0)
            rest = quotient(kinds, whole + kinds, 1.0)
        else:
            taken = discounts(counts, modified=smoothing == "kneser-ney")[np.minimum(counts, 3)]
            own = quotient(counts - taken, whole[level.context], 0.0)
            rest = quotient(_sums(taken, level, size), whole, 1.0)
        if k == 0:
            unknown *= rest[0]
        below = own + rest[level.context] * below[level.suffix]
        log_prob.append(logarithm(below))
        log_rest.append(logarithm(rest))
    return Estimates(log_prob, log_rest, float(np.log(unknown)))


def continuations(level: Level, longer: Level, boundaries: bool) -> Counts:
    """Return in how many ways each n-gram continues what comes before it.

    That is the number of different units before it. An n-gram that begins with the beginning of a text has none before,
    and keeps its count. Where beginnings are not marked, to stand there is one more way.
    """
    before: Counts = np.bincount(longer.suffix, minlength=len(level.counts))
    counted = np.bincount(longer.suffix, longer.counts, minlength=len(level.counts)).astype(np.int64)
    alone = np.maximum(level.counts - counted, 0)
    ways: Counts = before + (alone if boundaries else alone > 0)
    return ways


def discounts(counts: Counts, *, modified: bool) -> Floats:
    """Return what is taken from a count of 0, 1, 2, and 3 or more."""
    n = np.bincount(np.minimum(counts, 5), minlength=6).astype(np.float64)
    if not modified:
        one = n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.5
        return np.array([0.0, one, one, one])
    if not n[1:5].all():
        return FALLBACK
    y = n[1] / (n[1] + 2 * n[2])
    found = np.array([0.0, *(i - (i + 1) * y * n[i + 1] / n[i] for i in (1, 2, 3))])
    return found if (found[1:] > 0).all() and (found <= [0, 1, 2, 3]).all() else FALLBACK
