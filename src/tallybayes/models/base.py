"""p(x, c): the protocol of every model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
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

    @abstractmethod
    def log_joint(self, batch: Batch) -> Floats:
        """Return log p(x, c), shape (rows, classes); -inf where it is zero, never NaN."""

    @abstractmethod
    def contributions(self, batch: Batch) -> Floats:
        """Return what each column adds to the log joint, shape (rows, columns, classes)."""

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
