from __future__ import annotations

import subprocess
import sys
import unicodedata
from functools import cache

import numpy as np
import pytest

from tallybayes.kernels import utf8
from tallybayes.text import _generate
from tallybayes.text.tables import load_tables, unicode_version
from tests.text import reference

CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
USED = [code for code in CODES if unicodedata.category(chr(code)) not in ("Cn", "Co")]
NAMES = {
    reference.SPACE: utf8.SPACE,
    reference.PUNCTUATION: utf8.PUNCTUATION,
    reference.LETTER: utf8.LETTER,
    reference.DIGIT: utf8.DIGIT,
    reference.MARK: utf8.MARK,
    reference.IGNORED: utf8.IGNORED,
    reference.APOSTROPHE: utf8.APOSTROPHE,
    reference.CONNECTOR: utf8.CONNECTOR,
    reference.DENSE: utf8.DENSE,
    reference.EMOJI: utf8.EMOJI,
}
same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != unicode_version(), reason="the tables are of another version of Unicode"
)


def expand(index: np.ndarray, values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, utf8.BLOCK)[index].ravel()


@cache
def folded(lowercase: bool, strip_accents: bool) -> list[str]:
    """Every code point that is in use, folded; the others stay as they are."""
    tables = load_tables(lowercase=lowercase, strip_accents=strip_accents)
    places = expand(tables.fold_index, tables.fold_places)
    assert set(np.flatnonzero(places).tolist()) <= set(USED)
    at, data = tables.fold_at, tables.fold_bytes.tobytes()
    return [data[at[p] : at[p + 1]].decode() if (p := places[code]) else chr(code) for code in USED]


@same_unicode
def test_every_code_point_has_the_class_that_unicodedata_gives_it():
    tables = load_tables(lowercase=False, strip_accents=False)
    got = expand(tables.class_index, tables.classes)[CODES]
    expected = np.array([NAMES[reference.class_of(chr(code))] for code in CODES])
    wrong = np.array(CODES)[got != expected]
    assert [f"U+{code:04X} {unicodedata.name(chr(code), '')}" for code in wrong] == []


@same_unicode
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("strip_accents", [False, True])
def test_every_code_point_is_folded_as_unicodedata_says(lowercase, strip_accents):
    got = folded(lowercase, strip_accents)
    if not strip_accents:
        assert got == [chr(code).casefold() if lowercase else chr(code) for code in USED]
    assert got == [reference.fold(chr(code), lowercase, strip_accents) for code in USED]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("strip_accents", [False, True])
def test_what_is_folded_is_of_its_class_and_stays_when_folded_again(lowercase, strip_accents):
    tables = load_tables(lowercase=lowercase, strip_accents=strip_accents)
    kinds = expand(tables.class_index, tables.classes)
    again = dict(zip(map(chr, USED), folded(lowercase, strip_accents), strict=True))
    in_words = {utf8.LETTER, utf8.DIGIT, utf8.MARK, utf8.DENSE, utf8.CONNECTOR, utf8.EMOJI}
    for char, text in again.items():
        assert text or kinds[ord(char)] == utf8.MARK
        assert len(text) <= 7  # the number of a character has three bits in the flags of a unit
        assert "".join(again[c] for c in text) == text
        if kinds[ord(char)] in in_words:
            assert {kinds[ord(c)] for c in text} <= in_words, f"U+{ord(char):04X}"


def test_bytes_of_ascii_have_their_class_and_folding_in_one_number():
    tables = load_tables(lowercase=True, strip_accents=False)
    kinds = expand(tables.class_index, tables.classes)
    for byte in range(128):
        assert tables.ascii[byte] >> 8 == kinds[byte]
        assert chr(tables.ascii[byte] & 0xFF) == chr(byte).lower()
    assert set(tables.ascii[128:] >> 8) == {utf8.MULTIBYTE}
    assert load_tables(lowercase=False, strip_accents=True).ascii[ord("A")] & 0xFF == ord("A")


def test_tables_are_small():
    held = {id(a): a.nbytes for lower in (False, True) for strip in (False, True)
            for a in load_tables(lowercase=lower, strip_accents=strip)}  # fmt: skip
    assert sum(held.values()) < 400_000
    assert _generate.FILE.stat().st_size < 100_000


@pytest.mark.slow
@same_unicode
def test_the_file_is_what_the_generator_writes():
    with np.load(_generate.FILE, allow_pickle=False) as file:
        made = _generate.tables()
        assert sorted(file) == sorted(made)
        for name, array in made.items():
            assert file[name].dtype == array.dtype
            assert np.array_equal(file[name], array)


def test_importing_the_tables_does_not_import_arrow():
    code = "import sys, tallybayes.text.tables as t; t.unicode_version(); sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
