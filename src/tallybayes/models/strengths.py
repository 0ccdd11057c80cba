"""How much a table leans on the tables of fewer parents: chosen from the counts, by leaving out each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.kernels.strengths import left_out_sum

LOWEST, HIGHEST = 0, 40
"""Between which powers of the square root of 2 a strength is sought: a table of fewer parents weighs a row or more."""

WIDE = 6
"""The first look is at every power so far from the next."""

ROUNDS = 20
"""After how many rounds the search ends, if it has not come to rest."""


@dataclass(frozen=True, eq=False)
class Level:
    """How often each value of a column occurs with each combination of values of some parents.

    Attributes
    ----------
    rows, sums
        The numbers of rows, and their weights, shape (combinations, values, classes).
    """

    rows: Counts
    sums: Floats


def chosen_strengths(levels: Sequence[Level]) -> Floats:
    """Return the strength of each level, from the lowest up.

    They make the rows most probable when each is left out of the counts of all levels: they maximise the sum of n log P
    over the cells of the highest level, where P = (n - 1 + s P') / (N - 1 + s), and P' is the same on the level below.
    All rows of a cell are alike, so that counts are all it takes; a weight of 2 is taken for two rows.

    There is one strength for a level, whatever the class and the values of the parents. More of them would fit the
    rows that are left out better and others worse, as each row still has its say in the choice of the strengths.
    They are powers of the square root of 2, which is as finely as they matter, and so do not depend on rounding.

    Examples
    --------
    >>> even = Level(np.array([[[50], [50]]]), np.array([[[50.0], [50.0]]]))
    >>> split = Level(np.array([[[50], [0]], [[0], [50]]]), np.array([[[50.0], [0.0]], [[0.0], [50.0]]]))
    >>> chosen_strengths([even, split])[1]
    np.float64(1.0)
    """
    top = levels[-1].sums
    line, value, c = np.nonzero(top)
    values = max(top.shape[1], 1)
    rest, total = (np.empty((len(line), len(levels))) for _ in range(2))
    for d, level in enumerate(levels):
        # Each combination of the first parents is followed by those with each value of the next.
        at = line // (len(top) // max(len(level.sums), 1)) if len(line) else line
        rest[:, d] = np.maximum(level.sums[at, value, c] - 1.0, 0.0)
        total[:, d] = np.maximum(level.sums.sum(axis=1)[at, c] - 1.0, 0.0)
    n = top[line, value, c]

    def gain(powers: Sequence[int]) -> float:
        return float(left_out_sum(n, rest, total, 1.0 / values, _strength(np.array(powers))))

    powers = [0] * len(levels)
    best = gain(powers)
    for _ in range(ROUNDS):
        before = list(powers)
        for d in reversed(range(len(levels))):
            for step in (WIDE, WIDE // 3, 1):
                reach = range(LOWEST, HIGHEST + 1, step) if step == WIDE else (powers[d] - step, powers[d] + step)
                for power in reach:
                    if not LOWEST <= power <= HIGHEST:
                        continue
                    tried = [*powers[:d], power, *powers[d + 1 :]]
                    found = gain(tried)
                    # By more than sums may be rounded, so that equals stay with what was found first.
                    if found > best + 1e-9 * abs(best):
                        best, powers = found, tried
        if powers == before:
            break
    return _strength(np.array(powers))


def _strength(powers: Counts) -> Floats:
    strengths: Floats = np.exp2(powers / 2.0)
    return strengths
