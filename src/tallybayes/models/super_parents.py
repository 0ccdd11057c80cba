"""Groups of super-parents: which there are, and the counts of them and of their children."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels.super_parents import SuperParents
from tallybayes.models.counted import CountedColumns
from tallybayes.structure.information import mutual_information
from tallybayes.tallies.group_plan import Groups, all_groups, table_starts
from tallybayes.tallies.groups import GroupTally

NOTHING = 1e-12
"""Less information than this, in nats, is the rounding of none."""


@dataclass(frozen=True, eq=False)
class CountedParents:
    """All groups of `order` columns as super-parents of the others.

    Attributes
    ----------
    columns
        The counts of all groups of one column more, where there are so many.
    order
        1 or 2.
    """

    columns: CountedColumns
    order: int

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The columns of each group; one of a column without any value is none."""
        known = [j for j, size in enumerate(self.columns.sizes) if size]
        return tuple(combinations(known, self.order))

    @cached_property
    def tables(self) -> list[tuple[Counts, Floats]]:
        """The numbers of rows and the weights of the states of each group, shape (states, classes)."""
        found = []
        for group in self.members:
            rows, sums = _margins(self.columns.tally, group)
            inside = tuple(slice(self.columns.first[j], None) for j in group)
            k = sums.shape[-1]
            found.append((rows[inside].reshape(-1, k), sums[inside].reshape(-1, k)))
        return found

    @cached_property
    def arrays(self) -> SuperParents:
        """The groups as the kernels want them."""
        columns, tally, p = self.columns, self.columns.tally, len(self.columns.names)
        k, groups = len(columns.classes), self.members
        base, strides = _layout(tally.groups, tuple(len(v) + 1 for v in tally.values), groups)
        n_values = np.array([*columns.sizes, 1], np.int64)
        rows = [part for part, _ in self.tables]
        sums = [part for _, part in self.tables]
        state_rows = np.concatenate([np.zeros((0, k), np.int64), *rows])
        return SuperParents(
            rows=tally.rows,
            sums=tally.weights,
            smoothing=columns.smoothing,
            n_values=n_values,
            first=np.array(columns.first, np.int64),
            members=np.array([(*group, *[p] * (2 - len(group))) for group in groups], np.int64).reshape(-1, 2),
            base=base,
            strides=strides,
            state_start=np.cumsum([0, *map(len, rows)]),
            state_rows=state_rows,
            state_sums=np.concatenate([np.zeros((0, k)), *sums]),
            seen=state_rows.sum(axis=1),
            total_rows=np.array([part.sum(axis=0) for part in rows], np.int64).reshape(-1, k),
            totals=np.array([part.sum(axis=0) for part in sums], np.float64).reshape(-1, k),
        )

    @cached_property
    def information(self) -> Floats:
        """I(parents; C) of each group, of the rows in which all of its members are present, in nats."""
        return _real(np.array([mutual_information(sums) for _, sums in self.tables]))

    def information_left_out(self, states: Counts, classes: Counts, weights: Floats) -> Floats:
        """Return the information without each row, shape (rows, groups).

        Parameters
        ----------
        states
            The state of each row in each group, counted over all groups; -1 where a member is missing.
        classes, weights
            The class and the weight of each row.
        """
        parents = self.arrays
        out = np.tile(self.information, (len(states), 1))
        for g in range(len(self.members)):
            there = np.flatnonzero(states[:, g] >= 0)
            s, c, w = states[there, g], classes[there], weights[there]
            of_group = slice(int(parents.state_start[g]), int(parents.state_start[g + 1]))
            table = parents.state_sums[of_group]
            cells, lines, total = table.sum(axis=1), table.sum(axis=0), table.sum()
            local = s - of_group.start
            left = np.maximum(total - w, 0.0)
            # n I = sum n(s, c) log n(s, c) - sum n(s) log n(s) - sum n(c) log n(c) + n log n
            entries = _log_times(table).sum() + _change(table[local, c], w)
            by_state = _log_times(cells).sum() + _change(cells[local], w)
            by_class = _log_times(lines).sum() + _change(lines[c], w)
            amount = entries - by_state - by_class + _log_times(left)
            out[there, g] = np.divide(amount, left, out=np.zeros(len(left)), where=left > 0)
        return _real(out)

    @cached_property
    def below(self) -> CountedParents:
        """The groups of one column less, of the same rows."""
        columns = self.columns
        tally = columns.tally
        p = len(tally.names)
        pairs = all_groups(p, self.order)
        if tally.groups == pairs:
            return CountedParents(columns, self.order - 1)
        k = len(tally.classes)
        margins = [_margins(tally, pair) for pair in pairs]
        rows = np.concatenate([part.reshape(-1, k) for part, _ in margins])
        sums = np.concatenate([part.reshape(-1, k) for _, part in margins])
        fewer = GroupTally(tally.names, pairs, tally.classes, tally.values, rows, sums, tally.most)
        counts = CountedColumns(fewer, columns.first, columns.smoothing, columns.missing_is_value)
        return CountedParents(counts, self.order - 1)


