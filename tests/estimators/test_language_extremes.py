"""Language models at their limits: every order and smoothing, odd texts, everything forgotten, draws, long texts."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import tallybayes as tb
from tallybayes import errors
from tallybayes.kernels import drawing
from tallybayes.models.smoothing import Smoothing

SMOOTHINGS = get_args(Smoothing)
ODD = [
    "the cat sat on the mat",
    "the dog\0sat on the cat",
    "今天天气很好",
    "",
    "\0",
    "a",
    "the the the the the the the the",
    "Ünïcödé \U0001f600 d'accord 3.14",
    "the cat sat",
]
ASKED = [
    *ODD,
    "never seen",
    "the never",
    "天气不好",
    "never the cat sat",
    "the cat sat on the mat the dog sat on the cat",
]


def same(one: tb.LanguageModel, two: tb.LanguageModel) -> None:
    for key, tally in one.tallies_.items():
        ours, theirs = tally.state(), two.tallies_[key].state()
        assert ours.header == theirs.header
        for name, array in ours.arrays.items():
            np.testing.assert_array_equal(array, theirs.arrays[name], err_msg=f"{key} {name}")


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("boundaries", [True, False], ids=["boundaries", "chain"])
@pytest.mark.parametrize("unit", ["word", "char"])
def test_every_order_and_smoothing(order: int, boundaries: bool, unit: str, tmp_path: Path) -> None:
    model = tb.LanguageModel(order=order, boundaries=boundaries, unit=unit).fit(ODD)
    for smoothing in SMOOTHINGS:
        model.set_params(smoothing=smoothing, amount=0.5)
        found = model.log_probs(ASKED)
        assert not np.isnan(found).any()
        # Text by text, unit by unit, and what may come next, which are three ways through the model.
        for text, log in zip(ASKED, found.tolist(), strict=True):
            each = model.unit_log_probs(text)
            assert sum(one for _, one in each) == pytest.approx(log, rel=1e-12)
            assert model.log_prob(text) == log
        context = "the cat"
        shares = model.next(context)
        if smoothing != "stupid-backoff":
            assert sum(shares.values()) == pytest.approx(1.0, abs=1e-12)
        asked = context + ("" if unit == "char" else " ") + "s" + ("" if unit == "char" else "at")
        place = {True: -2, False: -1}[boundaries]
        name, log = model.unit_log_probs(asked)[place]
        assert math.exp(log) == pytest.approx(shares[name], rel=1e-12)
        model.save(tmp_path / "m.tally")
        again = tb.load(tmp_path / "m.tally")
        np.testing.assert_array_equal(again.log_probs(ASKED), found)
        assert pickle.loads(pickle.dumps(model)).log_prob("the cat") == model.log_prob("the cat")
        assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_everything_is_forgotten_text_by_text(smoothing: Smoothing) -> None:
    model = tb.LanguageModel(order=3, smoothing=smoothing).fit(ODD)
    for k in range(len(ODD) - 1):
        model.forget([ODD[k]])
        fresh = tb.LanguageModel(order=3, smoothing=smoothing).fit(ODD[k + 1 :])
        np.testing.assert_array_equal(model.log_probs(ASKED), fresh.log_probs(ASKED))
    nothing = model.forget(ODD[-1:])
    assert nothing.vocabulary_ == []
    end = {"lidstone": 1.0, "mle": 0.0, "stupid-backoff": 0.4**3 / 2}.get(smoothing, 0.5)
    assert nothing.next("the").get("</s>") == pytest.approx(end)
    assert nothing.sample(2, random_state=0) == ["", ""]
    same(nothing.partial_fit(["a b"]), tb.LanguageModel().fit(["a b"]))


def test_merges_in_any_order_and_ten_shards() -> None:
    texts = [f"{a} {b} {c}" for a in "abcd" for b in "abc" for c in "ab"] * 3
    whole = tb.LanguageModel(order=4).fit(texts)
    shards = [tb.LanguageModel(order=4).fit(texts[k::10]) for k in range(10)]
    same(sum(shards), whole)
    for order in list(permutations(range(3))):
        three = [shards[k] for k in order]
        same(three[0] + (three[1] + three[2]), sum(shards[:3]))
    rng = np.random.default_rng(0)
    left = [shards[k] for k in rng.permutation(10)]
    while len(left) > 1:
        a, b = left.pop(int(rng.integers(len(left)))), left.pop()
        left.append(a + b)
    same(left[0], whole)


def test_many_times_the_same_text() -> None:
    n = 100_000
    model = tb.LanguageModel(order=3, smoothing="mle").fit(["a b a"] * n)
    assert model.log_prob("a b a") == 0.0
    model.set_params(smoothing="witten-bell")
    # One unit: a 2n, b n, </s> n of 4n, three kinds, and the uniform distribution over them and <unk>.
    low = (2 * n + 3 / 4) / (4 * n + 3)
    two = (n + low) / (n + 1)
    assert model.unit_log_probs("a")[0][1] == pytest.approx(math.log(two), rel=1e-12)
    assert model.perplexity(["a b a"] * n) == pytest.approx(model.perplexity(["a b a"]), rel=1e-9)
    assert model.forget(["a b a"] * n).vocabulary_ == []


def test_a_text_longer_than_any_portion() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in (rng.zipf(1.4, 30_000) % 500).tolist()]
    model = tb.LanguageModel(order=3, boundaries=False).fit([" ".join(words)])
    asked = " ".join(words[:20_000])
    each = [log for _, log in model.unit_log_probs(asked)]
    # A window sees what the whole text sees, from its third unit on.
    for at in (4_000, 4_094, 4_096, 8_190, 19_000):
        window = [log for _, log in model.unit_log_probs(" ".join(words[at : at + 10]))]
        assert each[at + 2 : at + 10] == window[2:]
    parts = [" ".join(words[k : k + size]) for k, size in enumerate(rng.integers(0, 40, 3_000).tolist())]
    logs = model.log_probs(parts)
    assert logs[::97].tolist() == [model.log_prob(part) for part in parts[::97]]


@pytest.mark.parametrize("boundaries", [True, False], ids=["boundaries", "chain"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("weighed", [False, True], ids=["by contexts", "all weighed"])
def test_draws_have_the_shares_of_the_model(
    smoothing: Smoothing, boundaries: bool, weighed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["a b c", "a b d", "b a", "c c a b", "d", "a c b a b"] * 2
    model = tb.LanguageModel(order=3, smoothing=smoothing, boundaries=boundaries).fit(texts)
    language = model._language()
    n = 20_000
    for context in ("", "a b", "b", "c d", "zz", "a zz", "zz a"):
        shares = model.next(context)
        shares.pop("<unk>", None)
        whole = sum(shares.values())
        if weighed:
            state, before = language.state(context)
            path = np.empty(4, np.int32)
            size = drawing._path_of(language.trie, language.rule, state, before, path)
            random = np.array([7], np.uint64)
            units = len(language.keys) + boundaries
            drawn = [drawing._weighed(language.trie, language.rule, path, size, units, random) for _ in range(n // 20)]
            found = Counter(language.name(unit) for unit in drawn)
        else:
            found = Counter(text or "</s>" for text in model.sample(n, context=context, length=1, random_state=5))
        total = sum(found.values())
        # Pearson's chi-square, far beyond its expectation of one for each unit but one.
        expected = {unit: total * share / whole for unit, share in shares.items() if share > 0}
        assert set(found) <= set(expected)
        assert sum((found[unit] - e) ** 2 / e for unit, e in expected.items()) < 30


def test_a_draw_is_as_long_as_it_is_said_to_be() -> None:
    model = tb.LanguageModel(order=2, boundaries=False).fit(["a b c a"])
    assert [len(text.split()) for text in model.sample(3, length=70_000, random_state=1)] == [70_000] * 3
    assert model.sample(0) == []
    assert model.sample(2, length=0) == ["", ""]
    # However much room there was before, a text is the same.
    assert model.sample(1, length=70_000, random_state=1)[0].startswith(model.sample(1, length=99, random_state=1)[0])


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.text("ab好\0 ", max_size=8), st.sampled_from("xyz")), max_size=12),
    st.lists(st.text("abc好 ", max_size=8), max_size=4),
    st.floats(0.01, 10),
)
def test_one_unit_by_lidstone_is_text_nb(rows: list[tuple[str, str]], asked: list[str], amount: float) -> None:
    texts, labels = (list(part) for part in zip(("a", "x"), ("好", "y"), *rows, strict=True))
    # Characters, since TextNB also takes pairs of those of scripts without blanks.
    ours = tb.NGramClassifier(order=1, unit="char", smoothing="lidstone", boundaries=False, amount=amount)
    theirs = tb.TextNB(analyzer="char", smoothing=amount)
    found, expected = (model.fit(texts, labels).predict_joint_log_proba([*texts, *asked]) for model in (ours, theirs))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_file_that_is_read_in_pieces(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 300, n).tolist()) for n in rng.integers(0, 12, 70_000).tolist()]
    (tmp_path / "t.csv").write_text("id,body\n" + "".join(f"{k},{text}\n" for k, text in enumerate(texts)))
    whole = tb.LanguageModel(order=2, text="body").fit(tmp_path / "t.csv")
    # An empty cell of a CSV file is a missing text.
    plain = tb.LanguageModel(order=2).fit([text or None for text in texts])
    assert whole.log_prob("w1 w2 w3") == plain.log_prob("w1 w2 w3")
    np.testing.assert_array_equal(whole.log_probs(tmp_path / "t.csv"), plain.log_probs([t or None for t in texts]))


def test_perplexity_of_empty_texts() -> None:
    model = tb.LanguageModel().fit(["a b", "a"])
    # An empty text has its end.
    assert model.perplexity([""]) == pytest.approx(math.exp(-model.log_prob("")))
    assert model.perplexity(["", None]) == model.perplexity([""])
    with pytest.raises(errors.EmptyDataError, match="no unit"):
        model.perplexity([None])
    with pytest.raises(errors.EmptyDataError, match="no unit"):
        tb.LanguageModel(boundaries=False).fit(["a b"]).perplexity(["", ""])


def test_weights_are_refused_where_there_are_none() -> None:
    with pytest.raises(TypeError, match="sample_weight"):
        tb.LanguageModel().fit(["a"], sample_weight=[2.0])  # type: ignore[call-arg]
    twice = tb.NGramClassifier(smoothing="witten-bell").fit(["a b", "b"], ["x", "y"], [2, 1])
    plain = tb.NGramClassifier(smoothing="witten-bell").fit(["a b", "a b", "b"], ["x", "x", "y"])
    np.testing.assert_array_equal(twice.predict_joint_log_proba(["a b"]), plain.predict_joint_log_proba(["a b"]))
    for weight in (0.5, -1.0, math.nan, math.inf, 1e300):
        with pytest.raises(errors.WeightError):
            tb.NGramClassifier().fit(["a", "b"], ["x", "y"], [weight, 1.0])
