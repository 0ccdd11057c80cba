"""p(text, c) by a language model for each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from tallybayes._types import Counts, Floats, Name
from tallybayes.errors import UnsupportedDataError
from tallybayes.factors.base import Conditional, Factor
from tallybayes.models.language import Language, language_of
from tallybayes.models.smoothing import Smoothing
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.sequences import SequenceTally
from tallybayes.text.analyzer import Analyzer

TEXT = "text"
"""The name of the tally of texts."""


@dataclass(frozen=True)
class LanguageFactor(Factor[SequenceTally]):
    """P(text | c), a language model for each class over the units of all.

    Attributes
    ----------
    analyzer
        How texts become units.
    order, boundaries
        The longest n-gram, and whether texts have a beginning and an end.
    smoothing, amount
        See `tallybayes.models.smoothing`.
    """

    analyzer: Analyzer = field(default_factory=Analyzer)
    order: int = 3
    smoothing: Smoothing = "kneser-ney"
    boundaries: bool = True
    amount: float = 1.0

    def tally(self) -> SequenceTally:
        (name,) = self.names
        return SequenceTally.empty(name, self.analyzer, order=self.order, boundaries=self.boundaries)

    def estimate(self, tally: SequenceTally, classes: Values) -> LanguageConditional:
        places = classes.places_in(tally.classes).tolist()
        options: Any = {"amount": self.amount, "analyzer": self.analyzer}
        languages = [language_of(tally, code, self.smoothing, **options) for code in places]
        return LanguageConditional(self.names, self.analyzer, tuple(languages))


@dataclass(frozen=True, eq=False)
class LanguageConditional(Conditional):
    """The estimated language model of each class."""

    names: tuple[Name, ...]
    analyzer: Analyzer
    languages: tuple[Language, ...]

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        column = batch.texts(self.names[0])
        texts = self.analyzer.read(column)
        there = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else np.ones(len(column), bool)
        scores = out.T.copy()
        # The classes have one vocabulary, so that texts are read once for all of them.
        for block in self.languages[0].blocks(texts):
            for language, row in zip(self.languages, scores, strict=True):
                language.add(block, row)
        out[there] = scores.T[there]

    def contributions(self, batch: Batch) -> Floats:
        out = np.zeros((len(batch), len(self.languages)))
        self.add_log_prob(batch, out)
        return out[:, None, :]

    def sample(self, classes: Counts, rng: np.random.Generator) -> NoReturn:
        raise UnsupportedDataError(
            "Texts are drawn from a LanguageModel, which has an end for them: fit one to the texts of a class and call "
            "its sample()."
        )

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        n_grams = [int((language.trie.depth > 0).sum()) for language in self.languages]
        return {self.names[0]: {"units": len(self.languages[0].keys), "n-grams": n_grams}}
