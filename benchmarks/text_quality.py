"""How good classifiers of texts are, beside scikit-learn's naive Bayes, both chosen on the training part alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from benchmarks import text_ours, text_rivals
from benchmarks.text_sets import Texts, TextSet, text_sets

FOLDS = 3
"""In how many folds of the training part is chosen what is not chosen by leave-one-out."""

RIVAL = "scikit-learn's naive Bayes"
RATIOS = "NBLogCountRatio + LogisticRegression"
CHOSEN = "tallybayes, chosen"


@dataclass(frozen=True)
class Answer:
    """What a model says of the test texts, by row: whether it is wrong, its log-loss, and its answers.

    `wrong_in_training` is the share of wrong answers in the folds of the training part.
    """

    model: str
    chosen: str
    wrong: list[float]
    log_loss: list[float] | None
    truth: list[str]
    said: list[str]
    wrong_in_training: float


@dataclass(frozen=True)
class Line:
    """One line of the report: a model on a set, with standard errors.

    `ahead` is by how much its accuracy is above the rival's, and `ahead_error` the standard error of that, by what both
    say of the same texts.
    """

    texts: str
    model: str
    accuracy: float
    accuracy_error: float
    ahead: float
    ahead_error: float
    macro_f1: float
    log_loss: float | None
    log_loss_error: float
    chosen: str


def run(data: Path, sets: Collection[str] | None = None, out: Path | None = None) -> Iterator[Line]:
    """Yield a line for each set and model.

    Parameters
    ----------
    data
        A folder with the sets, at any depth.
    sets
        The names of some sets; all by default.
    out
        A folder that keeps what each model says of each split, so that a run that was broken off goes on from there.
    """
    for some in text_sets(data):
        if sets is not None and some.name not in sets:
            continue
        by_model: dict[str, list[Answer]] = {}
        for split in range(len(some.splits)):
            for found in _of_split(some, split, out):
                by_model.setdefault(found.model, []).append(found)
        rival = by_model[RIVAL]
        yield from (line(some, answers, rival) for answers in by_model.values())


def _of_split(some: TextSet, split: int, out: Path | None) -> Iterator[Answer]:
    """Yield what each model says of a split, and what that of ours says that does best on the training part."""
    ours = []
    for model in MODELS:
        if model == RATIOS and some.is_long:
            continue  # twenty classes make twenty columns of each term
        found = _kept(out, f"{some.name} {split} {model}", lambda model=model: answer(model, some, *some.splits[split]))
        yield found
        if model != RIVAL:
            ours.append(found)
    best = min(ours, key=lambda found: found.wrong_in_training)
    yield replace(best, model=CHOSEN, chosen=best.model)


def _kept(out: Path | None, name: str, make: Callable[[], Answer]) -> Answer:
    """Return an answer from the folder that keeps them, or make it and keep it."""
    if out is None:
        return make()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}.json"
    if not path.exists():
        path.write_text(json.dumps(asdict(make())), encoding="utf-8")
    return Answer(**json.loads(path.read_text(encoding="utf-8")))


def answer(model: str, some: TextSet, train: Texts, test: Texts) -> Answer:
    """Choose a model on the training part, learn it there, and ask it about the test part."""
    return MODELS[model](model, some, train, test)


def line(some: TextSet, answers: list[Answer], rival: list[Answer]) -> Line:
    """Return the line of a model on all test parts of a set, beside the rival's answers to the same texts."""
    wrong, beside = (np.concatenate([a.wrong for a in some_answers]) for some_answers in (answers, rival))
    truth, said = [label for a in answers for label in a.truth], [label for a in answers for label in a.said]
    log_loss, error = None, np.nan
    losses = [a.log_loss for a in answers if a.log_loss is not None]
    if len(losses) == len(answers):
        log_loss, error = _mean(np.concatenate(losses))
    accuracy, spread = _mean(1.0 - wrong)
    macro = float(f1_score(truth, said, average="macro"))
    chosen = " / ".join(dict.fromkeys(a.chosen for a in answers))
    return Line(some.name, answers[0].model, accuracy, spread, *_mean(beside - wrong), macro, log_loss, error, chosen)


def _mean(values: Any) -> tuple[float, float]:
    """Return a mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def answered(model: str, chosen: str, wrong: float, classes: Any, said: Any, posterior: Any, test: Texts) -> Answer:
    """Return what was said; a log-loss is at most 36, as if no probability were below 1e-16."""
    truth = np.array(test.labels)
    losses = None
    if posterior is not None:
        own = posterior[np.arange(len(truth)), np.searchsorted(classes, truth)]
        losses = (-np.log(np.maximum(own, 1e-16))).tolist()
    said = [str(label) for label in said]
    return Answer(model, chosen, (np.array(said) != truth).astype(float).tolist(), losses, test.labels, said, wrong)


def _rival(model: str, some: TextSet, train: Texts, test: Texts) -> Answer:
    candidate, wrong = text_rivals.search(train, some.is_chinese, some.is_long, FOLDS)
    classes, said, posterior = text_rivals.answers(candidate, train, test, some.is_chinese, some.is_long)
    return answered(model, str(candidate), wrong, classes, said, posterior, test)


def _ours(choose: Callable[[Texts, bool, bool, int], text_ours.Choice]) -> Callable[..., Answer]:
    def ask(model: str, some: TextSet, train: Texts, test: Texts) -> Answer:
        choice = choose(train, some.is_chinese, some.is_long, FOLDS)
        built = choice.build().fit(train.texts, train.labels)
        # The complement's score is no joint, so that it has no probabilities.
        posterior = None if choice.options.get("event") == "complement" else built.predict_proba(test.texts)
        return answered(model, str(choice), choice.wrong, built.classes_, built.predict(test.texts), posterior, test)

    return ask


MODELS: dict[str, Callable[..., Answer]] = {
    RIVAL: _rival,
    "TextNB": _ours(text_ours.text_nb),
    "NGramClassifier": _ours(text_ours.ngrams),
    RATIOS: _ours(text_ours.ratios),
}
"""How each model is chosen and asked."""
