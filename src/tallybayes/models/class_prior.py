"""P(c) of a model, and P(c) without one of its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallybayes._types import Bools, Floats, Name
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.coded import Labels
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """P(c) as it follows from counts.

    Attributes
    ----------
    prior, counted, classes
        The rule, the counts and the classes.
    of
        Where a column is named, only the rows in which it is present were counted.
    """

    prior: Prior
    counted: ClassTally
    classes: Values
    of: Name | None = None

    def log(self) -> Floats:
        """Return log P(c)."""
        return self.prior.estimate(self.counted, self.classes)

    def without(self, c: int, weight: float) -> Floats:
        """Return log P(c) without so much of one class, all of its rows staying."""
        rows, weights = self.counted.aligned(self.classes)
        weights = weights.copy()
        weights[c] = max(weights[c] - weight, 0.0)
        return self.prior.estimate(ClassTally(self.classes, rows, weights), self.classes)

    def left_out(self, batch: Batch, log_prior: Floats) -> Floats:
        """Return log P(c) without each row, shape (rows, classes)."""
        if self.of is None:
            return self.prior.left_out(self.counted, self.classes, batch, log_prior)
        block = batch.codes([self.of])
        there: Bools = block.codes[:, 0] >= block.low[0]
        labels = Labels(np.where(there, batch.labels.codes, -1), batch.labels.values)
        present = _Rows(labels, batch.weights, len(batch))
        return self.prior.left_out(self.counted, self.classes, present, log_prior)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class _Rows:
    """As much of a batch as its labels and weights."""

    labels: Labels
    weights: Floats | None
    n: int

    def __len__(self) -> int:
        return self.n
