"""A language model for each class, and Bayes' rule."""

from __future__ import annotations

from typing import Any

from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._languages import Cut, Unit, as_texts, check_language, language_factor, text_schema
from tallybayes.estimators._options import check_amount
from tallybayes.models.base import JointModel
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior, PriorSpec, check_prior
from tallybayes.models.sequences import TEXT
from tallybayes.models.smoothing import Smoothing
from tallybayes.schema.field import Schema
from tallybayes.schema.rows import Rows


class NGramClassifier(TallyClassifier):
    """Classes of texts by a language model for each: P(c | text) in proportion to P(c) P(text | c).

    The vocabulary is that of all classes. With ``order=1, smoothing="lidstone", boundaries=False`` this is `TextNB`
    with its multinomial event.

    Parameters
    ----------
    order, unit, smoothing, boundaries, analyzer, lowercase, amount
        Of the language models; see `LanguageModel`.
    prior : {"empirical", "uniform"}, dict or array
        P(c).
    prior_smoothing : float
        Added to the count of every class in the empirical prior.
    text : str, optional
        The column of the texts, where there are other columns too.

    Examples
    --------
    >>> from tallybayes import NGramClassifier
    >>> names = ["anna", "maria", "julia", "peter", "robert", "hubert"]
    >>> model = NGramClassifier(unit="char").fit(names, ["f", "f", "f", "m", "m", "m"])
    >>> model.predict(["marianna", "herbert"]).tolist()
    ['f', 'm']
    """

    def __init__(
        self,
        *,
        order: int = 3,
        unit: Unit = "word",
        smoothing: Smoothing = "kneser-ney",
        boundaries: bool = True,
        analyzer: Cut = None,
        lowercase: bool = True,
        amount: float = 1.0,
        prior: PriorSpec = "empirical",
        prior_smoothing: float = 0.0,
        text: str | None = None,
    ) -> None:
        self.order = order
        self.unit = unit
        self.smoothing = smoothing
        self.boundaries = boundaries
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.amount = amount
        self.prior = prior
        self.prior_smoothing = prior_smoothing
        self.text = text

    not_joint_reason = "the scores of stupid backoff do not sum to 1"
    joint_remedy = "Use another smoothing"

    @property
    def is_joint(self) -> bool:  # type: ignore[override]
        """Whether the scores are log p(x, c) of a distribution; those of stupid backoff are not."""
        return self.smoothing != "stupid-backoff"

    def _check_options(self) -> None:
        check_language(self)
        check_amount("prior_smoothing", self.prior_smoothing)
        check_prior(self.prior)

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        return text_schema(first.names, named, self.text)

    def _model(self, schema: Schema) -> JointModel:
        return NaiveModel(Prior(self.prior, self.prior_smoothing), {TEXT: language_factor(self, schema.names)})

    def _given(self, X: Any) -> Any:
        learned = self.text is None and self.__sklearn_is_fitted__()
        return as_texts(X, self.schema_.names[0] if learned else self.text)

    def _wanted(self) -> tuple[str, ...] | None:
        return None if self.text is None else (self.text,)
