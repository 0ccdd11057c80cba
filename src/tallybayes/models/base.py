"""p(x, c): the protocol of every model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import LeaveOneOutError
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import Tally
from tallybayes.tallies.classes import ClassTally

Tallies = Mapping[str, Tally]
"""What a model has counted, by the names it gave in `needs`."""

CLASSES = "classes"
"""The name under which every model keeps the tally of its classes."""


def class_tally(tallies: Tallies) -> ClassTally:
    """Return the tally of the classes, which every model has."""
    return cast(ClassTally, tallies[CLASSES])


class Joint(ABC):
    """An estimated model: one number log p(x, c) per row and class."""

    classes: Values
    names: tuple[Name, ...]
    log_prior: Floats

    is_product: ClassVar[bool] = True
    """Whether the log joint is the sum of the log prior and the contributions."""

    edges: tuple[tuple[Name, Name], ...] = ()
    """Which column depends on which, the one that it depends on first; all depend on the class."""

    @abstractmethod
    def log_joint(self, batch: Batch) -> Floats:
        """Return log p(x, c), shape (rows, classes); -inf where it is zero, never NaN."""

    @abstractmethod
    def contributions(self, batch: Batch) -> Floats:
        """Return what each column adds to the log joint, shape (rows, columns, classes).

        It is log p(x, c) with the column less the same without it, the column summed out. In a product over columns
        these add up to the log joint with the prior, in other models not.
        """

    def left_out(self, batch: Batch) -> Floats:
        """Return log p(x, c) of each labelled row as the model without that row would give it, shape (rows, classes).

        Equal to learning all the other rows and asking about this one, with structure, values, edges, bandwidths and
        the choice of terms held. The rows carry the labels and weights that they were learned with; one without a label
        or of weight 0 was not learned, and gets what `log_joint` gives. `MergeError` where it shows that a row was
        never learned.
        """
        out: Floats = self.left_out_log_prior(batch) + self.left_out_contributions(batch).sum(axis=1)
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        """Return log P(c) without each row, shape (rows, classes)."""
        raise self._cannot_leave_out()

    def left_out_contributions(self, batch: Batch) -> Floats:
        """Return the log factors without each row, shape (rows, parts, classes).

        They add up, with `left_out_log_prior`, to `left_out`. A part is a column where the model is a product over
        columns.
        """
        raise self._cannot_leave_out()

    def _cannot_leave_out(self) -> LeaveOneOutError:
        return LeaveOneOutError(
            f"{type(self).__name__} cannot tell what it would be without one of its rows. Use cross-validation in "
            "folds."
        )

    @abstractmethod
    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        """Return the distribution of each block of columns by name, with the parameters of each column."""

    @abstractmethod
    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        """Draw the columns given the class codes of the rows."""


class JointModel(ABC):
    """What to count, and how to turn the counts into a joint distribution."""

    prior: Prior

    @abstractmethod
    def needs(self) -> Tallies:
        """Return the empty tallies to fold over the data, by name; that of the classes is `CLASSES`."""

    @abstractmethod
    def estimate(self, tallies: Tallies, classes: Values) -> Joint:
        """Return the joint; a pure function of the tallies and of the priors in the model."""
