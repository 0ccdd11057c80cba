"""Hashes, and that no kernel of texts reads or writes where it should not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybayes.kernels import markup
from tallybayes.kernels.hashing import hash_bytes
from tallybayes.kernels.terms import put_terms, room_for, terms_of
from tallybayes.kernels.texts import Room, Texts, make_room
from tallybayes.kernels.utf8 import decode
from tallybayes.kernels.writing import write_term
from tallybayes.text.analyzer import Analyzer
from tests.text import reference
from tests.text.strategies import ANALYZERS, BYTES

CANARY = 0x5A


def array_of(data: bytes) -> np.ndarray:
    array = np.frombuffer(data, np.uint8)
    array.flags.writeable = False
    return array


@given(st.binary(max_size=40))
@example(b"")
@example(b"\0" * 8)
@example(b"\0" * 7)
def test_the_hash_is_the_documented_one(data):
    assert hash_bytes(array_of(data), 0, len(data)) == reference.hash_of(data)


def test_hashes_stay_what_they_are_in_model_files():
    word, pair = Analyzer().key("spam"), Analyzer(ngrams=(2, 2)).key("free spam")
    assert (hex(word), hex(pair)) == ("0x54773d2b42a35b17", "0x397641d4952af1ce")


def test_short_texts_never_share_a_hash():
    short = [bytes(p) for n in range(3) for p in np.ndindex(*[24] * n)] + [b"\0" * n for n in range(1, 20)]
    distinct = set(short)
    assert len({reference.hash_of(data) for data in distinct}) == len(distinct)


@given(BYTES)
@example("\u07ff\u0800\uffff\U00010000\U0010ffff\ud7ff\ue000".encode())
def test_code_points_are_those_that_python_reads(data):
    at, codes, array = 0, [], array_of(data)
    while at < len(data):
        code, size = decode(array, at, len(data))
        assert 1 <= size <= len(data) - at
        codes.append(chr(code) if code >= 0 else "\ufffd")
        assert code >= 0 or size == 1
        at += size
    joined = "".join(codes)
    while "\ufffd\ufffd" in joined:
        joined = joined.replace("\ufffd\ufffd", "\ufffd")
    expected = data.decode("utf-8", "replace")
    while "\ufffd\ufffd" in expected:
        expected = expected.replace("\ufffd\ufffd", "\ufffd")
    assert joined == expected


def guarded(units: int, terms: int) -> tuple[Room, list[np.ndarray]]:
    """Room whose arrays lie between canaries."""
    plain = make_room(0, 0)
    whole = [
        np.full((n + 16) * a.itemsize, CANARY, np.uint8) for a, n in zip(plain, [units] * 4 + [terms] * 3, strict=True)
    ]
    return Room(*(w.view(a.dtype)[8:-8] for w, a in zip(whole, plain, strict=True))), whole


def untouched(whole: list[np.ndarray], room: Room) -> bool:
    return all(
        (w[: 8 * a.itemsize] == CANARY).all() and (w[len(w) - 8 * a.itemsize :] == CANARY).all()
        for w, a in zip(whole, room, strict=True)
    )


@pytest.mark.parametrize("analyzer", ANALYZERS)
@given(data=BYTES, units=st.integers(0, 9), terms=st.integers(0, 9))
def test_a_room_that_is_too_small_is_not_left(analyzer, data, units, terms):
    texts, plan = analyzer.read([data]), analyzer.plan
    room, whole = guarded(units, terms)
    n = put_terms(texts, 0, plan, room)
    assert untouched(whole, room)
    expected, longer = terms_of(texts, 0, plan, room)
    assert untouched(whole, room)
    if n >= 0:
        assert n == expected
    else:
        longer = room_for(texts, 0, plan, room)
        assert put_terms(texts, 0, plan, longer) == expected
        assert len(longer.hashes) >= units
        assert len(longer.keys) >= terms
    assert len(longer.keys) >= expected
    for k in range(expected):
        size = write_term(texts.data, longer, k, plan, np.empty(0, np.uint8), 0)
        out = np.full(size + 8, CANARY, np.uint8)
        assert write_term(texts.data, longer, k, plan, out[: size // 2], 0) == size
        assert (out[size // 2 :] == CANARY).all()
        out[:] = CANARY
        assert write_term(texts.data, longer, k, plan, out, 3) == size + 3
        assert (out[:3] == CANARY).all()
        assert (out[size + 3 :] == CANARY).all()


AROUND = [b"", b"\x80\x80\x80", b"abc", b"<b>", b"<!--", b"www.", b"\xe5\xa5\xbd", b"'s", b"_9", b".5", b"\xcc\x81"]


@pytest.mark.parametrize("analyzer", [a for a in ANALYZERS if not callable(a.analyzer)])
@given(data=BYTES, before=st.sampled_from(AROUND), after=st.sampled_from(AROUND))
@example(data="好".encode()[:2], before=b"", after="好".encode()[2:])
@example(data="é".encode()[:1], before=b"", after="é".encode()[1:])
@example(data="𝔘".encode()[:3], before=b"", after="𝔘".encode()[3:])
@example(data=b"<!-", before=b"", after=b"-x-->")
@example(data=b"http:/", before=b"", after=b"/x")
@example(data=b"1.", before=b"", after=b"5")
@example(data=b"don'", before=b"", after=b"t")
@example(data=b"&nbsp", before=b"", after=b";")
def test_nothing_outside_the_document_is_read(analyzer, data, before, after):
    plan, whole = analyzer.plan, array_of(before + data + after)
    begin, end = np.array([len(before)]), np.array([len(before) + len(data)])
    n, room = terms_of(Texts(whole, begin, end, np.empty(0, np.int64)), 0, plan, make_room(64, 64))
    m, alone = terms_of(analyzer.read([data]), 0, plan, make_room(64, 64))
    assert room.keys[:n].tolist() == alone.keys[:m].tolist()
    units = max((room.firsts[k] + room.sizes[k] for k in range(n)), default=0)
    assert (room.begins[:units] - len(before)).tolist() == alone.begins[:units].tolist()
    assert (room.ends[:units] - len(before)).tolist() == alone.ends[:units].tolist()


@pytest.mark.parametrize("size", [1_000_000, pytest.param(100_000_000, marks=pytest.mark.slow)])
def test_one_long_token(size):
    data = b"x" * size
    texts, plan = Analyzer().read([data]), Analyzer().plan
    n, room = terms_of(texts, 0, plan, make_room(4, 4))
    assert (n, room.ends[0], len(room.hashes)) == (1, size, 4)
    assert write_term(texts.data, room, 0, plan, np.empty(8, np.uint8), 0) == size
    if size < 10_000_000:
        assert room.keys[0] == reference.hash_of(data)


@pytest.mark.parametrize(
    "part",
    [b"<a ", b"<!--", b"<script>", b"</", b"&a", b"a'", b"a_", b"1.", b"http://", b"a\xe2\x80\x8d'", b"\xcc\x81"],
)
def test_the_time_is_linear_in_the_length(part):
    """A search that begins anew at each of many openings would look at a million million bytes here."""
    analyzer = Analyzer(html="mark", urls="mark", numbers="mark")
    texts = analyzer.read([part * (3_000_000 // len(part))])
    n, _ = terms_of(texts, 0, analyzer.plan, make_room(4, 4))
    assert n >= 0


def test_markup_ends_inside_the_text():
    for data in (
        b"<",
        b"<!",
        b"<!-",
        b"<!--",
        b"<a",
        b"</",
        b"&",
        b"&#",
        b"&#1",
        b"&a",
        b"<script",
        b"<script>",
        b"<style>a",
    ):
        for pad in (b"", b">", b"-->;"):
            end = markup.markup_end(array_of(data + pad), 0, len(data))
            assert 0 <= end <= len(data)
