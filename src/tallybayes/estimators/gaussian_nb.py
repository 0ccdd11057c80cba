"""Gaussian naive Bayes, as scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes._types import Floats
from tallybayes.estimators._base import TallyClassifier, read_only
from tallybayes.estimators._options import check_amount
from tallybayes.factors.gaussian import GaussianConditional, GaussianFactor
from tallybayes.models.base import class_tally
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior, check_prior
from tallybayes.schema.field import Schema
from tallybayes.schema.infer import fixed
from tallybayes.schema.rows import Rows


class GaussianNB(TallyClassifier):
    """Gaussian naive Bayes with scikit-learn's parameters and attributes; cells may be missing (NaN).

    Parameters
    ----------
    priors : array-like of shape (n_classes,), optional
        P(c) in the order of ``classes_``; by default as frequent as the classes are.
    var_smoothing : float
        The share of the largest variance of all columns that is added to every variance. `NaiveBayes` has a
        floor for each column instead, which lets a column of small scale keep its say.

    Attributes
    ----------
    theta_, var_ : array of shape (n_classes, n_features)
        The mean and the variance of each column in each class.
    epsilon_ : float
        What was added to the variances.
    class_count_, class_prior_ : array of shape (n_classes,)
        The weight of the rows of each class, and P(c).

    Examples
    --------
    >>> from tallybayes import GaussianNB
    >>> rows = [[1.0, 2.0], [1.5, None], [8.0, 9.0], [9.0, 8.0]]
    >>> model = GaussianNB().fit(rows, ["low", "low", "high", "high"])
    >>> model.predict([[1.2, None], [None, 8.5]]).tolist()
    ['low', 'high']
    """

    classes_grow = False

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _check_options(self) -> None:
        check_amount("var_smoothing", self.var_smoothing)
        if self.priors is not None:
            check_prior(self.priors)

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        return fixed(first.names, "numeric", named)

    def _model(self, schema: Schema) -> NaiveModel:
        factor = GaussianFactor(schema.names, floor=0.0, var_smoothing=self.var_smoothing)
        return NaiveModel(
            Prior("empirical" if self.priors is None else self.priors, by_position=True), {"gaussian": factor}
        )

    def _conditional(self) -> GaussianConditional:
        joint: Any = self._joint()
        conditional: GaussianConditional = joint.conditionals["gaussian"]
        return conditional

    @property
    def theta_(self) -> Floats:
        """The means."""
        return read_only(self._conditional().mean)

    @property
    def var_(self) -> Floats:
        """The variances."""
        return read_only(self._conditional().variance)

    @property
    def epsilon_(self) -> float:
        """What was added to the variances."""
        return self._conditional().added

    @property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        counted = class_tally(self.tallies_)
        return read_only(counted.aligned(self._learned.classes)[1])

    @property
    def class_prior_(self) -> Floats:
        """P(c)."""
        return np.exp(self._joint().log_prior)
