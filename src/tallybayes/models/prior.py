"""P(c): how probable each class is before anything is known of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tallybayes._types import AnyArray, Floats, Value
from tallybayes.errors import OptionError, did_you_mean
from tallybayes.factors.base import logarithm
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally

PriorSpec = Literal["empirical", "uniform"] | Mapping[Value, float] | Sequence[float] | AnyArray
"""The words, ``{label: probability}``, or one probability a class in the order of the sorted classes."""


@dataclass(frozen=True)
class Prior:
    """P(c) = (rows of c + smoothing) / (rows + classes * smoothing), uniform, or as given.

    Attributes
    ----------
    spec
        "empirical", "uniform", a mapping, or an array in the order of the classes.
    smoothing
        Lambda of the empirical prior, at least 0.
    proper
        Whether given probabilities must add up to 1.
    """

    spec: PriorSpec = "empirical"
    smoothing: float = 0.0
    proper: bool = True

    def check(self, classes: Values) -> None:
        """Refuse a prior that does not fit the classes."""
        if isinstance(self.spec, str):
            if self.spec not in ("uniform", "empirical"):
                raise OptionError(f"prior={self.spec!r} is neither 'empirical' nor 'uniform' nor probabilities.")
        else:
            given_prior(self.spec, classes, proper=self.proper)

    def estimate(self, tally: ClassTally, classes: Values) -> Floats:
        """Return log P(c)."""
        self.check(classes)
        if not isinstance(self.spec, str):
            return logarithm(given_prior(self.spec, classes, proper=self.proper))
        if self.spec == "uniform":
            return logarithm(np.full(len(classes), 1.0 / len(classes)))
        smoothed = tally.aligned(classes)[1] + self.smoothing
        return logarithm(smoothed / smoothed.sum())


def given_prior(spec: Mapping[Value, float] | Sequence[float] | AnyArray, classes: Values, *, proper: bool) -> Floats:
    """Return the probabilities that a user gave, in the order of the classes."""
    if isinstance(spec, Mapping):
        for label in spec:
            if label not in classes:
                raise OptionError(
                    f"prior= names {label!r}, which is not a class.{did_you_mean(label, classes)} "
                    f"The classes are {list(classes)}."
                )
        absent = [label for label in classes if label not in spec]
        if absent:
            raise OptionError(f"prior= has no probability for the class {absent[0]!r}; give one for each class.")
        spec = [spec[label] for label in classes]
    try:
        probability = np.array(spec, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"prior={spec!r} holds something else than numbers.") from None
    if probability.shape != (len(classes),):
        raise OptionError(
            f"Number of priors must match number of classes: prior= has {probability.size} of them, "
            f"the classes are {list(classes)}."
        )
    if not np.isfinite(probability).all() or (probability < 0).any():
        raise OptionError("Priors must be non-negative: prior= has a negative or infinite probability.")
    if proper and not np.isclose(probability.sum(), 1.0):
        raise OptionError(f"The sum of the priors should be 1; prior= adds up to {probability.sum():g}.")
    return probability