def _margins(tally: GroupTally, members: tuple[int, ...]) -> tuple[Counts, Floats]:
    """Return the rows and the weights of some columns, from the first table that has all of them."""
    lacking = len(tally.groups[0]) - len(members)
    others = [j for j in range(len(members) + lacking) if j not in members][:lacking]
    group = tuple(sorted((*members, *others)))
    axes = tuple(group.index(j) for j in others)
    return tally.row_table(group).sum(axis=axes), tally.table(group).sum(axis=axes)


@lru_cache(maxsize=16)
def _layout(tables: Groups, slots: tuple[int, ...], groups: tuple[tuple[int, ...], ...]) -> tuple[Counts, Counts]:
    """Return where the table of each group and child begins, and how far apart its slots are; kept between updates."""
    p = len(slots)
    start = dict(zip(tables, table_starts(tables, np.array(slots, np.int64)).tolist(), strict=False))
    base = np.zeros((len(groups), p), np.int64)
    strides = np.zeros((len(groups), p, 3), np.int64)
    for g, group in enumerate(groups):
        for j in range(p):
            if j in group:
                continue
            whole = tuple(sorted((*group, j)))
            base[g, j] = start[whole]
            step = 1
            for member in reversed(whole):
                strides[g, j, 2 if member == j else group.index(member)] = step
                step *= slots[member]
    return base, strides


def _real(information: Floats) -> Floats:
    return np.where(information > NOTHING, information, 0.0)


def _log_times(counts: Floats) -> Floats:
    """Return n log n."""
    out: Floats = counts * np.log(np.where(counts > 0, counts, 1.0))
    return out


def _change(counts: Floats, taken: Floats) -> Floats:
    """Return by how much n log n changes when a row is taken out of n."""
    change: Floats = _log_times(np.maximum(counts - taken, 0.0)) - _log_times(counts)
    return change


def states_of(values: AnyArray, parents: SuperParents) -> Counts:
    """Return the state of each row in each group, counted over all groups; -1 where a member is missing."""
    a, b = parents.members[:, 0], parents.members[:, 1]
    first, second = values[:, a].astype(np.int64), values[:, b].astype(np.int64)
    states = parents.state_start[:-1] + first * parents.n_values[b] + second
    return np.where((first >= 0) & (second >= 0), states, -1)


def least_share(parents: SuperParents) -> float:
    """Return a number that no share, and no P(c, state), is below, unless it is 0."""
    weights = parents.sums[parents.sums > 0] if parents.smoothing == 0.0 else np.zeros(0)
    part = parents.smoothing or float(weights.min(initial=1.0))
    total = float(parents.totals.sum(axis=1).max(initial=0.0))
    return max(min(part / (total + parents.smoothing * float(parents.n_values.max()) + part), 0.5), 1e-290)
