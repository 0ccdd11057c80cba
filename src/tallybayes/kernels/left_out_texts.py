"""What a text says when it is taken out of the counts of terms that it was learned by."""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import Bools, Codes, Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.left_out import taken
from tallybayes.kernels.numbers import COUNT, PRESENCE


@jit
def distinct_terms(
    numbers: Codes, begin: int, end: int, text: int, measure: int, norm: bool, state: Counts, met: Counts, added: Floats
) -> int:
    """Write the distinct terms of a text to `met`, and what it adds for each to `added`; return how many there are.

    `state` has by term the last text that had it and how often; texts are numbered from 1 on. A term without a number
    makes the result negative: it was never counted.
    """
    distinct = 0
    for place in range(begin, end):
        term = numbers[place]
        if term < 0:
            return -1
        if state[term, 0] != text:
            state[term, 0], state[term, 1] = text, 0
            met[distinct] = term
            distinct += 1
        state[term, 1] += 1
    length = 0.0
    for m in range(distinct):
        often = state[met[m], 1]
        value = float(often) if measure == COUNT else 1.0 if measure == PRESENCE else math.log1p(often)
        added[m] = value
        length += value * value
    if norm and distinct > 0:
        for m in range(distinct):
            added[m] /= math.sqrt(length)
    return distinct


@jit
def left_out_dice(
    numbers: Codes,
    bounds: Counts,
    first: int,
    classes: Counts,
    weights: Floats,
    measure: int,
    norm: bool,
    rarity: Floats,
    start: Counts,
    entry_classes: Counts,
    entry_rows: Counts,
    entry_sums: Floats,
    kept: Bools,
    shift: float,
    smoothing: float,
    places: Floats,
    support: Counts,
    totals: Floats,
    rare: Floats,
    every: bool,
    others: bool,
    state: Counts,
    met: Counts,
    added: Floats,
    out: Floats,
    whole: Floats,
) -> int:
    """Write what text k of the class ``classes[k]`` says without itself to ``out[k]``, as dice.

    A term adds m r log((r S + s) / W), with m the measure of the term in the text, r its rarity, S its sum in the
    class, s the smoothing and W = sum r S + s V over all terms that are kept; V are the `places`. The sums come by
    terms, those of term t at ``start[t]`` to ``start[t + 1]``; `totals` are those of all kept terms by class, `rare`
    the same times their rarity, and `support` the number of texts that have each, added up. `rarity` has r of each term
    with the text, and without it where the text has the term; elsewhere it changes by `shift`. Only the entry of the
    own class is written, unless `every`; `whole` gets W. A class of -1 is a text that was not learned, and passed over.
    With `others` and `every`, S are the sums of all other classes and terms are subtracted: complement naive Bayes.

    Return -1, or the text that cannot have been counted.
    """
    k = totals.shape[0]
    own, log_whole = np.empty(k), np.empty(k)
    log_smoothing = math.log(smoothing)
    for text in range(bounds.shape[0] - 1):
        c, weight = classes[text], weights[text]
        if c < 0:
            continue
        distinct = distinct_terms(
            numbers, bounds[text], bounds[text + 1], first + text + 1, measure, norm, state, met, added
        )
        if distinct < 0:
            return text
        # What the classes have without the text.
        lost, entries = 0.0, 0
        for j in range(k):
            own[j] = rare[j] + shift * totals[j]
        for m in range(distinct):
            term = met[m]
            if not kept[term]:
                continue
            was, now = rarity[term, 0], rarity[term, 1]
            found = False
            for e in range(start[term], start[term + 1]):
                j = entry_classes[e]
                left = entry_sums[e]
                if j == c:
                    found = True
                    left = taken(left, weight * added[m], entry_rows[e])
                    if left != left:
                        return text
                    entries += 1
                own[j] += now * left - (was + shift) * entry_sums[e]
            if not found:
                return text
        if support[c] - entries == 0:
            own[c] = 0.0
        for j in range(k):
            own[j] = max(own[j], 0.0)
            lost += own[j]
        for j in range(k):
            whole[text, j] = (lost - own[j] if others else own[j]) + smoothing * places[j]
            log_whole[j] = math.log(whole[text, j])
            if every or j == c:
                out[text, j] = 0.0
        for m in range(distinct):
            term = met[m]
            if not kept[term]:
                continue
            now = rarity[term, 1]
            # To a complement, a term that no other text has is one that was never seen, and weighs nothing.
            first_entry = start[term]
            if now == 0.0 or (others and start[term + 1] - first_entry == 1 and entry_rows[first_entry] == 1):
                continue
            pooled = 0.0
            own[:] = 0.0
            for e in range(start[term], start[term + 1]):
                left = entry_sums[e]
                if entry_classes[e] == c:
                    left = taken(left, weight * added[m], entry_rows[e])
                own[entry_classes[e]] = left
                pooled += left
            for j in range(k):
                if j != c and not every:
                    continue
                part = max(pooled - own[j], 0.0) if others else own[j]
                if whole[text, j] > 0.0:
                    # Most terms are in few classes.
                    log_share = (math.log(now * part + smoothing) if part > 0.0 else log_smoothing) - log_whole[j]
                    out[text, j] += added[m] * now * (-log_share if others else log_share)
                elif lost > 0.0 and not others:
                    out[text, j] += added[m] * now * math.log(now * pooled / lost)
    return -1


