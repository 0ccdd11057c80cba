"""Terms the slow way, from `unicodedata` and Python's own strings, and their keys by plain integers."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

SPACE, PUNCTUATION, LETTER, DIGIT, MARK, IGNORED, APOSTROPHE, CONNECTOR, DENSE, EMOJI = "SPLDMI'_HE"

JOINS = ([APOSTROPHE, LETTER], [CONNECTOR, LETTER], [CONNECTOR, DIGIT])
"""What goes on with a word that stands before it."""

DENSE_NAMES = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC CLOSING MARK",
    "IDEOGRAPHIC NUMBER ZERO",
    "VERTICAL IDEOGRAPHIC ITERATION MARK",
    "MASU MARK",
    "HIRAGANA",
    "HENTAIGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "TAI ",
    "NEW TAI LUE",
    "BALINESE",
    "JAVANESE",
    "NUSHU",
    "KHITAN",
    "TANGUT",
    "OLD CHINESE",
)


@cache
def class_of(char: str) -> str:
    code, category, name = ord(char), unicodedata.category(char), unicodedata.name(char, "")
    if char in "'’＇":
        return APOSTROPHE
    if char in "\u200b\u3164\uffa0\ufffd":
        return SPACE
    if name.startswith("HALFWIDTH KATAKANA") and "VOICED SOUND MARK" in name:
        return MARK
    if category in ("Cf", "Me") or "VARIATION SELECTOR" in name or "FITZPATRICK" in name:
        return IGNORED
    if name in ("COMBINING GRAPHEME JOINER", "HANGUL CHOSEONG FILLER", "HANGUL JUNGSEONG FILLER"):
        return IGNORED
    if name.startswith("KHMER VOWEL INHERENT"):
        return IGNORED
    if category.startswith("L") or category in ("Nl", "No"):
        if 0x17000 <= code < 0x18D80 and not name:
            return DENSE  # Tangut: Python knows no names of its ideographs
        return DENSE if category != "No" and name.startswith(DENSE_NAMES) else LETTER
    if category[0] in "ZC":
        return SPACE
    if category == "So" and (0x2600 <= code < 0x27C0 or 0x2B00 <= code < 0x2C00 or 0x1F000 <= code < 0x1FB00):
        return EMOJI
    return {"Nd": DIGIT, "Mn": MARK, "Mc": MARK, "Pc": CONNECTOR}.get(category, PUNCTUATION)


@cache
def fold(char: str, lowercase: bool, strip_accents: bool) -> str:
    text = char
    for _ in range(3):
        text = text.casefold() if lowercase else text
        text = "".join(map(strip, text)) if strip_accents else text
    return text


def strip(char: str) -> str:
    def accent(c: str) -> bool:
        order = unicodedata.combining(c)
        return unicodedata.category(c) == "Mn" and order > 0 and not (6 <= order <= 9 or 84 <= order <= 132)

    if class_of(char) in (SPACE, PUNCTUATION):
        return char
    kept = [c for c in unicodedata.normalize("NFKD", char) if not accent(c)]
    if any(class_of(c) in (SPACE, PUNCTUATION) for c in kept) or (not kept and class_of(char) != MARK):
        return char
    return unicodedata.normalize("NFC", "".join(kept))


@dataclass
class Unit:
    text: str
    close: bool = False
    dense: bool = False


def units(text: str, lowercase: bool = True, strip_accents: bool = False) -> list[Unit]:
    text = "".join(c for c in text if class_of(c) != IGNORED)
    kinds = [class_of(c) for c in text] + [SPACE]

    def folded(begin: int, end: int) -> str:
        return "".join("'" if k == APOSTROPHE else fold(c, lowercase, strip_accents)
                       for c, k in zip(text[begin:end], kinds[begin:end], strict=True))  # fmt: skip

    found: list[Unit] = []
    i, dense_end = 0, -1
    while i < len(text):
        j = i + 1
        if kinds[i] == DENSE:
            while kinds[j] == MARK:
                j += 1
            found.append(Unit(folded(i, j), close=dense_end == i, dense=True))
            dense_end = j
        elif kinds[i] == EMOJI:
            found.append(Unit(folded(i, j)))
        elif kinds[i] in (LETTER, DIGIT):
            while True:
                if kinds[j] in (LETTER, DIGIT, MARK):
                    j += 1
                elif kinds[j : j + 2] in JOINS and not (kinds[j] == APOSTROPHE and kinds[j - 1] == DIGIT):
                    j += 2
                else:
                    break
            found.append(Unit(folded(i, j)))
        i = j
    return found


def characters(text: str, lowercase: bool = True, strip_accents: bool = False) -> str:
    """The text in characters, runs of blanks as one."""
    out = ""
    for char in text:
        kind = class_of(char)
        if kind == IGNORED:
            continue
        more = " " if kind == SPACE else fold(char, lowercase, strip_accents)
        out += "" if more == " " and out.endswith(" ") else more
    return out


def word_terms(found: list[Unit], low: int, high: int) -> list[list[Unit]]:
    terms = []
    for i in range(len(found)):
        for size in range(1, high + 2):
            window = found[i : i + size]
            dense = window[0].dense and all(u.close for u in window[1:])
            if len(window) == size >= low and size <= high + dense:
                terms.append(window)
    return terms


def text_of(term: list[Unit]) -> str:
    return "".join(unit.text if i == 0 or unit.close else " " + unit.text for i, unit in enumerate(term))


def char_terms(text: str, low: int, high: int) -> list[str]:
    return [text[i : i + n] for i in range(len(text)) for n in range(low, high + 1) if i + n <= len(text)]


def padded_terms(text: str, low: int, high: int) -> list[str]:
    terms = []
    for word in text.split(" "):
        if word:
            word = f" {word} "
            terms += char_terms(word, low, high) or [word]
    return terms


MASK = (1 << 64) - 1
SEED, FIRST, SECOND, THIRD = 0x7A11BA7E5C0DE001, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA5A3564E27F8865B


def spread(x: int) -> int:
    x = (x ^ (x >> 32)) * SECOND & MASK
    x = (x ^ (x >> 32)) * FIRST & MASK
    return (x ^ (x >> 32)) or 1


def hash_of(data: bytes) -> int:
    state = SEED
    whole = len(data) // 8 * 8
    for k in range(0, whole, 8):
        state = (state ^ int.from_bytes(data[k : k + 8], "big")) * FIRST & MASK
        state ^= state >> 32
    return spread((state ^ int.from_bytes(b"\1" + data[whole:], "big")) * FIRST & MASK)


def key_of(term: list[Unit]) -> int:
    key = hash_of(term[0].text.encode())
    for unit in term[1:]:
        key = spread(key * (THIRD if unit.close else SECOND) & MASK ^ hash_of(unit.text.encode()))
    return key
