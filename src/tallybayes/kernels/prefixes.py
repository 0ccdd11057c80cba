"""What rows cost without themselves, by how many of the columns of a graph are asked."""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.kernels._jit import jit
from tallybayes.kernels.ladders import Ladders, own_shares, row_cells

LEAST = 1e-150
"""The least posterior of a class whose chance is not zero."""

SMALL = 1e-150
"""The product of so small a chance and the least one is still a number."""


@jit
def prefix_losses(
    slots: AnyArray, at: Counts, classes: Counts, weights: Floats, taken: Floats, left: Counts, prior: Floats,
    order: Counts, ladders: Ladders, table: Floats, whole: Bools, losses: Floats,
) -> int:  # fmt: skip
    """Add the loss of each row with none of the columns, with the first of the order, with the first two and so on.

    The row r is ``at[r]`` of the slots, of the class ``classes[r]``, with the weight ``weights[r]``. One of which
    something has to be summed out is passed over. Return the first column whose cell cannot have been counted, -1 if
    all have.

    Parameters
    ----------
    taken, left, table
        What is taken out for each row, and more, as `tallybayes.kernels.ladders.own_logs` wants it.
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
    shift = np.empty(p, np.int64)
    for j in range(p):
        shift[j] = ladders.cell_start[j, ladders.depth[j]] - ladders.log_start[j]
    cells, own, chance = np.empty(p, np.int64), np.empty(p), np.empty(k)
    # Products of the chances of many rows, of which the logarithm is taken when they become small.
    product = np.ones(p + 1)
    for r in range(at.shape[0]):
        row, mine, weight = slots[at[r]], classes[r], weights[r]
        whole[r] = row_cells(row, ladders, cells)
        odd = own_shares(row, cells, mine, taken[r], left[r], ladders, table, own)
        if odd >= 0:
            return odd
        if not whole[r]:
            continue
        never, nowhere = prior[r, mine] == 0.0, False
        for c in range(k):
            chance[c] = prior[r, c]
        for q in range(p + 1):
            j = order[q - 1] if q > 0 else 0
            if q > 0 and cells[j] >= 0 and not nowhere:
                never = never or own[j] == 0.0
                line, total = cells[j] + shift[j], 0.0
                for c in range(k):
                    chance[c] *= ladders.shares[line, c] if c != mine else own[j]
                    total += chance[c]
                nowhere = total == 0.0
                scale = 0.0 if nowhere else 1.0 / total
                for c in range(k):
                    chance[c] *= scale
                    if chance[c] > 0.0:
                        chance[c] = max(chance[c], LEAST)  # far smaller numbers are slow
                if nowhere:  # then the prior answers, whatever else there is
                    never = prior[r, mine] == 0.0
                    for c in range(k):
                        chance[c] = prior[r, c]
            mass, wrong = chance[mine], False
            for c in range(k):
                wrong = wrong or chance[c] > mass or (chance[c] == mass and c < mine)
            if never:
                losses[q, 0] = math.inf
            elif weight == 1.0:
                product[q] *= max(mass, LEAST)
                if product[q] < SMALL:
                    losses[q, 0] -= math.log(product[q])
                    product[q] = 1.0
            else:
                losses[q, 0] -= weight * math.log(max(mass, LEAST))
            losses[q, 1] += weight if wrong else 0.0
            losses[q, 2] += weight * (1.0 - mass) ** 2
    for q in range(p + 1):
        losses[q, 0] -= math.log(product[q])
    return -1


@jit
def add_losses(posterior: Floats, classes: Counts, weights: Floats, losses: Floats) -> None:
    """Add the losses of rows with a posterior, shape (rows, classes), to three sums."""
    for r in range(posterior.shape[0]):
        mass, wrong = posterior[r, classes[r]], False
        for c in range(posterior.shape[1]):
            wrong = wrong or posterior[r, c] > mass or (posterior[r, c] == mass and c < classes[r])
        losses[0] += -weights[r] * math.log(max(mass, LEAST)) if mass > 0.0 else math.inf
        losses[1] += weights[r] if wrong else 0.0
        losses[2] += weights[r] * (1.0 - mass) ** 2
