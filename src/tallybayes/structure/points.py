"""The numbers of one column in their order, with the classes that have them: what edges are chosen from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallybayes._types import Bools, Counts, Floats
from tallybayes.tallies.sketch import LIMIT, SketchTally

ROOM = 1 << 22
"""How many entries the table of points and classes may have, unless a sketch keeps more points apart."""

_ALIKE = 1e-10
"""Numbers of a bin are one where their variance is smaller, in widths of the bin: what is left of it is rounding."""


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct numbers, or bins of numbers where there are too many, ascending.

    Attributes
    ----------
    low, high
        Between which bounds the numbers of each point lie; equal where they are one number, but for rounding.
    width, floor
        The width of the bins, and where that of each point begins.
    rows, weights
        How many rows of each class a point has, and what they weigh, shape (points, classes).
    """

    low: Floats
    high: Floats
    width: float
    floor: Floats
    rows: Counts
    weights: Floats

    def __len__(self) -> int:
        return len(self.low)

    def edge(self, i: int) -> float:
        """Return where to cut between the points i - 1 and i: halfway, unless they lie too close to be told from."""
        below, above = float(self.high[i - 1]), float(self.low[i])
        return below / 2 + above / 2 if above - below > self.width else float(self.floor[i])

    def edges(self, cuts: Counts | list[int]) -> tuple[float, ...]:
        """Return the edges between points, each before the point of a number from 1 on."""
        return tuple(sorted({self.edge(int(i)) + 0.0 for i in cuts}))


def points(sketch: SketchTally, j: int, *, room: int = ROOM) -> Points:
    """Return the points of column j of a sketch.

    While each class has at most as many distinct numbers as the sketch has bins, each number is a point, to the last
    bit unless it is tiny beside others. Otherwise the bins of all classes are brought to the width of the widest.

    Examples
    --------
    >>> from tallybayes.schema.values import Values
    >>> class Batch:
    ...     labels, weights, first = None, None, 0
    ...     def numbers(self, names):
    ...         return np.array([[0.243], [0.36], [0.403], [0.403]])
    >>> from tallybayes.schema.coded import Labels
    >>> batch = Batch()
    >>> batch.labels = Labels(np.array([0, 0, 1, 0]), Values(["no", "yes"]))
    >>> found = points(SketchTally.empty(["density"]).count(batch), 0)
    >>> found.low.tolist(), found.weights.tolist()
    ([0.243, 0.36, 0.403], [[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found.edges([1, 2])
    (0.3015, 0.3815)
    """
    k = len(sketch.classes)
    bins = [sketch.bins(c, j) for c in range(k)]
    exponent = max((own.exponent for own in bins if len(own.index)), default=0)
    most = max(LIMIT, room // max(k, 1))
    keys = [own.index >> min(exponent - own.exponent, 62) for own in bins]
    distinct = np.unique(np.concatenate([*keys, np.zeros(0, np.int64)]))
    coarser = 0
    while len(distinct) > most:  # many classes, each of numbers of its own
        coarser += 1
        distinct = np.unique(distinct >> 1)
    exponent += coarser
    rows, weights = np.zeros((len(distinct), k), np.int64), np.zeros((len(distinct), k))
    moments = np.zeros((len(distinct), 3))
    for c, own in enumerate(bins):
        if not len(own.index):
            continue
        shift = exponent - own.exponent
        key = own.index >> min(shift, 62)
        at = np.searchsorted(distinct, key)
        np.add.at(rows[:, c], at, own.rows)
        np.add.at(weights[:, c], at, own.sums[:, 0])
        mass = own.sums[:, 0]
        there = mass > 0
        mean = np.divide(own.sums[:, 1], mass, out=np.zeros(len(mass)), where=there)
        spread = np.maximum(np.divide(own.sums[:, 2], mass, out=np.zeros(len(mass)), where=there) - mean**2, 0.0)
        # Offsets from the lower bound of the wider bin, in its widths; of integers the part within it loses no digit.
        if shift <= 62:
            offset = np.ldexp((own.index - (key << shift)) + 0.5 + mean, -shift)
        else:  # nothing is left of them but their sign
            offset = np.ldexp(own.index + 0.5 + mean, -shift) - key
        for power, term in enumerate((mass, mass * offset, mass * (offset**2 + np.ldexp(spread, -2 * shift)))):
            np.add.at(moments[:, power], at, term)
    kept: Bools = moments[:, 0] > 0
    distinct, rows, weights, moments = distinct[kept], rows[kept], weights[kept], moments[kept]
    mean, square = moments[:, 1] / moments[:, 0], moments[:, 2] / moments[:, 0]
    alone = square - mean**2 <= _ALIKE
    with np.errstate(over="ignore"):  # beyond the largest number there is none to be told apart
        floor, width = np.ldexp(distinct.astype(np.float64), exponent), float(np.ldexp(1.0, exponent))
        numbers, top = np.ldexp(distinct + mean, exponent), np.ldexp(distinct + 1.0, exponent)
    return Points(np.where(alone, numbers, floor), np.where(alone, numbers, top), width, floor, rows, weights)
