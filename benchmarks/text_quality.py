"""How good classifiers of texts are, beside scikit-learn's naive Bayes, both chosen on the training part alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from benchmarks import text_ours, text_rivals
from benchmarks.text_sets import Texts, TextSet, text_sets

FOLDS = 3
"""In how many folds of the training part is chosen what is not chosen by leave-one-out."""


@dataclass(frozen=True)
class Answer:
    """What a model says of the test texts, by row: whether it is wrong, its log-loss, and its answers."""

    model: str
    chosen: str
    wrong: Any
    log_loss: Any
    truth: list[str]
    said: list[str]


@dataclass(frozen=True)
class Line:
    """One line of the report: a model on a set, with standard errors."""

    texts: str
    model: str
    accuracy: float
    accuracy_error: float
    macro_f1: float
    log_loss: float | None
    log_loss_error: float
    chosen: str


def run(data: Path) -> Iterator[Line]:
    """Yield a line for each set and model."""
    for some in text_sets(data):
        for model in MODELS:
            if model == "NBLogCountRatio + LogisticRegression" and some.is_long:
                continue  # twenty classes make twenty columns of each term
            yield line(some, [answer(model, some, train, test) for train, test in some.splits])


def answer(model: str, some: TextSet, train: Texts, test: Texts) -> Answer:
    """Choose a model on the training part, learn it there, and ask it about the test part."""
    return MODELS[model](model, some, train, test)


def line(some: TextSet, answers: list[Answer]) -> Line:
    """Return the line of a model on all test parts of a set."""
    wrong = np.concatenate([a.wrong for a in answers])
    truth, said = [label for a in answers for label in a.truth], [label for a in answers for label in a.said]
    log_loss, error = None, np.nan
    if all(a.log_loss is not None for a in answers):
        losses = np.concatenate([a.log_loss for a in answers])
        log_loss, error = float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(len(losses)))
    spread = float(np.sqrt(wrong.mean() * (1 - wrong.mean()) / len(wrong)))
    macro = float(f1_score(truth, said, average="macro"))
    chosen = " / ".join(dict.fromkeys(a.chosen for a in answers))
    return Line(some.name, answers[0].model, 1 - float(wrong.mean()), spread, macro, log_loss, error, chosen)


def answered(model: str, chosen: str, classes: Any, said: Any, posterior: Any, test: Texts) -> Answer:
    """Return what was said; a log-loss is at most 36, as if no probability were below 1e-16."""
    truth = np.array(test.labels)
    losses = None
    if posterior is not None:
        own = posterior[np.arange(len(truth)), np.searchsorted(classes, truth)]
        losses = -np.log(np.maximum(own, 1e-16))
    return Answer(model, chosen, (said != truth).astype(float), losses, test.labels, list(said))


def _rival(model: str, some: TextSet, train: Texts, test: Texts) -> Answer:
    candidate = text_rivals.search(train, some.is_chinese, some.is_long, FOLDS)
    classes, said, posterior = text_rivals.answers(candidate, train, test, some.is_chinese, some.is_long)
    return answered(model, str(candidate), classes, said, posterior, test)


def _ours(choose: Callable[[TextSet, Texts], text_ours.Choice]) -> Callable[..., Answer]:
    def ask(model: str, some: TextSet, train: Texts, test: Texts) -> Answer:
        return said_by(model, choose(some, train), train, test)

    return ask


def said_by(model: str, choice: text_ours.Choice, train: Texts, test: Texts) -> Answer:
    """Return what a model of ours says of the test part."""
    built = choice.build().fit(train.texts, train.labels)
    posterior = None if choice.options.get("event") == "complement" else built.predict_proba(test.texts)
    return answered(model, str(choice), built.classes_, built.predict(test.texts), posterior, test)


MODELS: dict[str, Callable[..., Answer]] = {
    "scikit-learn's naive Bayes": _rival,
    "TextNB": _ours(lambda some, train: text_ours.text_nb(train, some.is_chinese, some.is_long)),
    "NBLogCountRatio + LogisticRegression": _ours(lambda some, train: text_ours.ratios(train, some.is_chinese, FOLDS)),
    "NGramClassifier": _ours(lambda some, train: text_ours.ngrams(train, some.is_chinese, some.is_long, FOLDS)),
}
"""How each model is chosen and asked."""
