"""A row left out is a row taken out of the tally: every factor, by brute force."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import tallybayes as tb
from tallybayes.errors import MergeError
from tallybayes.sources.picked import run

pytestmark = pytest.mark.filterwarnings("ignore::tallybayes.errors.TallyBayesWarning")

LABELS = st.sampled_from("pqr")
WEIGHTS = st.none() | st.just([0.0, 1.0, 2.0, 0.3])
WORDS = "abcde"


def without_each(model: Any, X: Any, y: Any, weights: Any) -> np.ndarray:
    """Return log p(x, c) of each row from the tallies minus that row, the classes held."""
    learned = model._learned
    joint, rows, encode = model._asked(X, y, weights)
    plan, out = model._model(learned.schema), []
    for block in rows:
        for i in range(len(block)):
            batch = encode(run(block, block.first + i, block.first + i + 1))
            if batch.labels.codes[0] < 0:  # of weight 0: it was not learned
                out.append(joint.log_joint(batch)[0])
                continue
            left = learned.minus({key: tally.count(batch) for key, tally in plan.needs().items()})
            out.append(plan.estimate(left.tallies, joint.classes).log_joint(batch)[0])
    return np.array(out)


def check(model: Any, X: Any, y: Any, weights: Any) -> None:
    """Compare what is left out at once, and in parts, with brute force."""
    model.fit(X, y, weights)
    expected = without_each(model, X, y, weights)
    joint, rows, encode = model._asked(X, y, weights)
    batches = [encode(block) for block in rows]
    at_once = np.concatenate([joint.left_out(batch) for batch in batches])
    np.testing.assert_allclose(at_once, expected, rtol=1e-10, atol=1e-9)
    if model.is_joint:
        for batch in batches:
            prior, parts = joint.left_out_log_prior(batch), joint.left_out_contributions(batch)
            assert parts.shape == (len(batch), len(joint.names), len(joint.classes))
            np.testing.assert_allclose(prior + parts.sum(axis=1), expected, rtol=1e-10, atol=1e-9)


@st.composite
def tables(draw: Any, cell: Any, columns: int) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return rows, labels and weights, of which at least two are above 0."""
    n = draw(st.integers(2, 9))
    rows = draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=n, max_size=n))
    labels = np.array(draw(st.lists(LABELS, min_size=n, max_size=n)))
    some = draw(WEIGHTS)
    weights = None if some is None else np.array(draw(st.lists(st.sampled_from(some), min_size=n, max_size=n)))
    if weights is not None:
        weights[:2] = np.maximum(weights[:2], 0.3)
    return np.array(rows, dtype=object), labels, weights


