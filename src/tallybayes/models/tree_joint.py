"""p(x, c) = P(c) prod_j P(x_j | c, x_parent(j)), where each column has at most one parent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.factors.left_out import never_learned, own_rows
from tallybayes.kernels.tree import Tree, own_terms, tree_contributions, tree_left_out, tree_log_joint, tree_parts
from tallybayes.models.base import Joint
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.counted import CountedColumns
from tallybayes.models.drawing import draw_family
from tallybayes.models.family import Family
from tallybayes.schema.batch import Batch

MOST_VALUES = 10
"""How many values of a column a digest has."""


class Cells(NamedTuple):
    """Cells, and what they are to the kernels.

    Attributes
    ----------
    codes, low
        The codes, and that of the first value of each column.
    map_start, slot_map
        Where the slots of each column begin, and for a missing cell and each value the slot in the tables.
    """

    codes: AnyArray
    low: Counts
    map_start: Counts
    slot_map: Counts

    def slots(self, column: int) -> Counts:
        """Return the slots of a column."""
        places = np.maximum(self.codes[:, column] - self.low[column] + 1, 0)
        slots: Counts = self.slot_map[self.map_start[column] + places]
        return slots

    def taken_for(self, column: int, slot: int) -> Cells:
        """Return the cells with one slot in the place of all cells of a column."""
        ends = [*self.map_start[1:].tolist(), len(self.slot_map)]
        slot_map = self.slot_map.copy()
        slot_map[self.map_start[column] : ends[column]] = slot
        return self._replace(slot_map=slot_map)

    def rows(self, places: Counts) -> Cells:
        """Return the cells of some rows."""
        return self._replace(codes=self.codes[places])


class TreeJoint(Joint):
    """An estimated tree, or a forest.

    Parameters
    ----------
    prior
        P(c).
    columns
        What was counted.
    parents
        The parent of each column.
    weight
        What the tree weighs, where it was chosen by weight.
    """

    is_product = False

    def __init__(
        self, prior: ClassPrior, columns: CountedColumns, parents: Sequence[int | None], weight: float | None = None
    ) -> None:
        self.weight = weight
        self.classes = columns.classes
        self.names = columns.names
        self.log_prior = prior.log()
        self._prior = prior
        self._columns = columns
        sizes = columns.sizes
        # A column without any value tells nothing apart.
        self.parents = tuple(None if q is None or not sizes[q] else q for q in parents)
        self.edges = tuple((self.names[q], self.names[j]) for j, q in enumerate(self.parents) if q is not None)
        self.families = tuple(columns.family(j, () if q is None else (q,)) for j, q in enumerate(self.parents))
        self._tree = _tree(self.families, self.parents, sizes, len(self.classes))
        self._wide = np.pad(self._tree.logs, [(0, 0), (0, -len(self.classes) % 4)])

    def log_joint(self, batch: Batch) -> Floats:
        return self.log_sum(self.read(batch), self.log_prior)

    def log_sum(self, cells: Cells, start: Floats) -> Floats:
        """Return the sum of a number for each class and of the log factors, shape (rows, classes)."""
        out = np.empty((len(cells.codes), len(self.classes)))
        tree_log_joint(*cells, self._tree, self._wide, start, out)
        return out

    def contributions(self, batch: Batch) -> Floats:
        out = np.empty((len(batch), len(self.names), len(self.classes)))
        tree_contributions(*self.read(batch), self._tree, self.log_prior, out)
        return out

    def parts(self, batch: Batch) -> Floats:
        """Return the log factors, which add up with the prior to the log joint, shape (rows, columns, classes).

        A column that is summed out has that of all columns that depend on it.
        """
        out = np.empty((len(batch), len(self.names), len(self.classes)))
        tree_parts(*self.read(batch), self._tree, np.full(len(batch), -1), np.empty((0, 0)), out)
        return out

    def left_out(self, batch: Batch) -> Floats:
        out = self.left_out_log_prior(batch)
        classes, weights, table = self._learned(batch)
        own = np.empty((0, 0)) if len(table) else self._own_terms(batch, classes, weights, table)
        self._refuse(tree_left_out(*self.read(batch), self._tree, self._wide, classes, own, table, out))
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        return self._prior.left_out(batch, self.log_prior)

    def left_out_contributions(self, batch: Batch) -> Floats:
        out = np.empty((len(batch), len(self.names), len(self.classes)))
        classes, weights, table = self._learned(batch)
        tree_parts(*self.read(batch), self._tree, classes, self._own_terms(batch, classes, weights, table), out)
        return out

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        shares = self._marginals
        values = [self.values_of(j) for j in range(len(self.names))]
        found: dict[Name, Mapping[str, Any]] = {}
        for j, name in enumerate(self.names):
            likeliest = np.argsort(-shares[j].sum(axis=1), kind="stable")[:MOST_VALUES].tolist()
            above = self.parents[j]
            given = {} if above is None else {"given": str(self.names[above])}
            pairs = [[values[j][place], shares[j][place].tolist()] for place in likeliest]
            found[name] = {**given, "values": pairs, "distinct": len(values[j])}
        return [("categorical", found)]

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        return self.named(self.draw(classes, rng))

    def draw(self, classes: Counts, rng: np.random.Generator) -> dict[int, Counts]:
        """Draw the places of values, by column."""
        places: dict[int, Counts] = {}
        for j in self._tree.upward[::-1].tolist():
            above = self.parents[j]
            given = () if above is None else (places[above],)
            places[j] = draw_family(self.families[j], given, classes, rng)
        return places

    def named(self, places: Mapping[int, Counts]) -> dict[Name, AnyArray]:
        """Return places of values as these values, by name."""
        values = [np.array([*self.values_of(j), None], dtype=object) for j in range(len(self.names))]
        return {name: values[j][places[j]] for j, name in enumerate(self.names)}

    def values_of(self, column: int) -> list[Any]:
        """Return the values of a column, None standing for a missing cell where it is one."""
        own = list(self._columns.tally.values[column])
        return own if self._columns.first[column] else [None, *own]

    @cached_property
    def _marginals(self) -> list[Floats]:
        """P(x_j | c) of each column, all others summed out."""
        found: dict[int, Floats] = {}
        for j in self._tree.upward[::-1].tolist():
            above, shares = self.parents[j], self.families[j].shares
            found[j] = shares if above is None else np.einsum("wvc,wc->vc", shares, found[above])
        return [found[j] for j in range(len(self.names))]

    def read(self, batch: Batch) -> Cells:
        """Return the codes of a batch, and the slot of each of them."""
        block = batch.codes(self.names)
        maps = [self._columns.slot_map(j, values) for j, values in enumerate(block.values)]
        start = np.cumsum([0, *map(len, maps)])[:-1]
        return Cells(block.codes, block.low, start, np.concatenate([np.zeros(0, np.int64), *maps]))

    def _learned(self, batch: Batch) -> tuple[Counts, Floats, Floats]:
        """Return the class of each row that was learned, its weight, and what to look up where all weights are 1."""
        learned = own_rows(batch, self.classes)
        classes, weights = np.full(len(batch), -1), np.ones(len(batch))
        classes[learned.rows], weights[learned.rows] = learned.classes, learned.weights
        return classes, weights, self._left_out if learned.even else np.empty((0, len(self.classes)))

    def _own_terms(self, batch: Batch, classes: Counts, weights: Floats, table: Floats) -> Floats:
        """Return what each column says of the class of a row without that row."""
        own = np.zeros((len(batch), len(self.names)))
        rows, sums, lines, total_rows, totals = self._sums
        odd = own_terms(
            *self.read(batch), self._tree, classes, weights, table, rows, sums, lines, total_rows, totals,
            self._columns.smoothing, own,
        )  # fmt: skip
        self._refuse(odd)
        return own

    def _refuse(self, odd: int) -> None:
        if odd >= 0:
            raise never_learned(f"column {self.names[odd]!r} has a value more often than it was learned")

    @cached_property
    def _left_out(self) -> Floats:
        return _stacked([family.left_out for family in self.families], len(self.classes))

    @cached_property
    def _sums(self) -> tuple[Counts, Floats, Counts, Counts, Floats]:
        """The rows and the weight of each cell, and of each line of cells, in the lines of the tables."""
        k = len(self.classes)
        cells = [(family.rows, family.sums, family.total_rows, family.totals) for family in self.families]
        rows, sums, total_rows, totals = ([Family.framed(part[i]) for part in cells] for i in range(4))
        lines = np.cumsum([0, *(math.prod(line.shape[:-1]) for line in totals)])[:-1]
        empty = np.zeros((0, k), np.int64)
        return (
            _stacked([empty, *rows], k), _stacked(sums, k), lines,
            _stacked([empty, *total_rows], k), _stacked(totals, k),
        )  # fmt: skip


def _tree(families: Sequence[Family], parents: Sequence[int | None], sizes: Sequence[int], classes: int) -> Tree:
    """Return a tree as the kernels want it."""
    p = len(parents)
    children: list[list[int]] = [[] for _ in range(p)]
    for j, above in enumerate(parents):
        if above is not None:
            children[above].append(j)
    downward = [j for j, above in enumerate(parents) if above is None]
    for j in downward:  # which grows while it is read
        downward += children[j]
    tables = [family.log_table for family in families]
    logs = _stacked(tables, classes)
    return Tree(
        parent=np.array([p if above is None else above for above in parents], np.int64),
        n_values=np.array(sizes, np.int64),
        start=np.cumsum([0, *(math.prod(table.shape[:-1]) for table in tables)])[:-1],
        logs=logs,
        shares=np.exp(logs),
        upward=np.array(downward[::-1], np.int64),
        child_start=np.cumsum([0, *map(len, children)]),
        children=np.array([j for those in children for j in those], np.int64),
        room=np.cumsum([0, *sizes]),
    )


def _stacked(tables: Sequence[AnyArray], classes: int) -> AnyArray:
    """Return tables as one, a line for each cell."""
    flat = [table.reshape(math.prod(table.shape[:-1]), classes) for table in tables]
    return np.concatenate(flat) if flat else np.zeros((0, classes))
