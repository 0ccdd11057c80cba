"""Which rows of a batch a model has learned, so that each of them can be taken out of it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tallybayes._types import Bools, Counts, Floats
from tallybayes.errors import MergeError
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values

_MOST: Final = 1 << 20
"""How many numbers a table has at most that is made for a portion of rows."""


@dataclass(frozen=True, eq=False)
class OwnRows:
    """The rows of a batch that a model has learned: those with a label and a weight above 0.

    Attributes
    ----------
    rows
        Where they stand in the batch.
    classes
        The place of the class of each among those of the model.
    weights
        The weight of each.
    even
        Whether all weights are 1.
    """

    rows: Counts
    classes: Counts
    weights: Floats
    even: bool

    @property
    def cells(self) -> tuple[Counts, Counts]:
        """Where the entry of each row and its own class stands in a table of rows and classes."""
        return self.rows, self.classes


def own_rows(batch: Batch, classes: Values) -> OwnRows:
    """Return which rows of a batch a model of some classes has learned; `MergeError` for a class that it lacks."""
    labels = batch.labels
    rows = np.flatnonzero(labels.codes >= 0)
    codes = labels.codes[rows]
    own = labels.values.places_in(classes)[codes]
    if (own < 0).any():
        raise never_learned(f"class {labels.values[int(codes[own < 0][0])]!r} was never seen")
    if batch.weights is None:
        return OwnRows(rows, own, np.ones(len(rows)), True)
    weights = batch.weights[rows]
    return OwnRows(rows, own, weights, bool((weights == 1.0).all()))


def less(sums: Floats, taken: Floats | float, rows: Counts) -> Floats:
    """Return sums without what each row has added; `rows` says how many rows support each of them with it.

    Where no other row does, nothing is left, and rounding takes nothing below 0.
    """
    return np.where(rows > 1, np.maximum(sums - taken, 0.0), 0.0)


def too_much(sums: Floats, taken: Floats | float, rows: Counts) -> Bools:
    """Return where so much cannot have been added by one of so many rows, rounding apart."""
    wrong: Bools = (rows < 1) | (taken - sums > 1e-9 * sums)
    return wrong


def portions_of(rows: int, width: int) -> Iterator[slice]:
    """Yield rows a portion at a time, so that a table of so many numbers for each row stays small."""
    step = max(1, _MOST // max(width, 1))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def never_learned(what: str) -> MergeError:
    """Return the error for a row that was never put in."""
    return MergeError(
        f"Some of these rows were never learned ({what}), so there is no model without them. Pass rows, labels and "
        "weights exactly as they were learned; of other rows, predict_proba tells the posterior."
    )
