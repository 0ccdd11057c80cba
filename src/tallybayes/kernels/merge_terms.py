"""Adding two sets of counted terms, and taking one out of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit


class Counted(NamedTuple):
    """Terms by their keys, ascending; term t has the entries from ``start[t]`` on, one for each class that has it.

    Attributes
    ----------
    keys
        64-bit hashes.
    text_at, text
        The text of term t is ``text[text_at[t]:text_at[t + 1]]``.
    start
        Where the entries of each term begin, and one past the last.
    classes, rows, sums
        By entry the class, ascending within a term, the number of texts, and the weighted sum of the measure.
    """

    keys: AnyArray
    text_at: Counts
    text: AnyArray
    start: Counts
    classes: Counts
    rows: Counts
    sums: Floats


@jit
def by_key(met: Counted, order: Counts) -> Counted:
    """Return terms, which stand as they came, in the order of their keys, and entries, which stand by class, by term.

    In `met`, ``start[e]`` is the term of entry e.
    """
    n, filled = met.keys.shape[0], met.rows.shape[0]
    rank, keys = np.empty(n, np.int64), np.empty(n, np.uint64)
    text_at, text = np.zeros(n + 1, np.int64), np.empty(met.text.shape[0], np.uint8)
    for place in range(n):
        term = order[place]
        rank[term], keys[place] = place, met.keys[term]
        size = met.text_at[term + 1] - met.text_at[term]
        text_at[place + 1] = text_at[place] + size
        for k in range(size):
            text[text_at[place] + k] = met.text[met.text_at[term] + k]
    start = np.zeros(n + 1, np.int64)
    for e in range(filled):
        start[rank[met.start[e]] + 1] += 1
    for place in range(n):
        start[place + 1] += start[place]
    at = start[:n].copy()
    classes, rows, sums = np.empty(filled, np.int64), np.empty(filled, np.int64), np.empty(filled)
    for e in range(filled):
        place = rank[met.start[e]]
        to = at[place]
        classes[to], rows[to], sums[to] = met.classes[e], met.rows[e], met.sums[e]
        at[place] += 1
    return Counted(keys, text_at, text, start, classes, rows, sums)


@jit
def merge_terms(a: Counted, here: Counts, b: Counted, there: Counts, sign: int) -> tuple[Counted, int]:
    """Add b to a, or take it away with the sign -1, with class c of each as class ``here[c]`` or ``there[c]``.

    Both maps ascend. Also returns the term of b of which more is taken away than a has, -1 where there is none. An
    entry without documents is left out, and so is a term without entries.
    """
    terms, entries = a.keys.shape[0] + b.keys.shape[0], a.rows.shape[0] + b.rows.shape[0]
    keys, text_at = np.empty(terms, np.uint64), np.zeros(terms + 1, np.int64)
    text, start = np.empty(a.text.shape[0] + b.text.shape[0], np.uint8), np.zeros(terms + 1, np.int64)
    classes, rows, sums = np.empty(entries, np.int64), np.empty(entries, np.int64), np.empty(entries)
    i, j, n, e, missing = 0, 0, 0, 0, -1
    while i < a.keys.shape[0] or j < b.keys.shape[0]:
        ours = i < a.keys.shape[0] and (j == b.keys.shape[0] or a.keys[i] <= b.keys[j])
        theirs = j < b.keys.shape[0] and (i == a.keys.shape[0] or b.keys[j] <= a.keys[i])
        keys[n] = a.keys[i] if ours else b.keys[j]
        at_a, end_a = (a.start[i], a.start[i + 1]) if ours else (0, 0)
        at_b, end_b = (b.start[j], b.start[j + 1]) if theirs else (0, 0)
        begin = e
        while at_a < end_a or at_b < end_b:
            from_a = at_a < end_a and (at_b == end_b or here[a.classes[at_a]] <= there[b.classes[at_b]])
            from_b = at_b < end_b and (at_a == end_a or there[b.classes[at_b]] <= here[a.classes[at_a]])
            count, total = 0, 0.0
            if from_a:
                classes[e], count, total = here[a.classes[at_a]], a.rows[at_a], a.sums[at_a]
                at_a += 1
            if from_b:
                classes[e] = there[b.classes[at_b]]
                count += sign * b.rows[at_b]
                total += sign * b.sums[at_b]
                at_b += 1
            if count < 0:
                missing = j
            if count > 0:
                rows[e], sums[e] = count, max(total, 0.0)
                e += 1
        if e > begin:
            from_text, at = (a.text, a.text_at[i]) if ours else (b.text, b.text_at[j])
            size = (a.text_at[i + 1] if ours else b.text_at[j + 1]) - at
            for k in range(size):
                text[text_at[n] + k] = from_text[at + k]
            text_at[n + 1] = text_at[n] + size
            start[n + 1] = e
            n += 1
        i += ours
        j += theirs
    merged = Counted(
        keys[:n].copy(),
        text_at[: n + 1].copy(),
        text[: text_at[n]].copy(),
        start[: n + 1].copy(),
        classes[:e].copy(),
        rows[:e].copy(),
        sums[:e].copy(),
    )
    return merged, missing
