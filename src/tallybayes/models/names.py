"""The names of units in ARPA files, and of those that are no unit of a text."""

from __future__ import annotations

import re

BEGIN, END, UNKNOWN = NAMES = ("<s>", "</s>", "<unk>")
"""The beginning of a text, its end, and an unknown unit."""

_BLANK = re.compile(r"\s|%(?=[0-9A-F]{2})")
_BYTES = re.compile(r"(?:%[0-9A-F]{2})+")


def escaped(unit: str) -> str:
    """Return a unit as it stands in a file.

    Examples
    --------
    >>> escaped(" "), escaped("100%"), escaped("<s>")
    ('%20', '100%', '%3Cs>')
    """
    if unit in NAMES or not unit:
        return f"%3C{unit[1:]}" if unit else "%00"
    return _BLANK.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), unit)


def unescaped(word: str) -> str:
    """Return the unit of a word of a file; what `escaped` would not have written stays as it is."""
    if "%" not in word:
        return word
    unit = _BYTES.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), word)
    unit = "" if unit == "\0" else unit
    return unit if escaped(unit) == word else word
