"""Texts whose terms are hashed: as many bits as there may be change nothing, few bound the memory."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.kernels.hashing import bucket
from tallybayes.kernels.vocabulary import odd_number
from tallybayes.tallies.terms import TermTally
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.lookup import looked_up
from tallybayes.text.numbering import Numbering, vocabulary_of
from tests.text import reference

WORDS = [f"word{i}" for i in range(200)]


def corpus(seed: int, n: int = 60, words: list[str] = WORDS) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(["x", "y", "z"], n).tolist()
    texts = [
        " ".join(words[i] for i in rng.geometric(0.03, int(rng.integers(0, 25))) % len(words)) + f" {label}" * 2
        for label in labels
    ]
    return texts, labels


ASKED = ["word1 word2 x x x", "never seen, never ever", "", "word3 strange strange words word3", "y"]

OPTIONS: list[dict[str, Any]] = [
    {},
    {"event": "binary", "ngrams": (1, 2)},
    {"event": "bernoulli"},
    {"event": "complement"},
    {"tf": "log", "norm": True, "idf": True},
    {"norm": True, "vocabulary": "per-class", "prior": "tokens"},
    {"analyzer": "char_wb", "ngrams": (2, 3), "smoothing": 0.1},
    {"analyzer": str.split, "smoothing": 0.0},
    {"stop_words": ["word1", "word7"], "min_df": 4},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_many_bits_change_nothing(options: dict[str, Any]) -> None:
    texts, labels = corpus(1)
    plain = tb.TextNB(**options).fit(texts, labels)
    hashed = tb.TextNB(**options, hashed=31).fit(texts, labels)
    ours, theirs = hashed.tallies_["text"], plain.tallies_["text"]
    assert len(ours) == len(theirs)  # no two terms share their bits here
    assert len(ours.counted.text) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.ZeroProbabilityWarning)  # without smoothing, a text may be impossible
        np.testing.assert_allclose(hashed.predict_proba(texts), plain.predict_proba(texts), rtol=1e-11)
        np.testing.assert_allclose(hashed.predict_proba(ASKED * 40), plain.predict_proba(ASKED * 40), rtol=1e-11)
        for text in ASKED:
            np.testing.assert_allclose(hashed.predict_proba([text]), plain.predict_proba([text]), rtol=1e-11)
    if options.get("event") != "complement":
        one, other = hashed.highlight(texts[0]), plain.highlight(texts[0])
        assert one.terms == other.terms
        np.testing.assert_allclose(one.contributions, other.contributions, rtol=1e-9, atol=1e-12)


def test_few_bits_bound_the_terms_and_counts_add_up() -> None:
    rng = np.random.default_rng(2)
    texts = [" ".join(f"t{i}" for i in rng.integers(0, 100_000, 50)) for _ in range(200)]
    labels = rng.choice(["a", "b"], 200)
    tally = tb.TextNB(hashed=6).fit(texts, labels).tallies_["text"]
    assert len(tally) == 64
    assert len(tally.counted.text) == 0
    expected: Counter[tuple[str, str]] = Counter()
    present: Counter[tuple[str, str]] = Counter()
    for text, label in zip(texts, labels.tolist(), strict=True):
        names = [f"#{reference.hash_of(word.encode()) % 64}" for word in text.split()]
        expected.update((name, label) for name in names)
        present.update((name, label) for name in set(names))
    sums, rows = tally.sums_of(tally.classes), tally.rows_of(tally.classes)
    assert sorted(tally.terms()) == sorted(f"#{n}" for n in range(64))
    for t, name in enumerate(tally.terms()):
        assert name == tally.term(t)
        assert sums[t].tolist() == [expected[name, c] for c in "ab"]
        assert rows[t].tolist() == [present[name, c] for c in "ab"]


def test_stop_words_are_left_out_before_terms_are_hashed() -> None:
    tally = tb.TextNB(hashed=1, stop_words=["the"], ngrams=(1, 2)).fit(["the", "the cat"], ["a", "b"]).tallies_["text"]
    assert tally.sums_of(tally.classes).sum() == 1  # cat alone, whatever bucket the others would be in


@pytest.mark.parametrize("bits", [3, 20])
def test_models_add_learn_on_and_forget(bits: int) -> None:
    texts, labels = corpus(3)
    whole = tb.TextNB(hashed=bits).fit(texts, labels)
    added = tb.TextNB(hashed=bits).fit(texts[:25], labels[:25]) + tb.TextNB(hashed=bits).fit(texts[25:], labels[25:])
    grown = tb.TextNB(hashed=bits).fit(texts[:25], labels[:25]).partial_fit(texts[25:], labels[25:])
    for other in (added, grown):
        for mine, yours in zip(whole.tallies_["text"].counted, other.tallies_["text"].counted, strict=True):
            np.testing.assert_array_equal(mine, yours)
    few = tb.TextNB(hashed=bits).fit(texts[:25], labels[:25])
    grown.forget(texts[25:], labels[25:])
    for mine, yours in zip(few.tallies_["text"].counted, grown.tallies_["text"].counted, strict=True):
        np.testing.assert_array_equal(mine, yours)
    with pytest.raises(errors.MergeError, match="never learned"):
        few.forget(texts[25:], labels[25:])


def test_models_with_other_bits_do_not_add() -> None:
    texts, labels = corpus(4)
    hashed = tb.TextNB(hashed=8).fit(texts, labels)
    for other in (None, 9):
        with pytest.raises(errors.MergeError, match=f"hashed=8 and hashed={other}"):
            hashed + tb.TextNB(hashed=other).fit(texts, labels)
        with pytest.raises(errors.MergeError, match="hashed"):
            hashed.tallies_["text"] + tb.TextNB(hashed=other).fit(texts, labels).tallies_["text"]
    with pytest.raises(errors.OptionError, match="Call fit again"):
        hashed.set_params(hashed=9).predict(texts)


def test_a_saved_model_answers_and_learns_on(tmp_path: Path) -> None:
    texts, labels = corpus(5)
    model = tb.TextNB(hashed=12).fit(texts, labels)
    model.save(tmp_path / "hashed.tally")
    loaded = tb.load(tmp_path / "hashed.tally")
    assert loaded.hashed == 12
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), model.predict_proba(ASKED))
    loaded.partial_fit(ASKED, ["x"] * 5)
    np.testing.assert_array_equal(loaded.predict_proba(texts), model.partial_fit(ASKED, ["x"] * 5).predict_proba(texts))


def test_a_file_made_by_hand_is_refused() -> None:
    state = tb.TextNB(hashed=5).fit(["one two", "three"], ["a", "b"]).tallies_["text"].state()
    keys = state.arrays["keys"].copy()
    keys[-1] = 33  # of 1 to 32
    for forged in (
        {"keys": keys},
        {"text": np.frombuffer(b"one", np.uint8), "text_at": np.array([0, 0, 1, 3])},
    ):
        with pytest.raises(errors.ModelFileError, match="damaged"):
            TermTally.from_state(replace(state, arrays={**state.arrays, **forged}))
    header = {**state.header, "analyzer": {**state.header["analyzer"], "hashed": 77}}
    with pytest.raises(errors.ModelFileError, match="hashed=77"):
        TermTally.from_state(replace(state, header=header))


def test_files_of_before_there_were_hashed_terms_are_read() -> None:
    state = tb.TextNB().fit(["one two", "three"], ["a", "b"]).tallies_["text"].state()
    assert "hashed" not in state.header["analyzer"]
    assert TermTally.from_state(state).analyzer.hashed is None


def test_what_a_bucket_is_called() -> None:
    model = tb.TextNB(hashed=1).fit(["aa bb cc dd ee ff", "gg hh"], ["x", "y"])
    names = {f"#{reference.hash_of(word.encode()) % 2}" for word in ["aa", "bb", "cc", "dd", "ee", "ff"]}
    assert {"#0", "#1"} == names == set(model.telling_terms("x").terms[0])
    found = model.highlight("aa bb cc aa")
    assert found.terms == ("aa", "bb", "cc", "aa")
    by_bucket: dict[int, list[str]] = {}
    for word in ("aa", "bb", "cc"):
        by_bucket.setdefault(reference.hash_of(word.encode()) % 2, []).append(word)
    assert sorted(found.evidence.names) == sorted(" / ".join(words) for words in by_bucket.values())
    assert np.isclose(found.contributions.sum() + found.evidence.prior[0], found.log_odds)


def test_the_last_bucket_is_that_of_0() -> None:
    for bits in (1, 7, 31):
        assert int(bucket(np.uint64(5 << 40), bits)) == 1 << bits
        assert int(bucket(np.uint64((9 << 40) | 1), bits)) == 1
    assert odd_number(np.uint64(1 << 31), 31) == -(2**31)  # of 32 bits, as numbers are
    assert odd_number(np.uint64(1), 31) == -1
    assert odd_number(np.uint64(2**64 - 1), 0) == -(2**30)


@pytest.mark.parametrize("bits", [None, 4, 31])
def test_terms_of_few_texts_are_numbered_as_by_a_table(bits: int | None) -> None:
    analyzer = Analyzer(hashed=bits)
    keys = np.unique(np.array([analyzer.key(word) for word in WORDS[:50]], np.uint64))
    texts = analyzer.read(pa.array([*corpus(6)[0], *ASKED]))
    numbers = [
        np.concatenate([block.numbers.copy() for block in blocks])
        for blocks in (looked_up(analyzer, keys, texts), Numbering(analyzer, vocabulary_of(keys)).blocks(texts))
    ]
    np.testing.assert_array_equal(*numbers)
    assert (numbers[0] >= 0).any()


@pytest.mark.parametrize("bits", [0, 32, -1, 2.0, "8", True, np.nan])
def test_bits_that_are_none(bits: Any) -> None:
    with pytest.raises(errors.OptionError, match="hashed"):
        tb.TextNB(hashed=bits).fit(["a", "b"], [0, 1])
    with pytest.raises(errors.OptionError, match="bits from 1 to 31"):
        Analyzer(hashed=bits)
