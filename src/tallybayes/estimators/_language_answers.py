"""What is asked of a language model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.engines.threads import in_order
from tallybayes.errors import EmptyDataError, OptionError, UnsupportedDataError
from tallybayes.estimators._languages import Unit, as_texts, text_schema
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.portions import portions
from tallybayes.models.language import Language
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import some_rows
from tallybayes.sources.open import open_source

MOST, MOST_IN_CHAIN = 1_000, 20
"""How long a text that is drawn may get, unless it is said: where texts have an end, and where they have none."""


class LanguageAnswers(ABC):
    """The questions, whether the model was learned or read from a file."""

    unit: Unit
    text: str | None

    @abstractmethod
    def _language(self) -> Language:
        """Return the estimated model."""

    def log_prob(self, text: str) -> float:
        """Return log P(text), the natural logarithm."""
        return float(self.log_probs([_one(text)])[0])

    def log_probs(self, X: Any) -> Floats:
        """Return log P(text) of each text; 0 for a missing one."""
        return self._scored(X)[0]

    def unit_log_probs(self, text: str) -> list[tuple[str, float]]:
        """Return each unit of a text with its log probability given what comes before, ``</s>`` at the end.

        A unit that was never seen is ``<unk>``.
        """
        language = self._language()
        found, logs = language.each(_one(text))
        units = [*found, len(language.keys)][: len(logs)]
        return list(zip(map(language.name, units), logs.tolist(), strict=True))

    def perplexity(self, X: Any) -> float:
        """Return exp(-log P(all texts) / number of units), ends of texts counted like units where they have any."""
        scores, sizes = self._scored(X)
        if not sizes.sum():
            raise EmptyDataError("There is no unit in these texts, so that they have no perplexity. Give texts.")
        with np.errstate(over="ignore"):
            return float(np.exp(-scores.sum() / sizes.sum()))

    def next(self, context: str = "", *, top: int | None = None) -> dict[str, float]:
        """Return P(unit | context) for the units of the vocabulary, the most probable first.

        Among them are ``</s>``, the end of the text, where texts have one, and ``<unk>``, all other units together,
        where the smoothing leaves them a share.

        Parameters
        ----------
        context : str
            The text so far, from its beginning.
        top : int, optional
            How many to return.
        """
        if top is not None:
            _check_number("top", top)
        language = self._language()
        logs = language.log_next(language.state(_one(context)))
        there = np.ones(len(logs), bool)
        there[-2:] = language.boundaries, language.open
        order = np.argsort(-logs, kind="stable")
        order = order[there[order]][:top]
        names = map(language.name, order.tolist())
        return dict(zip(names, np.exp(logs[order]).tolist(), strict=True))

    def sample(
        self, n: int = 1, *, context: str = "", length: int | None = None, random_state: Any = None
    ) -> list[str]:
        """Draw texts from the model, never with an unknown unit.

        Parameters
        ----------
        n : int
            How many.
        context : str
            What each of them begins with, and which is not repeated.
        length : int, optional
            The most units; by default 20 where texts have no end, and 1,000 where they have one.
        random_state
            A seed or a generator.
        """
        _check_number("n", n)
        if length is not None:
            _check_number("length", length)
        if isinstance(random_state, np.random.RandomState):
            random_state = random_state.randint(2**31)
        rng = np.random.default_rng(random_state)
        language = self._language()
        begin = language.state(_one(context))
        most = length if length is not None else MOST if language.boundaries else MOST_IN_CHAIN
        between = "" if self.unit == "char" else " "
        units = language.units
        return [between.join([units[i] for i in text]) for text in language.draw(n, begin, most, rng)]

    def _scored(self, X: Any) -> tuple[Floats, Counts]:
        """Return the log probability of each text, and how many units it has with its end."""
        language = self._language()
        source = open_source(as_texts(X, self.text), only=None if self.text is None else (self.text,))
        schema = text_schema(source.names, source.named, self.text)
        encoder = Encoder(schema, "string", False, type(self).__name__)

        def score(rows: Rows) -> tuple[Floats, Counts]:
            column = encoder(rows).texts(schema.names[0])
            scores, sizes = language.score(language.analyzer.read(column))
            there = column.is_valid().to_numpy(zero_copy_only=False)
            return np.where(there, scores, 0.0), np.where(there, sizes, 0)

        scores, sizes = (
            np.concatenate(part) for part in zip(*in_order(score, portions(some_rows(source), encoder)), strict=True)
        )
        return scores, sizes


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise OptionError(f"{name}={value!r} should be a whole number, 0 or more.")


def _one(text: Any) -> str:
    if not isinstance(text, str):
        raise UnsupportedDataError(f"{text!r} is no text. Give a string; log_probs() takes a list of them.")
    return text
