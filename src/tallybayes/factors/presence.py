"""Whether a cell is missing, as an event of its own: P(missing | c)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.base import Conditional, Factor, logarithm, quotient
from tallybayes.factors.left_out import less, never_learned, own_rows, too_much
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
        return PresenceConditional(self.names, logarithm(missing), logarithm(there), sums, self.smoothing)


@dataclass(frozen=True, eq=False)
class PresenceConditional(Conditional):
    """Estimated log P(missing | c) and log P(present | c), shape (classes, columns).

    `counted`, by the classes, and `smoothing` are what they were estimated from.
    """

    names: tuple[Name, ...]
    log_missing: Floats
    log_there: Floats
    counted: SumTally
    smoothing: float

    def add_log_prob(self, batch: Batch, out: Floats) -> None:
        out += self.contributions(batch).sum(axis=1)

    def contributions(self, batch: Batch) -> Floats:
        missing = np.isnan(batch.numbers(self.names))[:, :, None]
        return np.where(missing, self.log_missing.T, self.log_there.T)

    def left_out_contributions(self, batch: Batch) -> Floats:
        sums, out = self.counted, self.contributions(batch)
        own = own_rows(batch, sums.classes)
        missing, weights = np.isnan(batch.numbers(self.names))[own.rows], own.weights[:, None]
        n_rows = np.broadcast_to(sums.n_rows[:, None], sums.absent_rows.shape)

        def alike(absent: AnyArray, present: AnyArray) -> AnyArray:
            """Return, of each class, what counts the rows whose cell is missing, or is there, as in the row itself."""
            return np.where(missing[:, None], absent, present)

        counts = alike(sums.absent, sums.present)
        rows = alike(sums.absent_rows, n_rows - sums.absent_rows)
        each = np.arange(len(own.rows)), own.classes
        odd = too_much(counts[each], weights, rows[each])
        if odd.any():
            name = self.names[int(np.argmax(odd.any(axis=0)))]
            raise never_learned(f"column {name!r} is missing, or there, more often than was learned")
        pooled = less(counts.sum(axis=1), weights, rows.sum(axis=1))
        whole = less(sums.weights.sum(), weights, sums.n_rows.sum())
        pooled = quotient(pooled, np.broadcast_to(whole, pooled.shape), np.where(missing, 0.0, 1.0))
        left = less(sums.weights[own.classes, None], weights, sums.n_rows[own.classes, None])
        share = less(counts[each], weights, rows[each]) + self.smoothing
        out[own.rows, :, own.classes] = logarithm(quotient(share, left + 2 * self.smoothing, pooled))
        for c in np.flatnonzero(sums.weights + 2 * self.smoothing == 0).tolist():
            out[own.rows, :, c] = logarithm(pooled)
        return out

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        """Say which cells are missing: True where one is."""
        probability = np.exp(self.log_missing[classes])
        drawn = rng.random(probability.shape) < probability
        return {name: drawn[:, j] for j, name in enumerate(self.names)}

    def digest(self) -> Mapping[Name, Mapping[str, Any]]:
        missing = np.exp(self.log_missing.T).tolist()
        return {name: {"missing": line} for name, line in zip(self.names, missing, strict=True)}
