"""Complement naive Bayes, as scikit-learn's: a score, and no distribution."""

from __future__ import annotations

from typing import Any

from tallybayes._types import Floats
from tallybayes.estimators._base import read_only
from tallybayes.estimators._discrete import DiscreteClassifier
from tallybayes.estimators._options import check_flag, class_prior, smoothing_of
from tallybayes.models.complement import NOT_A_JOINT, ComplementModel
from tallybayes.schema.field import Schema


class ComplementNB(DiscreteClassifier):
    """Scores from the terms of all other classes, with scikit-learn's parameters, attributes and methods.

    The scores are no log p(x, c) of any distribution: ``predict_proba`` normalises them as scikit-learn does,
    but what needs a distribution (`BayesDecision`, ``explain``, ``score_samples``, ``sample``) refuses them.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior
        As for `MultinomialNB`; the prior only counts where there is a single class.
    norm : bool
        Whether the weights of a class are divided by the sum of their sizes.

    Attributes
    ----------
    feature_log_prob_ : array of shape (n_classes, n_features)
        The weight of each term.
    feature_count_, feature_all_ : array
        The weighted sums of the cells, by class and over all classes.
    class_count_, class_log_prior_ : array of shape (n_classes,)
        The weight of the rows of each class, and log P(c).

    References
    ----------
    Rennie, Shih, Teevan and Karger, "Tackling the poor assumptions of naive Bayes text classifiers", ICML
    2003.

    Examples
    --------
    >>> from tallybayes import ComplementNB
    >>> terms = [[2, 2, 1, 2, 0, 0], [2, 3, 3, 3, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 1, 2]]
    >>> ComplementNB().fit(terms, ["Cats", "Cats", "Cars", "Cars"]).predict([[1, 1, 1, 1, 0, 0]]).tolist()
    ['Cats']
    """

    is_joint = False
    not_joint_reason = NOT_A_JOINT

    def __init__(
        self,
        *,
        alpha: float | Floats = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _check_options(self) -> None:
        super()._check_options()
        check_flag("norm", self.norm)

    def _model(self, schema: Schema) -> ComplementModel:
        alpha = smoothing_of(self.alpha, len(schema), force_alpha=self.force_alpha)
        prior = class_prior(self.class_prior, fit_prior=self.fit_prior)
        return ComplementModel(schema.names, prior, alpha, self.norm)

    @property
    def feature_count_(self) -> Floats:
        """The weighted sums of the cells."""
        sums: Any = self.tallies_["complement"]
        return read_only(sums.aligned(self._learned.classes).totals)

    @property
    def feature_all_(self) -> Floats:
        """The sums over all classes."""
        total: Floats = self.feature_count_.sum(axis=0)
        return total

    @property
    def feature_log_prob_(self) -> Floats:
        """The weight of each term."""
        score: Any = self._joint()
        return read_only(score.weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
