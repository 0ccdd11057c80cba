"""Whether a cell is missing, as an event of its own: P(missing | c)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Conditional, Factor, logarithm, quotient
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.sums import SumTally


@dataclass(frozen=True)
class PresenceFactor(Factor[SumTally]):
    """P(missing | c) = (missing + smoothing) / (rows + 2 * smoothing), beside the density of what is present.

    Attributes
    ----------
    smoothing
        Lambda, at least 0.
    """

    smoothing: float = 1.0

    def tally(self) -> SumTally:
        # Only what is absent matters: above no number, every cell that is there is a 0.
        return SumTally.empty(self.names, threshold=np.inf)

    def estimate(self, tally: SumTally, classes: Values) -> PresenceConditional:
        sums = tally.aligned(classes)
        rows = sums.weights[:, None]
        pooled = quotient(sums.absent.sum(axis=0), np.full(len(self.names), rows.sum()), 0.0)
        missing = quotient(sums.absent + self.smoothing, rows + 2 * self.smoothing, pooled)
        there = quotient(sums.present + self.smoothing, rows + 2 * self.smoothing, 1.0 - pooled)
        return PresenceConditional(self.names, logarithm(missing), logarithm(there))


@dataclass(frozen=True, eq=False)
class PresenceConditional(Conditional):
    """Estimated log P(missing | c) and log P(present | c), shape (classes, columns)."""

    names: tuple[Name, ...]
    log_missing: Floats
    log_there: Floats

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        out += self.contributions(batch).sum(axis=1)

    def contributions(self, batch: Batch) -> Floats:
        missing = np.isnan(batch.numbers(self.names))[:, :, None]
        return np.where(missing, self.log_missing.T, self.log_there.T)

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        """Say which cells are missing: True where one is."""
        probability = np.exp(self.log_missing[classes])
        drawn = rng.random(probability.shape) < probability
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        missing = np.exp(self.log_missing.T).tolist()
        return {name: {"missing": line} for name, line in zip(self.names, missing, strict=True)}
