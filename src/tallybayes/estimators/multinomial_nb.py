"""Multinomial naive Bayes, as scikit-learn's."""

from __future__ import annotations

from typing import Any

from tallybayes._types import Floats
from tallybayes.estimators._base import read_only
from tallybayes.estimators._discrete import DiscreteClassifier
from tallybayes.estimators._options import class_prior, smoothing_of
from tallybayes.factors.multinomial import MultinomialConditional, MultinomialFactor
from tallybayes.models.naive import NaiveModel
from tallybayes.schema.field import Schema


class MultinomialNB(DiscreteClassifier):
    """Naive Bayes for counts that are parts of one whole, with scikit-learn's parameters and attributes.

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

    Attributes
    ----------
    feature_log_prob_ : array of shape (n_classes, n_features)
        The log probability of each term.
    feature_count_ : array of shape (n_classes, n_features)
        The weighted sums of the cells.
    class_count_, class_log_prior_ : array of shape (n_classes,)
        The weight of the rows of each class, and log P(c).

    Examples
    --------
    >>> from tallybayes import MultinomialNB
    >>> terms = [[2, 2, 1, 2, 0, 0], [2, 3, 3, 3, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 1, 2]]
    >>> model = MultinomialNB().fit(terms, ["Cats", "Cats", "Cars", "Cars"])
    >>> model.predict_proba([[2, 2, 2, 3, 1, 1]]).round(3).tolist()
    [[0.056, 0.944]]
    """

    def __init__(
        self,
        *,
        alpha: float | Floats = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _model(self, schema: Schema) -> NaiveModel:
        alpha = smoothing_of(self.alpha, len(schema), force_alpha=self.force_alpha)
        prior = class_prior(self.class_prior, fit_prior=self.fit_prior)
        return NaiveModel(prior, {"multinomial": MultinomialFactor(schema.names, alpha)})

    @property
    def feature_count_(self) -> Floats:
        """The weighted sums of the cells."""
        sums: Any = self.tallies_["multinomial"]
        return read_only(sums.aligned(self._learned.classes).totals)

    @property
    def feature_log_prob_(self) -> Floats:
        """The log probability of each term."""
        joint: Any = self._joint()
        conditional: MultinomialConditional = joint.conditionals["multinomial"]
        return read_only(conditional.log_prob.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
