"""Tables of fewer columns, as sums over those of more."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tallybayes._types import AnyArray, Name
from tallybayes.tallies.group_plan import canonical
from tallybayes.tallies.groups import GroupTally


def reduced(tally: GroupTally, names: Sequence[Name], groups: Sequence[Sequence[int]]) -> GroupTally:
    """Return the tally of other groups of columns, each of which lies within one that was counted.

    It is what counting these groups would have given, as every row is in every table.

    Parameters
    ----------
    tally
        What was counted.
    names
        The columns that are kept.
    groups
        Their groups, by their places among those.

    Examples
    --------
    >>> tally = GroupTally.empty(["a", "b", "c"], [(0, 1, 2)])
    >>> reduced(tally, ["c", "a"], [(0, 1)]).groups
    ((0, 1),)
    """
    if tuple(names) == tally.names and canonical(groups, len(names)) == tally.groups:
        return tally
    place = {name: j for j, name in enumerate(tally.names)}
    ours = canonical(groups, len(names))
    rows: list[AnyArray] = [tally.rows[:0]]
    weights: list[AnyArray] = [tally.weights[:0]]
    for group in ours:
        wanted = [place[names[j]] for j in group]
        within = min((old for old in tally.groups if set(old) >= set(wanted)), key=len)
        members = [*wanted, *(j for j in within if j not in wanted)]
        others = tuple(range(len(wanted), len(members)))
        for parts, table in ((rows, tally.row_table(members)), (weights, tally.table(members))):
            kept = table.sum(axis=others)
            parts.append(kept.reshape(math.prod(kept.shape[:-1]), kept.shape[-1]))
    values = tuple(tally.values[place[name]] for name in names)
    return GroupTally(
        tuple(names), ours, tally.classes, values, np.concatenate(rows), np.concatenate(weights), tally.most
    )
