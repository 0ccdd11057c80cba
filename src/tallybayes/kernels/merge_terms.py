"""Adding two sets of counted terms, and taking one out of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.utf8 import signed

_NO_CLASS = np.int64(2**31)


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
        By entry the class, ascending within a term, the number of texts, in four bytes where these hold all of them,
        and the weighted sum of the measure.
    """

    keys: AnyArray
    text_at: Counts
    text: AnyArray
    start: Counts
    classes: Codes
    rows: AnyArray
    sums: Floats


@jit_borrowing
def by_key(met: Counted, order: Counts, rank: Counts, out: Counted) -> None:
    """Write terms, which stand as they came, in the order of their keys, and entries, which stand by class, by term.

    In `met`, ``start[e]`` is the term of entry e. `rank` is room for a number for each term, and `out` for all terms
    and entries; its `start` begins as zeros.
    """
    out.text_at[0] = 0
    for place in range(order.shape[0]):
        term = order[place]
        rank[term] = place
        out.keys[place] = met.keys[term]
        _put_text(met, term, out, place)
    # Where entries of a term begin goes one place further, so that it ends up where they end.
    start, n = out.start, order.shape[0]
    for e in range(met.rows.shape[0]):
        start[rank[met.start[e]] + 1] += 1
    before = 0
    for place in range(1, n + 1):
        own = start[place]
        start[place] = before
        before += own
    for e in range(met.rows.shape[0]):
        place = rank[met.start[e]] + 1
        to = start[place]
        out.classes[to], out.rows[to], out.sums[to] = met.classes[e], met.rows[e], met.sums[e]
        start[place] = to + 1


@jit_inlined
def _put_text(of: Counted, term: int, out: Counted, n: int) -> None:
    """Write the text of a term as that of term n, behind the last one."""
    begin, at = of.text_at[term], out.text_at[n]
    size = of.text_at[term + 1] - begin
    for k in range(size):
        out.text[at + k] = of.text[begin + k]
    out.text_at[n + 1] = at + size


@jit_inlined
def _put_term(of: Counted, term: int, places: Counts, out: Counted, n: int, e: int) -> int:
    """Write a term with its entries from entry e on; return where they end."""
    out.keys[n] = of.keys[term]
    _put_text(of, term, out, n)
    for at in range(of.start[term], of.start[term + 1]):
        out.classes[e], out.rows[e], out.sums[e] = places[of.classes[at]], of.rows[at], of.sums[at]
        e += 1
    out.start[n + 1] = e
    return e


@jit_borrowing
def merge_terms(a: Counted, here: Counts, b: Counted, there: Counts, sign: int, out: Counted) -> tuple[int, int, int]:
    """Add b to a, or take it away with the sign -1, with class c of each as class ``here[c]`` or ``there[c]``.

    Both maps ascend. `out` is room for the terms and entries of both. Returns how many of each there are then, and the
    term of b of which more is taken away than a has, -1 where there is none. An entry without documents is left out,
    and so is a term without entries.
    """
    i, j, n, e, missing = 0, 0, 0, 0, -1
    terms_a, terms_b = a.keys.shape[0], b.keys.shape[0]
    out.text_at[0] = out.start[0] = 0
    while i < terms_a or j < terms_b:
        if j == terms_b or (i < terms_a and a.keys[i] < b.keys[j]):
            e = _put_term(a, i, here, out, n, e)
            n += 1
            i += 1
            continue
        if i == terms_a or b.keys[j] < a.keys[i]:
            if sign < 0:
                missing = j
            else:
                e = _put_term(b, j, there, out, n, e)
                n += 1
            j += 1
            continue
        begin = e
        at_a, end_a, at_b, end_b = a.start[i], a.start[i + 1], b.start[j], b.start[j + 1]
        while at_a < end_a or at_b < end_b:
            of_a = here[a.classes[at_a]] if at_a < end_a else _NO_CLASS
            of_b = there[b.classes[at_b]] if at_b < end_b else _NO_CLASS
            count, total = 0, 0.0
            if of_a <= of_b:
                count, total = signed(a.rows[at_a]), a.sums[at_a]
                at_a += 1
            if of_b <= of_a:
                count += sign * signed(b.rows[at_b])
                total += sign * b.sums[at_b]
                at_b += 1
            if count < 0:
                missing = j
            if count > 0:
                out.classes[e], out.rows[e], out.sums[e] = min(of_a, of_b), count, max(total, 0.0)
                e += 1
        if e > begin:
            out.keys[n] = a.keys[i]
            _put_text(a, i, out, n)
            n += 1
            out.start[n] = e
        i += 1
        j += 1
    return n, e, missing
