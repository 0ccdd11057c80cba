"""A language model of n-grams."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from os import PathLike, fspath, fstat
from typing import Any, Self

import pyarrow as pa
from sklearn.base import BaseEstimator, clone

from tallybayes.decision.unfitted import unfitted
from tallybayes.errors import MergeError, OptionError, SourceError
from tallybayes.estimators._language_answers import LanguageAnswers
from tallybayes.estimators._languages import Cut, Unit, as_texts, check_language, language_factor, text_schema
from tallybayes.estimators._memo import Memo, same_options
from tallybayes.estimators._texts import COLUMN
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.fold import fold
from tallybayes.learn.learned import Learned
from tallybayes.learn.portions import portions
from tallybayes.models.arpa import arpa_bytes, read_arpa
from tallybayes.models.base import JointModel, Tallies
from tallybayes.models.language import Language, language_of
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior
from tallybayes.models.sequences import TEXT
from tallybayes.models.smoothing import Smoothing
from tallybayes.models.stored_language import language_from, stored_language
from tallybayes.schema.batch import Batch
from tallybayes.schema.field import Schema
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source, some_rows
from tallybayes.sources.open import open_source
from tallybayes.storage.atomic import replacing
from tallybayes.tallies.base import State


@dataclass(frozen=True)
class _Unlabelled:
    """Reads rows as those of one class."""

    encoder: Encoder

    def __call__(self, rows: Rows) -> Batch:
        return self.encoder(replace(rows, target=pa.repeat(TEXT, len(rows)), weights=None))


class LanguageModel(LanguageAnswers, BaseEstimator):
    """P(text) by n-grams: a unit depends on those right before it.

    Parameters
    ----------
    order : int
        The longest n-gram: a unit depends on the ``order - 1`` units before it.
    unit : {"word", "char"}
        What a text is made of. In scripts without blanks between words, words are single characters.
    smoothing : {"kneser-ney", "witten-bell", "absolute", "lidstone", "mle", "stupid-backoff"}
        How probabilities follow from counts; see `tallybayes.models.smoothing`. May be changed after `fit`.
    boundaries : bool
        Whether a text has a beginning and an end: its first unit is one that begins texts, and its end ``</s>`` has a
        probability like any unit. Otherwise P(text) is P(w1) P(w2 | w1) ..., as far as the text goes.
    analyzer : None, "jieba" or callable
        What cuts texts into units instead, such as ``str.split``.
    lowercase : bool
        Fold case; what a callable returns is left alone.
    amount : float
        What ``"lidstone"`` adds to every count.
    text : str, optional
        The column of the texts, where there are other columns too.

    Examples
    --------
    >>> from tallybayes import LanguageModel
    >>> model = LanguageModel(order=2, smoothing="mle").fit(["I am Sam", "Sam I am", "I do not like ham"])
    >>> round(model.perplexity(["I am Sam"]) ** -4, 4)  # 2/3 2/3 1/2 1/2
    0.1111
    >>> model.next("I", top=1)
    {'am': 0.6666666666666666}
    """

    _read: Language
    """The model of an ARPA file, where it was not learned."""

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
        text: str | None = None,
    ) -> None:
        self.order = order
        self.unit = unit
        self.smoothing = smoothing
        self.boundaries = boundaries
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.amount = amount
        self.text = text

    # Learning -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: None = None) -> Self:
        """Learn from texts, forgetting what was learned before.

        Parameters
        ----------
        X : list of str, Arrow column, frame, or path to a file
            The texts, each a sentence or whatever has a beginning and an end; of a table, those of the column `text`.
        y
            Ignored; here for scikit-learn.
        """
        return self._learn(X, None)

    def partial_fit(self, X: Any, y: None = None) -> Self:
        """Add texts to what was learned."""
        self._refuse_read("learns nothing")
        return self._learn(X, self._learned if self.__sklearn_is_fitted__() else None)

    def forget(self, X: Any, y: None = None) -> Self:
        """Take texts out again, as if they had never been learned."""
        learned = self._what_was_learned()
        self._adopt(learned.minus(self._counted(self._open(X, learned), learned)))
        return self

    def __add__(self, other: Self) -> Self:
        """Return the model that learned the texts of both, with the options of the first."""
        if type(other) is not type(self):
            raise MergeError(f"A LanguageModel and a {type(other).__name__} do not add; add models of one class.")
        ours, theirs = self._what_was_learned(), other._what_was_learned()
        same_options(self, other)
        both: Self = clone(self)
        both._adopt(ours + theirs)
        return both

    def __radd__(self, other: Any) -> Self:
        """Let `sum` start from 0."""
        return copy(self) if isinstance(other, int) and other == 0 else NotImplemented

    def _learn(self, X: Any, before: Learned | None) -> Self:
        self._check_options()
        source = self._open(X, before)
        if before is None:
            schema = text_schema(source.names, source.named, self.text)
            before = Learned(schema, self._model(schema).needs(), None, "string")
        self._adopt(before.plus(self._counted(source, before)))
        return self

    def _open(self, X: Any, learned: Learned | None) -> Source:
        """Open texts, those of the column that was learned from."""
        column = self.text if learned is None else learned.schema.names[0]
        return open_source(as_texts(X, column), only=None if column is None else (column,))

    def _counted(self, source: Source, learned: Learned) -> Tallies:
        model = self._model(learned.schema)
        learned.for_model(model)
        encoder = Encoder(learned.schema, "string", False, type(self).__name__)
        return fold(portions(some_rows(source), encoder), _Unlabelled(encoder), model.needs())

    def _check_options(self) -> None:
        check_language(self)

    def _check_learned(self, learned: Learned) -> None:
        """Refuse what was counted, before it is taken over."""

    def _model(self, schema: Schema) -> JointModel:
        return NaiveModel(Prior(), {TEXT: language_factor(self, schema.names)})

    def _adopt(self, learned: Learned) -> None:
        self._learned = learned
        self._memo = Memo()
        self.__dict__.pop("_read", None)

    # What was learned -----------------------------------------------------------------------------------

    @property
    def tallies_(self) -> Tallies:
        """What was counted."""
        return self._what_was_learned().tallies

    @property
    def vocabulary_(self) -> list[str]:
        """The units, sorted."""
        return sorted(self._language().units)

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was learned, or read, to a model file, from which `tallybayes.load` goes on."""
        from tallybayes.estimators._model_file import save, save_language

        if (read := self._from_file()) is not None:
            save_language(path, type(self).__name__, self.get_params(deep=False), stored_language(read))
            return
        save(path, type(self).__name__, self.get_params(deep=False), self._what_was_learned())

    def to_arpa(self, path: str | PathLike[str]) -> None:
        """Write the probabilities to an ARPA file, whole or not at all."""
        pieces = arpa_bytes(self._language())
        with replacing(path, error=SourceError) as file:
            file.writelines(pieces)

    @classmethod
    def from_arpa(
        cls, path: str | PathLike[str], *, unit: Unit = "word", analyzer: Cut = str.split, lowercase: bool = True
    ) -> Self:
        """Return the model of an ARPA file; it answers and is saved, and has no counts to learn on from.

        Parameters
        ----------
        path
            The file.
        unit, analyzer, lowercase
            How texts become the units of the file: as the model that was written to it said, which is
            ``analyzer=None`` where it had none. By default texts are cut at blanks, as other programs do.
        """
        model = cls(unit=unit, analyzer=None if unit == "char" else analyzer, lowercase=lowercase)
        model._check_options()
        try:
            with open(path, "rb") as file:
                size = fstat(file.fileno()).st_size
                read = read_arpa(file, size, language_factor(model, (COLUMN,)).analyzer, repr(fspath(path)))
        except OSError as error:
            raise SourceError(
                f"{fspath(path)!r} cannot be read: {error.strerror or error}; check its place and permissions."
            ) from error
        model.set_params(order=read.rule.order, boundaries=read.boundaries)
        model._read = read
        return model

    # The estimated model -------------------------------------------------------------------------------------

    def _language(self) -> Language:
        """Return the model for what was learned and the options as they are now."""
        if self._from_file() is not None:
            return self._as_read()
        learned = self._what_was_learned()
        found: Any = self._memo.joint(learned, self.get_params(deep=False), self._estimate)
        language: Language = found
        return language

    def _estimate(self) -> Any:
        self._check_options()
        factor = language_factor(self, self._learned.schema.names)
        tally: Any = self._learned.for_model(self._model(self._learned.schema))[TEXT]
        code = 0 if len(tally.classes) else -1
        return language_of(tally, code, factor.smoothing, amount=factor.amount, analyzer=factor.analyzer)

    def _as_read(self) -> Language:
        """Return the model of an ARPA file; refuse options that are not those it was read with."""
        self._check_options()
        read, analyzer = self._read, language_factor(self, (COLUMN,)).analyzer
        asked = {"order": self.order, "boundaries": self.boundaries, "smoothing": self.smoothing}
        there = {"order": read.rule.order, "boundaries": read.boundaries, "smoothing": LanguageModel().smoothing}
        odd = [name for name in asked if asked[name] != there[name]]
        if odd or analyzer != read.analyzer:
            raise OptionError(
                f"The options of a model from an ARPA file cannot change, and {', '.join(odd) or 'how texts are cut'} "
                "did: it has no counts. Call from_arpa again, or fit on the texts."
            )
        if analyzer.analyzer is not read.analyzer.analyzer:  # a callable that a model file could not hold
            self._read = replace(read, analyzer=analyzer)
        return self._read

    def _adopt_read(self, state: State) -> None:
        """Take over a model without counts from a model file."""
        self._read = language_from(state)
        self._as_read()

    def _what_was_learned(self) -> Learned:
        self._refuse_read("has no counts")
        if not self.__sklearn_is_fitted__():
            raise unfitted(self)
        return self._learned

    def _from_file(self) -> Language | None:
        """Return the model of an ARPA file, None where it was learned."""
        read: Language | None = self.__dict__.get("_read")
        return read

    def _refuse_read(self, what: str) -> None:
        if self._from_file() is not None:
            raise MergeError(f"A model from an ARPA file {what}, only probabilities. Call fit on the texts instead.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned") or self._from_file() is not None
