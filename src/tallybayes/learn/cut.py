"""The pass before the counting: numbers are looked at to be cut into bins, and rare values to be pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Floats, Name
from tallybayes.engines.threads import in_order
from tallybayes.errors import TargetError
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.learn.pile import Pile
from tallybayes.schema.batch import Batch
from tallybayes.schema.bins import Edges
from tallybayes.schema.coded import Labels
from tallybayes.schema.field import OTHER, Schema
from tallybayes.schema.refusals import refuse_infinite
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.structure.cuts import Cutting
from tallybayes.structure.edges import chosen_edges, equal_widths
from tallybayes.structure.points import points
from tallybayes.tallies.counts import CountTally
from tallybayes.tallies.sketch import SketchTally

_ALL = Values([0])


def cut(
    passes: Passes,
    encoder: Encoder,
    numeric: Sequence[Name],
    cutting: Cutting,
    *,
    max_values: int | None = None,
    labelled: bool = True,
) -> Schema:
    """Return the columns of the encoder's schema with edges for some, and with rare values pooled where there are many.

    All is chosen from one pass over the rows. There is none where all edges were given, and no column is suspected of
    many values: one that shows more than half of `max_values` in the first rows is counted in all of them.

    Parameters
    ----------
    passes
        The rows.
    encoder
        How they are read.
    numeric
        The columns that are cut.
    cutting
        How.
    max_values
        How many values a categorical column has at most, the pooled ones counting as one; None for as many as it has.
    labelled
        Whether only rows with a label count, as for a classifier; otherwise all do, and no method may need labels.
    """
    schema = encoder.schema
    how = {name: cutting.how(name) for name in numeric}
    edges: dict[Name, Edges] = {name: said for name, said in how.items() if isinstance(said, tuple)}
    sketched = tuple(name for name, said in how.items() if said in ("mdlp", "quantile"))
    ranged = tuple(name for name, said in how.items() if said == "width")
    pooled = () if max_values is None else _suspected(encoder(passes.first), schema, max_values)
    kept: dict[Name, Values] = {}
    if sketched or ranged or pooled:
        passes.several = True
        seen = _look(passes, _Look(encoder, labelled, sketched, ranged, pooled))
        for j, name in enumerate(sketched):
            found = points(seen.sketch, j)
            method: Any = how[name]
            edges[name] = chosen_edges(found, method, bins=cutting.bins, most=cutting.most)
        for low, high, name in zip(seen.low.tolist(), seen.high.tolist(), ranged, strict=True):
            edges[name] = equal_widths(low, high, cutting.bins)
        if max_values is not None:
            kept = _frequent(seen.counts, schema, max_values)
    fields = [replace(field, edges=edges.get(field.name), kept=kept.get(field.name)) for field in schema]
    return Schema(tuple(fields), schema.named)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What was seen of some rows: sketches, the least and the greatest number, how often each value occurs."""

    rows: int
    sketch: SketchTally
    low: Floats
    high: Floats
    counts: CountTally


@dataclass(frozen=True)
class _Look:
    """Looks at one piece; a plain value, like all that an engine may have to send."""

    encoder: Encoder
    labelled: bool
    sketched: tuple[Name, ...]
    ranged: tuple[Name, ...]
    pooled: tuple[Name, ...]

    def __call__(self, block: Rows) -> _Seen:
        batch = self.encoder(block)
        if not self.labelled:
            batch = _Unlabelled(batch)
        used = batch.labels.codes >= 0
        numbers = batch.numbers(self.ranged)
        low, high = np.full(len(self.ranged), np.inf), np.full(len(self.ranged), -np.inf)
        if used.any():
            numbers = numbers if used.all() else numbers[used]
            low = np.fmin.reduce(numbers, axis=0, initial=np.inf)
            high = np.fmax.reduce(numbers, axis=0, initial=-np.inf)
            if np.isinf(numbers).any():
                refuse_infinite(batch.numbers(self.ranged), self.ranged, batch.first)
        sketch, counts = SketchTally.empty(self.sketched), CountTally.empty(self.pooled)
        return _Seen(int(used.sum()), sketch.count(batch), low, high, counts.count(batch))


def _look(passes: Passes, look: _Look) -> _Seen:
    """Return what was seen of all rows."""
    sketch, counts = Pile(SketchTally.empty(look.sketched)), Pile(CountTally.empty(look.pooled))
    low, high = np.full(len(look.ranged), np.inf), np.full(len(look.ranged), -np.inf)
    rows = 0
    for part in in_order(look, passes.rows()):
        sketch.add(part.sketch)
        counts.add(part.counts)
        low, high = np.minimum(low, part.low), np.maximum(high, part.high)
        rows += part.rows
    if not rows:
        raise TargetError(
            "No row is left to choose edges from: each has no label, or the weight zero. Check the target and "
            "sample_weight."
        )
    total: Any = sketch.total(), counts.total()
    return _Seen(rows, total[0], low, high, total[1])


class _Unlabelled:
    """A batch whose rows are all of one class, those of weight 0 left out."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        weights = batch.weights
        codes: AnyArray = np.zeros(len(batch), np.int64)
        self.labels = Labels(codes if weights is None else np.where(weights > 0, 0, -1), _ALL)
        self.unlabelled = 0

    def __len__(self) -> int:
        return len(self._batch)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)


def _suspected(batch: Batch, schema: Schema, max_values: int) -> tuple[Name, ...]:
    """Return the columns that may have too many values, judging by the first rows and by what was declared."""
    names = [field.name for field in schema if field.kind == "categorical" and field.type != "boolean"]
    if not names:
        return ()
    block = batch.codes(names)
    found = []
    for j, name in enumerate(names):
        many = len(block.values[j])
        if 2 * many > max_values:  # a matrix of integers says how far they reach, and not how many there are
            many = len(np.unique(block.codes[:, j]))
        declared = schema[name].values
        if 2 * many > max_values or (declared is not None and len(declared) > max_values):
            found.append(name)
    return tuple(found)


def _frequent(counts: CountTally, schema: Schema, max_values: int) -> dict[Name, Values]:
    """Return the values of each column that are kept, where there are more than `max_values`."""
    kept = {}
    for name, seen, begin in zip(counts.names, counts.values, counts.start.tolist(), strict=False):
        values, ours, _ = seen.union(schema[name].values or Values())
        if len(values) <= max_values:
            continue
        weights = np.zeros(len(values))
        weights[ours] = counts.weights[begin + 1 : begin + 1 + len(seen)].sum(axis=1)
        order = np.argsort(-weights, kind="stable").tolist()  # of equally frequent ones the first
        kept[name] = Values([values[place] for place in order if values[place] != OTHER][: max_values - 1])
    return kept
