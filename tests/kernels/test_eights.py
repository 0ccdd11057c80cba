"""Words of ASCII eight bytes at a time, beside Python's own strings and the tables that other letters are read by."""

from __future__ import annotations

import random

import numba
import numpy as np
import pytest

from tallybayes.kernels._jit import leading_zeros, load_eight
from tallybayes.kernels.eights import held_of, word_of
from tallybayes.kernels.hashing import ONE, SEED, fed, fed_eight
from tallybayes.kernels.utf8 import DIGIT, LETTER
from tallybayes.text.tables import load_tables
from tests.text.test_against_reference import check_words


def a_word(eight: bytes) -> int:
    return next((n for n, byte in enumerate(eight) if byte >= 128 or not chr(byte).isalnum()), 8)


def eights() -> list[bytes]:
    """Every byte at every place among others, and random ones."""
    rng = random.Random(0)
    found = []
    for place in range(8):
        for byte in range(256):
            around = bytearray(rng.choice(b"azAZ09") for _ in range(8))
            around[place] = byte
            found.append(bytes(around))
    return found + [rng.randbytes(8) for _ in range(2000)]


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_byte_at_every_place(lowercase: bool) -> None:
    for eight in eights():
        number = np.uint64(int.from_bytes(eight, "big"))
        size, folded, digits = word_of(number, lowercase)
        assert size == a_word(eight), eight
        text = eight[:size].decode()
        assert int(folded).to_bytes(8, "big")[:size] == (text.lower() if lowercase else text).encode()
        assert digits == (not text or text.isdigit())


@numba.njit
def loaded(data, at):
    return load_eight(data, at), leading_zeros(load_eight(data, at))


def test_bytes_are_loaded_from_any_place() -> None:
    data = np.frombuffer(bytes(9) + bytes(range(30, 60)), np.uint8)
    for at in range(31):
        number = int.from_bytes(data[at : at + 8].tobytes(), "big")
        assert loaded(data, at) == (number, 64 - number.bit_length())


def test_the_hash_is_that_of_single_bytes() -> None:
    text = b"Encyclopaedia0123456789"
    for size in range(8):
        hashed, held = SEED, ONE
        for byte in text[: 8 + size]:
            hashed, held = map(np.uint64, fed(hashed, held, np.uint8(byte)))
        eight, rest = (np.uint64(int.from_bytes(text[at : at + 8], "big")) for at in (0, 8))
        assert hashed == fed_eight(SEED, eight)
        assert held == held_of(rest, size)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [True, False])
def test_the_tables_agree(lowercase: bool, strip_accents: bool) -> None:
    """What is read without the tables is read as they say."""
    table = load_tables(lowercase=lowercase, strip_accents=strip_accents).ascii
    for byte in range(128):
        kind, folded = divmod(int(table[byte]), 256)
        char = chr(byte)
        assert (kind in (LETTER, DIGIT)) == char.isalnum()
        if char.isalnum():
            assert (kind == DIGIT) == char.isdigit()
            assert chr(folded) == (char.lower() if lowercase else char)


def test_long_words_beside_the_slow_tokeniser() -> None:
    rng = random.Random(1)
    letters = "etaoinETAOIN0189" * 6 + " .-'_\n" + "éß好\u0301\u200d٣’"
    for n in range(600):
        text = "".join(rng.choice(letters) for _ in range(rng.randrange(80)))
        check_words(text.encode(), (n % 2 == 0, n % 3 == 0), (1, 1 + n % 2))
