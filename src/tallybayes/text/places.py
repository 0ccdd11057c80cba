"""Where the terms of one text stand in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Counts
from tallybayes.kernels.hashing import bucket
from tallybayes.kernels.terms import terms_of
from tallybayes.kernels.texts import Texts, make_room
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.keys import text_of


class Located(NamedTuple):
    """The terms of a text in the order in which they begin: their keys, and where in the text they stand.

    A term is ``text[begins[k]:ends[k]]`` as it was written; -1 where it does not stand in the text.
    """

    terms: list[str]
    keys: AnyArray
    begins: Counts
    ends: Counts


def locate(text: str, analyzer: Analyzer) -> Located:
    """Return the terms of a text with their places.

    Examples
    --------
    >>> found = locate("Don't PANIC", Analyzer(ngrams=(1, 2)))
    >>> found.terms, found.begins.tolist(), found.ends.tolist()
    (["don't", "don't panic", 'panic'], [0, 0, 6], [5, 11, 11])
    >>> found = locate("今天 天气", Analyzer(analyzer=str.split))
    >>> found.terms, found.begins.tolist(), found.ends.tolist()
    (['今天', '天气'], [0, 3], [2, 5])
    """
    texts = analyzer.read([text])
    n, room = terms_of(texts, 0, analyzer.plan, make_room(64, 64))
    terms = [text_of(texts, room, term, analyzer.plan) for term in range(n)]
    first = room.firsts[:n]
    last = first + room.sizes[:n] - 1
    begins, ends = room.begins[first], room.ends[last]
    if callable(analyzer.analyzer) or analyzer.analyzer == "jieba":
        begins, ends = _in_text(text, texts, begins, ends)
    else:
        # As many characters stand before a byte as begin before it.
        before = np.zeros(len(texts.data) + 1, np.int64)
        np.cumsum(texts.data & 0xC0 != 0x80, out=before[1:])
        begins, ends = before[begins], before[ends]
    keys = room.keys[:n].copy()
    if analyzer.hashed:
        keys = np.array([bucket(key, analyzer.hashed) for key in keys], np.uint64)
    return Located(terms, keys, begins, ends)


def _in_text(text: str, texts: Texts, begins: Counts, ends: Counts) -> tuple[Counts, Counts]:
    """Return places in the text for those in the pieces that it was cut into, looked for from left to right."""
    cuts = texts.cuts.tolist()
    found = np.full((len(cuts), 2), -1)
    at = 0
    for k in range(len(cuts) - 1):
        piece = texts.data[cuts[k] : cuts[k + 1]].tobytes().decode("utf-8", "surrogatepass")
        place = text.find(piece, at)
        if place >= 0:
            at = place + len(piece)
            found[k] = place, at
    # A piece without text begins where the next one does and ends where the one before does: it has no place.
    here, there = np.searchsorted(cuts, begins, side="right") - 1, np.searchsorted(cuts, ends, side="left") - 1
    begins, ends = found[here, 0], found[there, 1]
    nowhere = (begins < 0) | (ends < begins)
    return np.where(nowhere, -1, begins), np.where(nowhere, -1, ends)
