"""A look at all rows before anything is counted: how numbers lie, how far they reach, which values there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Floats, Name
from tallybayes.engines.threads import in_order
from tallybayes.errors import TargetError
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.learn.pile import Pile
from tallybayes.schema.batch import Batch
from tallybayes.schema.coded import Labels
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.tallies.counts import CountTally
from tallybayes.tallies.sketch import LIMIT, SketchTally

ROOM = 1 << 17
"""How many bins all columns have together in one class, where that gives each more than it has at least."""

MANY = 256
"""More columns than this have fewer bins each, to save memory."""

ALL = Values([0])
"""The one class of rows whose labels do not count."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What was seen of some rows, which adds to what was seen of others.

    Attributes
    ----------
    sketch
        Where the numbers of some columns lie.
    low, high
        Between which numbers others lie; the least is infinite where there is none.
    counts
        How often the values of others occur.
    """

    sketch: SketchTally
    low: Floats
    high: Floats
    counts: CountTally

    def __add__(self, other: Seen) -> Seen:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Seen(self.sketch + other.sketch, low, high, self.counts + other.counts)


@dataclass(frozen=True)
class Look:
    """What is looked at in one piece of rows; a plain value, like all that an engine may have to send.

    Attributes
    ----------
    encoder
        How rows are read.
    labelled
        Whether only rows with a label count, and apart for each class; otherwise all rows do, as one class.
    sketched, ranged, counted
        The columns whose numbers are sketched, of which the least and the greatest number count, and whose values do.
    """

    encoder: Encoder
    labelled: bool
    sketched: tuple[Name, ...] = ()
    ranged: tuple[Name, ...] = ()
    counted: tuple[Name, ...] = ()

    @property
    def limit(self) -> int:
        """How many bins of a column are kept apart in one class: the more, the fewer columns there are."""
        p = max(len(self.sketched), 1)
        return max(min(16 * LIMIT, ROOM // p), LIMIT if p <= MANY else LIMIT // 4)

    def __call__(self, block: Rows) -> tuple[int, Seen]:
        """Return how many rows count, and what was seen of them."""
        batch = self.encoder(block)
        if not self.labelled:
            batch = _Unlabelled(batch)
        used = batch.labels.codes >= 0
        numbers = batch.numbers(self.ranged)
        own = numbers if used.all() else numbers[used]
        low = np.fmin.reduce(own, axis=0, initial=np.inf)
        high = np.fmax.reduce(own, axis=0, initial=-np.inf)
        if np.isinf(own).any():
            refuse_infinite(numbers, self.ranged, batch.first)
        sketch, counts = SketchTally.empty(self.sketched, limit=self.limit), CountTally.empty(self.counted)
        return int(used.sum()), Seen(sketch.count(batch), low, high, counts.count(batch))

    def at(self, passes: Passes) -> Seen:
        """Return what was seen of all rows, of which there is one at least."""
        sketch = Pile(SketchTally.empty(self.sketched, limit=self.limit))
        counts = Pile(CountTally.empty(self.counted))
        low, high = np.full(len(self.ranged), np.inf), np.full(len(self.ranged), -np.inf)
        total = 0
        for rows, seen in in_order(self, passes.rows()):
            sketch.add(seen.sketch)
            counts.add(seen.counts)
            low, high = np.minimum(low, seen.low), np.maximum(high, seen.high)
            total += rows
        if not total:
            raise TargetError(
                "No row is left to choose edges from: each has no label, or the weight zero. Check the target and "
                "sample_weight."
            )
        sums: Any = sketch.total(), counts.total()
        return Seen(sums[0], low, high, sums[1])


class _Unlabelled:
    """A batch whose rows are all of one class, those of weight 0 left out."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        weights = batch.weights
        codes: AnyArray = np.zeros(len(batch), np.int64)
        self.labels = Labels(codes if weights is None else np.where(weights > 0, 0, -1), ALL)
        self.unlabelled = 0

    def __len__(self) -> int:
        return len(self._batch)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)
