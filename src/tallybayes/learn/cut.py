"""The pass before the counting: numbers are looked at to be cut into bins, and rare values to be pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallybayes._types import Name
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.learn.seen import Look, Seen
from tallybayes.schema.batch import Batch
from tallybayes.schema.bins import Edges
from tallybayes.schema.field import OTHER, Schema
from tallybayes.schema.values import Values
from tallybayes.structure.cuts import Cutting, Method
from tallybayes.structure.edges import chosen_edges, equal_widths
from tallybayes.structure.points import points
from tallybayes.tallies.counts import CountTally


def cut(
    passes: Passes, encoder: Encoder, numeric: Sequence[Name], cutting: Cutting, *, max_values: int | None = None
) -> Schema:
    """Return the columns of the encoder's schema with edges for some, and with rare values pooled where there are many.

    All is chosen from one pass over the labelled rows. There is none where all edges were given, and no column is
    suspected of many values: one that shows more than half of `max_values` in the first rows is counted in all of them.

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
    """
    schema = encoder.schema
    suspected = () if max_values is None else _suspected(encoder(passes.first), schema, max_values)
    look = look_for(encoder, numeric, cutting, counted=suspected)
    edges: Mapping[Name, Edges] = {name: said for name in numeric if isinstance(said := cutting.how(name), tuple)}
    kept: Mapping[Name, Values] = {}
    if look.sketched or look.ranged or look.counted:
        passes.several = True
        seen = look.at(passes)
        edges = {**edges, **edges_from(seen, look, cutting)}
        kept = {} if max_values is None else _frequent(seen.counts, schema, max_values)
    fields = [replace(field, edges=edges.get(field.name), kept=kept.get(field.name)) for field in schema]
    return Schema(tuple(fields), schema.named)


def look_for(
    encoder: Encoder,
    numeric: Sequence[Name],
    cutting: Cutting,
    *,
    labelled: bool = True,
    counted: tuple[Name, ...] = (),
) -> Look:
    """Return what has to be seen of the rows for edges to be chosen, besides the values of `counted`."""
    how = {name: cutting.how(name) for name in numeric}
    sketched = tuple(name for name, said in how.items() if said in ("mdlp", "quantile"))
    ranged = tuple(name for name, said in how.items() if said == "width")
    return Look(encoder, labelled, sketched, ranged, counted)


def edges_from(seen: Seen, look: Look, cutting: Cutting) -> dict[Name, Edges]:
    """Return the edges of the columns that were looked at."""
    edges: dict[Name, Edges] = {}
    for j, name in enumerate(look.sketched):
        method: Method | Any = cutting.how(name)
        edges[name] = chosen_edges(points(seen.sketch, j), method, bins=cutting.bins, most=cutting.most)
    for name, low, high in zip(look.ranged, seen.low.tolist(), seen.high.tolist(), strict=True):
        edges[name] = equal_widths(low, high, cutting.bins)
    return edges


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
