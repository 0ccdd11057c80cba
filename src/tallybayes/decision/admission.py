"""What may reach the decision: a posterior, and never a score that is no distribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tallybayes._types import Floats
from tallybayes.errors import NotAJointError, OptionError, ValueRangeError


def require_posterior(model: Any) -> None:
    """Refuse a model whose numbers are no posterior probabilities.

    Complement naive Bayes scores a class by how badly a row fits all the *other* classes (Rennie et al., ICML
    2003). There is no joint p(x, c) behind those scores, so what its ``predict_proba`` returns is no
    posterior, and costs weighed by it mean nothing.

    Parameters
    ----------
    model
        Any classifier. A pipeline, a search, a vote or a bag is judged by the estimators inside; a stack by the
        last of its estimators, and a calibrated classifier by itself, since calibration is what makes
        probabilities of scores.

    Raises
    ------
    NotAJointError
        When the model says of itself ``is_joint = False`` (its ``not_joint_reason`` is then quoted), is
        scikit-learn's ComplementNB, or has no ``predict_proba``.
    """
    inner = next((source for source in _sources(model) if not _is_posterior(source)), None)
    if inner is not None:
        name = getattr(inner, "_name", type(inner).__name__)
        reason = getattr(
            inner, "not_joint_reason", "it scores a class by how little a row looks like the other classes"
        )
        remedy = getattr(inner, "joint_remedy", "Use MultinomialNB")
        raise NotAJointError(
            f"{name} gives scores and not the joint distribution p(x, c) that a decision needs: "
            f"{str(reason).rstrip('.')}. {remedy}, or calibrate the scores with scikit-learn's "
            "CalibratedClassifierCV."
        )
    inner = next(iter(_sources(model)), model)
    if not hasattr(model, "predict_proba") and not hasattr(inner, "predict_proba"):
        raise NotAJointError(
            f"{type(inner).__name__} has no predict_proba, so there is no posterior to weigh costs with; use a "
            "classifier that has one, or wrap it in scikit-learn's CalibratedClassifierCV."
        )


def gives_posterior(model: Any) -> bool:
    """Return whether the probabilities of a model are a posterior, as far as can be told from its type."""
    return all(_is_posterior(source) for source in _sources(model))


def checked(model: Any, posterior: Any) -> Floats:
    """Return what a fitted model gave as P(c|x), or as its logarithm, if decisions can rest on it."""
    name = type(model).__name__
    if isinstance(posterior, list) or np.ndim(posterior) != 2 or np.shape(posterior)[1] != len(model.classes_):
        raise OptionError(
            f"{name} does not give one probability per row and class, as for several targets at once; "
            "decide about one target at a time."
        )
    table = np.asarray(posterior, dtype=np.float64)
    bad = np.flatnonzero(np.isnan(table).any(axis=1))
    if len(bad):
        raise ValueRangeError(
            f"{name} gives NaN as the posterior of {len(bad)} of {len(table)} rows, the first of them row "
            f"{bad[0] + 1}, and nothing can be decided by that; look for constant columns in its training "
            "data, or use another model."
        )
    return table


def log_posterior(model: Any, X: Any) -> Floats:
    """Return log P(c|x) from a fitted model, checked; the model's own where it has one."""
    # scikit-learn's own classifiers take the logarithm of a probability that may have rounded to 0.
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            return checked(model, model.predict_log_proba(X))
        return np.log(checked(model, model.predict_proba(X)))


def _is_posterior(model: Any) -> bool:
    return bool(getattr(model, "is_joint", "ComplementNB" not in _bases(model)))


def _sources(model: Any) -> Iterator[Any]:
    """Yield the estimators that the probabilities come from."""
    inside = list(_inside(model))
    if not inside:
        yield model
    for part in inside:
        yield from _sources(part)


def _inside(model: Any) -> Iterable[Any]:
    """Return the estimators that a model hands the probabilities on from, none where they are its own."""
    # By name: to import scikit-learn's model selection for this alone would cost more than the answer.
    bases = _bases(model)
    if "Pipeline" in bases and model.steps:
        return [model.steps[-1][1]]
    if "VotingClassifier" in bases and model.voting == "soft":  # a hard vote has no probabilities at all
        return [part for _, part in model.estimators if not isinstance(part, str)]  # "drop" is no estimator
    if "StackingClassifier" in bases:
        if model.final_estimator is not None:
            return [model.final_estimator]
        from sklearn.linear_model import LogisticRegression

        return [LogisticRegression()]  # which scikit-learn then takes
    if bases & _HANDS_ON:
        part = getattr(model, "best_estimator_", model.estimator)
        return [] if part is None else [part]  # None is a tree
    return []


_HANDS_ON = {
    "BaseBagging",
    "BaseSearchCV",
    "BaseThresholdClassifier",
    "BayesDecision",
    "FrozenEstimator",
    "OneVsRestClassifier",
    "RFE",
    "SelfTrainingClassifier",
}
"""What hands on, or averages, the probabilities of its `estimator`."""


def _bases(model: Any) -> set[str]:
    return {base.__name__ for base in type(model).__mro__}
