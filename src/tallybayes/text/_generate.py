"""Writes ``unicode.npz``, the tables of `tallybayes.text.tables`, from the interpreter's own `unicodedata`.

Run ``python -m tallybayes.text._generate`` under the Python whose version of Unicode is wanted. What is decided here
is part of what a term is, so that a new file belongs with a note in the change log.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels.utf8 import (
    APOSTROPHE,
    BLOCK,
    CONNECTOR,
    DENSE,
    DIGIT,
    EMOJI,
    IGNORED,
    LETTER,
    MARK,
    PUNCTUATION,
    SPACE,
)

FILE = Path(__file__).with_name("unicode.npz")
CODES = 0x110000

DENSE_SCRIPTS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x1B00, 0x1B7F),  # Balinese
    (0x3005, 0x3007),  # signs that repeat or stand for an ideograph
    (0x303B, 0x303C),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana of Ainu
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA980, 0xA9FF),  # Javanese, more Myanmar
    (0xAA60, 0xAADF),  # more Myanmar, Tai Viet
    (0xF900, 0xFAFF),  # Han, twice encoded
    (0xFF66, 0xFF9D),  # Katakana of half width
    (0x16FE0, 0x18DFF),  # Tangut, Khitan
    (0x1AFF0, 0x1B2FF),  # old Kana, Nushu
    (0x20000, 0x3FFFF),  # Han
)
"""Scripts that are written without blanks between the words; their letters, not their digits and signs."""

PICTURES = ((0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))
"""Where a symbol that is no mathematics, money or modifier is a picture that people put into sentences."""

INVISIBLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0xFE00, 0xFE0F),
    (0x1F3FB, 0x1F3FF),
    (0xE0100, 0xE01EF),
)
"""Variation selectors, fillers, and the skin colours of pictures, beside all of the category Cf."""

SPELLING = (*range(6, 10), *range(84, 133))
"""Combining classes of signs that spell: nukta, voicing of Kana, virama, vowels and tones of Indic scripts."""


def class_of(code: int) -> int:
    """Return the class of a code point."""
    category = unicodedata.category(chr(code))
    if code == 0x200B or code in (0x3164, 0xFFA0, 0xFFFD):
        return SPACE  # a blank of no width, blanks in Korean, and what stands for bytes that cannot be read
    if code in (0x27, 0x2019, 0xFF07):
        return APOSTROPHE
    if code in (0xFF9E, 0xFF9F):
        return MARK  # voicing of Katakana of half width
    if category in ("Cf", "Me") or _within(code, INVISIBLE):
        return IGNORED
    if category[0] == "L" or category in ("Nl", "No"):
        return DENSE if category != "No" and _within(code, DENSE_SCRIPTS) else LETTER
    if category[0] in "CZ":
        return SPACE
    if category == "So" and _within(code, PICTURES):
        return EMOJI
    return {"Nd": DIGIT, "Mn": MARK, "Mc": MARK, "Pc": CONNECTOR}.get(category, PUNCTUATION)


def lowered(text: str) -> str:
    """Return the full case folding, in which ß is ss."""
    return text.casefold()


def stripped(text: str) -> str:
    """Return the compatibility decomposition without accents, composed again.

    A character that would come apart into what belongs into no word, such as a fraction with its bar, stays whole.
    """
    return "".join(map(_stripped, text))


def _stripped(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char)
    kept = "".join(c for c in parts if not _is_accent(c))
    if class_of(ord(char)) > EMOJI or any(class_of(ord(c)) in (PUNCTUATION, SPACE) for c in kept):
        return char
    if not kept:
        return "" if class_of(ord(char)) == MARK else char
    return unicodedata.normalize("NFC", kept)


def _is_accent(char: str) -> bool:
    combining = unicodedata.combining(char)
    return unicodedata.category(char) == "Mn" and combining != 0 and combining not in SPELLING


def both(text: str) -> str:
    """Return the text in lower case and without accents, as it stays if that is done again."""
    while (again := stripped(lowered(text))) != text:
        text = again
    return text


FOLDS: dict[str, Callable[[str], str]] = {"lower": lowered, "strip": stripped, "both": both}


def tables() -> dict[str, AnyArray]:
    """Return the arrays of the file.

    Each table has two stages: the code point c is described at ``table[index[c // BLOCK] * BLOCK + c % BLOCK]``. A
    description of folding is 0 where the code point stays, or the place i of its UTF-8 text in ``bytes[at[i]:at[i +
    1]]``.
    """
    found: dict[str, AnyArray] = {"version": np.array([int(n) for n in unicodedata.unidata_version.split(".")])}
    index, classes = _staged(np.array([class_of(code) for code in range(CODES)], np.uint8))
    found |= {"class_index": index, "classes": classes}
    for name, fold in FOLDS.items():
        texts: dict[str | None, int] = {None: 0}  # the place 0 is never read
        places = np.zeros(CODES, np.uint16)
        for code in range(CODES):
            if 0xD800 <= code < 0xE000:
                continue
            text = fold(chr(code))
            if text != chr(code):
                places[code] = texts.setdefault(text, len(texts))
        encoded = [(text or "").encode() for text in texts]
        index, staged = _staged(places)
        found |= {
            f"{name}_index": index,
            f"{name}_places": staged,
            f"{name}_at": np.cumsum([0, *map(len, encoded)]).astype(np.int32),
            f"{name}_bytes": np.frombuffer(b"".join(encoded), np.uint8),
        }
    return found


def _staged(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    blocks, index = np.unique(values.reshape(-1, BLOCK), axis=0, return_inverse=True)
    return index.ravel().astype(np.uint16), blocks.ravel()


def _within(code: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


if __name__ == "__main__":
    np.savez_compressed(FILE, **tables())  # type: ignore[arg-type, unused-ignore]