@given(tables(st.sampled_from(["a", "b", None]), 2), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
@settings(max_examples=30)
def test_categories(table: Any, smoothing: float, missing_is_value: bool) -> None:
    X, y, weights = table
    if missing_is_value:  # two holes, so that a hole is a value whichever row is left out
        X, y = np.concatenate([X, [[None, None]] * 2]), np.concatenate([y, ["p", "q"]])
        weights = None if weights is None else np.concatenate([weights, [1.0, 0.3]])
    check(
        tb.NaiveBayes(
            columns={0: ["a", "b", "c"], 1: ["a", "b"]},
            smoothing=smoothing,
            prior_smoothing=smoothing,
            missing="category" if missing_is_value else "marginalize",
        ),
        X,
        y,
        weights,
    )


@given(tables(st.sampled_from([0, 1, 2]), 2), st.sampled_from(["uniform", [0.5, 0.3, 0.2]]))
@settings(max_examples=20)
def test_codes_and_given_priors(table: Any, prior: Any) -> None:
    X, y, weights = table
    y[:2] = ["p", "q"]
    if not isinstance(prior, str):
        prior = dict(zip(np.unique(y[weights > 0] if weights is not None else y), prior[: len(y)], strict=False))
        prior = {label: p / sum(prior.values()) for label, p in prior.items()}
    check(tb.NaiveBayes(columns={0: [0, 1, 2], 1: [0, 1, 2]}, prior=prior), X.astype(int), y, weights)


@given(tables(st.sampled_from([0.0, 0.0, 1.0, 3.0, np.nan]), 3), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
@settings(max_examples=25)
def test_multinomial(table: Any, alpha: float, is_sparse: bool) -> None:
    X, y, weights = table
    X = X.astype(float)
    model = tb.MultinomialNB(alpha=alpha, force_alpha=True)
    check(model, sparse.csr_array(X) if is_sparse else X, y, weights)


@given(
    tables(st.sampled_from([0.0, 0.0, 1.0, np.nan]), 3),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["laplace", "sparse"]),
    st.booleans(),
)
@settings(max_examples=40)
def test_bernoulli(table: Any, alpha: float, style: Any, is_sparse: bool) -> None:
    X, y, weights = table
    X = X.astype(float)
    model = tb.BernoulliNB(alpha=alpha, smoothing=style, force_alpha=True)
    check(model, sparse.csr_array(X) if is_sparse else X, y, weights)


@given(tables(st.sampled_from([0.0, 1.0, 4.0, np.nan]), 2), st.sampled_from([0.0, 1.0]), st.booleans())
@settings(max_examples=25)
def test_counts(table: Any, smoothing: float, is_sparse: bool) -> None:
    X, y, weights = table
    X = X.astype(float)
    model = tb.NaiveBayes(smoothing=smoothing, columns={0: "count", 1: "count"})
    check(model, sparse.csr_array(X) if is_sparse else X, y, weights)


NUMBERS = st.sampled_from([0.0, 1.0, -2.5, 1e-3, np.nan])


@given(tables(NUMBERS, 2), st.sampled_from([0, 1]), st.sampled_from([0.0, 1e6]), st.booleans())
@settings(max_examples=40)
def test_gaussian(table: Any, ddof: int, far: float, missing_is_value: bool) -> None:
    X, y, weights = table
    X = X.astype(float) * [1.0, 1e-4] + [far, 0.0]
    missing = "category" if missing_is_value else "marginalize"
    check(tb.NaiveBayes(ddof=ddof, missing=missing, columns={0: "numeric", 1: "numeric"}), X, y, weights)


@given(tables(NUMBERS, 2))
@settings(max_examples=15)
def test_gaussian_of_scikit_learn(table: Any) -> None:
    X, y, weights = table
    check(tb.GaussianNB(), X.astype(float), y, weights)


@st.composite
def documents(draw: Any) -> tuple[list[str | None], np.ndarray, Any]:
    """Return texts such that each term is in two of each class, and lacks in two, beside any one."""
    text = st.none() | st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
    texts = draw(st.lists(text, min_size=1, max_size=7))
    labels = [draw(LABELS) for _ in texts]
    some = draw(WEIGHTS)
    weights = None if some is None else np.array([draw(st.sampled_from(some)) for _ in texts] + [1.0, 0.3, 2.0] * 3)
    return [*texts, *[" ".join(WORDS)] * 6, "", "", ""], np.array([*labels, *"pqrpqrpqr"]), weights


@given(
    documents(),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(
        [
            {},
            {"vocabulary": "per-class", "prior": "tokens"},
            {"event": "binary"},
            {"event": "binary", "norm": True, "prior": "tokens"},
            {"event": "bernoulli"},
            {"event": "bernoulli", "min_df": 4},
            {"idf": True},
            {"idf": "smooth"},
            {"idf": "smooth", "tf": "log", "norm": True},
            {"idf": True, "prior": "tokens"},
            {"tf": "log", "norm": True, "idf": True},
            {"ngrams": (1, 2)},
            {"hashed": 12},
        ]
    ),
)
@settings(max_examples=30)
def test_texts(table: Any, smoothing: float, options: Any) -> None:
    texts, labels, weights = table
    if "ngrams" in options:  # a pair of words may be in a single text
        texts = [*texts, *(f"{a} {b}" for a in WORDS for b in WORDS for _ in range(2))]
        labels = np.concatenate([labels, np.repeat(["p"], len(texts) - len(labels))])
        weights = None if weights is None else np.concatenate([weights, np.ones(len(texts) - len(weights))])
    if "min_df" in options:  # the choice of terms is held, so that it has to be the same without each text
        texts, labels = [*texts, "rare", "rare", *texts], np.concatenate([labels, ["p", "q"], labels])
        weights = None if weights is None else np.concatenate([weights, [1.0, 1.0], weights])
    check(tb.TextNB(smoothing=smoothing, **options), texts, labels, weights)


@given(
    documents(),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from([{}, {"norm": True}, {"tf": "log", "idf": True}, {"idf": "smooth"}, {"tf": "presence"}]),
)
@settings(max_examples=20)
def test_complement_of_texts(table: Any, smoothing: float, options: Any) -> None:
    texts, labels, weights = table
    check(tb.TextNB(event="complement", smoothing=smoothing, **options), texts, labels, weights)


def test_a_mixed_table() -> None:
    rng = np.random.default_rng(5)
    rows = [
        {
            "colour": str(rng.choice(["red", "green"])) if rng.random() < 0.9 else None,
            "size": float(rng.normal()) if rng.random() < 0.8 else None,
            "eggs": int(rng.poisson(2)),
            "note": " ".join(rng.choice(list(WORDS), 9)),
        }
        for _ in range(30)
    ]
    model = tb.NaiveBayes(columns={"colour": ["red", "green"], "eggs": "count", "note": "text"})
    check(model, rows, rng.choice(["p", "q"], 30), None)


@pytest.mark.parametrize(
    ("model", "X", "odd"),
    [
        (tb.NaiveBayes(), [["a"], ["b"]], [["b"], ["a"]]),
        (tb.NaiveBayes(columns={0: "numeric"}), [[1.5], [2.5]], [[9.5], [2.5]]),
        (tb.NaiveBayes(columns={0: "count"}), [[1], [2]], [[5], [2]]),
        (tb.NaiveBayes(numeric="kernel", columns={0: "numeric"}), [[1.5], [2.5]], [[9.5], [2.5]]),
        (tb.NaiveBayes(numeric="histogram", columns={0: "numeric"}), [[1.5], [2.5]], [[2.5], [1.5]]),
        (tb.BernoulliNB(), [[1, 0], [0, 1]], [[0, 1], [1, 0]]),
        (tb.MultinomialNB(), [[1, 0], [0, 1]], [[1, 3], [0, 1]]),
        (tb.TextNB(), ["a b", "c"], ["a c", "c"]),
        (tb.TextNB(event="bernoulli"), ["a b", "c"], ["a c", "c"]),
        (tb.TextNB(), ["a b", "c"], ["a never", "c"]),
    ],
)
def test_rows_that_were_never_learned_are_refused(model: Any, X: Any, odd: Any) -> None:
    model.fit(X, ["p", "q"])
    assert model.leave_one_out(X, ["p", "q"]).shape == (2, 2)
    with pytest.raises(MergeError, match=r"never learned .* predict_proba"):
        model.leave_one_out(odd, ["p", "q"])


def test_a_class_that_was_never_learned_is_refused() -> None:
    model = tb.NaiveBayes().fit([["a"], ["b"], ["a"]], ["p", "q", "p"])
    with pytest.raises(MergeError, match="class 'r' was never seen"):
        model.leave_one_out([["a"]], ["r"])
    with pytest.raises(MergeError, match="class 'p' has fewer rows, or none of that weight"):
        model.leave_one_out([["a"]], ["p"], sample_weight=[7.0])


def test_no_warning_comes_from_arithmetic() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = tb.TextNB(smoothing=0.0).fit(["a", "b", "b"], ["p", "q", "q"])
        model.leave_one_out(["a", "b", "b"], ["p", "q", "q"])
        model = tb.NaiveBayes(smoothing=0.0).fit([["a"], ["b"]], ["p", "q"])
        model.leave_one_out([["a"], ["b"]], ["p", "q"])