@jit
def left_out_coins(
    numbers: Codes,
    bounds: Counts,
    first: int,
    classes: Counts,
    weights: Floats,
    start: Counts,
    entry_classes: Counts,
    entry_rows: Counts,
    entry_sums: Floats,
    kept: Bools,
    n_rows: Counts,
    totals: Floats,
    smoothing: float,
    state: Counts,
    met: Counts,
    added: Floats,
    every: Floats,
    certain: Counts,
    out: Floats,
) -> int:
    """Write what text k of the class ``classes[k]`` says of its class without itself to ``out[k]``, as coins.

    `every` is what a text with none of the terms would score without text k, leaving out the terms that such a text
    cannot be without; `certain` is how many those are. The sums are those of presences, by terms as for dice, and
    `totals` the weight of the texts of each class, `n_rows` their number.

    Return -1, or the text that cannot have been counted.
    """
    for text in range(bounds.shape[0] - 1):
        c, weight = classes[text], weights[text]
        if c < 0:
            continue
        distinct = distinct_terms(
            numbers, bounds[text], bounds[text + 1], first + text + 1, PRESENCE, False, state, met, added
        )
        all_texts = taken(totals[c], weight, n_rows[c])
        if distinct < 0 or all_texts != all_texts:
            return text
        whole = all_texts + 2.0 * smoothing
        total, sure = every[text], certain[text]
        for m in range(distinct):
            term = met[m]
            if not kept[term]:
                continue
            before, left = -1.0, math.nan
            for e in range(start[term], start[term + 1]):
                if entry_classes[e] == c:
                    before, left = entry_sums[e], taken(entry_sums[e], weight, entry_rows[e])
            if left != left:
                return text
            if whole <= 0.0:  # of a class without texts, and without smoothing, nothing is known
                continue
            absent = coin_absent(all_texts, before, smoothing)
            if absent > 0.0:
                total -= math.log(absent / whole)
            else:
                sure -= 1
            total += math.log(min((left + smoothing) / whole, 1.0))
        out[text] = -math.inf if sure > 0 else total
    return -1


@jit
def coin_absent(all_texts: float, present: float, smoothing: float) -> float:
    """Return the smoothed weight of the texts that do not have a term; what is left by rounding is nothing."""
    absent = all_texts - present
    if absent <= 1e-12 * all_texts:
        absent = min(absent, 0.0)
    return absent + smoothing


@jit
def coins_without_terms(
    n_rows: int,
    total: float,
    weight: float,
    smoothing: float,
    kept_terms: int,
    sums: Floats,
) -> tuple[float, int]:
    """Return what a text without any term scores in a class that one text is taken out of, and how many are certain.

    `sums` are those of the kept terms that the class has, `kept_terms` the number of those that any has.
    """
    all_texts = taken(total, weight, n_rows)
    whole = all_texts + 2.0 * smoothing
    if whole != whole or whole <= 0.0:
        return kept_terms * math.log(0.5), 0
    score, certain = 0.0, 0
    for e in range(sums.shape[0]):
        absent = coin_absent(all_texts, sums[e], smoothing)
        if absent > 0.0:
            score += math.log(absent / whole)
        else:
            certain += 1
    none = kept_terms - sums.shape[0]
    if none > 0:
        score += none * math.log((all_texts + smoothing) / whole)
    return score, certain
