"""The threshold on the posterior that two-class costs amount to."""

from __future__ import annotations

from typing import Any

from tallybayes.decision.costs import Costs, cost_matrix
from tallybayes.decision.labels import plain
from tallybayes.errors import CostError


def threshold(costs: Costs, classes: Any = (0, 1)) -> float:
    """Return the t* for which deciding at least cost is deciding for the second class when P(second|x) > t*.

        t* = (c10 - c00) / (c10 - c00 + c01 - c11),

    where c_ij is the cost of predicting i when j is true (Elkan, The foundations of cost-sensitive learning,
    IJCAI 2001, equation 2). At t* itself both cost the same, and the first class is taken.

    Parameters
    ----------
    costs
        As for `cost_matrix`.
    classes
        The two classes, in the order of the model.

    Raises
    ------
    CostError
        When there are not two classes, or when one of them is never the dearer choice, so that no threshold
        divides them.

    Examples
    --------
    A missed spam costs 1, a lost letter 9: a letter is only called spam at more than 90%.

    >>> threshold({("spam", "ham"): 9}, ["ham", "spam"])
    0.9
    """
    names = plain(classes)
    if len(names) != 2:
        raise CostError(
            f"A threshold divides two classes, and here are {len(names)}; use BayesDecision for any number."
        )
    matrix = cost_matrix(costs, names)
    false_alarm = float(matrix[1, 0] - matrix[0, 0])
    miss = float(matrix[0, 1] - matrix[1, 1])
    if false_alarm < 0 or miss < 0 or false_alarm == miss == 0:
        raise CostError(
            f"With these costs being wrong about {names[0]!r} costs {false_alarm:g} more than being right, "
            f"and about {names[1]!r} {miss:g} more, so no threshold divides them; neither may be negative, "
            "nor both 0."
        )
    return false_alarm / (false_alarm + miss)
