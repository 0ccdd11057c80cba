"""What rows cost without themselves, by how many of the columns of a graph are asked."""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.ladders import UNKNOWN, Ladders, depth_of, log_cell, own_share

LEAST = 1e-300
"""The posterior of a class whose chance is too small for a float, but not zero."""


@jit
def prefix_losses(
    slots: AnyArray, at: Counts, classes: Counts, weights: Floats, prior: Floats, order: Counts, ladders: Ladders,
    whole: Bools, losses: Floats,
) -> int:  # fmt: skip
    """Add the loss of each row with none of the columns, with the first of the order, with the first two and so on.

    The row r is ``at[r]`` of the slots, of the class ``classes[r]``, with the weight ``weights[r]``. One of which
    something has to be summed out is passed over. Return the first column whose cell cannot have been counted, -1 if
    all have.

    Parameters
    ----------
    prior
        P(c) without each row, shape (rows learned, classes).
    order
        The columns, parents before their children.
    whole
        Whether nothing of a row has to be summed out; is written.
    losses
        Shape (columns + 1, 3): the sums of the log-losses, of how many are wrong, and of (1 - P(own class))^2.
    """
    p, k = order.shape[0], prior.shape[1]
    cells, own = np.empty(p, np.int64), np.empty(p)
    table = np.empty(k)
    for r in range(at.shape[0]):
        i, mine, weight = at[r], classes[r], weights[r]
        whole[r] = True
        for q in range(p):
            cells[q] = log_cell(slots, i, order[q], ladders)
            own[q] = own_share(slots, i, order[q], mine, weight, ladders)
            if own[q] != own[q]:
                odd: int = order[q]
                return odd
            whole[r] = whole[r] and cells[q] != UNKNOWN
        if not whole[r]:
            continue
        never = prior[r, mine] == 0.0
        for c in range(k):
            table[c] = prior[r, c]
        _add_loss(table, mine, weight, never, losses[0])
        for q in range(p):
            if cells[q] >= 0:
                j = order[q]
                cell = ladders.cell_start[j, depth_of(ladders, j)] + cells[q] - ladders.log_start[j]
                never = never or own[q] == 0.0
                total = 0.0
                for c in range(k):
                    table[c] *= own[q] if c == mine else ladders.shares[cell, c]
                    total += table[c]
                if total == 0.0:  # then the prior answers, whatever else there is
                    for rest in range(q, p):
                        _add_loss(prior[r], mine, weight, prior[r, mine] == 0.0, losses[rest + 1])
                    break
                for c in range(k):
                    table[c] /= total
            _add_loss(table, mine, weight, never, losses[q + 1])
    return -1


@jit
def add_losses(posterior: Floats, classes: Counts, weights: Floats, losses: Floats) -> None:
    """Add the losses of rows with a posterior, shape (rows, classes), to three sums."""
    for r in range(posterior.shape[0]):
        _add_loss(posterior[r], classes[r], weights[r], posterior[r, classes[r]] == 0.0, losses)


@jit
def _add_loss(posterior: Floats, mine: int, weight: float, never: bool, losses: Floats) -> None:
    own, best = posterior[mine], 0
    for c in range(1, posterior.shape[0]):
        if posterior[c] > posterior[best]:
            best = c
    losses[0] += math.inf if never else -weight * math.log(max(own, LEAST))
    losses[1] += weight if best != mine else 0.0
    losses[2] += weight * (1.0 - own) ** 2
