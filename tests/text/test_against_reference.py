"""The kernels beside a tokeniser that is slow and simple."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes.kernels.terms import terms_of, units_of
from tallybayes.kernels.texts import make_room
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.keys import text_of
from tests.text import reference
from tests.text.strategies import BYTES, CHUNKS, TEXTS, UTF8_ODD

FOLDINGS = st.tuples(st.booleans(), st.booleans())
RANGES = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda t: (t[0], t[0] + t[1]))


def analyzer_of(folding, **options) -> Analyzer:
    return Analyzer(lowercase=folding[0], strip_accents=folding[1], **options)


def check_words(data: bytes, folding, ngrams) -> None:
    """Texts, keys and places of all terms of words."""
    analyzer = analyzer_of(folding, ngrams=ngrams)
    text = data.decode("utf-8", "replace")
    units = reference.units(text, *folding)
    expected = reference.word_terms(units, *ngrams)
    texts, plan = analyzer.read([data]), analyzer.plan
    n, room = terms_of(texts, 0, plan, make_room(4, 4))
    assert [text_of(texts, room, k, plan) for k in range(n)] == [reference.text_of(term) for term in expected]
    assert room.keys[:n].tolist() == [reference.key_of(term) for term in expected]
    n, room = units_of(texts, 0, plan, room)
    assert n == len(units)
    last = 0
    for unit, begin, end in zip(units, room.begins[:n].tolist(), room.ends[:n].tolist(), strict=True):
        assert last <= begin < end <= len(data)
        (there,) = reference.units(data[begin:end].decode(), *folding)
        assert there.text == unit.text
        last = end


@given(TEXTS, FOLDINGS, RANGES)
@example("don’t rock'n'roll 'tis o’5 5'o _a_b__c_ '''", (True, False), (1, 2))
@example("İstanbul ΟΔΟΣ Straße ﬁn ẞ", (True, True), (1, 1))
@example("日本語abcです3月\u200d木 ｶﾞｷﾞ ไทย", (True, False), (1, 3))
@example("葛\U000e0101城 a\u200d'\u200db", (True, False), (2, 2))
def test_words_of_texts(text, folding, ngrams):
    check_words(text.encode(), folding, ngrams)


@given(BYTES, FOLDINGS, RANGES)
@example(b"\xe5\xa5", (True, False), (1, 1))
@example(b"a\xc0\x80b\xed\xa0\x80c\xf4\x90\x80\x80d\xe5\xa5\xbd\xe5\xa5", (True, False), (1, 2))
@example(b"\x00a\x00\xffb\xfe", (True, False), (1, 1))
def test_words_of_bytes(data, folding, ngrams):
    check_words(data, folding, ngrams)


@given(BYTES | TEXTS.map(str.encode), FOLDINGS, RANGES)
@example("a \u0301 b\u200d \u200d c ".encode(), (False, True), (1, 2))
def test_characters(data, folding, ngrams):
    text = reference.characters(data.decode("utf-8", "replace"), *folding)
    assert analyzer_of(folding, analyzer="char", ngrams=ngrams).terms(data) == reference.char_terms(text, *ngrams)
    padded = analyzer_of(folding, analyzer="char_wb", ngrams=ngrams)
    assert padded.terms(data) == reference.padded_terms(text, *ngrams)


@given(BYTES)
def test_keys_of_characters(data):
    analyzer = Analyzer(analyzer="char", ngrams=(1, 3))
    texts, plan = analyzer.read([data]), analyzer.plan
    n, room = terms_of(texts, 0, plan, make_room(4, 4))
    for k in range(n):
        term = [reference.Unit(char, close=True) for char in text_of(texts, room, k, plan)]
        assert room.keys[k] == reference.key_of(term)


@given(TEXTS, FOLDINGS)
def test_a_text_and_its_bytes_have_the_same_terms(text, folding):
    for name in ("word", "char", "char_wb"):
        analyzer = analyzer_of(folding, analyzer=name, ngrams=(1, 2))
        assert analyzer.terms(text) == analyzer.terms(text.encode())


@given(TEXTS, FOLDINGS, RANGES)
def test_the_text_of_a_term_is_that_term_again(text, folding, ngrams):
    """So what a model is asked about, given as a person writes it, is what was counted."""
    for name in ("word", "char"):
        analyzer = analyzer_of(folding, analyzer=name, ngrams=ngrams)
        texts = analyzer.read([text])
        n, room = terms_of(texts, 0, analyzer.plan, make_room(4, 4))
        for k in range(n):
            assert analyzer.key(text_of(texts, room, k, analyzer.plan)) == room.keys[k]


def test_ten_thousand_random_byte_strings():
    draw = random.Random(20240229)
    parts = [*UTF8_ODD, b"a", b" ", b"'", b"_", b"9", "好".encode(), "ß".encode(), "\u0301".encode(), "😀".encode()]
    for i in range(10_000):
        if i % 2:
            data = b"".join(draw.choices(parts, k=draw.randrange(30)))
        else:
            data = draw.randbytes(draw.randrange(60))
        check_words(data, (i % 3 > 0, i % 5 == 0), (1, 1 + i % 2))


def test_terms_do_not_depend_on_the_documents_around_them():
    rng = np.random.default_rng(7)
    documents = ["Don't", None, "", "好天气 is 一", "\0", "x" * 5000, "ﬃ ﬁ", "3.14 <b>", "a_b 'c' d"] * 3
    analyzer = Analyzer(ngrams=(1, 2))
    texts, room = analyzer.read(documents), make_room(1, 1)
    for row in rng.permutation(len(documents)):
        n, room = terms_of(texts, row, analyzer.plan, room)
        got = [text_of(texts, room, k, analyzer.plan) for k in range(n)]
        assert got == (analyzer.terms(documents[row]) if documents[row] else [])


@given(st.lists(CHUNKS, min_size=1, max_size=4))
def test_bytes_that_are_no_text_separate_like_blanks(chunks):
    broken, blank = b"\xff".join(chunks), b" ".join(chunks)
    for name in ("word", "char", "char_wb"):
        analyzer = Analyzer(analyzer=name, ngrams=(1, 2))
        assert analyzer.terms(broken) == analyzer.terms(blank)
