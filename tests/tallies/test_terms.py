"""Counted terms: the laws of tallies, forged states, and texts that are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from math import log1p, sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes import errors
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State
from tallybayes.tallies.terms import TermTally
from tallybayes.text.analyzer import Analyzer
from tests.laws.tables import CUTS
from tests.text.strategies import BYTES, ODD

SCHEMA = Schema((Field("body", "text", "string", "the texts"),), named=True)
WORDS = Analyzer()
EMPTY = {
    "counts": TermTally.empty("body", WORDS),
    "presences": TermTally.empty("body", Analyzer(ngrams=(1, 2)), measure="presence"),
    "logarithms": TermTally.empty("body", WORDS, measure="log"),
    "of length 1": TermTally.empty("body", Analyzer(analyzer="char", ngrams=(1, 3)), norm=True),
    "hashed": TermTally.empty("body", Analyzer(ngrams=(1, 2), hashed=2)),
    "both": TermTally.empty("body", Analyzer(analyzer=str.split), measure="log", norm=True),
}
every_tally = pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
EXACT = ("count", "presence")

Row = tuple[str | None, str | None, float]
"""A text, its label and its weight."""

ROWS = st.lists(
    st.tuples(
        st.none()
        | st.sampled_from(["", "a", "b a", "a a b", "好坏 好"])
        | st.text(st.sampled_from("ab 好ß\0"), max_size=9),
        st.none() | st.sampled_from(["x", "y", "z"]),
        # Eighths, whose sums are exact in any order.
        st.integers(0, 24).map(lambda eighths: eighths / 8),
    ),
    max_size=12,
)


def batch(rows: Sequence[Row], *, kind: pa.DataType | None = None, weighted: bool = True):
    cells = pa.RecordBatch.from_arrays([pa.array([text for text, _, _ in rows], kind or pa.string())], names=["body"])
    weights = np.array([weight for _, _, weight in rows]) if weighted else None
    target = pa.array([label for _, label, _ in rows], pa.string())
    return encode(Rows(cells, ("body",), target, weights), SCHEMA, target_type="string")


def called(analyzer: Analyzer, term: str) -> str:
    return analyzer.bucket_name(analyzer.key(term)) if analyzer.hashed else term


def count(empty: TermTally, rows: Sequence[Row]) -> TermTally:
    return empty.count(batch(rows))


def same(a: TermTally, b: TermTally) -> None:
    """Two tallies are equal: to the last bit what is exact, and other sums to 1e-12."""
    assert (a.names, a.classes, a.options()) == (b.names, b.classes, b.options())
    for name in ("keys", "text_at", "text", "start", "classes", "rows"):
        np.testing.assert_array_equal(getattr(a.counted, name), getattr(b.counted, name), err_msg=name)
    np.testing.assert_array_equal(a.n_rows, b.n_rows)
    np.testing.assert_array_equal(a.weights, b.weights)
    if a.measure in EXACT and not a.norm:
        np.testing.assert_array_equal(a.counted.sums, b.counted.sums)
    else:
        np.testing.assert_allclose(a.counted.sums, b.counted.sums, rtol=1e-12, atol=1e-12)


def pieces(rows: list[Row], cuts: list[int]) -> list[list[Row]]:
    bounds = [0, *sorted(cut % (len(rows) + 1) for cut in cuts), len(rows)]
    return [rows[a:b] for a, b in pairwise(bounds)]


# What is counted --------------------------------------------------------------------------------------------------


@every_tally
@given(rows=ROWS)
def test_the_sums_of_a_slow_count(empty: TermTally, rows: list[Row]) -> None:
    found = count(empty, rows)
    documents: Counter[tuple[str, str]] = Counter()
    sums: Counter[tuple[str, str]] = Counter()
    texts: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for text, label, weight in rows:
        if text is None or label is None or weight == 0:
            continue
        texts[label] += 1
        weights[label] += weight
        frequency = Counter(called(empty.analyzer, term) for term in empty.analyzer.terms(text))
        measured = {term: {"count": f, "presence": 1, "log": log1p(f)}[empty.measure] for term, f in frequency.items()}
        length = sqrt(sum(value**2 for value in measured.values())) if empty.norm else 1.0
        for term, value in measured.items():
            documents[label, term] += 1
            sums[label, term] += weight * value / length
    assert dict(zip(found.classes, found.n_rows.tolist(), strict=True)) == texts
    assert dict(zip(found.classes, found.weights.tolist(), strict=True)) == weights
    n, total = found.rows_of(found.classes), found.sums_of(found.classes)
    terms = found.terms()
    assert sorted(terms) == sorted({term for _, term in documents})
    for t, term in enumerate(terms):
        assert found.term(t) == term
        for c, label in enumerate(found.classes):
            assert n[t, c] == documents[label, term]
            assert total[t, c] == pytest.approx(sums[label, term], rel=1e-12)


def test_other_classes_have_zeros() -> None:
    found = count(EMPTY["counts"], [("a a b", "x", 1.0), ("b", "y", 2.0)])
    asked = Values(["w", "y"])
    assert dict(zip(found.terms(), found.sums_of(asked).tolist(), strict=True)) == {"a": [0, 0], "b": [0, 2]}
    assert dict(zip(found.terms(), found.rows_of(asked).tolist(), strict=True)) == {"a": [0, 0], "b": [0, 1]}
    assert [part.tolist() for part in found.texts_of(asked)] == [[0, 1], [0.0, 2.0]]


# Laws -------------------------------------------------------------------------------------------------------------


@every_tally
@given(rows=ROWS, cuts=CUTS, data=st.data())
def test_any_chunks_in_any_order_give_the_same(empty: TermTally, rows: list[Row], cuts: list[int], data) -> None:
    whole, parts = count(empty, rows), [count(empty, piece) for piece in pieces(rows, cuts)]
    same(reduce(lambda a, b: a + b, parts, empty), whole)
    shuffled = data.draw(st.permutations(parts))
    same(reduce(lambda a, b: a + b, shuffled, empty), whole)
    same(reduce(lambda a, b: b + a, shuffled, empty), whole)
    same(reduce(lambda a, piece: a.update(batch(piece)), pieces(rows, cuts), empty), whole)


@every_tally
@given(ROWS, ROWS, ROWS)
def test_monoid(empty: TermTally, one: list[Row], two: list[Row], three: list[Row]) -> None:
    a, b, c = (count(empty, rows) for rows in (one, two, three))
    same((a + b) + c, a + (b + c))
    same(a + b, b + a)
    for sum_ in (a + empty, empty + a, a - empty):
        same(sum_, a)
        np.testing.assert_array_equal(sum_.counted.sums, a.counted.sums)


@every_tally
@given(ROWS, ROWS)
def test_taking_out_what_was_added(empty: TermTally, one: list[Row], two: list[Row]) -> None:
    a, b = count(empty, one), count(empty, two)
    same((a + b) - b, a)
    same(a - a, empty)


@every_tally
@given(ROWS, ROWS)
def test_rows_that_were_never_counted_are_refused(empty: TermTally, one: list[Row], two: list[Row]) -> None:
    a, both = count(empty, one), count(empty, one) + count(empty, two)
    if len(both.classes):
        with pytest.raises(errors.MergeError, match="never learned"):
            a - both - both


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "z", 1.0)], "class 'z' was never seen"),
        ([("a", "x", 1.0)] * 3, "class 'x' has fewer texts"),
        ([("c", "x", 1.0)], "the term 'c' is in fewer texts"),
        ([("好", "x", 1.0)], "the term '好' is in fewer texts"),
        ([("c", "x", 1.0), ("a", "x", 1.0)], "the term 'c'"),
    ],
)
def test_the_reason_of_a_refusal(rows: list[Row], said: str) -> None:
    whole = count(EMPTY["counts"], [("a", "x", 1.0), ("a b", "x", 1.0), ("c 好", "y", 1.0)])
    with pytest.raises(errors.MergeError, match=said):
        whole - count(EMPTY["counts"], rows)


@pytest.mark.parametrize("word", ["analyzer", "measure", "norm"])
def test_tallies_of_other_terms_do_not_add(word: str) -> None:
    other = {"analyzer": Analyzer(lowercase=False), "measure": "presence", "norm": True}[word]
    with pytest.raises(errors.MergeError, match=word):
        EMPTY["counts"] + replace(EMPTY["counts"], **{word: other})
    with pytest.raises(errors.MergeError, match="subject"):
        EMPTY["counts"] + TermTally.empty("subject", WORDS)


# Stored -----------------------------------------------------------------------------------------------------------


@every_tally
@given(rows=ROWS)
def test_state_comes_back(empty: TermTally, rows: list[Row]) -> None:
    a = count(empty, rows)
    state = a.state()
    again = TermTally.from_state(State(dict(state.header), dict(state.arrays)))
    same(again, a)
    same(again + a, a + a)


SOUND = count(EMPTY["counts"], [("b a a", "x", 1.0), ("b c 好", "y", 2.0), (None, "y", 1.0), ("", "x", 0.5)]).state()


def test_the_state_before_it_is_forged() -> None:
    found = TermTally.from_state(SOUND)
    assert sorted(found.terms()) == ["a", "b", "c", "好"]
    assert found.n_rows.tolist() == [2, 1]


def forged(name: str, change) -> State:
    if name in SOUND.header:
        return State({**SOUND.header, name: change}, SOUND.arrays)
    return State(SOUND.header, {**SOUND.arrays, name: change(SOUND.arrays[name].copy())})


def _put(place: int, value: float):
    def change(array: np.ndarray) -> np.ndarray:
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("names", ["body", "subject"]),
        ("names", None),
        ("classes", ["y", "x"]),
        ("classes", ["x"]),
        ("measure", "tfidf"),
        ("norm", 1),
        ("analyzer", {"analyzer": "word"}),
        ("analyzer", None),
        ("keys", lambda keys: keys[::-1].copy()),
        ("keys", lambda keys: keys.astype(np.int64)),
        ("keys", lambda keys: keys[:-1]),
        ("keys", _put(0, 0)),
        ("keys", lambda keys: np.repeat(keys[:1], len(keys))),
        ("text_at", _put(0, 1)),
        ("text_at", _put(-1, 1 << 40)),
        ("text_at", _put(1, 1 << 40)),
        ("text_at", _put(1, -1)),
        ("text", lambda text: text[:-1]),
        ("text", lambda text: np.full(len(text), 0xFF, np.uint8)),
        ("text", lambda text: np.full(len(text), 0xC3, np.uint8)),
        ("text", lambda text: text[::-1].copy()),  # the three bytes of 好 in another order
        ("start", _put(0, 1)),
        ("start", _put(1, 0)),
        ("start", _put(1, 1 << 40)),
        ("start", _put(-1, 1 << 40)),
        ("start", _put(-1, 4)),
        ("entry_classes", _put(0, 2)),
        ("entry_classes", _put(0, -1)),
        ("entry_classes", np.zeros_like),
        ("entry_rows", _put(0, 0)),
        ("entry_rows", _put(0, 3)),
        ("entry_rows", _put(0, -1)),
        ("entry_rows", lambda rows: rows.astype(np.float64)),
        ("entry_sums", _put(0, -1.0)),
        ("entry_sums", _put(0, np.nan)),
        ("entry_sums", _put(0, np.inf)),
        ("n_rows", _put(0, 0)),
        ("n_rows", _put(1, -2)),
        ("n_rows", lambda rows: rows[:1]),
        ("weights", _put(0, -0.5)),
        ("weights", _put(0, np.nan)),
    ],
)
def test_a_forged_state_is_refused(name: str, change) -> None:
    with pytest.raises(errors.ModelFileError):
        TermTally.from_state(forged(name, change))


@pytest.mark.parametrize("name", [*SOUND.arrays])
def test_a_state_without_an_array_is_refused(name: str) -> None:
    with pytest.raises(errors.ModelFileError):
        TermTally.from_state(State(SOUND.header, {key: a for key, a in SOUND.arrays.items() if key != name}))


def test_more_texts_than_rows_are_refused() -> None:
    found = TermTally.from_state(SOUND)
    assert found.agrees(Values(["x", "y"]), np.array([2, 1]))
    assert found.agrees(Values(["x", "y", "z"]), np.array([2, 5, 1]))  # texts may be missing
    assert not found.agrees(Values(["x", "y"]), np.array([1, 1]))
    assert not found.agrees(Values(["x"]), np.array([2]))


# Texts that are none ----------------------------------------------------------------------------------------------


def test_missing_texts_leave_no_trace_and_empty_ones_count() -> None:
    found = count(EMPTY["counts"], [(None, "x", 1.0), ("", "y", 1.0), ("  !", "y", 1.0), (None, "y", 1.0)])
    assert list(found.classes) == ["y"]
    assert (found.n_rows.tolist(), found.weights.tolist(), len(found)) == ([2], [2.0], 0)


def test_null_characters_separate_words_and_are_characters() -> None:
    rows: list[Row] = [("a\0b\0\0a", "x", 1.0)]
    words = count(EMPTY["counts"], rows)
    assert dict(zip(words.terms(), words.counted.sums.tolist(), strict=True)) == {"a": 2.0, "b": 1.0}
    given_terms = count(TermTally.empty("body", Analyzer(analyzer=str.split)), rows)
    assert given_terms.terms() == ["a\0b\0\0a"]


BROKEN = [b"good \xff\xfe word", b"\xc3", b"\xed\xa0\x80 half", b"a\0b", b"\xf5\x80\x80\x80", b"\x80" * 50, b"", None]


@pytest.mark.parametrize("analyzer", [WORDS, Analyzer(analyzer="char_wb", ngrams=(1, 3)), Analyzer(analyzer=str.split)])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_invalid_utf8_is_counted_and_stored(analyzer: Analyzer, kind: pa.DataType) -> None:
    binary = pa.array(BROKEN, pa.large_binary() if kind == pa.large_string() else pa.binary())
    column = pa.Array.from_buffers(kind, len(binary), binary.buffers())
    cells = pa.RecordBatch.from_arrays([column], names=["body"])
    rows = Rows(cells, ("body",), pa.array(["x", "y"] * 4))
    found = TermTally.empty("body", analyzer).count(encode(rows, SCHEMA, target_type="string"))
    assert found.n_rows.tolist() == [4, 3]
    assert [term.encode("utf-8", "surrogatepass") for term in found.terms()]
    same(TermTally.from_state(found.state()), found)
    same(found - found, TermTally.empty("body", analyzer))
    if analyzer == WORDS:
        assert {"good", "word", "half", "a", "b"} <= set(found.terms())


EVENTS = ("multinomial", "bernoulli", "binary")
MODELS = [
    tb.TextNB(event=event, analyzer=analyzer, ngrams=ngrams).fit(
        [*ODD.split(), "one two", "two 好 three", ODD],
        [*"ab" * (len(ODD.split()) // 2), *"a" * (len(ODD.split()) % 2), *"abb"],
    )
    for event, analyzer, ngrams in zip(EVENTS, ("word", "char_wb", "char"), ((1, 2), (1, 3), (2, 2)), strict=True)
]


@pytest.mark.parametrize("model", MODELS, ids=EVENTS)
def test_random_bytes_are_classified(model: tb.TextNB) -> None:
    rng = np.random.default_rng(11)
    sizes = rng.integers(0, 60, 1000)
    every = [rng.integers(0, 256, size, np.uint8).tobytes() for size in sizes.tolist()]
    for binary, kind in ((pa.binary(), pa.string()), (pa.large_binary(), pa.large_string())):
        column = pa.array(every, binary)
        texts = pa.Array.from_buffers(kind, len(column), column.buffers())
        found = model.predict_proba(texts)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert set(model.predict(texts).tolist()) <= {"a", "b"}
        alone = np.vstack([model.predict_proba(texts[i : i + 1]) for i in range(0, 1000, 97)])
        np.testing.assert_array_equal(found[::97], alone)


@given(BYTES)
def test_odd_bytes_are_classified(data: bytes) -> None:
    column = pa.array([data], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), 1, column.buffers())
    for model in MODELS:
        assert np.isfinite(model.predict_log_proba(texts)).all()


def test_bytes_and_halves_of_surrogate_pairs_are_texts() -> None:
    given_bytes = [b"cheap \xff pills", None, b"lunch\0noon", "see \ud800you".encode("utf-8", "surrogatepass")]
    labels = ["spam", "ham", "ham", "ham"]
    expected = tb.TextNB().fit(["cheap pills", None, "lunch noon", "see you"], labels)
    asked = expected.predict_log_proba(["cheap lunch you", "\ufffd"])
    for texts in (given_bytes, pa.array(given_bytes), pa.array(given_bytes, pa.large_binary()), np.array(given_bytes)):
        model = tb.TextNB().fit(texts, labels)
        same(model.tallies_["text"], expected.tallies_["text"])
        for question in (["cheap lunch \udfffyou", "\ud800"], [b"cheap \xfflunch you", "\udc00"]):
            np.testing.assert_array_equal(model.predict_log_proba(question), asked)
