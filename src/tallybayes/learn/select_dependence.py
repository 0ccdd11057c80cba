"""How many columns and how many parents a k-dependence model has: by leaving out each row, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tallybayes._types import Floats
from tallybayes.engines.threads import in_order
from tallybayes.learn.fold import Encode
from tallybayes.models.graph_joint import GraphJoint
from tallybayes.models.naive import NaiveJoint
from tallybayes.models.prefixes import left_out_by_prefix
from tallybayes.schema.rows import Rows

SelectBy = Literal["log-loss", "accuracy", "rmse"]
"""What is to be best: the mean of -log P(own class), the share of rows that are right, or the root of the mean of
(1 - P(own class))^2."""

SELECT_BY: tuple[SelectBy, ...] = get_args(SelectBy)

SAME = 1e-12
"""Losses that differ by less, relatively, are equal."""


@dataclass(frozen=True, eq=False)
class Selection:
    """What rows cost without themselves.

    Attributes
    ----------
    losses
        For each candidate and each number of columns, from 0 on, the mean loss of a row, as `SelectBy` says; of
        "accuracy" the share of rows that are wrong.
    """

    losses: Floats

    def best(self) -> tuple[int, int]:
        """Return the place of the candidate and the number of columns that cost least.

        Of equals those with the fewest columns, and of these the first. There is at least one column, if there is any.
        """
        worth = self.losses[:, 1:] if self.losses.shape[1] > 1 else self.losses
        least = worth.min()
        good = worth <= least * (1.0 + SAME) if np.isfinite(least) else np.ones(worth.shape, np.bool_)
        columns = int(np.flatnonzero(good.any(axis=0))[0])
        return int(np.flatnonzero(good[:, columns])[0]), columns + self.losses.shape[1] - worth.shape[1]


def select_dependence(
    joints: Sequence[GraphJoint],
    rows: Iterable[Rows],
    encode: Encode,
    by: SelectBy,
    *,
    beside: NaiveJoint | None = None,
) -> Selection:
    """Return what rows cost without themselves by several graphs of the same columns in the same order.

    Every number of columns of each graph is tried, in one pass over the rows on every thread (Martinez, Webb, Chen and
    Zaidi 2016).

    Parameters
    ----------
    joints
        The candidates, the simplest first.
    rows, encode
        Rows, labels and weights as they were learned, and what makes a batch of them.
    by
        What is to be best.
    beside
        Other columns, which are always asked.
    """

    def answer(block: Rows) -> tuple[Floats, float]:
        batch = encode(block)
        used = batch.labels.codes >= 0
        weight = float(used.sum() if batch.weights is None else batch.weights[used].sum())
        return left_out_by_prefix(joints, batch, beside), weight

    total, weight = np.zeros((len(joints), len(joints[0].names) + 1, 3)), 0.0
    for losses, part in in_order(answer, rows):
        total += losses
        weight += part
    means: Floats = total[:, :, SELECT_BY.index(by)] / weight
    return Selection(np.sqrt(means) if by == "rmse" else means)
