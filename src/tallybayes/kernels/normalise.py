"""The passes of log-sum-exp over the rows of a table of log probabilities, in place.

The exponentials between the passes are NumPy's, which uses the vector units: on rows of five classes that is
six times as fast as the C library's one at a time.
"""

from __future__ import annotations

import math

from tallybayes._types import Floats
from tallybayes.kernels._jit import jit


@jit
def shift_rows(table: Floats, log_prior: Floats) -> int:
    """Take each row's largest entry off the row, and return how many rows have none.

    Such a row, -inf under every class, becomes the prior. Entries of +inf are equal to each other and outweigh
    all others. A row with a NaN becomes NaN throughout, where it can be seen.
    """
    classes = table.shape[1]
    prior_top = -math.inf
    for c in range(classes):
        prior_top = max(prior_top, log_prior[c])
    impossible = 0
    for i in range(table.shape[0]):
        largest = -math.inf
        for c in range(classes):
            # A NaN never compares as larger, so that once it is the largest it stays so.
            if table[i, c] > largest or math.isnan(table[i, c]):
                largest = table[i, c]
        if largest == -math.inf:
            impossible += 1
            for c in range(classes):
                # A prior that is itself zero everywhere says nothing: every class is then alike.
                table[i, c] = log_prior[c] - prior_top if prior_top > -math.inf else 0.0
        elif largest == math.inf:
            for c in range(classes):
                table[i, c] = 0.0 if table[i, c] == math.inf else -math.inf
        else:
            for c in range(classes):
                table[i, c] -= largest
    return impossible


@jit
def scale_rows(weights: Floats) -> None:
    """Divide each row by its sum."""
    for i in range(weights.shape[0]):
        total = 0.0
        for c in range(weights.shape[1]):
            total += weights[i, c]
        scale = 1.0 / total
        for c in range(weights.shape[1]):
            weights[i, c] *= scale


@jit
def lower_rows(table: Floats, weights: Floats) -> None:
    """Subtract from each row the logarithm of the sum of its ``weights = exp(table)``, the largest of them 1.

    That 1 is left to log1p, so that a sum of 1 + 1e-20 keeps its 1e-20.
    """
    for i in range(table.shape[0]):
        rest = 0.0
        largest_seen = False
        for c in range(table.shape[1]):
            if weights[i, c] == 1.0 and not largest_seen:
                largest_seen = True
            else:
                rest += weights[i, c]
        log_sum = math.log1p(rest)
        for c in range(table.shape[1]):
            table[i, c] -= log_sum
