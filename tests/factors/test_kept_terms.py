"""Terms with the same counts share a line of weights; what is estimated is what every term alone would get."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import tallybayes as tb
from tallybayes.factors import kept_terms
from tallybayes.tallies import alike as alike_file
from tallybayes.tallies.alike import alike, picked

CLASSES = 7


def corpus(seed: int, n: int = 120) -> tuple[list[str], np.ndarray]:
    """Few words are frequent, and most are of a single text."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, n)
    labels[:CLASSES] = np.arange(CLASSES)
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.3, rng.integers(1, 30)) % 5000) for _ in range(n)]
    return texts, labels


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_the_terms_with_the_same_entries(seed: int) -> None:
    tally = tb.TextNB().fit(*corpus(seed)).tallies_["text"]
    counted = tally.counted
    group, first = alike(counted)
    entries = [
        tuple(tuple(column[a:b].tolist()) for column in (counted.classes, counted.rows, counted.sums))
        for a, b in zip(counted.start[:-1], counted.start[1:], strict=True)
    ]
    assert len(first) == len(set(entries)) < len(entries) / 2
    for t, own in enumerate(entries):
        assert entries[first[group[t]]] == own
    some = picked(counted, first)
    for g, t in enumerate(first.tolist()):
        part = slice(some.start[g], some.start[g + 1])
        assert tuple(tuple(c[part].tolist()) for c in (some.classes, some.rows, some.sums)) == entries[t]
        assert some.keys[g] == counted.keys[t]


def test_of_no_terms() -> None:
    tally = tb.TextNB().fit(["", "", "", "", ""], list("abcde")).tallies_["text"]
    group, first = alike(tally.counted)
    assert len(group) == len(first) == 0


def test_terms_whose_hashes_are_the_same_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = corpus(5)
    model = tb.TextNB().fit(texts, labels)
    expected = model.predict_log_proba(texts)
    monkeypatch.setattr(alike_file, "_hashes", lambda counted: np.zeros(len(counted.keys), np.uint64))
    group, first = alike(model.tallies_["text"].counted)
    assert group.tolist() == first.tolist() == list(range(len(group)))
    again = tb.TextNB().fit(texts, labels)
    np.testing.assert_array_equal(again.predict_log_proba(texts), expected)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"event": "bernoulli"},
    {"event": "binary", "min_df": 2},
    {"event": "complement", "max_df": 0.3},
    {"event": "bernoulli", "smoothing": 0.0},
    {"smoothing": 0.0},
    {"idf": True, "norm": True, "tf": "log"},
    {"idf": True, "max_terms": 50},
    {"vocabulary": "per-class", "prior": "tokens"},
    {"max_terms": 30, "ranking": "chi2"},
    {"max_terms": 300, "ranking": "mutual-information"},
    {"hashed": 8},
]


@pytest.mark.filterwarnings("ignore::tallybayes.errors.ZeroProbabilityWarning")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_groups_change_nothing(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = corpus(6)
    answers = []
    for few in (kept_terms._FEW, CLASSES):
        monkeypatch.setattr(kept_terms, "_FEW", few)
        model = tb.TextNB(**options).fit(texts, labels)
        joint: Any = model._joint()
        conditional = joint._weights if options.get("event") == "complement" else joint.conditionals["text"]
        answers.append(
            (
                conditional.term_log_prob(),
                conditional.are_certain(),
                model.predict_proba([*texts, "w1 w2 never w3 never"]),
                conditional.digest()["text"]["terms"],
                len(conditional.weights),
            )
        )
    (grouped, certain, said, kept, lines), (alone, surely, told, all_kept, all_lines) = answers
    assert lines < all_lines
    assert kept == all_kept
    np.testing.assert_array_equal(certain, surely)
    np.testing.assert_allclose(grouped, alone, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(said, told, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(
    ("event", "peer", "options"),
    [
        ("multinomial", MultinomialNB(), {}),
        ("multinomial", MultinomialNB(alpha=0.1), {"smoothing": 0.1, "min_df": 2}),
        ("bernoulli", BernoulliNB(), {"min_df": 3}),
        ("complement", ComplementNB(), {}),
    ],
)
def test_scikit_learn_agrees(event: Any, peer: Any, options: dict[str, Any]) -> None:
    texts, labels = corpus(7)
    vectorizer = CountVectorizer(analyzer=str.split, min_df=options.get("min_df", 1))
    theirs = peer.fit(vectorizer.fit_transform(texts), labels)
    ours = tb.TextNB(event=event, **options).fit(texts, labels)
    known = vectorizer.transform(texts)
    np.testing.assert_array_equal(ours.predict(texts), theirs.predict(known))
    if event != "complement":
        np.testing.assert_allclose(ours.predict_log_proba(texts), theirs.predict_log_proba(known), rtol=1e-8, atol=1e-9)
