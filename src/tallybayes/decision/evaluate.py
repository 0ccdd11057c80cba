"""Evaluate any fitted classifier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tallybayes.decision.admission import checked, gives_posterior, log_posterior
from tallybayes.decision.bayes_decision import BayesDecision
from tallybayes.decision.costs import Costs, cost_matrix
from tallybayes.decision.evaluation import Evaluation
from tallybayes.decision.labels import ClassIndex, plain
from tallybayes.decision.scores import Piece, Scores, checked_weights
from tallybayes.errors import TargetError


def evaluate(model: Any, X: Any, y: Any = None, *, costs: Costs = None, sample_weight: Any = None) -> Evaluation:
    """Evaluate a fitted classifier on rows whose class is known.

    Parameters
    ----------
    model
        Any fitted classifier. One that gives no posterior, such as complement naive Bayes, is measured by its
        decisions alone.
    X
        The rows, in any form that the model takes. A file is read piece by piece by the models of this
        library, and by a `BayesDecision` around one.
    y
        The true labels, or, for these models, the name of the column of `X` that holds them.
    costs
        What the decisions cost, as for `BayesDecision`; by default the model's own where it is one. They
        price the decisions and change none of them: wrap the model in a `BayesDecision` for that.
    sample_weight
        One weight a row.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> evaluate(GaussianNB().fit(X, y), [[0.5], [4.5], [4.0]], ["low", "high", "low"]).confusion
    array([[1., 0.],
           [1., 1.]])
    """
    inner = model._fitted() if isinstance(model, BayesDecision) else model
    if hasattr(inner, "labelled_posteriors"):
        pieces: Iterable[Piece] = inner.labelled_posteriors(X, y, sample_weight)
    else:
        pieces = [_whole(model, inner, X, y, sample_weight)]
    result = evaluate_pieces(model, pieces, costs=costs)
    if not result.rows:
        raise TargetError("No row has a label and a weight above 0, so there is nothing to evaluate; check y.")
    return result


def evaluate_pieces(model: Any, pieces: Iterable[Piece], *, costs: Costs = None) -> Evaluation:
    """Evaluate a fitted classifier in one pass over what it says of some rows, a piece of them at a time.

    Parameters
    ----------
    model
        The classifier. A `BayesDecision` decides by the posterior of each piece.
    pieces
        What the model, or the estimator inside the `BayesDecision`, says of the rows, and the truth.
    costs
        As for `evaluate`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> pieces = [Piece(["low"], np.array([[0.2, 0.8]])), Piece(["high"], np.array([[0.4, 0.6]]))]
    >>> evaluate_pieces(model, pieces).accuracy
    0.5
    """
    decision = model if isinstance(model, BayesDecision) else None
    if decision is not None and costs is None:
        costs = decision.costs
    index = ClassIndex(model.classes_)
    matrix = cost_matrix(costs, model.classes_)
    probabilities = gives_posterior(model)
    scores = Scores.empty(index)
    for piece in pieces:
        if decision is not None:
            piece = replace(piece, decided=decision.decide(piece.posterior).chosen)
        elif piece.posterior is not None:
            piece = replace(piece, posterior=checked(model, piece.posterior))
        scores += Scores.of(index, piece, probabilities=probabilities)
    return Evaluation(scores, matrix, None if decision is None else decision.reject_cost)


def _whole(model: Any, inner: Any, X: Any, y: Any, sample_weight: Any) -> Piece:
    """Return what a model in memory says of all rows."""
    truth = plain(y)
    index = ClassIndex(model.classes_)
    posterior = log = decided = None
    if gives_posterior(inner) and hasattr(inner, "predict_proba"):
        posterior = checked(inner, inner.predict_proba(X))
        if not posterior.all():
            # Some probabilities are 0, or too small to be told from it; else the logarithm tells no more.
            log = log_posterior(inner, X)
    if not isinstance(model, BayesDecision):
        decided = index.positions(model.predict(X))
    return Piece(truth, posterior, log, decided, checked_weights(sample_weight, len(truth)))
