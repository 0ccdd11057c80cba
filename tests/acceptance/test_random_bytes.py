"""10,000 random byte strings, and as many as hypothesis likes, are learned and classified by every analyzer."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes.tallies.terms import TermTally
from tallybayes.text.analyzer import Analyzer
from tests.text.strategies import BYTES, ODD, UTF8_ODD

READINGS: dict[str, dict[str, Any]] = {
    "words": {},
    "pairs": {"ngrams": (1, 2), "lowercase": False, "strip_accents": True, "stop_words": "english"},
    "markers": {"html": "mark", "urls": "mark", "numbers": "mark", "event": "binary"},
    "skipped": {"html": "skip", "urls": "skip", "numbers": "skip", "norm": True, "tf": "log"},
    "characters": {"analyzer": "char", "ngrams": (1, 3), "event": "bernoulli"},
    "characters of words": {"analyzer": "char_wb", "ngrams": (2, 4), "strip_accents": True, "idf": True},
    "a callable": {"analyzer": str.split, "ngrams": (1, 2)},
    "hashed": {"hashed": 10, "ngrams": (1, 3)},
}
every_reading = pytest.mark.parametrize("options", READINGS.values(), ids=READINGS)

_PIECES = [
    *(char.encode() for char in ODD),
    *UTF8_ODD,
    b"<b>", b"</b>", b"<!--", b"-->", b"<script>", b"&nbsp;", b"http://", b"www.", b"1,000.5", b"don't", b"snake_case",
    b"the", b"Encyclopaedia", b"\xff\xfe", b"\0\0", b" ", b"\n",
]  # fmt: skip


def random_bytes(n: int, seed: int) -> list[bytes]:
    """Bytes by chance, bytes of UTF-8 with a few others among them, and much of the same."""
    rng = random.Random(seed)
    found = []
    for _ in range(n):
        kind, length = rng.random(), rng.choice([0, 1, 2, 5, 9, 30, 80])
        if kind < 0.3:
            found.append(rng.randbytes(length))
        elif kind < 0.9:
            found.append(b"".join(rng.choices(_PIECES, k=length)))
        else:
            found.append(rng.choice(_PIECES) * length)
    return found


def check(model: Any, column: Any, n: int) -> None:
    logs = model.predict_log_proba(column)
    assert logs.shape == (n, len(model.classes_))
    assert not np.isnan(logs).any()
    assert (logs <= 1e-12).all()  # -inf or finite
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-9)
    assert set(model.predict(column)) <= set(model.classes_)


@every_reading
def test_ten_thousand_byte_strings_in_one_run(options: dict[str, Any]) -> None:
    """A share of them for each reading, first unseen, then learned, in one piece that has what is no UTF-8."""
    n = -(-10_000 // len(READINGS))
    texts = random_bytes(n, seed=len(options))
    labels = np.arange(n) % 3
    half = n // 2
    model = tb.TextNB(**options).fit(texts[:half], labels[:half])
    check(model, texts, n)
    model.partial_fit(texts[half:], labels[half:])
    check(model, texts, n)
    assert int(model.tallies_["text"].n_rows.sum()) == n
    model.forget(texts[half:], labels[half:])
    alone = tb.TextNB(**options).fit(texts[:half], labels[:half])
    assert model.tallies_["text"].terms() == alone.tallies_["text"].terms()


@every_reading
@given(texts=st.lists(BYTES, min_size=4, max_size=12))
def test_any_bytes(options: dict[str, Any], texts: list[bytes]) -> None:
    model = tb.TextNB(**options).fit(texts, [0, 1] * (len(texts) // 2) + [0] * (len(texts) % 2))
    check(model, texts, len(texts))


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_bytes_that_no_reader_has_made_utf_8(analyzer: Any) -> None:
    """The kernels themselves, on columns of plain bytes: what they count is what each text alone has."""
    reading = Analyzer(analyzer=analyzer, ngrams=(1, 2), html="mark" if analyzer == "word" else "text")
    texts = random_bytes(1000, seed=9)
    tally = TermTally.empty("body", reading)
    order, bounds = np.arange(len(texts)), np.array([0, len(texts)])
    counted = tally._counted(reading.read(pa.array(texts, pa.large_binary())), order, bounds, np.zeros(0))
    total: dict[str, int] = {}
    for text in texts:
        for term in reading.terms(text):
            total[term] = total.get(term, 0) + 1
    found = [counted.text[a:b].tobytes() for a, b in zip(counted.text_at[:-1], counted.text_at[1:], strict=True)]
    assert {
        term.decode("utf-8", "surrogatepass"): int(often) for term, often in zip(found, counted.sums, strict=True)
    } == total
