"""Cells as small whole numbers: what the counting kernels read."""

from __future__ import annotations

from dataclasses import dataclass

from tallybayes._types import AnyArray, Counts
from tallybayes.schema.values import Values


@dataclass(frozen=True, eq=False)
class CodedBlock:
    """Some categorical columns of a batch.

    ``codes[i, j] - low[j]`` is the place of the cell in ``values[j]``; below 0 the cell is missing. `codes`
    has any integer type and either layout: a matrix of small integers is its own block, a table is coded by
    dictionaries. `values` may hold values that no row has.
    """

    codes: AnyArray
    low: Counts
    values: tuple[Values, ...]


@dataclass(frozen=True, eq=False)
class Labels:
    """The target of a batch: ``values[codes[i]]`` is the class of row i; -1 is a row that takes no part."""

    codes: Counts
    values: Values
