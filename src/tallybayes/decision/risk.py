"""Conditional risk, the decision of least risk, and the choice not to decide.

Bayes decision theory (Duda, Hart and Stork, Pattern Classification, 2001, section 2.2; the reject option is
Chow's, IEEE Transactions on Information Theory 16, 1970).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallybayes._types import Counts, Floats

REJECTED = -1
"""The choice of a row that is rejected: no class is predicted for it."""


@dataclass(frozen=True, eq=False)
class Choices:
    """The decision for each row.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n,)
        The position of the class of least risk, or `REJECTED`.
    risk : ndarray of shape (n,)
        What the decision is expected to cost: the least conditional risk, or the cost of rejecting.
    """

    chosen: Counts
    risk: Floats


def conditional_risk(posterior: Floats, costs: Floats) -> Floats:
    """Return R(c|x) = sum_j cost[c, j] P(j|x), for every row and every class that could be predicted.

    Parameters
    ----------
    posterior
        P(j|x), of shape (n, n_classes).
    costs
        A row for each predicted class, a column for each true class, as from `cost_matrix`.

    Examples
    --------
    >>> conditional_risk(np.array([[0.75, 0.25]]), np.array([[0.0, 5.0], [1.0, 0.0]]))
    array([[1.25, 0.75]])
    """
    # One class at a time, and no matrix product: BLAS sums in an order that depends on the number of rows,
    # and then a tie could be broken differently when the same rows come in other batches.
    risk = np.zeros_like(posterior)
    for j in range(posterior.shape[1]):
        risk += posterior[:, j, np.newaxis] * costs[:, j]
    return risk


def least_risk(posterior: Floats, costs: Floats, *, reject_cost: float | None = None) -> Choices:
    """Choose the class of least conditional risk, or reject where every class costs more than that.

    Ties go to the first class. A constant added to a column of the costs changes no decision, so the costs
    are compared after each column's largest is taken off: with 0-1 costs what is left is -P(c|x), and the
    choice is the arg max of the posterior to the last bit.

    Parameters
    ----------
    posterior, costs
        As for `conditional_risk`.
    reject_cost
        What it costs not to decide. A row is rejected when its least risk is strictly more; None never
        rejects.

    Examples
    --------
    >>> posterior = np.array([[0.75, 0.25], [0.5, 0.5]])
    >>> least_risk(posterior, 1 - np.eye(2), reject_cost=0.3).chosen
    array([ 0, -1])
    """
    # Halves, so that the difference of two huge costs stays finite; halving is exact, and decides nothing.
    relative = conditional_risk(posterior, costs / 2 - costs.max(axis=0) / 2)
    chosen = relative.argmin(axis=1)
    least = np.take_along_axis(conditional_risk(posterior, costs), chosen[:, np.newaxis], axis=1)[:, 0]
    if reject_cost is not None:
        rejected = least > reject_cost
        chosen[rejected] = REJECTED
        least[rejected] = reject_cost
    return Choices(chosen, least)
