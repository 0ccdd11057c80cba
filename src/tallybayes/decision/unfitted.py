"""The error for an estimator that has not been fitted, as both trees of exceptions know it."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError as SklearnNotFittedError

from tallybayes.errors import NotFittedError


class UnfittedError(NotFittedError, SklearnNotFittedError):
    """A `tallybayes.errors.NotFittedError` that scikit-learn's own tools recognise as theirs."""


def unfitted(estimator: Any) -> UnfittedError:
    """Return the error for an estimator of which something was asked before ``fit``."""
    name = type(estimator).__name__
    return UnfittedError(f"This {name} has not been fitted yet; call fit(X, y) first.")
