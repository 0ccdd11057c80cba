"""Which columns are counted together, and in what order their tables stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations
from typing import Any

import numpy as np

from tallybayes._types import Counts, Name
from tallybayes.errors import TooLargeError
from tallybayes.schema.values import Values
from tallybayes.tallies.layout import damaged

Groups = tuple[tuple[int, ...], ...]
"""Columns by their places, in ascending order; so are the groups themselves."""

MOST_BYTES = 2 << 30
"""The most memory that the tables of a tally take, unless another limit is given."""

BYTES = 16
"""A cell is a number of rows and a sum of weights."""

MOST_CELLS = 2**32
"""A single table has fewer cells, whatever the limit: the kernels number them by 32 bits."""

_LARGEST = 2**63 - 1


@lru_cache(maxsize=64)
def all_groups(columns: int, size: int) -> Groups:
    """Return all groups of so many columns out of `columns`, or the one group of all where there are fewer.

    Examples
    --------
    >>> all_groups(3, 2), all_groups(1, 2)
    (((0, 1), (0, 2), (1, 2)), ((0,),))
    """
    return tuple(combinations(range(columns), min(columns, size))) if columns else ()


def canonical(groups: Sequence[Sequence[int]], columns: int) -> Groups:
    """Return groups in their one order; `ValueError` where they are no groups of all of the columns."""
    return _canonical(tuple(map(tuple, groups)), columns)


@lru_cache(maxsize=64)
def _canonical(groups: Groups, columns: int) -> Groups:
    ordered = tuple(sorted({tuple(sorted(group)) for group in groups}))
    used = {j for group in ordered for j in group}
    if used != set(range(columns)) or any(len(set(group)) < len(group) or not group for group in ordered):
        raise ValueError(f"{groups!r} are no groups of {columns} columns of which each has a part in one")
    return ordered


def stored_groups(stored: Any, columns: int) -> Groups:
    """Return the stored groups of columns, refusing what are none."""
    if isinstance(stored, list) and all(isinstance(g, list) and all(type(j) is int for j in g) for g in stored):
        groups = tuple(map(tuple, stored))
        try:
            if canonical(groups, columns) == groups:
                return groups
        except ValueError:
            pass
    raise damaged("the groups of columns that were counted together are none")


@dataclass(frozen=True, eq=False)
class Plan:
    """Groups as the kernels want them.

    Attributes
    ----------
    start, members
        Where the members of each group begin, and the columns that they are.
    tail_start, tails, head_start, heads
        The groups by all of their members but the first, as `tallybayes.kernels.groups.count_groups` counts them.
    by_tail
        Which groups these are, one after the other.
    """

    start: Counts
    members: Counts
    tail_start: Counts
    tails: Counts
    head_start: Counts
    heads: Counts
    by_tail: Counts

    def cells(self, sizes: Counts) -> list[int]:
        """Return how many cells the table of each group has for one class; Python's numbers do not overflow."""
        own, first = sizes[self.members], self.start[:-1]
        if not len(first) or np.multiply.reduceat(own, first, dtype=np.float64).max() < MOST_CELLS:
            few: list[int] = np.multiply.reduceat(own, first).tolist() if len(first) else []
            return few
        slots = sizes.tolist()
        counted = []
        for a, b in zip(self.start[:-1].tolist(), self.start[1:].tolist(), strict=True):
            product = 1
            for j in self.members[a:b].tolist():
                product *= slots[j]
            counted.append(product)
        return counted


@lru_cache(maxsize=64)
def plan_of(groups: Groups) -> Plan:
    """Return groups as the kernels want them; kept, as every piece of a table asks for it."""
    tails: dict[tuple[int, ...], list[int]] = {}
    for g, group in enumerate(groups):
        tails.setdefault(group[1:], []).append(g)
    by_tail = [g for of_tail in tails.values() for g in of_tail]
    return Plan(
        start=_starts([len(group) for group in groups]),
        members=np.array([j for group in groups for j in group], np.int64),
        tail_start=_starts([len(tail) for tail in tails]),
        tails=np.array([j for tail in tails for j in tail], np.int64),
        head_start=_starts([len(of_tail) for of_tail in tails.values()]),
        heads=np.array([groups[g][0] for g in by_tail], np.int64),
        by_tail=np.array(by_tail, np.int64),
    )


def slots_of(values: Sequence[Values]) -> Counts:
    """Return how many slots each column has: one for missing cells, and one for each value."""
    return np.array([len(v) + 1 for v in values], np.int64)


def table_starts(groups: Groups, sizes: Counts) -> Counts:
    """Return where the table of each group begins, counted in cells of one class, and where the last one ends."""
    return _starts(plan_of(groups).cells(sizes))


def bytes_for(groups: Groups, values: Sequence[Values], classes: int) -> int:
    """Return how much memory the tables of some columns take, before it is taken.

    Examples
    --------
    >>> bytes_for(((0, 1),), (Values(["a", "b"]), Values(["x", "y", "z"])), classes=2)
    384
    """
    return sum(plan_of(groups).cells(slots_of(values))) * classes * BYTES


def require_memory(names: Sequence[Name], groups: Groups, values: Sequence[Values], classes: int, most: int) -> None:
    """Raise `TooLargeError` where tables would take more memory than they may; it says how much, and what to do."""
    sizes = slots_of(values)
    cells = plan_of(groups).cells(sizes)
    need = sum(cells) * classes * BYTES
    if need <= most and max(cells, default=0) * classes < MOST_CELLS:
        return
    largest = np.argsort(-sizes, kind="stable")[:3].tolist()
    shown = ", ".join(f"{names[j]!r} ({sizes[j] - 1:,} values)" for j in largest)
    together = max(map(len, groups))
    raise TooLargeError(
        f"The tables of up to {together} columns at a time ({len(groups):,} of them) and of {classes:,} classes would "
        f"take {in_words(need)}, and may take {in_words(most)}. The columns with most values are {shown}: pool rare "
        f"values with max_values=, cut numbers into fewer bins with max_bins=, leave a column out with columns={{"
        f"{names[largest[0]]!r}: 'ignored'}}, take fewer columns together, or allow more with memory_limit=."
    )


def in_words(size: int) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> in_words(2 << 30), in_words(1536)
    ('2.0 GiB', '1.5 KiB')
    """
    amount, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    if amount > 1e6:
        return "more than anybody has"
    return f"{amount:,.0f} bytes" if units[0] == "bytes" else f"{amount:,.1f} {units[0]}"


def _starts(lengths: Sequence[int]) -> Counts:
    """Return where runs of some lengths begin, and where the last one ends."""
    starts = [0, *accumulate(lengths)]
    return np.array([min(start, _LARGEST) for start in starts], np.int64)
