"""Sets of counted terms: made of what was met, added, and taken out of one another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.kernels.merge_terms import Counted, by_key, merge_terms
from tallybayes.tallies.pages import room_for
from tallybayes.text.numbering import Numbering

_FOUR_BYTES = 2**31


def no_terms() -> Counted:
    """Return no terms."""
    one, none = np.zeros(1, np.int64), np.zeros(0, np.int32)
    return Counted(np.zeros(0, np.uint64), one, np.zeros(0, np.uint8), one, none, none, np.zeros(0))


def narrow(numbers: Any) -> Any:
    """Return whole numbers in four bytes each where these hold them."""
    return numbers.astype(np.int32) if numbers.max(initial=0) < _FOUR_BYTES else numbers.astype(np.int64)


def terms_met(numbering: Numbering, terms: AnyArray, classes: Codes, rows: Counts, sums: Floats) -> Counted:
    """Return the terms that texts had, by their keys, from their entries class by class, where they have numbers."""
    known, n = numbering.known, len(numbering)
    keys, at = known.keys[:n], known.text_at[: n + 1]
    met = Counted(keys, at, known.text[: at[-1]], terms, classes, rows, sums)
    out = _room(n, int(at[-1]), len(rows), rows.dtype)
    by_key(met, np.argsort(keys), np.empty(n, np.int64), out)
    return out


def added(a: Counted, here: Counts, b: Counted, there: Counts, most: int) -> Counted:
    """Return two sets together, class c of each as class ``here[c]`` or ``there[c]``; no class has over `most` rows."""
    return _merged(a, here, b, there, 1, np.dtype(np.int32 if most < _FOUR_BYTES else np.int64))[0]


def without(a: Counted, b: Counted, there: Counts, classes: int) -> tuple[Counted, int]:
    """Return a without b, and a term of b of which a does not have as much, -1 where there is none."""
    return _merged(a, np.arange(classes), b, there, -1, a.rows.dtype)


def _merged(
    a: Counted, here: Counts, b: Counted, there: Counts, sign: int, dtype: np.dtype[Any]
) -> tuple[Counted, int]:
    if sign > 0 and not (len(a.keys) and len(b.keys)):
        only, places = (b, there) if len(b.keys) else (a, here)
        return only._replace(classes=places.astype(np.int32)[only.classes]), -1
    out = _room(len(a.keys) + len(b.keys), len(a.text) + len(b.text), len(a.rows) + len(b.rows), dtype)
    n, e, missing = merge_terms(a, here, b, there, sign, out)
    keys, text_at, text, start, classes, rows, sums = out
    return Counted(
        keys[:n], text_at[: n + 1], text[: text_at[n]], start[: n + 1], classes[:e], rows[:e], sums[:e]
    ), missing


def _room(terms: int, text: int, entries: int, dtype: np.dtype[Any]) -> Counted:
    """Return room for so many terms, bytes of their texts, and entries."""
    places: AnyArray = np.zeros(terms + 1, np.int64)
    return Counted(
        room_for(terms, np.uint64),
        room_for(terms + 1, np.int64),
        room_for(text, np.uint8),
        places,
        room_for(entries, np.int32),
        room_for(entries, dtype),
        room_for(entries, np.float64),
    )
