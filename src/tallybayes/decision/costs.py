"""Costs: what each decision costs under each true class, as a matrix or by naming pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tallybayes._types import Floats
from tallybayes.decision.labels import ClassIndex
from tallybayes.errors import CostError, OptionError, did_you_mean
from tallybayes.schema.labelled import labels_along

Costs: TypeAlias = Mapping[tuple[Any, Any], float] | npt.ArrayLike | None
"""Costs as people write them: None for 0-1, a matrix or a labelled frame, or ``{("predicted", "true"): cost}``."""


def cost_matrix(costs: Costs, classes: Any) -> Floats:
    """Return costs as a matrix: a row for each predicted class, a column for each true class.

    Parameters
    ----------
    costs
        None for 0-1 costs; a matrix in the order of `classes`; a frame whose index names the predicted classes
        and whose columns name the true ones, in any order; or ``{("predicted", "true"): cost}``, where pairs
        that are not named cost 0 on the diagonal and 1 elsewhere. A negative cost is a gain. A label that is no
        class by its value is looked up by how it is written, so that what was read from a text file finds its
        class.
    classes
        The classes of the model, in its order.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Raises
    ------
    CostError
        For an unknown label, a wrong shape, or a cost that is not a finite number.

    Examples
    --------
    >>> cost_matrix({("ham", "spam"): 5}, ["ham", "spam"])
    array([[0., 5.],
           [1., 0.]])
    """
    index = ClassIndex(classes)
    if costs is None:
        return 1.0 - np.eye(len(index))
    if isinstance(costs, Mapping):
        return _from_pairs(costs, index)
    n = len(index)
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise CostError(
            f"costs= is no matrix of numbers; give {n} rows of {n} numbers, in the order {index} (rows: "
            "predicted, columns: true), or {('predicted', 'true'): cost}."
        ) from None
    if matrix.shape != (n, n):
        raise CostError(
            f"costs= has the shape {matrix.shape}, but there are {n} classes; give a {n} x {n} matrix in the "
            f"order {index} (rows: predicted, columns: true)."
        )
    matrix = _by_label(matrix, costs, index)
    for i, j in np.argwhere(~np.isfinite(matrix)):
        finite_cost(matrix[i, j].item(), (index.classes[i], index.classes[j]))
    return matrix


def finite_cost(cost: object, pair: tuple[Any, Any]) -> float:
    """Return a cost as a finite number, or raise CostError with the pair (predicted, true) it belongs to."""
    number = _finite(cost)
    if number is None:
        raise CostError(
            f"The cost of predicting {pair[0]!r} when {pair[1]!r} is true is {cost!r}; every cost must be a "
            "finite number (a gain is a negative cost)."
        )
    return number


def check_reject_cost(reject_cost: object) -> None:
    """Raise OptionError unless the cost of rejecting is None or a finite number."""
    if reject_cost is not None and (isinstance(reject_cost, str) or _finite(reject_cost) is None):
        raise OptionError(
            f"reject_cost={reject_cost!r} is no finite number; give the cost of not deciding, or None to always decide."
        )


def _finite(number: Any) -> float | None:
    try:
        number = float(number)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _by_label(matrix: Floats, costs: Any, index: ClassIndex) -> Floats:
    """Return the matrix in the order of the classes, where it came with labels of its own."""
    rows, columns = labels_along(costs, "index"), labels_along(costs, "columns")
    said = {side: _places(labels, index) for side, labels in (("row", rows), ("column", columns)) if labels is not None}
    in_order = list(range(len(index)))
    if len(said) == 1 and next(iter(said.values())) != in_order:
        raise CostError(
            f"costs= names its {next(iter(said))}s in another order than {index}, and the other side has no names, "
            "so there is no telling its order; name both sides, or give the matrix in the order of the classes "
            "(rows: predicted, columns: true)."
        )
    put = np.empty_like(matrix)
    put[np.ix_(said.get("row", in_order), said.get("column", in_order))] = matrix
    return put


def _places(labels: list[Any], index: ClassIndex) -> list[int]:
    """Return the class that each label of a side names; they are as many as the classes."""
    places = [_place(label, index) for label in labels]
    for k, place in enumerate(places):
        if place in places[:k]:
            raise CostError(f"costs= has two rows or columns for {labels[k]!r}; keep one of the two.")
    return places


def _from_pairs(pairs: Mapping[Any, Any], index: ClassIndex) -> Floats:
    matrix = 1.0 - np.eye(len(index))
    named: set[tuple[int, int]] = set()
    for pair, cost in pairs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise CostError(f"costs= has the key {pair!r}; every key is a pair ('predicted', 'true').")
        place = (_place(pair[0], index), _place(pair[1], index))
        if place in named:
            raise CostError(f"costs= names the pair {pair!r} twice; keep one of the two.")
        named.add(place)
        matrix[place] = finite_cost(cost, pair)
    return matrix


def _place(label: object, index: ClassIndex) -> int:
    place = index.find(label)
    if place is None:
        hint = did_you_mean(label, index.classes)
        raise CostError(f"costs= names {label!r}, which is no class.{hint} The classes are {index}.")
    return place
