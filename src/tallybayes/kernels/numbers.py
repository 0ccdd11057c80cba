"""Counting and weighing texts whose terms are numbers."""

from __future__ import annotations

import math

from tallybayes._types import Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing
from tallybayes.kernels._jit import jit

COUNT, PRESENCE, LOGARITHM = range(3)
"""What a text adds for a term that it has f times: f, 1, or log(1 + f)."""


@jit_borrowing
def _measured(frequency: int, measure: int) -> float:
    if measure == COUNT:
        return float(frequency)
    return 1.0 if measure == PRESENCE else math.log1p(frequency)


@jit_borrowing
def count_texts(
    numbers: Codes,
    bounds: Counts,
    first: int,
    weights: Floats,
    measure: int,
    norm: bool,
    state: Counts,
    sums: Floats,
    met: Counts,
    touched: Counts,
    width: int,
) -> int:
    """Count the texts of one class: text ``first + k`` is ``numbers[bounds[k]:bounds[k + 1]]``.

    By term, `state` has the last text that had it, how often, and the number of texts of the class; `sums` the weighted
    sum of the measure. `touched` are the terms of the class, `width` of them so far; returns how many there are then.
    `weights` may be empty. With `norm`, what a text adds for all its terms has the Euclidean length 1. `met` is room
    for the distinct terms of a text.
    """
    for k in range(bounds.shape[0] - 1):
        text = first + k
        distinct = 0
        for place in range(bounds[k], bounds[k + 1]):
            term = numbers[place]
            if state[term, 0] != text:
                state[term, 0], state[term, 1] = text, 0
                met[distinct] = term
                distinct += 1
            state[term, 1] += 1
        weight = weights[k] if weights.shape[0] > 0 else 1.0
        if norm:
            length = 0.0
            for m in range(distinct):
                value = _measured(state[met[m], 1], measure)
                length += value * value
            weight /= math.sqrt(length) if distinct > 0 else 1.0
        for m in range(distinct):
            term = met[m]
            if state[term, 2] == 0:
                touched[width] = term
                width += 1
            state[term, 2] += 1
            sums[term] += weight * _measured(state[term, 1], measure)
    return width


@jit
def weigh_texts(
    numbers: Codes, bounds: Counts, weights: Floats, unknown: Floats, once: bool, last: Counts, first: int, out: Floats
) -> None:
    """Add for each term of text k ``weights[term]`` to ``out[k]``, `unknown` for a negative one.

    With `once`, a term counts once in each text; `last` has the last text of each term then, and the texts are numbered
    from `first` on. Terms whose weights begin with NaN are passed over.
    """
    classes = out.shape[1]
    for k in range(bounds.shape[0] - 1):
        for place in range(bounds[k], bounds[k + 1]):
            term = numbers[place]
            if term < 0:
                if once and _before(numbers, bounds[k], place):
                    continue
                for c in range(classes):
                    out[k, c] += unknown[c]
                continue
            if once:
                if last[term] == first + k:
                    continue
                last[term] = first + k
            if weights[term, 0] == weights[term, 0]:
                for c in range(classes):
                    out[k, c] += weights[term, c]


@jit_borrowing
def _before(numbers: Codes, begin: int, place: int) -> bool:
    """Return whether a number stands before a place already."""
    other = begin
    while numbers[other] != numbers[place]:  # at the latest the place itself
        other += 1
    return other < place
