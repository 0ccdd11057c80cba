"""Counting and weighing texts whose terms are numbers."""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing

COUNT, PRESENCE, LOGARITHM = range(3)
"""What a text adds for a term that it has f times: f, 1, or log(1 + f)."""


@jit_borrowing
def _measured(frequency: int, measure: int) -> float:
    if measure == COUNT:
        return float(frequency)
    return 1.0 if measure == PRESENCE else math.log1p(frequency)


@jit_borrowing
def count_plain(numbers: Codes, bounds: Counts, first: int, state: Counts, touched: Codes, width: int) -> int:
    """Count the texts of one class: text ``first + k`` is ``numbers[bounds[k]:bounds[k + 1]]``.

    By term, `state` has the last text that had it, and the number of texts of the class that have it and how often in
    all. `touched` are the terms of the class, `width` of them so far; returns how many there are then.
    """
    for k in range(bounds.shape[0] - 1):
        text = first + k
        for place in range(bounds[k], bounds[k + 1]):
            term = numbers[place]
            if state[term, 0] != text:
                state[term, 0] = text
                if state[term, 1] == 0:
                    touched[width] = term
                    width += 1
                state[term, 1] += 1
            state[term, 2] += 1
    return width


@jit_borrowing
def count_measured(
    numbers: Codes,
    bounds: Counts,
    first: int,
    weights: Floats,
    measure: int,
    norm: bool,
    state: Counts,
    sums: Floats,
    met: Codes,
    touched: Codes,
    width: int,
) -> int:
    """Count texts like `count_plain`, with weights, logarithms, or lengths.

    By term, `state` has the last text that had it, the number of texts of the class, and how often that text has it;
    `sums` the weighted sum of the measure. `weights` may be empty. With `norm`, what a text adds for all its terms has
    the Euclidean length 1. `met` is room for the distinct terms of a text.
    """
    for k in range(bounds.shape[0] - 1):
        text = first + k
        distinct = 0
        for place in range(bounds[k], bounds[k + 1]):
            term = numbers[place]
            if state[term, 0] != text:
                state[term, 0], state[term, 2] = text, 0
                met[distinct] = term
                distinct += 1
            state[term, 2] += 1
        weight = weights[k] if weights.shape[0] > 0 else 1.0
        if norm:
            length = 0.0
            for m in range(distinct):
                value = _measured(state[met[m], 2], measure)
                length += value * value
            weight /= math.sqrt(length) if distinct > 0 else 1.0
        for m in range(distinct):
            term = met[m]
            if state[term, 1] == 0:
                touched[width] = term
                width += 1
            state[term, 1] += 1
            sums[term] += weight * _measured(state[term, 2], measure)
    return width


@jit_borrowing
def weigh_texts(groups: Codes, bounds: Counts, weights: Floats, unknown: Floats, out: Floats) -> None:
    """Add for each term of text k, of which the group is given, ``weights[group]`` to ``out[k]``.

    A negative one adds `unknown`, and one behind all others is passed over.
    """
    end = weights.shape[0]
    classes = out.shape[1]
    for k in range(bounds.shape[0] - 1):
        for place in range(bounds[k], bounds[k + 1]):
            line = groups[place]
            if line < 0:
                for c in range(classes):
                    out[k, c] += unknown[c]
            elif line < end:
                for c in range(classes):
                    out[k, c] += weights[line, c]


@jit_borrowing
def weigh_measured(
    numbers: Codes,
    bounds: Counts,
    first: int,
    group: Codes,
    weights: Floats,
    unknown: Floats,
    measure: int,
    norm: bool,
    state: Counts,
    odd: Counts,
    met: Counts,
    out: Floats,
) -> None:
    """Like `weigh_texts`, with each distinct term weighed once, times what the text adds for it by the measure.

    The texts are numbered from `first`, 1 or more, on. `state` has by term the last text that had it and how often, and
    `odd` the same for terms without a number: in rows the text, the term and how often, by open addressing, with slots
    free beside the terms of any one text; its length is a power of two. Both begin as zeros. `met` is room for the
    distinct terms of a text. With `norm`, what a text adds for all its terms, those that are passed over too, has the
    Euclidean length 1.
    """
    classes, mask, end = out.shape[1], odd.shape[0] - 1, weights.shape[0]
    for k in range(bounds.shape[0] - 1):
        text = first + k
        distinct = 0
        for place in range(bounds[k], bounds[k + 1]):
            term = np.int64(numbers[place])
            if term >= 0:
                if state[term, 0] != text:
                    state[term, 0], state[term, 1] = text, 0
                    met[distinct] = term
                    distinct += 1
                state[term, 1] += 1
                continue
            slot = -term & mask
            while odd[slot, 0] == text and odd[slot, 1] != term:
                slot = (slot + 1) & mask
            if odd[slot, 0] != text:
                odd[slot, 0], odd[slot, 1], odd[slot, 2] = text, term, 0
                met[distinct] = -1 - slot
                distinct += 1
            odd[slot, 2] += 1
        scale = 1.0
        if norm and distinct > 0:
            length = 0.0
            for m in range(distinct):
                often = state[met[m], 1] if met[m] >= 0 else odd[-1 - met[m], 2]
                value = _measured(often, measure)
                length += value * value
            scale = 1.0 / math.sqrt(length)
        for m in range(distinct):
            if met[m] < 0:
                value = scale * _measured(odd[-1 - met[m], 2], measure)
                for c in range(classes):
                    out[k, c] += value * unknown[c]
                continue
            line = group[met[m]]
            if line < end:
                value = scale * _measured(state[met[m], 1], measure)
                for c in range(classes):
                    out[k, c] += value * weights[line, c]
