"""p(x_j | c): how a column, or a block of columns, is distributed within a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import LeaveOneOutError
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import Tally

T = TypeVar("T", bound=Tally)


class Conditional(ABC):
    """An estimated factor: log p(x_j | c) for its columns, a pure function of a tally and a prior."""

    names: tuple[Name, ...]

    @abstractmethod
    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        """Add sum_j log p(x_j | c) to ``out[i, c]``; a missing cell adds nothing, an impossible one -inf."""

    @abstractmethod
    def contributions(self, batch: Batch) -> Floats:
        """Return log p(x_j | c), shape (rows, columns, classes), which `add_log_prob` sums over the columns."""

    def add_left_out(self, batch: Batch, out: Floats) -> None:
        """Add what `add_log_prob` would add to each row if the factor had not learned that row.

        The rows carry the labels and weights that they were learned with; one without a label or of weight 0 was not
        learned. Values, edges, bandwidths and the choice of terms are held; all else is estimated again.
        """
        out += self.left_out_contributions(batch).sum(axis=1)

    def left_out_contributions(self, batch: Batch) -> Floats:
        """Return what `add_left_out` sums over the columns, shape (rows, columns, classes)."""
        raise LeaveOneOutError(
            f"{type(self).__name__}, which stands for the columns {list(self.names)}, cannot tell what it would be "
            "without one of its rows. Use cross-validation in folds, or another distribution."
        )

    @abstractmethod
    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        """Draw one value of each column for each row, given the rows' class codes."""

    @abstractmethod
    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        """Return the parameters of each column, for people: a number, or a list of one for each class."""


@dataclass(frozen=True)
class Factor(ABC, Generic[T]):
    """The choice of a distribution for some columns, with its prior: what to count and how to estimate.

    Attributes
    ----------
    names
        The columns of the block.
    """

    names: tuple[Name, ...]

    @abstractmethod
    def tally(self) -> T:
        """Return the empty tally that this factor learns by."""

    @abstractmethod
    def estimate(self, tally: T, classes: Values) -> Conditional:
        """Return the distribution; its class c is ``classes[c]``, whether or not the tally has it."""


def logarithm(probability: Floats) -> Floats:
    """Return the natural logarithm, -inf for 0 without a warning."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(probability)
    return logs


def quotient(numerator: Floats, denominator: Floats, otherwise: Floats | float) -> Floats:
    """Return the quotient, and `otherwise` where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    out: Floats = np.broadcast_to(np.asarray(otherwise, dtype=np.float64), shape).copy()
    return np.divide(numerator, denominator, out=out, where=np.broadcast_to(denominator != 0, shape))


def poisson(rate: Floats, rng: np.random.Generator) -> Counts:
    """Draw Poisson counts; those of a rate beyond what an integer holds are as large as can be."""
    drawn: Counts = rng.poisson(np.minimum(rate, 9e18))
    return drawn
