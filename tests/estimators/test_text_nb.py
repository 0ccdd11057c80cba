"""Texts: the worked examples, scikit-learn's numbers, and every law of the other models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import tallybayes as tb
from tallybayes import errors

NEGATIVE = ["糟糕", "好 差劲", "坏", "好 坏"]
POSITIVE = ["优秀", "很 好", "棒", "好 人"]
REVIEWS, MOODS = NEGATIVE + POSITIVE, ["消极"] * 4 + ["积极"] * 4

CARS = ["lion", "tiger", "cheetah", "jaguar", "porsche", "ferrari"]


def animal(counts: list[int]) -> str:
    return " ".join(word for word, count in zip(CARS, counts, strict=True) for _ in range(count))


# The worked examples ----------------------------------------------------------------------------------------------


def test_reviews_with_a_dictionary_for_each_class() -> None:
    model = tb.TextNB(analyzer=str.split, vocabulary="per-class", prior="tokens").fit(REVIEWS, MOODS)
    assert np.exp(model._joint().log_prior) == pytest.approx([10 / 21, 11 / 21])
    assert model.predict(["好 棒"]).tolist() == ["积极"]
    assert model.predict_proba(["好 棒"])[0, 1] == pytest.approx(20 / 31, rel=1e-14)


def test_reviews_with_one_dictionary() -> None:
    # 8 different terms, 6 in each class: (2 + 1)/14 (0 + 1)/14 against (2 + 1)/14 (1 + 1)/14.
    model = tb.TextNB(analyzer=str.split).fit(REVIEWS, MOODS)
    joint = np.exp(model.predict_joint_log_proba(["好 棒"])[0])
    assert joint == pytest.approx([float(Fraction(1, 2) * Fraction(3, 14) * Fraction(n, 14)) for n in (1, 2)])


def test_cats_and_cars_from_strings() -> None:
    rows = [[2, 2, 1, 2, 0, 0], [2, 3, 3, 3, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 1, 2]]
    model = tb.TextNB().fit([animal(row) for row in rows], ["Cats", "Cats", "Cars", "Cars"])
    asked = [animal([1, 1, 1, 1, 0, 0]), animal([2, 2, 2, 3, 1, 1])]
    cats = model.predict_proba(asked)[:, 1]
    assert cats[0] == pytest.approx(60025 / 62329, rel=1e-14)
    assert cats[1] == pytest.approx(0.944, abs=5e-4)


# scikit-learn -----------------------------------------------------------------------------------------------------

WORDS = [f"w{i}" for i in range(40)]


def corpus(seed: int, n: int = 120) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    texts = [" ".join(rng.choice(WORDS[10 * c : 10 * c + 20], rng.integers(1, 15))) for c in labels]
    return texts, labels.tolist()


@pytest.mark.parametrize(
    ("ours", "theirs", "binary"),
    [
        (tb.TextNB(smoothing=0.5), MultinomialNB(alpha=0.5), False),
        (tb.TextNB(event="binary"), MultinomialNB(), True),
        (tb.TextNB(event="bernoulli", smoothing=0.3), BernoulliNB(alpha=0.3), True),
        (tb.TextNB(event="complement"), ComplementNB(), False),
    ],
    ids=["multinomial", "binary", "bernoulli", "complement"],
)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_scikit_learns_numbers(ours: tb.TextNB, theirs: MultinomialNB, binary: bool, weighted: bool) -> None:
    (texts, labels), (asked, _) = corpus(1), corpus(2)
    weights = np.random.default_rng(3).uniform(0.1, 2, len(labels)) if weighted else None
    vectorizer = CountVectorizer(analyzer=str.split, binary=binary)
    theirs = theirs.fit(vectorizer.fit_transform(texts), labels, weights)
    found = ours.fit(texts, labels, weights).predict_log_proba(asked)
    np.testing.assert_allclose(found, theirs.predict_log_proba(vectorizer.transform(asked)), rtol=1e-9, atol=1e-9)


# Brute force ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli"])
@pytest.mark.parametrize("smoothing", [1.0, 0.25])
def test_the_formula(event: str, smoothing: float) -> None:
    (texts, labels), (asked, _) = corpus(5, 40), corpus(6, 20)
    asked += ["never seen w1 never", ""]
    model = tb.TextNB(event=event, smoothing=smoothing, prior="uniform").fit(texts, labels)
    found = model.predict_joint_log_proba(asked)
    once = (lambda words: words) if event == "multinomial" else (lambda words: list(dict.fromkeys(words)))
    counts = [
        Counter(w for t, y in zip(texts, labels, strict=True) if y == c for w in once(t.split())) for c in range(3)
    ]
    dictionary = set().union(*counts)
    for i, text in enumerate(asked):
        words = once(text.split())
        for c in range(3):
            if event == "bernoulli":
                n = labels.count(c) + 2 * smoothing
                expected = sum(math.log((counts[c][w] + smoothing) / n) for w in words)
                expected += sum(math.log(1 - (counts[c][w] + smoothing) / n) for w in dictionary - set(words))
            else:
                n = counts[c].total() + smoothing * len(dictionary)
                expected = sum(math.log((counts[c][w] + smoothing) / n) for w in words)
            assert found[i, c] == pytest.approx(expected + math.log(1 / 3), rel=1e-12)


def test_without_smoothing_zero_is_zero() -> None:
    model = tb.TextNB(event="bernoulli", smoothing=0).fit(["a b", "a", "b", "b"], ["x", "x", "y", "y"])
    # Every text of x has a, every text of y has b, and none of y has a.
    assert model.predict_proba(["a b", "b", "a"]).tolist() == [[1, 0], [0, 1], [1, 0]]
    with pytest.warns(errors.ZeroProbabilityWarning, match="2 rows"):
        assert model.predict_proba(["", "c"]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    dice = tb.TextNB(smoothing=0).fit(["a b", "b c"], ["x", "y"])
    assert dice.predict_proba(["b a"]).tolist() == [[1, 0]]


# Laws -------------------------------------------------------------------------------------------------------------

TEXTS = st.lists(st.text(st.sampled_from("ab c好坏ß.é\u0301"), max_size=8) | st.none(), min_size=4, max_size=12)


@pytest.mark.filterwarnings("ignore:The target has a single class")
@given(texts=TEXTS, seed=st.integers(0, 99), event=st.sampled_from(["multinomial", "bernoulli"]))
def test_any_split_is_one_fit(texts: list[str | None], seed: int, event: str) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, len(texts))
    labels[:2] = [0, 1]
    whole = tb.TextNB(event=event).fit(pa.array(texts, pa.string()), labels)
    cut = int(rng.integers(2, len(texts)))
    order = rng.permutation(len(texts))
    first, rest = order[:cut], order[cut:]

    def some(rows: np.ndarray) -> pa.Array:
        return pa.array([texts[i] for i in rows], pa.string())

    added = tb.TextNB(event=event).fit(some(first), labels[first]) + tb.TextNB(event=event).fit(
        some(rest), labels[rest]
    )
    grown = tb.TextNB(event=event).fit(some(first), labels[first]).partial_fit(some(rest), labels[rest])
    for other in (added, grown):
        ours, theirs = (model.tallies_["text"] for model in (whole, other))
        assert theirs.terms() == ours.terms()
        for mine, yours in zip(ours.counted, theirs.counted, strict=True):
            np.testing.assert_array_equal(mine, yours)
    left, alone = grown.forget(some(rest), labels[rest]), tb.TextNB(event=event).fit(some(first), labels[first])
    for mine, yours in zip(left.tallies_["text"].counted, alone.tallies_["text"].counted, strict=True):
        np.testing.assert_array_equal(mine, yours)


def test_weights_and_saving(tmp_path: Path) -> None:
    texts, labels = corpus(8, 30)
    twice = tb.TextNB().fit(texts + texts[:5], labels + labels[:5])
    weights = np.ones(30)
    weights[:5] = 2
    weighed = tb.TextNB().fit([*texts, "nothing at all"], [*labels, 0], [*weights, 0.0])
    np.testing.assert_allclose(weighed.predict_log_proba(texts)[:, 1], twice.predict_log_proba(texts)[:, 1], atol=0.6)
    assert weighed.tallies_["text"].terms() == twice.tallies_["text"].terms()
    np.testing.assert_array_equal(weighed.tallies_["text"].counted.sums, twice.tallies_["text"].counted.sums)
    model = tb.TextNB(ngrams=(1, 2), stop_words=["w1"], max_terms=50, ranking="chi2").fit(texts, labels)
    model.save(tmp_path / "t.tally")
    loaded = tb.load(tmp_path / "t.tally")
    np.testing.assert_array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
    again = loaded.partial_fit(texts, labels)
    np.testing.assert_array_equal(again.predict_proba(texts), model.partial_fit(texts, labels).predict_proba(texts))


# What is given ----------------------------------------------------------------------------------------------------


def test_every_form_of_texts(tmp_path: Path) -> None:
    texts, labels = ["cheap pills", "see you", None, "cheap you"], ["spam", "ham", "ham", "spam"]
    expected = tb.TextNB().fit(texts, labels).predict_proba(texts)
    assert expected[2].tolist() == [0.5, 0.5]
    frame = pd.DataFrame({"body": texts, "n": range(4), "label": labels})
    frame.to_csv(tmp_path / "mail.csv", index=False)
    frame.to_parquet(tmp_path / "mail.parquet", index=False)
    for given_texts in (
        pd.Series(texts),
        pl.Series(texts),
        np.array(texts, object),
        pa.array(texts),
        pa.chunked_array([texts]),
    ):
        np.testing.assert_array_equal(tb.TextNB().fit(given_texts, labels).predict_proba(given_texts), expected)
    for table in (frame, pl.from_pandas(frame), tmp_path / "mail.csv", tmp_path / "mail.parquet"):
        model = tb.TextNB(text="body").fit(table, y="label")
        np.testing.assert_array_equal(model.predict_proba(frame[["body"]]), expected)
        np.testing.assert_array_equal(model.predict_proba(table), expected)  # without a word on the other columns
        # Plain texts are asked about, learned and forgotten by the name that the column has.
        np.testing.assert_array_equal(model.predict_proba(texts), expected)
        model.partial_fit(["one more"], ["spam"]).forget(pd.Series(["one more"]), ["spam"])
        np.testing.assert_array_equal(model.predict_proba(pa.array(texts)), expected)
        again = tb.TextNB(text="body").fit(texts, labels)
        assert again.schema_.names == ("body",)
        np.testing.assert_array_equal(again.predict_proba(frame[["body"]]), expected)
    assert again.set_params(text=None).fit(texts, labels).schema_.names == ("text",)


def test_missing_texts_alone() -> None:
    model = tb.TextNB().fit(["a", "b", "b"], ["x", "y", "y"])
    for texts in ([None], [None, float("nan")], pa.array([None, None], pa.string()), pd.Series([None])):
        np.testing.assert_allclose(model.predict_proba(texts), [[1 / 3, 2 / 3]] * len(texts))
    again = model.partial_fit([None, None], ["x", "z"])
    assert again.classes_.tolist() == ["x", "y", "z"]
    assert again.tallies_["text"].n_rows.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda: tb.TextNB().fit([["a", "b"], ["c", "d"]], [0, 1]), errors.ColumnError, "text="),
        (
            lambda: tb.TextNB(text="boddy").fit(pd.DataFrame({"body": ["a"], "n": [1]}), [0]),
            errors.ColumnError,
            "'body'",
        ),
        (lambda: tb.TextNB().fit(["a", 3.5], [0, 1]), errors.UnsupportedDataError, "3.5"),
        (
            lambda: tb.TextNB().fit("win now", [0]),
            errors.UnsupportedDataError,
            "'win now' is no file. Put a single text",
        ),
        (
            lambda: tb.TextNB().fit(["a"], [0]).predict("a\nb"),
            errors.UnsupportedDataError,
            r"'a b' is no file. .*\[text\]",
        ),
        (lambda: tb.TextNB().fit("absent.csv", y="label"), errors.SourceError, "absent.csv"),
        (lambda: tb.TextNB(event="binomial").fit(["a"], [0]), errors.OptionError, "binomial"),
        (lambda: tb.TextNB(prior="tokens", event="bernoulli").fit(["a"], [0]), errors.OptionError, "tokens"),
        (lambda: tb.TextNB(ngrams=(2, 1)).fit(["a"], [0]), errors.OptionError, "ngrams"),
        (lambda: tb.TextNB(min_df=-1).fit(["a"], [0]), errors.OptionError, "min_df"),
        (lambda: tb.TextNB().fit(["a b", "c"], [0, 1]).forget(["d"], [0]), errors.MergeError, "'d'"),
        (lambda: tb.TextNB().fit(["a b", "c"], [0, 1]).sample(3), errors.UnsupportedDataError, "text"),
        (
            lambda: tb.TextNB(event="complement").fit(["a", "c"], [0, 1]).explain(["a"]),
            errors.NotAJointError,
            "complement",
        ),
        (
            lambda: tb.BayesDecision(tb.TextNB(event="complement").fit(["a", "c"], [0, 1])).predict(["a"]),
            errors.NotAJointError,
            "complement",
        ),
        (lambda: tb.TextNB().fit(["a"], [0]) + tb.TextNB(ngrams=(1, 2)).fit(["a"], [0]), errors.MergeError, "ngrams"),
    ],
)
@pytest.mark.filterwarnings("ignore:The target has a single class")
def test_mistakes(make: Callable[[], object], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        make()


# Inside NaiveBayes ------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:NaiveBayes was fitted without the column 'note'")
def test_a_text_column_beside_numbers_and_categories() -> None:
    texts, labels = corpus(9, 60)
    rng = np.random.default_rng(0)
    rows = pa.table({"note": texts, "x": rng.normal(labels), "colour": rng.choice(["red", "blue"], 60)})
    mixed = tb.NaiveBayes(columns={"note": "text"}).fit(rows, labels)
    parts = tb.TextNB().fit(texts, labels), tb.NaiveBayes().fit(rows.select(["x", "colour"]), labels)
    prior = mixed._joint().log_prior
    expected = sum(part.predict_joint_log_proba(X) for part, X in zip(parts, (texts, rows), strict=True)) - prior
    np.testing.assert_allclose(mixed.predict_joint_log_proba(rows), expected, rtol=1e-12)
    found = mixed.explain(rows)
    logs = np.sort(mixed.predict_log_proba(rows))
    np.testing.assert_allclose(found.log_odds, logs[:, -1] - logs[:, -2], atol=1e-9)


def cut_at_dashes(text: str) -> list[str]:
    return text.split("-")


def test_a_callable_that_a_file_cannot_hold_is_given_again(tmp_path: Path) -> None:
    model = tb.TextNB(analyzer=cut_at_dashes).fit(["a-b", "c"], ["x", "y"])
    model.save(tmp_path / "t.tally")
    loaded = tb.load(tmp_path / "t.tally")
    with pytest.raises(errors.OptionError, match="set_params"):
        loaded.predict(["a"])
    again = loaded.set_params(analyzer=cut_at_dashes).partial_fit(["c-d"], ["y"])
    expected = model.partial_fit(["c-d"], ["y"]).predict_proba(["a-d", "c"])
    np.testing.assert_array_equal(again.predict_proba(["a-d", "c"]), expected)
    with pytest.raises(errors.OptionError, match="Call fit again"):
        tb.load(tmp_path / "t.tally").set_params(analyzer=str.split).predict(["a"])


@pytest.mark.parametrize("kind", ["string", object])
def test_na_of_pandas_is_a_text_that_is_missing(kind: type | str) -> None:
    texts = pd.Series(["cheap pills", pd.NA, "lunch at noon"], dtype=kind)
    model = tb.TextNB().fit(texts, ["spam", "spam", "ham"])
    same = tb.TextNB().fit(["cheap pills", None, "lunch at noon"], ["spam", "spam", "ham"])
    assert (model.predict_proba(texts) == same.predict_proba(["cheap pills", None, "lunch at noon"])).all()
    assert (model.predict_proba([pd.NA, "lunch"]) == same.predict_proba([None, "lunch"])).all()
