"""tallybayes on texts: TextNB chosen by exact leave-one-out, and other models by folds, on the training part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import tallybayes as tb
from benchmarks.text_rivals import REFINED, SMOOTHING
from benchmarks.text_sets import Texts, inner_splits, segmenter
from tallybayes.learn.leave_one_out import left_out_losses

Loss = tuple[float, float, dict[str, Any]]
"""The share of wrong answers, the log-loss, and of what options."""

COARSE = (0.05, 0.5)
"""What the smoothing is first, with long texts the first alone; the best are tried again with all of `SMOOTHING`."""


@dataclass(frozen=True)
class Choice:
    """A model with its options, as a user writes them.

    Attributes
    ----------
    estimator, options
        What is called, and with what.
    wrong
        The share of wrong answers in the folds of the training part; the same folds for every model.
    """

    estimator: Any
    options: dict[str, Any]
    wrong: float

    def __str__(self) -> str:
        """Return the options that were chosen."""
        return ", ".join(f"{key}={value!r}" for key, value in self.options.items())

    def build(self) -> Any:
        """Return the model, not yet fitted."""
        return self.estimator(**self.options)


def cuts(chinese: bool, long: bool) -> Iterator[dict[str, Any]]:
    """Yield the ways to cut texts."""
    if chinese:
        yield from ({"ngrams": (1, n)} for n in (1, 2))
        yield from ({"analyzer": "char", "ngrams": (1, n)} for n in (2, 3))
        if segmenter() is not None:
            yield from ({"analyzer": segmenter(), "ngrams": (1, n)} for n in (1, 2))
        return
    yield from ({"ngrams": (1, n)} for n in ((1, 2) if long else (1, 2, 3)))
    if not long:
        yield {"analyzer": "char_wb", "ngrams": (2, 4)}


def measures() -> Iterator[dict[str, Any]]:
    """Yield what a text may add for a term; what differs in idf alone has the same counts."""
    yield {"event": "bernoulli"}
    for event, options in (
        ("multinomial", {}),
        ("binary", {}),
        ("binary", {"norm": True}),
        ("complement", {"tf": "presence"}),
        ("complement", {"tf": "presence", "norm": True}),
        ("multinomial", {"tf": "log", "norm": True}),
        ("complement", {}),
        ("complement", {"tf": "log", "norm": True}),
    ):
        for idf in ({}, {"idf": True}, {"idf": "smooth"}):
            yield {"event": event, **options, **idf}


def text_nb(train: Texts, chinese: bool, long: bool, folds: int) -> Choice:
    """Return the TextNB with the least 0-1 loss when each text is left out, the log-loss breaking ties.

    In how many texts a term has to be is chosen in folds: a text that is left out still counts where terms are
    chosen, so that no term of its own and of one other text would be passed over.
    """
    found: list[Loss] = []
    for cut in cuts(chinese, long):
        counted: dict[str, Any] = {}  # by what is counted, so that it is counted once
        for measure in measures():
            model = _counted(counted, {**cut, **measure}, train)
            some = [{**cut, **measure, "smoothing": smoothing} for smoothing in COARSE[: 1 if long else 2]]
            found += _left_out(model, some, train)
    refined: list[Loss] = []
    for options in _best(found, REFINED):
        model = tb.TextNB(**options).fit(train.texts, train.labels)
        finer = list(_left_out(model, [{**options, "smoothing": smoothing} for smoothing in SMOOTHING], train))
        (options,) = _best(finer, 1)
        refined += _left_out(model, [options], train)
        if options["event"] != "complement":
            refined += _left_out(model, [{**options, "prior": "uniform"}], train)
    (options,) = _best(refined, 1)
    some = [options, *({**options, "min_df": n} for n in (2, 3))]
    return _by_folds(tb.TextNB, some, inner_splits(train, folds, once=long))


def _best(found: list[Loss], most: int) -> list[dict[str, Any]]:
    """Return the options with the least losses, those that differ in smoothing alone once."""
    best: list[dict[str, Any]] = []
    for _, _, options in sorted(found, key=lambda line: line[:2]):
        if all({**options, "smoothing": 0} != {**other, "smoothing": 0} for other in best):
            best.append(options)
    return best[:most]


def _counted(counted: dict[str, Any], options: dict[str, Any], train: Texts) -> Any:
    """Return a model that has counted what the options need."""
    presence = options["event"] in ("binary", "bernoulli")
    key = f"{presence} {options.get('tf')} {options.get('norm')}"
    if key not in counted:
        counted.clear()
        counted[key] = tb.TextNB(**options).fit(train.texts, train.labels)
    return counted[key]


_DEFAULT = {"event": "multinomial", "tf": "count", "norm": False, "idf": False, "min_df": 1, "prior": "empirical"}


def _left_out(model: Any, some: list[dict[str, Any]], train: Texts) -> Iterator[Loss]:
    """Yield the mean losses of options with the same counts."""
    for options in some:
        model.set_params(**{**_DEFAULT, **options})
        joint, rows, encode = model._asked(train.texts, train.labels)
        losses = left_out_losses({0: joint}, rows, encode)[0]
        log_loss = losses.mean("log-loss") if options["event"] != "complement" else np.inf
        yield losses.mean("0-1 loss"), log_loss, options


def ngrams(train: Texts, chinese: bool, long: bool, folds: int) -> Choice:
    """Return the classifier by language models with the least 0-1 loss in cross-validation."""
    words = [{"order": order, "smoothing": s} for order in (2, 3) for s in ("kneser-ney", "witten-bell")]
    some: list[dict[str, Any]] = words[:2]  # of long texts
    if not long:
        some = words + [{"unit": "char", "order": order} for order in ((2, 3) if chinese else (4, 5, 6))]
    return _by_folds(tb.NGramClassifier, some, inner_splits(train, folds, once=long))


def ratios(train: Texts, chinese: bool, long: bool, folds: int) -> Choice:
    """Return log-count ratios into a logistic regression, with the least 0-1 loss in cross-validation."""
    cut = [{"ngrams": (1, 1)}] if chinese else [{"ngrams": (1, 2)}, {"ngrams": (1, 3)}]
    some = [{**c, "C": C} for c in cut for C in (0.1, 0.3, 1.0, 3.0)]
    return _by_folds(ratio_model, some, inner_splits(train, folds, once=long))


def ratio_model(*, C: float, **options: Any) -> Any:
    """Return a logistic regression on log-count ratios."""
    return make_pipeline(tb.NBLogCountRatio(**options), LogisticRegression(C=C, solver="liblinear"))


def _by_folds(estimator: Any, some: list[dict[str, Any]], splits: list[tuple[Texts, Texts]]) -> Choice:
    """Return what has the least 0-1 loss in the parts that are held out."""
    wrong = [0] * len(some)
    for rest, held in splits:
        for k, options in enumerate(some):
            model = estimator(**options).fit(rest.texts, rest.labels)
            wrong[k] += int((model.predict(held.texts) != np.array(held.labels)).sum())
    best = int(np.argmin(wrong))
    return Choice(estimator, some[best], wrong[best] / sum(len(held) for _, held in splits))
