"""Log-count ratios against the formula, and in front of a linear model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import tallybayes as tb
from tallybayes import errors

TEXTS = ["good good fun", "bad bad luck", "not bad", "not good", "very good", "so bad luck"]
LABELS = ["yes", "no", "yes", "no", "yes", "no"]


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("labels", [LABELS, ["a", "b", "c"] * 2], ids=["two", "three"])
def test_the_formula(binary: bool, labels: list[str]) -> None:
    model = tb.NBLogCountRatio(binary=binary, smoothing=0.5).fit(TEXTS, labels)
    vectorizer = CountVectorizer(analyzer=str.split, binary=binary)
    counts = vectorizer.fit_transform(TEXTS).toarray().astype(float)
    classes = np.unique(labels)
    blocks = []
    for c in classes[1:] if len(classes) == 2 else classes:
        own = np.array(labels) == c
        p, q = counts[own].sum(axis=0) + 0.5, counts[~own].sum(axis=0) + 0.5
        blocks.append(counts * np.log((p / p.sum()) / (q / q.sum())))
    expected = dict(
        zip(
            [
                f"{t} {c}" if len(classes) > 2 else t
                for c in (classes if len(classes) > 2 else classes[1:])
                for t in vectorizer.get_feature_names_out()
            ],
            np.hstack(blocks).T,
            strict=True,
        )
    )
    found = model.transform(TEXTS).toarray()
    names = model.get_feature_names_out()
    assert set(names) == set(expected)
    for j, name in enumerate(names):
        np.testing.assert_allclose(found[:, j], expected[name], rtol=1e-12, atol=1e-15)


def test_in_a_pipeline_with_unseen_words_and_holes() -> None:
    pipeline = make_pipeline(tb.NBLogCountRatio(ngrams=(1, 2)), LogisticRegression(C=100)).fit(TEXTS, LABELS)
    assert pipeline.score(TEXTS, LABELS) == 1.0
    assert clone(pipeline).fit(TEXTS, LABELS).predict(["not bad", "nothing known", None]).shape == (3,)
    assert pipeline[0].transform(["nothing known", None, ""]).nnz == 0


@pytest.mark.parametrize("labels", [LABELS, [0, 1, 2, 0, 1, 2]])
def test_solvers_that_take_small_indices_alone(labels: list[object]) -> None:
    matrix = tb.NBLogCountRatio().fit(TEXTS, labels).transform(TEXTS)
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    LinearSVC().fit(matrix, labels)


def test_mistakes() -> None:
    with pytest.raises(errors.NotFittedError, match="fit"):
        tb.NBLogCountRatio().transform(TEXTS)
    with pytest.warns(UserWarning, match="single class"), pytest.raises(errors.TargetError, match="two classes"):
        tb.NBLogCountRatio().fit(TEXTS, ["a"] * 6)
