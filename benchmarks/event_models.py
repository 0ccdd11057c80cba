"""Coins or dice: the Bernoulli and the multinomial model of texts, by the size of the dictionary and of the texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tallybayes as tb
from benchmarks.text_sets import Texts, text_sets
from tallybayes.learn.leave_one_out import left_out_losses

EVENTS = ("bernoulli", "binary", "multinomial")
SMOOTHING = (0.01, 0.1, 1.0)
DICTIONARIES = (100, 300, 1_000, 3_000, 10_000, 30_000, None)
LENGTHS = (10, 20, 50, 100, 200, 500)


@dataclass(frozen=True)
class Line:
    """The share of wrong answers of each event on the test part.

    Attributes
    ----------
    of
        What was varied, and its value.
    terms, per_text, share
        How many terms are kept, how many different ones of them a text has in the mean, and what share that is.
    wrong, error
        The share of wrong answers by event, and the greatest standard error of these.
    """

    of: str
    terms: int
    per_text: float
    share: float
    wrong: dict[str, float]
    error: float


def run(data: Path) -> Iterator[tuple[str, list[Line]]]:
    """Yield tables: each set by the size of the dictionary, and the long texts by their length."""
    for some in text_sets(data):
        train, test = some.splits[0]
        models = {event: tb.TextNB(event=event).fit(train.texts, train.labels) for event in EVENTS}
        every = len(models["bernoulli"].tallies_["text"])
        sizes = [size for size in DICTIONARIES if size is None or size < every]
        yield (
            f"{some.name}, by the dictionary",
            [_line("all" if n is None else f"{n:,}", models, n, train, test) for n in sizes],
        )
        if not some.is_long:
            continue
        lines = []
        for length in LENGTHS:
            short = [_cut(part, length) for part in (train, test)]
            models = {event: tb.TextNB(event=event).fit(short[0].texts, short[0].labels) for event in EVENTS}
            lines.append(_line(f"{length} words", models, None, *short))
        yield f"{some.name}, by the length of the texts", lines


def _line(of: str, models: dict[str, Any], terms: int | None, train: Texts, test: Texts) -> Line:
    wrong = {}
    for event, model in models.items():
        smoothing = min(SMOOTHING, key=lambda s, m=model: _left_out(m, s, terms, train))
        model.set_params(smoothing=smoothing, max_terms=terms, ranking="mutual-information")
        wrong[event] = float((model.predict(test.texts) != np.array(test.labels)).mean())
    kept, per_text = _kept(models["bernoulli"])
    error = max(np.sqrt(p * (1 - p) / len(test)) for p in wrong.values())
    return Line(of, kept, per_text, per_text / max(kept, 1), wrong, float(error))


def _left_out(model: Any, smoothing: float, terms: int | None, train: Texts) -> float:
    """Return the share of wrong answers when each text of the training part is left out."""
    model.set_params(smoothing=smoothing, max_terms=terms, ranking="mutual-information")
    joint, rows, encode = model._asked(train.texts, train.labels)
    return left_out_losses({0: joint}, rows, encode)[0].mean("0-1 loss")


def _kept(model: Any) -> tuple[int, float]:
    """Return how many terms are kept, and how many of them a text has in the mean."""
    tally = model.tallies_["text"]
    rows, texts = tally.rows_of(tally.classes), tally.texts_of(tally.classes)[0]
    kept = model._factor(tally.names).choice.kept(rows, texts)
    return int(kept.sum()), float(rows[kept].sum() / texts.sum())


def _cut(part: Texts, words: int) -> Texts:
    """Return texts without their headers, cut after so many words."""
    bodies = (text.partition("\n\n")[2] or text for text in part.texts)
    return Texts([" ".join(re.findall(r"\w+", body)[:words]) for body in bodies], part.labels)
