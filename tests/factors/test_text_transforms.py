"""Logarithms of counts, texts of length 1 and rare terms, against a slow reference and scikit-learn's matrices."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.preprocessing import normalize

import tallybayes as tb
from tallybayes.errors import MergeError, OptionError

TEXTS = ["a a b", "b c c c", "a d", "d d e a", "c e e", "f"]
LABELS = ["x", "x", "x", "y", "y", "y"]
ASKED = ["a a a c", "e", "f f d unseen unseen other", "", "never", "b c a e f d"]
OPTIONS = [
    {"tf": tf, "norm": norm, "idf": idf, "event": event, "smoothing": smoothing}
    for tf, norm, idf, event, smoothing in product(
        ("count", "log"), (False, True), (False, True, "smooth"), ("multinomial", "binary"), (1.0, 0.25)
    )
    if (tf, event) != ("log", "binary")
]


def measured(text: str, options: dict) -> dict[str, float]:
    found = {}
    for term, often in Counter(text.split()).items():
        found[term] = 1.0 if options["event"] == "binary" else math.log(1 + often) if options["tf"] == "log" else often
    length = math.sqrt(sum(value**2 for value in found.values())) if options["norm"] and found else 1.0
    return {term: value / length for term, value in found.items()}


def reference(options: dict) -> list[list[float]]:
    """Return log p(text, c) by the words of the documents: slowly, and term by term."""
    texts_with = Counter(term for text in TEXTS for term in set(text.split()))

    def idf(term: str) -> float:
        if options["idf"] == "smooth":
            return 1.0 + math.log((1 + len(TEXTS)) / (1 + texts_with[term]))
        return math.log(len(TEXTS) / max(texts_with[term], 1)) if options["idf"] else 1.0

    table = []
    for text in ASKED:
        line = []
        for label in ("x", "y"):
            sums = Counter()
            for learned, c in zip(TEXTS, LABELS, strict=True):
                if c == label:
                    for term, value in measured(learned, options).items():
                        sums[term] += idf(term) * value
            whole = sum(sums.values()) + options["smoothing"] * len(texts_with)
            line.append(
                math.log(1 / 2)
                + sum(
                    value * idf(term) * math.log((sums[term] + options["smoothing"]) / whole)
                    for term, value in measured(text, options).items()
                )
            )
        table.append(line)
    return table


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))
def test_the_numbers_of_a_slow_reference(options: dict) -> None:
    model = tb.TextNB(**options).fit(TEXTS, LABELS)
    np.testing.assert_allclose(model.predict_joint_log_proba(ASKED), reference(options), rtol=1e-12)


def test_by_hand() -> None:
    # x: log 3 of a and log 2 of b, of length 1; y: log 2 of c alone. V = 3.
    model = tb.TextNB(tf="log", norm=True).fit(["a a b", "c"], ["x", "y"])
    length = math.hypot(math.log(3), math.log(2))
    a, b = math.log(3) / length, math.log(2) / length
    joint = model.predict_joint_log_proba(["a"])[0]
    expected = [math.log((a + 1) / (a + b + 3)), math.log(1 / 4)]
    assert joint - math.log(1 / 2) == pytest.approx(expected, rel=1e-14)
    # Twice the text is no more evidence.
    np.testing.assert_allclose(model.predict_joint_log_proba(["a a"])[0], joint, rtol=1e-14)


def test_a_term_of_all_texts_says_nothing_with_idf() -> None:
    model = tb.TextNB(idf=True, smoothing=0).fit(["a b", "a c", "a c"], ["x", "y", "y"])
    np.testing.assert_allclose(model.predict_proba(["a", "a a a a"]), [[1 / 3, 2 / 3]] * 2, rtol=1e-14)
    assert model.predict_proba(["a b", "c"]).tolist() == [[1, 0], [0, 1]]
    only = tb.TextNB(idf=True).fit(["a", "a"], ["x", "y"])  # nothing is left to learn from
    assert only.predict_proba(["a b"]).tolist() == [[0.5, 0.5]]
    empty = tb.TextNB(prior="tokens").fit(["", "!"], ["x", "y"])
    assert empty.predict_proba(["a b"]).tolist() == [[0.5, 0.5]]


WORDS = [f"w{i}" for i in range(40)]


def corpus(seed: int, n: int = 120) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    texts = [" ".join(rng.choice(WORDS[10 * c : 10 * c + 20], rng.integers(1, 25))) for c in labels]
    return texts, labels.tolist()


@pytest.mark.parametrize("event", ["multinomial", "complement"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options",
    [
        {"tf": "log"},
        {"norm": True},
        {"tf": "log", "norm": True},
        {"idf": True},
        {"idf": "smooth"},
        {"tf": "presence"},
        {"tf": "presence", "norm": True, "idf": True},
    ],
    ids=str,
)
def test_scikit_learns_numbers(event: str, weighted: bool, options: dict) -> None:
    (texts, labels), (asked, _) = corpus(1), corpus(2)
    weights = np.random.default_rng(3).uniform(0.1, 2, len(labels)) if weighted else None
    vectorizer = CountVectorizer(analyzer=str.split)
    X = vectorizer.fit_transform(texts).astype(float)
    idf = np.log(len(texts) / X.getnnz(axis=0)) if "idf" in options else np.ones(X.shape[1])
    if options.get("idf") == "smooth":
        idf = TfidfTransformer().fit(X).idf_

    def transformed(counts: sparse.csr_matrix) -> sparse.csr_matrix:
        counts = {"log": counts.log1p(), "presence": counts.sign()}.get(options.get("tf"), counts)
        counts = normalize(counts) if "norm" in options else counts
        return counts @ sparse.diags(idf)

    theirs = {"multinomial": MultinomialNB, "complement": ComplementNB}[event](alpha=0.5)
    theirs.fit(transformed(X), labels, weights)
    ours = tb.TextNB(event=event, smoothing=0.5, **options).fit(texts, labels, weights)
    found = ours.predict_log_proba(asked)
    expected = theirs.predict_log_proba(transformed(vectorizer.transform(asked).astype(float)))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("options", [{"tf": "log"}, {"norm": True}, {"tf": "log", "norm": True, "idf": True}], ids=str)
def test_counts_still_add(options: dict, tmp_path: Path) -> None:
    texts, labels = corpus(4)
    whole = tb.TextNB(**options).fit(texts, labels)
    first, rest = tb.TextNB(**options).fit(texts[:50], labels[:50]), tb.TextNB(**options).fit(texts[50:], labels[50:])
    expected = whole.predict_log_proba(texts)
    np.testing.assert_allclose((first + rest).predict_log_proba(texts), expected, rtol=1e-10)
    grown = tb.TextNB(**options).fit(texts[:50], labels[:50]).partial_fit(texts[50:], labels[50:])
    np.testing.assert_allclose(grown.predict_log_proba(texts), expected, rtol=1e-10)
    left = whole.forget(texts[50:], labels[50:])
    np.testing.assert_allclose(left.predict_log_proba(texts), first.predict_log_proba(texts), rtol=1e-10)
    first.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally")
    np.testing.assert_array_equal(again.predict_log_proba(texts), first.predict_log_proba(texts))


def test_what_needs_other_counts_is_refused() -> None:
    model = tb.TextNB().fit(TEXTS, LABELS)
    model.set_params(idf=True)  # does not
    np.testing.assert_array_equal(
        model.predict_proba(ASKED), tb.TextNB(idf=True).fit(TEXTS, LABELS).predict_proba(ASKED)
    )
    for other in ({"tf": "log"}, {"norm": True}):
        with pytest.raises(OptionError, match="Call fit again"):
            tb.TextNB().fit(TEXTS, LABELS).set_params(**other).predict(ASKED)
        with pytest.raises((OptionError, MergeError)):
            tb.TextNB().fit(TEXTS, LABELS) + tb.TextNB(**other).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tf": "sublinear"}, "tf='sublinear'"),
        ({"norm": "l2"}, "norm='l2'"),
        ({"idf": 1}, "idf=1"),
        ({"idf": "smoth"}, "idf='smoth' should be True, False or 'smooth'"),
        ({"idf": "smooth", "event": "bernoulli"}, "idf='smooth'"),
        ({"tf": "log", "event": "binary"}, "tf='log' needs counts"),
        ({"tf": "log", "event": "bernoulli"}, "tf='log' needs counts"),
        ({"norm": True, "event": "bernoulli"}, "norm=True"),
        ({"idf": True, "event": "bernoulli"}, "idf=True"),
    ],
    ids=str,
)
def test_mistakes(options: dict, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        tb.TextNB(**options).fit(TEXTS, LABELS)


@pytest.mark.parametrize("event", ["binary", "bernoulli"])
def test_many_terms_that_nobody_knows(event: str) -> None:
    # Each counts once, however many there are and wherever they stand again.
    model = tb.TextNB(event=event, prior="uniform").fit(["a b", "a", "c"], ["x", "x", "y"])
    many = " ".join(f"n{i}" for i in range(20_000))
    single = model.predict_joint_log_proba(["n1"])[0] - model.predict_joint_log_proba([""])[0]
    found = model.predict_joint_log_proba([many, f"{many} a {many}", ""])
    np.testing.assert_allclose(found[0], found[2] + 20_000 * single, rtol=1e-12)
    a = model.predict_joint_log_proba(["a"])[0]
    np.testing.assert_allclose(found[1], a + 20_000 * single, rtol=1e-12)
