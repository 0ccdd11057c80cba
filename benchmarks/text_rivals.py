"""scikit-learn's naive Bayes on texts, tuned by cross-validation on the training part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from benchmarks.text_sets import Texts, inner_splits, segmenter

SMOOTHING = (0.01, 0.05, 0.2, 0.5, 1.0)
"""What both libraries choose the smoothing from."""

REFINED = 3
"""How many of the best candidates are tried again with other priors and without rare terms."""


@dataclass(frozen=True)
class Candidate:
    """One setting of vectoriser and model."""

    cut: str
    measure: str
    idf: bool
    model: str
    smoothing: float
    prior: bool = True
    min_df: int = 1

    def __str__(self) -> str:
        """Return the setting in a few words."""
        words = [self.model, self.cut, self.measure, f"alpha {self.smoothing:g}"]
        words += ["idf"] * self.idf + ["uniform prior"] * (not self.prior)
        words += [f"min_df {self.min_df}"] * (self.min_df > 1)
        return ", ".join(words)


def cuts(chinese: bool, long: bool) -> dict[str, dict[str, Any]]:
    """Return the ways to cut texts, as options of the vectoriser."""
    if chinese:
        found: dict[str, dict[str, Any]] = {f"char 1-{n}": {"analyzer": "char", "ngram_range": (1, n)} for n in (2, 3)}
        words = segmenter()
        if words is None:
            return found
        jieba = {"tokenizer": words, "token_pattern": None, "lowercase": False}
        return found | {f"jieba 1-{n}": {**jieba, "ngram_range": (1, n)} for n in (1, 2)}
    cased = {f"word 1-{n}": {"ngram_range": (1, n)} for n in (1, 2)}
    if long:
        return cased
    letters = {"token_pattern": r"(?u)\b\w+\b"}
    single = {f"word 1-{n}, single letters": {"ngram_range": (1, n), **letters} for n in (1, 2, 3)}
    return cased | single | {"char_wb 2-4": {"analyzer": "char_wb", "ngram_range": (2, 4)}}


MEASURES = ("count", "presence", "log to length 1", "presence to length 1")


def matrices(train: Any, test: Any, measure: str, idf: bool, min_df: int) -> tuple[Any, Any]:
    """Return counts as they are measured; what is learned of them is learned from the training part."""
    if min_df > 1:
        kept = np.flatnonzero(np.bincount(train.indices, minlength=train.shape[1]) >= min_df)
        train, test = train[:, kept], test[:, kept]
    if measure.startswith("presence"):
        train, test = (sparse.csr_matrix((np.ones_like(x.data), x.indices, x.indptr), x.shape) for x in (train, test))
    if not idf and "length" not in measure:
        return train, test
    norm = "l2" if "length" in measure else None
    transform = TfidfTransformer(norm=norm, use_idf=idf, sublinear_tf=measure.startswith("log")).fit(train)
    return transform.transform(train), transform.transform(test)


def models(candidate: Candidate) -> Any:
    """Return the model of a candidate."""
    options = {"alpha": candidate.smoothing, "force_alpha": True}
    if candidate.model == "BernoulliNB":
        return BernoulliNB(fit_prior=candidate.prior, **options)
    if candidate.model == "ComplementNB":
        return ComplementNB(**options)
    return MultinomialNB(fit_prior=candidate.prior, **options)


def search(train: Texts, chinese: bool, long: bool, folds: int) -> tuple[Candidate, float]:
    """Return the candidate with the least 0-1 loss in cross-validation, the log-loss breaking ties, and that loss."""
    splits = inner_splits(train, folds, once=long)
    totals: dict[Candidate, np.ndarray] = {}
    for cut, options in cuts(chinese, long).items():
        for rest, held in splits:
            vectoriser = CountVectorizer(**options)
            counts = vectoriser.fit_transform(rest.texts), vectoriser.transform(held.texts)
            for measure in MEASURES:
                for idf in (False, True):
                    some = [
                        Candidate(cut, measure, idf, model, smoothing)
                        for model in _models_for(measure, idf)
                        for smoothing in SMOOTHING
                    ]
                    _add(totals, some, counts, rest.labels, held.labels)
    best = _best(totals)[:REFINED]
    refined: dict[Candidate, np.ndarray] = {}
    for cut in {candidate.cut for candidate in best}:
        for rest, held in splits:
            vectoriser = CountVectorizer(**cuts(chinese, long)[cut])
            counts = vectoriser.fit_transform(rest.texts), vectoriser.transform(held.texts)
            for c in best:
                if c.cut != cut:
                    continue
                for prior in (True, False):
                    for min_df in (1, 2, 3):
                        other = Candidate(c.cut, c.measure, c.idf, c.model, c.smoothing, prior, min_df)
                        _add(refined, [other], counts, rest.labels, held.labels)
    chosen = _best(refined)[0]
    return chosen, float(refined[chosen][0]) / sum(len(held) for _, held in splits)


def answers(candidate: Candidate, train: Texts, test: Texts, chinese: bool, long: bool) -> tuple[Any, Any, Any]:
    """Return the classes, and the predictions and the posterior on the test part; complement has none."""
    vectoriser = CountVectorizer(**cuts(chinese, long)[candidate.cut])
    counts = vectoriser.fit_transform(train.texts), vectoriser.transform(test.texts)
    x, z = matrices(*counts, candidate.measure, candidate.idf, candidate.min_df)
    model = models(candidate).fit(x, train.labels)
    posterior = None if candidate.model == "ComplementNB" else model.predict_proba(z)
    return model.classes_, model.predict(z), posterior


def _models_for(measure: str, idf: bool) -> Iterator[str]:
    yield from ("MultinomialNB", "ComplementNB")
    if measure == "presence" and not idf:
        yield "BernoulliNB"


def _add(totals: dict[Candidate, Any], some: list[Candidate], counts: Any, labels: Any, held: Any) -> None:
    """Add the errors and the log-loss of candidates with the same counts."""
    first = some[0]
    x, z = matrices(*counts, first.measure, first.idf, first.min_df)
    fitted, model = "", None
    for candidate in some:
        if candidate.model != fitted:
            fitted, model = candidate.model, models(candidate).fit(x, labels)
        # The counts are the same for every smoothing, so that those are counted once.
        model.set_params(alpha=candidate.smoothing)
        model._update_feature_log_prob(model._check_alpha())
        logs = model.predict_log_proba(z)
        wrong = float((model.classes_[logs.argmax(axis=1)] != np.array(held)).sum())
        own = logs[np.arange(len(held)), np.searchsorted(model.classes_, held)]
        loss = float(-np.maximum(own, -700.0).sum())
        totals[candidate] = totals.get(candidate, np.zeros(2)) + np.array([wrong, loss])


def _best(totals: dict[Candidate, Any]) -> list[Candidate]:
    return sorted(totals, key=lambda candidate: tuple(totals[candidate].tolist()))
