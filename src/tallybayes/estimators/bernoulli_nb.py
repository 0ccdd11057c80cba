"""Bernoulli naive Bayes, as scikit-learn's, with one more rule of smoothing."""

from __future__ import annotations

from typing import Any

from tallybayes._types import Floats
from tallybayes.estimators._base import read_only
from tallybayes.estimators._discrete import DiscreteClassifier
from tallybayes.estimators._options import check_amount, check_threshold, check_word, class_prior, smoothing_of
from tallybayes.factors.bernoulli import STYLES, BernoulliConditional, BernoulliFactor, Style
from tallybayes.models.naive import NaiveModel
from tallybayes.schema.field import Schema


class BernoulliNB(DiscreteClassifier):
    """Naive Bayes for columns that are there or not, with scikit-learn's parameters and attributes.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        Smoothing; 0 is maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is kept.
    binarize : float or None
        A cell is 1 where it is above; None where the cells are 0 and 1 already.
    fit_prior : bool
        Whether classes are as probable as they are frequent; otherwise all alike.
    class_prior : array-like of shape (n_classes,), optional
        P(c) in the order of ``classes_``.
    smoothing : {"laplace", "sparse"}
        With m of the n rows of a class having a column: (m + alpha) / (n + 2 alpha), or, for dictionaries of
        which a text has few terms, (m + alpha) / (n + alpha d / d_a), with d columns of which a training row
        has d_a on average.
    prior_smoothing : float
        Added to the count of every class in the prior.

    Attributes
    ----------
    feature_log_prob_ : array of shape (n_classes, n_features)
        log P(1 | c) of each column.
    feature_count_ : array of shape (n_classes, n_features)
        The weight of the rows that have each column.
    class_count_, class_log_prior_ : array of shape (n_classes,)
        The weight of the rows of each class, and log P(c).

    Examples
    --------
    >>> from tallybayes import BernoulliNB
    >>> cats_and_cars = [[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]]
    >>> model = BernoulliNB(smoothing="sparse").fit(cats_and_cars, ["Cats", "Cats", "Cars", "Cars"])
    >>> model.predict_proba([[1, 1, 1, 1, 1, 1]]).round(3).tolist()
    [[0.25, 0.75]]
    """

    def __init__(
        self,
        *,
        alpha: float | Floats = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        smoothing: Style = "laplace",
        prior_smoothing: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.smoothing = smoothing
        self.prior_smoothing = prior_smoothing

    def _check_options(self) -> None:
        super()._check_options()
        check_word("smoothing", self.smoothing, STYLES)
        check_threshold("binarize", self.binarize)
        check_amount("prior_smoothing", self.prior_smoothing)

    def _model(self, schema: Schema) -> NaiveModel:
        alpha = smoothing_of(self.alpha, len(schema), force_alpha=self.force_alpha)
        prior = class_prior(self.class_prior, fit_prior=self.fit_prior, smoothing=self.prior_smoothing)
        factor = BernoulliFactor(schema.names, alpha, self.smoothing, self.binarize)
        return NaiveModel(prior, {"bernoulli": factor})

    @property
    def feature_count_(self) -> Floats:
        """The weight of the rows that have each column."""
        sums: Any = self.tallies_["bernoulli"]
        return read_only(sums.aligned(self._learned.classes).totals)

    @property
    def feature_log_prob_(self) -> Floats:
        """The log P(1 | c) of each column."""
        joint: Any = self._joint()
        conditional: BernoulliConditional = joint.conditionals["bernoulli"]
        return read_only(conditional.log_present.T)
