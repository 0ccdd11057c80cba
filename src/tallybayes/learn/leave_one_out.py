"""What models say of each row that they have learned, had they not learned it: candidates side by side, in one pass."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.decision.posterior import normalise_rows, warn_impossible
from tallybayes.decision.risk import least_risk
from tallybayes.engines.threads import in_order
from tallybayes.errors import TargetError
from tallybayes.learn.fold import Encode
from tallybayes.models.base import Joint
from tallybayes.schema.batch import Batch
from tallybayes.schema.rows import Rows

K = TypeVar("K", bound=Hashable)

Criterion = Literal["log-loss", "0-1 loss", "cost"]
CRITERIA: tuple[Criterion, ...] = ("log-loss", "0-1 loss", "cost")


def left_out_posterior(joint: Joint, batch: Batch, scale: Literal["log", "plain"] = "plain") -> tuple[Floats, int]:
    """Return P(c | x) of each row as the model without it gives it, and for how many rows the prior answers."""
    table = joint.left_out(batch)
    nowhere = np.isneginf(table).all(axis=1)
    if nowhere.any():
        table[nowhere] = joint.left_out_log_prior(batch)[nowhere]
    normalise_rows(table, joint.log_prior, scale)
    return table, int(nowhere.sum())


def left_out_posteriors(joint: Joint, rows: Iterable[Rows], encode: Encode) -> Iterator[Floats]:
    """Yield P(c | x) of each row without that row, block by block, with one warning at the end."""
    impossible = 0
    for table, count in in_order(lambda block: left_out_posterior(joint, encode(block)), rows):
        impossible += count
        yield table
    warn_impossible(impossible)


@dataclass(frozen=True, eq=False)
class Losses:
    """What the rows cost without themselves, by each criterion; sums, which add.

    Attributes
    ----------
    rows, impossible
        How many rows have a label, and to how many of these the posterior gives no chance: the mean log-loss is then
        infinite, and the sums are those of the others.
    weight
        The sum of their weights.
    sums
        By criterion the sums of w x, w**2 x and w**2 x**2 of the losses x with the weights w, and of w**2, shape
        (criteria, 4).
    """

    rows: int
    impossible: int
    weight: float
    sums: Floats

    @classmethod
    def of(cls, log_posterior: Floats, own: Counts, weights: Floats, costs: Floats) -> Losses:
        """Return the losses of some rows, with the places of their labels and a cost for each decision and truth."""
        rows = np.arange(len(own))
        log_loss = -log_posterior[rows, own]
        impossible = np.isinf(log_loss)
        log_loss[impossible] = 0.0
        posterior = np.exp(log_posterior)
        wrong = (posterior.argmax(axis=1) != own).astype(np.float64)
        cost = costs[least_risk(posterior, costs).chosen, own]
        losses = np.stack((log_loss, wrong, cost))
        first, second = losses * weights, losses * weights**2
        squares = np.full(len(losses), (weights**2).sum())
        sums = np.stack((first.sum(axis=1), second.sum(axis=1), (second * losses).sum(axis=1), squares), axis=1)
        return cls(len(own), int(impossible.sum()), float(weights.sum()), sums)

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.rows + other.rows,
            self.impossible + other.impossible,
            self.weight + other.weight,
            self.sums + other.sums,
        )

    def mean(self, criterion: Criterion) -> float:
        """Return the mean loss of a row."""
        if criterion == "log-loss" and self.impossible:
            return np.inf
        return float(self.sums[CRITERIA.index(criterion), 0]) / self.weight

    def error(self, criterion: Criterion) -> float:
        """Return the standard error of the mean: sqrt(n / (n - 1) sum w**2 (x - mean)**2) / sum w; NaN for one row."""
        if self.rows < 2 or (criterion == "log-loss" and self.impossible):
            return np.nan
        first, second, third, squares = self.sums[CRITERIA.index(criterion)].tolist()
        mean = first / self.weight
        spread = max(third - 2.0 * mean * second + mean * mean * squares, 0.0)
        return float(np.sqrt(self.rows / (self.rows - 1) * spread)) / self.weight


def left_out_losses(
    joints: Mapping[K, Joint], rows: Iterable[Rows], encode: Encode, costs: Floats | None = None
) -> dict[K, Losses]:
    """Return what labelled rows cost by several models without them, in one pass on every thread.

    Parameters
    ----------
    joints
        The candidates, all of the same classes.
    rows, encode
        Rows, labels and weights as they were learned, and what makes a batch of them.
    costs
        A row for each predicted class and a column for each true one; 0-1 costs by default.
    """

    def answer(block: Rows) -> dict[K, Losses]:
        batch = encode(block)
        labels = batch.labels
        used = np.flatnonzero(labels.codes >= 0)
        weights = np.ones(len(used)) if batch.weights is None else batch.weights[used]
        losses = {}
        for key, joint in joints.items():
            logs, _ = left_out_posterior(joint, batch, "log")
            own = labels.values.places_in(joint.classes)[labels.codes[used]]
            table = 1.0 - np.eye(len(joint.classes)) if costs is None else costs
            losses[key] = Losses.of(logs[used], own, weights, table)
        return losses

    total: dict[K, Losses] = {}
    for part in in_order(answer, rows):
        for key, losses in part.items():
            total[key] = total[key] + losses if key in total else losses
    if any(losses.weight == 0.0 for losses in total.values()):
        raise TargetError("No row has a label and a weight above 0, so there is nothing to score; check y.")
    return total
