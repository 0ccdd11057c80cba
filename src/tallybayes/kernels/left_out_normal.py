"""The log density of numbers in the normal distribution of their class, without the row itself."""

from __future__ import annotations

import math

from tallybayes._types import Bools, Counts, Floats
from tallybayes.kernels._jit import jit

CANCELLED = 1e-3
"""What share of the squared deviations has to be left for ordinary arithmetic to be good to twelve digits."""


@jit
def own_log_normal(
    x: Floats,
    at: Counts,
    classes: Counts,
    weights: Floats,
    rows: Counts,
    moments: Floats,
    ddof: float,
    floor: Floats,
    out: Floats,
    apart: int,
    odd: Bools,
) -> None:
    """Add the log density of cell j of row ``at[r]`` in its class, without the row, to ``out[r, j * apart]``.

    With W the weight of a class, Q its squared deviations, d the number's deviation and w its own weight, what is left
    is W' = W - w, Q' = Q - w d**2 W / W', and a mean lower by d w / W'. A row is `odd`, and what is added of it of no
    use, where a variance is not above `floor`, or is not to be had like this: it has to be asked otherwise.
    """
    constant = math.log(2.0 * math.pi)
    weight, spread = moments[0] + moments[1], moments[4] + moments[5]
    for r in range(at.shape[0]):
        c, w = classes[r], weights[r]
        for j in range(x.shape[1]):
            value = x[at[r], j]
            if value != value:
                continue
            left = weight[c, j] - w
            if rows[c, j] < 2 or left - ddof <= 0.0 or left < CANCELLED * weight[c, j]:
                odd[r] = True
                break
            # The mean is in two parts, since it may lie far from zero.
            d = (value - moments[2, c, j]) - moments[3, c, j]
            rest = spread[c, j] - w * d * d * (weight[c, j] / left)
            variance = rest / (left - ddof)
            if not (rest > CANCELLED * spread[c, j] and variance > floor[j]):
                odd[r] = True
                break
            # Rounded as the mean of the other rows is, for the same answer.
            d = value - (moments[2, c, j] + (moments[3, c, j] - d * (w / left)))
            out[r, j * apart] -= 0.5 * (constant + math.log(variance) + d * d / variance)
