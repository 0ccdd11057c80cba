"""How often the values of some columns occur together, by class: pairs, triples, families of parents and children."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name
from tallybayes.errors import MergeError
from tallybayes.kernels.groups import count_groups, count_weighted_groups, fill_slots, place_cells
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted, not_in, same_columns
from tallybayes.tallies.group_plan import (
    MOST_BYTES,
    MOST_CELLS,
    Groups,
    bytes_for,
    canonical,
    plan_of,
    require_memory,
    slots_of,
    stored_groups,
    table_starts,
)
from tallybayes.tallies.layout import checked, damaged, plain_values, require, spread, stored_classes, stored_names
from tallybayes.tallies.occurring import occurring

_ROOMY = 1 << 24
"""Tables of more bytes are made for the values alone that occur."""


@dataclass(frozen=True, eq=False)
class GroupTally(Tally):
    """A table of counts for each group of columns, one after the other: shape (cells, classes).

    A table has an axis for each member of its group, in order. The slots of a column are one for its missing cells, and
    then one for each of its values in order; so every row is in every table, and a table of fewer columns, with or
    without the missing cells of the others, is a sum over one of these.

    Attributes
    ----------
    groups
        The places in `names` of the columns of each group, in ascending order.
    most
        The bytes that the tables may take.

    Examples
    --------
    >>> tally = GroupTally.empty(["sky", "wind"], [(0, 1)])
    >>> tally.groups, tally.rows.shape
    (((0, 1),), (1, 0))
    """

    names: tuple[Name, ...]
    groups: Groups
    classes: Values
    values: tuple[Values, ...]
    rows: Counts
    weights: Floats
    most: int = MOST_BYTES

    @classmethod
    def empty(cls, names: Sequence[Name], groups: Sequence[Sequence[int]], *, most: int = MOST_BYTES) -> GroupTally:
        """Return the tally of no rows."""
        ordered = canonical(groups, len(names))
        nothing = np.zeros((len(ordered), 0), np.int64)
        return cls(tuple(names), ordered, Values(), (Values(),) * len(names), nothing, nothing.astype(np.float64), most)

    @cached_property
    def start(self) -> Counts:
        """Where the table of each group begins, and one past the last."""
        return table_starts(self.groups, slots_of(self.values))

    def count(self, batch: Batch) -> GroupTally:
        labels, block, plan = batch.labels, batch.codes(self.names), plan_of(self.groups)
        n_classes = len(labels.values)
        if bytes_for(self.groups, block.values, n_classes) > _ROOMY:
            block = occurring(block, labels)
        sizes = slots_of(block.values)
        require_memory(self.names, self.groups, block.values, n_classes, self.most)
        start = table_starts(self.groups, sizes)
        n, p = int(np.count_nonzero(labels.codes >= 0)), len(self.names)
        slots: AnyArray = np.empty((p, n), _unsigned(int(sizes.max(initial=0))))
        classes: AnyArray = np.empty(n, _unsigned(n_classes))
        kept = np.empty(n, np.int64)
        fill_slots(block.codes, block.low, labels.codes, slots, classes, kept)
        layout = (sizes, n_classes, plan.tail_start, plan.tails, plan.head_start, plan.heads)
        tables = start[:-1][plan.by_tail] * n_classes
        rows = np.zeros((int(start[-1]), n_classes), np.int64)
        if batch.weights is None:
            count_groups(slots, classes, *layout, tables, rows.reshape(-1))
            weights = rows.astype(np.float64)
        else:
            weights = np.zeros(rows.shape)
            own = batch.weights[kept]
            count_weighted_groups(slots, classes, own, *layout, tables, rows.reshape(-1), weights.reshape(-1))
        return self._with(labels.values, block.values, rows, weights)._supported()

    def __add__(self, other: GroupTally) -> GroupTally:
        other = other.like(self)
        if other.most > self.most:
            return replace(self, most=other.most) + other
        if self.classes == other.classes and self.values == other.values:
            return self._with(self.classes, self.values, self.rows + other.rows, self.weights + other.weights)
        classes = self.classes.union(other.classes)[0]
        values = tuple(a.union(b)[0] for a, b in zip(self.values, other.values, strict=True))
        ours, theirs = self.aligned(classes, values), other.aligned(classes, values)
        return self._with(classes, values, ours.rows + theirs.rows, ours.weights + theirs.weights)

    def __sub__(self, other: GroupTally) -> GroupTally:
        other = other.like(self)
        for name, ours, theirs in zip(self.names, self.values, other.values, strict=True):
            for value, place in zip(theirs, theirs.places_in(ours), strict=True):
                if place < 0:
                    raise never_counted(f"column {name!r} never had the value {value!r}")
        for label in other.classes:
            if label not in self.classes:
                raise never_counted(f"class {label!r} was never seen")
        theirs_in_ours = other.aligned(self.classes, self.values)
        rows = self.rows - theirs_in_ours.rows
        if (rows < 0).any():
            raise never_counted(f"{self._where(rows < 0)} has fewer rows than that")
        odd = not_in(self.weights, theirs_in_ours.weights, rows)
        if odd.any():
            raise never_counted(f"{self._where(odd)} has rows of other weights")
        weights = np.where(rows > 0, np.maximum(self.weights - theirs_in_ours.weights, 0.0), 0.0)
        return self._with(self.classes, self.values, rows, weights)._supported()

    def like(self, other: GroupTally) -> GroupTally:
        found = super().like(other)
        if found.groups != other.groups:
            raise MergeError("Tallies of other groups of columns do not add. Fit both models with the same options.")
        # A tally from a file does not know what it may take; who asks for one does.
        return found if found.most >= other.most else replace(found, most=other.most)

    def arranged(self, names: Sequence[Name]) -> GroupTally:
        order = same_columns(names, self.names)
        if order is None:
            return self
        new = {old: j for j, old in enumerate(order.tolist())}
        groups = canonical([[new[j] for j in group] for group in self.groups], len(new))
        members = [[int(order[j]) for j in group] for group in groups]
        rows = [_flat(self.row_table(group)) for group in members]
        weights = [_flat(self.table(group)) for group in members]
        values = tuple(self.values[j] for j in order.tolist())
        return GroupTally(
            tuple(names), groups, self.classes, values, np.concatenate(rows), np.concatenate(weights), self.most
        )

    def aligned(self, classes: Values, values: Sequence[Values]) -> GroupTally:
        """Return the tally laid out by other classes and values; what was never seen has zeros."""
        values = tuple(values)
        if classes == self.classes and values == self.values:
            return self
        require_memory(self.names, self.groups, values, len(classes), self.most)
        columns = self.classes.places_in(classes)
        rows = spread(self.rows, 1, columns, len(classes))
        weights = spread(self.weights, 1, columns, len(classes))
        if values != self.values:
            plan, sizes, new_sizes = plan_of(self.groups), slots_of(self.values), slots_of(values)
            moved = [a.places_in(b) for a, b in zip(self.values, values, strict=True)]
            slots = np.concatenate([np.append(0, np.where(new >= 0, new + 1, -1)) for new in moved])
            slot_start = np.append(0, np.cumsum(sizes))
            places, start = np.empty(int(self.start[-1]), np.int64), table_starts(self.groups, new_sizes)
            place_cells(plan.start, plan.members, sizes, slot_start, slots, new_sizes, start, places)
            rows, weights = spread(rows, 0, places, int(start[-1])), spread(weights, 0, places, int(start[-1]))
        return self._with(classes, values, rows, weights)

    def restricted(self, groups: Groups) -> GroupTally:
        """Return the tally of some of the groups; together they have all columns."""
        chosen = [self._index[group] for group in canonical(groups, len(self.names))]
        places = np.concatenate([np.arange(self.start[g], self.start[g + 1]) for g in chosen])
        kept = tuple(self.groups[g] for g in chosen)
        rows, weights = self.rows[places], self.weights[places]
        return GroupTally(self.names, kept, self.classes, self.values, rows, weights, self.most)

    def table(self, members: Sequence[int]) -> Floats:
        """Return the weights of a group of columns in the order asked for, shape (slots of each ..., classes)."""
        return self._table(self.weights, members)

    def row_table(self, members: Sequence[int]) -> Counts:
        """Return the numbers of rows of a group of columns, as `table` does the weights."""
        return self._table(self.rows, members)

    def margin(self, column: int) -> Floats:
        """Return the weights of one column, shape (slots, classes)."""
        return self._margin(self.weights, column)

    def row_margin(self, column: int) -> Counts:
        """Return the numbers of rows of one column."""
        return self._margin(self.rows, column)

    def counts(self, members: Sequence[int], classes: Values, values: Sequence[Values]) -> Floats:
        """Return `table` laid out by other classes and values, those of all columns."""
        return self.aligned(classes, values).table(members)

    def state(self) -> State:
        header = {
            "names": list(self.names),
            "groups": [list(group) for group in self.groups],
            "classes": list(self.classes),
            "values": [list(v) for v in self.values],
        }
        return State(header, {"rows": self.rows, "weights": self.weights})

    @classmethod
    def from_state(cls, state: State) -> GroupTally:
        names, labels = stored_names(state), stored_classes(state)
        groups, lists = stored_groups(state.header.get("groups"), len(names)), state.header.get("values")
        if not isinstance(lists, list) or len(lists) != len(names):
            raise damaged("a table of groups has no list of values")
        values = tuple(plain_values(items, "values") for items in lists)
        cells = plan_of(groups).cells(slots_of(values))
        require(max(cells, default=0) * max(len(labels), 1) < MOST_CELLS, "a table of groups has cells")
        shape = (sum(cells), len(labels))
        rows, weights = checked(state, "rows", shape, np.int64), checked(state, "weights", shape)
        tally = cls(names, groups, labels, values, rows, weights)
        require(tally._supported() is tally and not weights[rows == 0].any(), "a table of groups has rows and weights")
        require(tally._agree_on_columns(), "the tables of groups of columns have numbers of rows")
        return tally

    def agrees(self, classes: Values, rows: Counts) -> bool:
        if not self.names:
            return True
        # As floats, which do not overflow; each row has one cell of each table.
        total = np.add.reduceat(self.rows, self.start[:-1], axis=0, dtype=np.float64)
        return self.classes == classes and bool((total == rows).all())

    def _with(self, classes: Values, values: tuple[Values, ...], rows: Counts, weights: Floats) -> GroupTally:
        return GroupTally(self.names, self.groups, classes, values, rows, weights, self.most)

    def _table(self, cells: AnyArray, members: Sequence[int]) -> AnyArray:
        group = tuple(sorted(members))
        g = self._index[group]
        shape = [len(self.values[j]) + 1 for j in group]
        table = cells[self.start[g] : self.start[g + 1]].reshape(*shape, len(self.classes))
        return table.transpose(*(group.index(j) for j in members), len(group))

    def _margin(self, cells: AnyArray, column: int) -> AnyArray:
        group = min((group for group in self.groups if column in group), key=len)
        others = tuple(axis for axis, j in enumerate(group) if j != column)
        margin: AnyArray = self._table(cells, group).sum(axis=others)
        return margin

    @cached_property
    def _index(self) -> dict[tuple[int, ...], int]:
        return {group: g for g, group in enumerate(self.groups)}

    def _margins(self, group: tuple[int, ...]) -> list[Counts]:
        """Return the rows of each slot of each member of a group, summed over the classes."""
        table = self.row_table(group).sum(axis=-1, dtype=np.int64)
        axes = range(len(group))
        return [table.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes]

    def _agree_on_columns(self) -> bool:
        """Whether all tables say the same of how often each value of a column occurs."""
        found: dict[int, Counts] = {}
        for group in self.groups:
            for j, margin in zip(group, self._margins(group), strict=True):
                if not np.array_equal(found.setdefault(j, margin), margin):
                    return False
        return True

    def _supported(self) -> GroupTally:
        """Drop the values and the classes that no row supports."""
        found: dict[int, Counts] = {}
        for group in self.groups:
            if len(found) == len(self.names):
                break
            if not found.keys() >= set(group):
                found |= zip(group, self._margins(group), strict=True)
        seen = [found[j][1:] > 0 for j in range(len(self.names))]
        whole = self.rows[: self.start[1]] if self.groups else self.rows
        classes: Bools = whole.sum(axis=0) > 0
        if classes.all() and all(mask.all() for mask in seen):
            return self
        values = tuple(v.keep(mask) for v, mask in zip(self.values, seen, strict=True))
        return self.aligned(self.classes.keep(classes), values)

    def _where(self, cells: Bools) -> str:
        """Return in words which columns and which class the first of some cells is of."""
        cell, c = np.argwhere(cells)[0]
        g = int(np.searchsorted(self.start, cell, "right")) - 1
        named = " and ".join(repr(self.names[j]) for j in self.groups[g])
        return f"class {self.classes[c]!r}, with some values of {named},"


def _unsigned(size: int) -> type:
    """Return the smallest type for the places of so many."""
    return np.uint8 if size <= 2**8 else np.uint16 if size <= 2**16 else np.uint32


def _flat(table: AnyArray) -> AnyArray:
    return table.reshape(math.prod(table.shape[:-1]), table.shape[-1])
