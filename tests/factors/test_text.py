"""Which terms are kept, against scikit-learn where it does the same, and against counts in words where it does not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2, mutual_info_classif

import tallybayes as tb
from tallybayes.errors import OptionError
from tallybayes.factors.term_choice import TermChoice

WORDS = [f"w{i}" for i in range(60)]


def corpus(seed: int, n: int = 150) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    frequency = 1 / np.arange(1, 31)
    texts = [
        " ".join(rng.choice(WORDS[15 * c : 15 * c + 30], rng.integers(1, 12), p=frequency / frequency.sum()))
        for c in labels.tolist()
    ]
    return texts, labels


def kept(texts: list[str], labels: np.ndarray, **options: object) -> set[str]:
    """Return the terms that a model keeps: those that its weights know."""
    model = tb.TextNB(**options).fit(texts, labels)
    weights = model._joint().conditionals["text"].term_log_prob()
    return {term for term, line in zip(model.tallies_["text"].terms(), weights, strict=True) if not np.isnan(line[0])}


def presences(texts: list[str], labels: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    vectorizer = CountVectorizer(analyzer=str.split, binary=True)
    X = vectorizer.fit_transform(texts)
    rows = np.stack([X[labels == c].sum(axis=0).A1 for c in range(3)], axis=1)
    return vectorizer.get_feature_names_out().tolist(), X, rows


@pytest.mark.parametrize(
    ("min_df", "max_df"),
    [(1, 1.0), (2, 1.0), (5, 40), (0.05, 0.2), (0.1, 30), (1, 1), (0.0, 1.0), (10, 0.5), (0.1, 1.0)],
)
def test_the_terms_of_scikit_learn(min_df: float, max_df: float) -> None:
    texts, labels = corpus(1)
    theirs = CountVectorizer(analyzer=str.split, min_df=min_df, max_df=max_df).fit(texts)
    assert kept(texts, labels, min_df=min_df, max_df=max_df) == set(theirs.vocabulary_)


def test_the_most_frequent_by_texts() -> None:
    texts = ["a a a a a", "b c", "b c", "b", "d"]
    labels = np.array([0, 1, 0, 1, 1])
    assert kept(texts, labels, max_terms=1) == {"b"}  # in three texts; a is written five times, and is in one
    assert kept(texts, labels, max_terms=2) == {"b", "c"}
    assert kept(texts, labels, max_terms=9) == {"a", "b", "c", "d"}


@pytest.mark.parametrize("most", [1, 5, 20])
def test_by_chi_square(most: int) -> None:
    # That of scikit-learn has only the texts with a term; with those without it, it is Pearson's, of two by three.
    texts, labels = corpus(2)
    names, X, rows = presences(texts, labels)
    n = np.bincount(labels, minlength=3)
    with_term, _ = chi2(X, labels)
    total = rows.sum(axis=1)
    without = (((n - rows) - (len(texts) - total)[:, None] * n / len(texts)) ** 2).sum(axis=1)
    expected = ((len(texts) - total)[:, None] * n / len(texts)).T
    without = ((((n - rows).T - expected) ** 2) / expected).sum(axis=0)
    scores = with_term + without
    best = {names[i] for i in np.argsort(-scores)[:most]}
    assert kept(texts, labels, max_terms=most, ranking="chi2") == best


@pytest.mark.parametrize("most", [1, 5, 20])
def test_by_mutual_information(most: int) -> None:
    texts, labels = corpus(3)
    names, X, _ = presences(texts, labels)
    scores = mutual_info_classif(X, labels, discrete_features=True)
    best = {names[i] for i in np.argsort(-scores)[:most]}
    assert kept(texts, labels, max_terms=most, ranking="mutual-information") == best


def test_texts_without_a_term_speak_too() -> None:
    # Two equal classes with a and b texts that have the term: (a - b)^2 / (a + b) + (a - b)^2 / (20 - a - b).
    rows, texts = np.array([[8, 2], [5, 5], [1, 0], [10, 10]]), np.array([10, 10])
    found = [TermChoice(max_terms=k, ranking="chi2").kept(rows, texts).tolist() for k in (1, 2, 3)]
    assert found == [[True, False, False, False], [True, False, True, False], [True, True, True, False]]


@pytest.mark.parametrize("ranking", ["frequency", "chi2", "mutual-information"])
def test_min_df_comes_before_the_number_of_terms(ranking: str) -> None:
    texts, labels = corpus(4)
    often = kept(texts, labels, min_df=10)
    some = kept(texts, labels, min_df=10, max_terms=5, ranking=ranking)
    assert len(some) == 5
    assert some < often


def test_terms_are_chosen_when_parameters_are_estimated() -> None:
    texts, labels = corpus(5)
    model = tb.TextNB().fit(texts, labels)
    everything = model.predict_log_proba(texts)
    model.set_params(min_df=3, max_terms=12, ranking="chi2")
    fresh = tb.TextNB(min_df=3, max_terms=12, ranking="chi2").fit(texts, labels)
    np.testing.assert_array_equal(model.predict_log_proba(texts), fresh.predict_log_proba(texts))
    model.set_params(min_df=1, max_terms=None)
    np.testing.assert_array_equal(model.predict_log_proba(texts), everything)
    halves = tb.TextNB(min_df=3).fit(texts[:70], labels[:70]) + tb.TextNB(min_df=3).fit(texts[70:], labels[70:])
    whole = tb.TextNB(min_df=3).fit(texts, labels)
    np.testing.assert_allclose(halves.predict_log_proba(texts), whole.predict_log_proba(texts), rtol=1e-12)


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
def test_terms_that_are_not_kept_are_passed_over(event: str) -> None:
    texts, labels = corpus(6)
    chosen = kept(texts, labels, min_df=8)
    shorter = [" ".join(word for word in text.split() if word in chosen) for text in texts]
    ours = tb.TextNB(event=event, min_df=8).fit(texts, labels)
    theirs = tb.TextNB(event=event).fit(shorter, labels)
    np.testing.assert_allclose(ours.predict_log_proba(texts), theirs.predict_log_proba(shorter), rtol=1e-10)


@pytest.mark.parametrize(
    ("options", "everything"),
    [
        ({}, True),
        ({"min_df": 0}, True),
        ({"min_df": 0.0}, True),
        ({"min_df": 1.0}, False),
        ({"min_df": 0.01}, False),
        ({"min_df": 2}, False),
        ({"max_df": 1}, False),
        ({"max_df": 0.99}, False),
        ({"max_terms": 5}, False),
    ],
    ids=str,
)
def test_whether_every_term_is_kept(options: dict[str, float], everything: bool) -> None:
    assert TermChoice(**options).is_all == everything


@pytest.mark.parametrize(
    "options",
    [{"min_df": -1}, {"max_df": True}, {"min_df": "1"}, {"max_terms": 0}, {"max_terms": 1.5}, {"ranking": "idf"}],
    ids=str,
)
def test_mistakes(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        TermChoice(**options)
