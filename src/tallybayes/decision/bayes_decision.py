"""The decision of least risk around any classifier that gives posterior probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if

from tallybayes._types import AnyArray, Floats, Value
from tallybayes.decision.admission import checked, require_posterior
from tallybayes.decision.costs import Costs, check_reject_cost, cost_matrix
from tallybayes.decision.labels import ClassIndex
from tallybayes.decision.risk import Choices, conditional_risk, least_risk
from tallybayes.decision.scores import checked_weights
from tallybayes.decision.unfitted import unfitted
from tallybayes.errors import OptionError, TargetError


def _inner_has(method: str) -> Any:
    return available_if(lambda self: hasattr(self._inner(), method))


class BayesDecision(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Predict the class that costs least, or none where every class costs too much.

    The conditional risk of deciding for class c is

        R(c|x) = sum_j cost[c, j] P(j|x),

    and the class of least risk is predicted (Duda, Hart and Stork, Pattern Classification, 2001, section
    2.2); where every class costs more than `reject_cost`, none is (Chow, IEEE Transactions on Information
    Theory 16, 1970). With 0-1 costs this is the arg max of the posterior.

    Parameters
    ----------
    estimator
        A classifier with ``predict_proba``. One that is fitted predicts at once; ``fit`` fits a copy of it.
    costs
        None for 0-1 costs; a matrix in the order of ``classes_``, a row for each predicted class and a column
        for each true one, or a frame with the classes as index and columns; or ``{("predicted", "true"): cost}``,
        where pairs that are not named cost 0 on the diagonal and 1 elsewhere. Negative costs are gains.
    reject_cost
        What it costs not to decide. None always decides.
    reject_label
        What is predicted for a row without a decision; it must not be one of the classes. With None and a
        `reject_cost`, the predictions are an object array.

    Attributes
    ----------
    estimator_
        The fitted copy, after ``fit``.
    classes_ : ndarray
        The classes, in the order of the costs.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["ham", "ham", "spam", "spam"]
    >>> careful = BayesDecision(GaussianNB(), costs={("spam", "ham"): 9}, reject_cost=0.4).fit(X, y)
    >>> careful.predict([[0.0], [2.5], [5.0]])
    array(['ham', None, 'spam'], dtype=object)
    >>> careful.conditional_risk([[2.5]]).round(2)
    array([[0.5, 4.5]])
    """

    # Weights at fit are for the estimator alone, which says whether it wants them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012 - scikit-learn wants a dict of the class

    def __init__(
        self,
        estimator: Any,
        *,
        costs: Costs = None,
        reject_cost: float | None = None,
        reject_label: Value | None = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.reject_cost = reject_cost
        self.reject_label = reject_label

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit a copy of the estimator; X, y and everything else go to its ``fit`` as they are.

        With scikit-learn's metadata routing enabled, everything else goes where the estimator asks for it.
        """
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise OptionError(
                f"estimator={self.estimator!r} is no classifier; pass one like BayesDecision(NaiveBayes())."
            )
        # Before the work of fitting, everything that does not need its result.
        require_posterior(self.estimator)
        check_reject_cost(self.reject_cost)
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        fitted = clone(self.estimator).fit(X, y, **fit_params)
        self._costs(fitted)
        self.estimator_ = fitted
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return for each row the class of least risk, or `reject_label`; ties go to the first class."""
        classes: AnyArray = np.asarray(self._fitted().classes_)
        chosen = self.choices(X).chosen
        if self.reject_cost is None:
            return classes[chosen]
        labels = [*classes.tolist(), self.reject_label]  # a rejected row's choice is -1, the last place
        alike = self.reject_label is not None and len({type(label) for label in labels}) == 1
        alike = alike and (classes.dtype != object or not isinstance(self.reject_label, str))
        return np.array(labels, dtype=None if alike else object)[chosen]

    def choices(self, X: Any) -> Choices:
        """Return each row's decision as a position in ``classes_``, -1 where rejected, with what it costs."""
        return self.decide(self._fitted().predict_proba(X))

    def decide(self, posterior: Any) -> Choices:
        """Return the decisions for rows whose posterior is at hand, as `choices` does."""
        inner = self._fitted()
        costs = self._costs(inner)
        return least_risk(checked(inner, posterior), costs, reject_cost=self.reject_cost)

    def conditional_risk(self, X: Any) -> Floats:
        """Return R(c|x), the expected cost of deciding for each class, shape (n, n_classes)."""
        inner = self._fitted()
        costs = self._costs(inner)
        return conditional_risk(checked(inner, inner.predict_proba(X)), costs)

    def expected_risk(self, X: Any) -> float:
        """Return the Bayes risk under the model: the mean cost of these decisions, rejections included."""
        return float(self.choices(X).risk.mean())

    @_inner_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the estimator's P(c|x)."""
        answer: Floats = self._fitted().predict_proba(X)
        return answer

    @_inner_has("predict_log_proba")  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the estimator's log P(c|x)."""
        answer: Floats = self._fitted().predict_log_proba(X)
        return answer

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows that were decided, and rightly; a rejected row is not right.

        Around a model of this library, `y` may be the name of a column of `X`, as for `evaluate`.
        """
        if (y is None or isinstance(y, str)) and hasattr(self._fitted(), "labelled_posteriors"):
            from tallybayes.decision.evaluate import evaluate  # which knows this class

            counts = evaluate(self, X, y, sample_weight=sample_weight).scores.counts
            return float(np.trace(counts[:-1]) / counts.sum())
        chosen = self.choices(X).chosen
        truth = ClassIndex(self.classes_).positions(y)
        if len(truth) != len(chosen):
            raise TargetError(f"There are {len(truth)} labels for {len(chosen)} rows; give one for each row.")
        right = (chosen == truth) & (chosen >= 0)
        return float(np.average(right, weights=checked_weights(sample_weight, len(right))))

    @property
    def classes_(self) -> AnyArray:
        """The classes of the fitted estimator."""
        classes: AnyArray = self._inner().classes_
        return classes

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the fitted estimator, where it keeps one."""
        return int(self._inner().n_features_in_)

    @property
    def feature_names_in_(self) -> AnyArray:
        """The names of the columns of the fitted estimator, where it keeps them."""
        names: AnyArray = self._inner().feature_names_in_
        return names

    def _inner(self) -> Any:
        return getattr(self, "estimator_", self.estimator)

    def _fitted(self) -> Any:
        """Return the estimator that answers, or say why none can."""
        if not self.__sklearn_is_fitted__():
            raise unfitted(self)
        inner = self._inner()
        require_posterior(inner)
        return inner

    def _costs(self, inner: Any) -> Floats:
        """Check every option against a fitted estimator, and return the costs as a matrix."""
        check_reject_cost(self.reject_cost)
        if self.reject_cost is not None and self.reject_label in ClassIndex(inner.classes_).classes:
            raise OptionError(
                f"reject_label={self.reject_label!r} is one of the classes, so a rejected row would look "
                "decided; choose another label, or None."
            )
        return cost_matrix(self.costs, inner.classes_)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where scikit-learn's metadata routing sends weights and the like: to the estimator's ``fit``."""
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self._inner(), "classes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            inner = get_tags(self.estimator)
        except (AttributeError, TypeError):  # no scikit-learn estimator, so nothing more is known
            return tags
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        tags.non_deterministic = inner.non_deterministic
        tags.no_validation = inner.no_validation
        if inner.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
        return tags
