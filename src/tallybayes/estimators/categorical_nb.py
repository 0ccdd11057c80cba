"""Categorical naive Bayes, as scikit-learn's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Floats, Name
from tallybayes.errors import KindError, OptionError
from tallybayes.estimators._discrete import DiscreteClassifier
from tallybayes.estimators._options import class_prior, smoothing_of
from tallybayes.factors.categorical import (
    CategoricalConditional,
    CategoricalFactor,
    code_places,
    refuse_negative_codes,
)
from tallybayes.learn.learned import Learned
from tallybayes.models.naive import NaiveModel
from tallybayes.schema.field import Kind, Schema
from tallybayes.schema.values import Values
from tallybayes.tallies.counts import CountTally, slot_starts


class CategoricalNB(DiscreteClassifier):
    """Naive Bayes for codes that count from 0, with scikit-learn's parameters and attributes.

    A code that was never seen scores what a zero count scores. Texts are taken too; `NaiveBayes` is the one
    for tables of mixed types.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        Smoothing; 0 is maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is kept.
    fit_prior : bool
        Whether classes are as probable as they are frequent; otherwise all alike.
    class_prior : array-like of shape (n_classes,), optional
        P(c) in the order of ``classes_``.
    min_categories : int or array of shape (n_features,), optional
        How many values each column has at least; by default one more than its largest code.

    Attributes
    ----------
    feature_log_prob_ : list of arrays of shape (n_classes, n_categories)
        log P(code | c) of each column.
    category_count_ : list of arrays of shape (n_classes, n_categories)
        The weight of the rows that have each code.
    n_categories_ : array of shape (n_features,)
        How many values each column has.
    class_count_, class_log_prior_ : array of shape (n_classes,)
        The weight of the rows of each class, and log P(c).

    Examples
    --------
    >>> from tallybayes import CategoricalNB
    >>> model = CategoricalNB().fit([[0, 1], [0, 2], [1, 0]], ["a", "a", "b"])
    >>> model.predict([[0, 7], [1, None]]).tolist()
    ['a', 'b']
    """

    kind: Kind = "categorical"

    def __init__(
        self,
        *,
        alpha: float | Floats = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: int | Sequence[int] | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def _check_options(self) -> None:
        super()._check_options()
        if self.min_categories is not None and np.asarray(self.min_categories).dtype.kind not in "iu":
            raise OptionError(
                "'min_categories' should have integral type. "
                f"Got {np.asarray(self.min_categories).dtype} instead; give whole numbers."
            )
        if self.min_categories is not None and np.min(self.min_categories) < 1:
            raise OptionError(f"min_categories={self.min_categories!r} should be 1 or more.")

    def _model(self, schema: Schema) -> NaiveModel:
        alpha = smoothing_of(self.alpha, len(schema), force_alpha=self.force_alpha)
        prior = class_prior(self.class_prior, fit_prior=self.fit_prior)
        least: Any = 0 if self.min_categories is None else np.asarray(self.min_categories)
        if np.ndim(least) and np.shape(least) != (len(schema),):
            raise OptionError(
                f"'min_categories' should have shape ({len(schema)},) when an array-like is provided. "
                f"Got {np.shape(least)} instead; give one number for each column."
            )
        return NaiveModel(prior, {"categorical": CategoricalFactor(schema.names, alpha, least=least)})

    def _check_learned(self, learned: Learned) -> None:
        tally: Any = learned.tallies["categorical"]
        refuse_negative_codes(tally.names, tally.values)
        _refuse_mixed(tally.names, tally.values)

    def _factor(self) -> CategoricalFactor:
        factor: Any = self._model(self.schema_).factors["categorical"]
        return factor  # type: ignore[no-any-return]

    @property
    def n_categories_(self) -> AnyArray:
        """How many values each column has."""
        tally: Any = self.tallies_["categorical"]
        return np.array(self._factor().sizes(tally.values), dtype=np.int64)

    @property
    def category_count_(self) -> list[Floats]:
        """The weight of the rows that have each code."""
        tally: CountTally = self.tallies_["categorical"]  # type: ignore[assignment]
        weights = tally.aligned(self._learned.classes, tally.values).weights
        return self._by_code(weights, np.zeros((len(tally.values), weights.shape[1])))

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """The log P(code | c) of each column."""
        joint: Any = self._joint()
        conditional: CategoricalConditional = joint.conditionals["categorical"]
        return self._by_code(conditional.log_table, conditional.log_unseen)

    def _by_code(self, table: Floats, unseen: Floats) -> list[Floats]:
        """Return the lines of a table by code from 0 on, with the line of `unseen` for codes without one."""
        tally: Any = self.tallies_["categorical"]
        start, lists = slot_starts(tally.values), []
        for j, (values, size) in enumerate(zip(tally.values, self.n_categories_.tolist(), strict=True)):
            lines = np.repeat(unseen[j : j + 1], size, axis=0)
            lines[code_places(values)] = table[start[j] + 1 : start[j + 1]]
            lists.append(lines.T)
        return lists

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags


def _refuse_mixed(names: Sequence[Name], values: Sequence[Values]) -> None:
    """Raise `KindError` for the first column that holds texts and numbers; numbers come first in `Values`."""
    for name, seen in zip(names, values, strict=True):
        if len(seen) and isinstance(seen[-1], str) and not isinstance(seen[0], str):
            raise KindError(
                f"Column {name!r} holds numbers such as {seen[0]!r} and texts such as {seen[-1]!r}. Make all of them "
                "texts or all of them codes that count from 0."
            )
