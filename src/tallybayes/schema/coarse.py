"""Cells read more coarsely than they are: numbers by the bin that they lie in, rare values as one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tallybayes._types import Codes, Counts, Floats, Name
from tallybayes.kernels.binning import bin_numbers
from tallybayes.schema.cells import integer_values
from tallybayes.schema.coded import CodedBlock
from tallybayes.schema.field import OTHER, Schema
from tallybayes.schema.values import Values


def coarse_codes(
    schema: Schema,
    names: tuple[Name, ...],
    n: int,
    codes: Callable[[tuple[Name, ...]], CodedBlock],
    numbers: Callable[[tuple[Name, ...]], Floats],
) -> CodedBlock | None:
    """Return columns as codes where the schema cuts one of them or pools its values; None where it does not.

    Parameters
    ----------
    schema
        What the columns mean.
    names, n
        The columns, and the number of rows.
    codes, numbers
        What reads columns as they are.
    """
    fields = [schema[name] for name in names]
    if all(field.edges is None and field.kept is None for field in fields):
        return None
    binned = [j for j, field in enumerate(fields) if field.edges is not None]
    others = [j for j, field in enumerate(fields) if field.edges is None]
    values = [Values()] * len(names)
    block: Codes = np.empty((n, len(names)), dtype=np.int32, order="F")
    if others:
        read = codes(tuple(names[j] for j in others))
        for place, j in enumerate(others):
            cells = read.codes[:, place] - read.low[place]
            known, kept = read.values[place], fields[j].kept
            if kept is not None:
                known, code = _pooled(known, kept)
                cells = code[np.maximum(cells, -1) + 1]
            block[:, j], values[j] = cells, known
    if binned:
        matrix = numbers(tuple(names[j] for j in binned))
        edges = [fields[j].edges or () for j in binned]
        start = np.cumsum([0, *map(len, edges)])
        bin_numbers(matrix, np.array([e for cuts in edges for e in cuts]), start, np.array(binned), block)
        for j, cuts in zip(binned, edges, strict=True):
            values[j] = integer_values(0, len(cuts))
    return CodedBlock(block, np.zeros(len(names), np.int64), tuple(values))


def _pooled(known: Values, kept: Values) -> tuple[Values, Counts]:
    """Return the values that are told apart, and the code among them of each known one, a missing cell first."""
    values = Values((*kept, OTHER))
    places = known.places_in(kept)
    named = np.append(kept.places_in(values), values.index[OTHER])  # the last entry is for -1, a value not kept
    return values, np.concatenate(([-1], named[places])).astype(np.int64)
