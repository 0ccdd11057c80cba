"""What the kernels of texts are given, and where they write.

A *unit* is what n-grams are made of: a word, a character, a marker, or a text that a callable cut. It is its hash,
its place ``data[begin:end]`` and its flags: the kind, what stands before it, and for characters, which one of those
that the place is folded to. A *term* is units in a row, mostly one; its *key* is the hash of that unit, or the hashes
joined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels._jit import jit
from tallybayes.kernels.utf8 import Tables

# NumPy's integers: numba compiles a function again for every constant integer of Python that it is called with.
_NUMBERS: Any = np.arange(32)

WORD, CLUSTER, CHAR, BLANK, NUMBER, URL, TAG, GIVEN = _NUMBERS[:8]
"""Kinds of units, the low three bits of the flags.

A cluster is a dense letter with its marks. A blank is one character whatever stands there. A given text is taken as
it is.
"""

KIND, CLOSE, BREAK, WHICH = _NUMBERS[[7, 8, 16, 5]]
"""Flags: the bits of the kind; no blank before this unit; no n-gram reaches from before this unit to it; the place of
the number of the character among those that the code point is folded to."""

WORDS, CHARS, PADDED, PIECES, TERMS = range(5)
"""Modes: words; characters; characters of words in blanks; pieces of a segmenter, folded; given terms, as they are."""

AS_TEXT, SKIPPED, MARKED = range(3)
"""What becomes of tags, URLs and numbers."""


class Plan(NamedTuple):
    """How texts become terms, as the kernels need it; `Analyzer.plan` makes one.

    `stops` is a table of keys with open addressing, a power of two long with a slot free at least, or of length 0. Of
    the keys of terms, the last `bits` are kept, all where it is 0; those of units and stops are always whole.
    """

    mode: int
    low: int
    high: int
    html: int
    urls: int
    numbers: int
    stops: AnyArray
    tables: Tables
    bits: int


class Texts(NamedTuple):
    """Documents: row i is ``data[begins[i]:ends[i]]``, nothing where it is missing.

    In the modes of pieces and terms, ``begins`` and ``ends`` count terms instead, and term k is
    ``data[cuts[k]:cuts[k + 1]]``; elsewhere `cuts` is empty. `tallybayes.text.read` makes sure that every place lies
    inside `data`, which the kernels rely on.
    """

    data: AnyArray
    begins: Counts
    ends: Counts
    cuts: Counts


class Room(NamedTuple):
    """Where units and terms are written, by one thread; longer arrays take the place of these as documents need it.

    Of terms: term k is ``sizes[k]`` units from unit ``firsts[k]`` on, and its key is ``keys[k]``.
    """

    hashes: AnyArray
    begins: Counts
    ends: Counts
    flags: AnyArray
    keys: AnyArray
    firsts: Counts
    sizes: Codes


@jit
def make_room(units: int, terms: int) -> Room:
    """Return room for a number of units and terms to begin with."""
    return Room(
        np.empty(units, np.uint64),
        np.empty(units, np.int64),
        np.empty(units, np.int64),
        np.empty(units, np.uint8),
        np.empty(terms, np.uint64),
        np.empty(terms, np.int64),
        np.empty(terms, np.int32),
    )
