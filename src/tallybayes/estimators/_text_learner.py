"""What naive Bayes on raw texts learns and answers, without scikit-learn's face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tallybayes._types import Name, Value
from tallybayes.decision.labels import ClassIndex
from tallybayes.errors import ColumnError, OptionError, UnsupportedDataError, did_you_mean
from tallybayes.estimators._joint_only import of_a_joint
from tallybayes.estimators._learner import Learner
from tallybayes.estimators._options import check_amount, check_flag, check_word
from tallybayes.estimators._texts import COLUMN, as_rows, in_column
from tallybayes.explain.highlight import Highlight, highlight
from tallybayes.explain.telling_terms import TellingTerms, telling_terms
from tallybayes.factors.term_choice import Ranking, TermChoice
from tallybayes.factors.text import Dictionary, TextFactor
from tallybayes.models.base import JointModel
from tallybayes.models.complement import NOT_A_JOINT
from tallybayes.models.prior import Prior, PriorSpec, check_prior
from tallybayes.models.text import TEXT, TextComplementModel, TextModel
from tallybayes.schema.field import Field, Schema, listed
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source
from tallybayes.sources.texts import readable
from tallybayes.text.analyzer import Analyzer, Named, Treatment

EVENTS = ("multinomial", "bernoulli", "binary", "complement")


class TextLearner(Learner):
    """Naive Bayes on one column of texts; `tallybayes.TextNB` says what its options are."""

    def __init__(
        self,
        *,
        event: Literal["multinomial", "bernoulli", "binary", "complement"] = "multinomial",
        analyzer: Named | Callable[[str], Iterable[str]] = "word",
        ngrams: tuple[int, int] = (1, 1),
        smoothing: float = 1.0,
        vocabulary: Dictionary = "shared",
        prior: PriorSpec | Literal["tokens"] = "empirical",
        prior_smoothing: float = 0.0,
        lowercase: bool = True,
        strip_accents: bool = False,
        stop_words: Literal["english"] | Sequence[str] | None = None,
        html: Treatment = "text",
        urls: Treatment = "text",
        numbers: Treatment = "text",
        hashed: int | None = None,
        tf: Literal["count", "log", "presence"] = "count",
        norm: bool = False,
        idf: bool | Literal["smooth"] = False,
        min_df: float = 1,
        max_df: float = 1.0,
        max_terms: int | None = None,
        ranking: Ranking = "frequency",
        text: str | None = None,
    ) -> None:
        self.event = event
        self.analyzer = analyzer
        self.ngrams = ngrams
        self.smoothing = smoothing
        self.vocabulary = vocabulary
        self.prior = prior
        self.prior_smoothing = prior_smoothing
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.stop_words = stop_words
        self.html = html
        self.urls = urls
        self.numbers = numbers
        self.hashed = hashed
        self.tf = tf
        self.norm = norm
        self.idf = idf
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms
        self.ranking = ranking
        self.text = text

    not_joint_reason = NOT_A_JOINT
    joint_remedy = "Use event='multinomial'"

    @property
    def is_joint(self) -> bool:  # type: ignore[override]
        """Whether the scores are log p(x, c) of a distribution; those of the complement are not."""
        return self.event != "complement"

    @of_a_joint
    def telling_terms(self, label: Value | None = None, top: int = 20) -> TellingTerms:
        """Return the terms that say most for each class, by log P(term | class) / P(term | other classes).

        With ``idf=True`` these logarithms are weighed as in a text, by how rare the term is.

        Parameters
        ----------
        label : class, optional
            The class; by default every class.
        top : int
            How many terms of each class.

        Examples
        --------
        >>> model = TextNB().fit(["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"])
        >>> print(model.telling_terms("spam", top=2))
        spam     log odds       odds  texts  others
        ───────────────────────────────────────────
        cheap       +0.98  2.67 to 1      2       0
        pills       +0.58  1.78 to 1      1       0
        """
        if isinstance(top, bool) or not isinstance(top, Integral) or top < 1:
            raise OptionError(f"top={top!r} is no number of terms; give 1 or more.")
        joint: Any = self._joint()
        codes = range(len(joint.classes)) if label is None else [ClassIndex(joint.classes).require(label)]
        tally: Any = self.tallies_[TEXT]
        log_prob = joint.conditionals[TEXT].term_log_prob()
        return telling_terms(tally, log_prob, joint.classes, joint.log_prior, codes, int(top))

    @of_a_joint
    def highlight(self, text: str, *, label: Value | None = None, against: Value | None = None) -> Highlight:
        """Return the words that decided one text: each with its place, and what it adds to the log odds.

        Printed, the text comes with its terms by what they say; a terminal shows it in colours with ``rich.print``, and
        a page with ``.html()``.

        Parameters
        ----------
        text : str
            The text.
        label : class, optional
            The class that is explained; by default the most probable one.
        against : class, optional
            The other class; by default the most probable one besides.

        Examples
        --------
        >>> model = TextNB().fit(["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"])
        >>> found = model.highlight("Cheap lunch!")
        >>> found.label, [found.text[a:b] for a, b in zip(found.begins, found.ends)], found.contributions.round(2)
        ('spam', ['Cheap', 'lunch'], array([ 0.98, -0.81]))
        """
        if not isinstance(text, str):
            raise UnsupportedDataError(
                f"highlight() takes one text, not {type(text).__name__}. For many rows at once there is explain()."
            )
        text = str(readable(text))
        joint: Any = self._joint()
        (name,) = self.schema_.of_kind("text")
        cells = pa.RecordBatch.from_arrays([pa.array([text], pa.large_string())], names=[str(name)])
        batch = self._encoder(self._learned)(Rows(cells, (name,)))
        return highlight(
            text,
            joint.conditionals[TEXT],
            joint.classes,
            joint.log_prior,
            label=label,
            against=against,
            log_joint=joint.log_joint(batch),
        )

    def _check_options(self) -> None:
        check_word("event", self.event, EVENTS)
        check_word("vocabulary", self.vocabulary, ("shared", "per-class"))
        check_amount("smoothing", self.smoothing)
        check_amount("prior_smoothing", self.prior_smoothing)
        check_word("tf", self.tf, ("count", "log", "presence"))
        for name in ("lowercase", "strip_accents", "norm"):
            check_flag(name, getattr(self, name))
        idf: Any = self.idf
        if not isinstance(idf, bool | np.bool_) and not (isinstance(idf, str) and idf == "smooth"):
            raise OptionError(f"idf={self.idf!r} should be True, False or 'smooth'.")
        self._check_transforms()
        if not isinstance(self.prior, str) or self.prior != "tokens":
            check_prior(self.prior)
        elif self.event not in ("multinomial", "binary"):
            raise OptionError(f"prior='tokens' goes with event='multinomial' or 'binary', and not with {self.event!r}.")
        self._factor((COLUMN,))

    def _check_transforms(self) -> None:
        """Refuse transforms of counts where there are none."""
        coins = self.event == "bernoulli"
        if self.tf == "log" and self.event in ("bernoulli", "binary"):
            raise OptionError(
                f"tf='log' needs counts, and event={self.event!r} has none. Use event='multinomial' or 'complement'."
            )
        if coins and (self.norm or self.idf):
            name = "norm=True" if self.norm else f"idf={self.idf!r}"
            raise OptionError(f"{name} scales counts, and event='bernoulli' has none. Use event='binary'.")

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        name = self._column(first.names)
        return Schema((Field(name, "text", "string", "the texts"),), named)

    def _column(self, names: Sequence[Name]) -> Name:
        """Return the column of the texts."""
        if self.text is None:
            if len(names) == 1:
                return names[0]
            raise ColumnError(
                f"There are {len(names)} columns, {listed(tuple(names))}. Say which has the texts: text=."
            )
        if self.text not in names:
            raise ColumnError(
                f"text={self.text!r} is no column.{did_you_mean(self.text, names)} The columns are "
                f"{listed(tuple(names))}."
            )
        return self.text

    def _factor(self, names: tuple[Name, ...]) -> TextFactor:
        analyzer = Analyzer(
            analyzer=self.analyzer,
            ngrams=self.ngrams,
            lowercase=self.lowercase,
            strip_accents=self.strip_accents,
            stop_words=self.stop_words,
            html=self.html,
            urls=self.urls,
            numbers=self.numbers,
            hashed=self.hashed,
        )
        choice = TermChoice(self.min_df, self.max_df, self.max_terms, self.ranking)
        event = "multinomial" if self.event == "complement" else self.event
        if event == "multinomial" and self.tf == "presence":
            event = "binary"
        return TextFactor(
            names,
            analyzer,
            event,
            self.smoothing,
            self.vocabulary,
            choice,
            log=self.tf == "log",
            norm=bool(self.norm),
            idf="smooth" if self.idf == "smooth" else bool(self.idf),
        )

    def _model(self, schema: Schema) -> JointModel:
        factor = self._factor(schema.names)
        by_tokens = isinstance(self.prior, str) and self.prior == "tokens"
        spec: Any = "empirical" if by_tokens else self.prior
        prior = Prior(spec, self.prior_smoothing)
        if self.event == "complement":
            return TextComplementModel(prior, factor)
        return TextModel(prior, factor, by_tokens)

    def _given(self, X: Any) -> Any:
        return in_column(as_rows(X), self.text)

    def _open(self, X: Any, y: Any = None, sample_weight: Any = None) -> Source:
        """Open rows; plain texts are those of the column that was learned, whatever it is called."""
        schema = self._learned.schema
        name = str(schema.of_kind("text")[0]) if schema.named else None
        return super()._open(in_column(as_rows(X), name), y, sample_weight)

    def _wanted(self) -> tuple[str, ...] | None:
        return None if self.text is None else (self.text,)
