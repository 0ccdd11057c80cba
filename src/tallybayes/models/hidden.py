"""Which missing cells of a row have to be summed out, and which of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tallybayes._types import AnyArray, Counts


@dataclass(frozen=True)
class Knot:
    """Hidden columns that depend on one another once the others are known, with all tables that they stand in.

    Attributes
    ----------
    hidden
        The columns that are summed out, each after its parents.
    leaves
        The columns that are there, or have a value that was never seen, and have some of these as parents.
    """

    hidden: tuple[int, ...]
    leaves: tuple[int, ...]


@lru_cache(maxsize=65_536)
def knots(parents: tuple[tuple[int, ...], ...], order: tuple[int, ...], state: bytes) -> tuple[Knot, ...]:
    """Return what has to be summed out together.

    A hidden column without anything that is there below it says nothing, and is dropped.

    Parameters
    ----------
    parents
        The parents of each column.
    order
        The columns, parents before their children.
    state
        For each column 0 where it is there, 1 where it is summed out, 2 where it has a value that was never seen: then
        it is there for itself, and its children know nothing of it. Columns that say nothing are 3.

    Examples
    --------
    >>> knots(((), (0,), (0,), (2,)), (0, 1, 2, 3), bytes([1, 0, 1, 1]))
    (Knot(hidden=(0,), leaves=(1,)),)
    """
    needed = set()
    for j in reversed(order):
        if state[j] in (0, 2) or j in needed:
            needed |= {i for i in parents[j] if state[i] in (1, 2)}
    part = {j: j for j in needed}

    def top(j: int) -> int:
        while part[j] != j:
            j = part[j]
        return j

    scopes: list[tuple[int, tuple[int, ...], bool]] = []
    for j in order:
        above = tuple(i for i in parents[j] if i in needed)
        if state[j] in (0, 2) and above:
            scopes.append((j, above, True))
        if j in needed:
            scopes.append((j, (j, *above), False))
    for _, scope, _ in scopes:
        for i in scope[1:]:
            part[top(i)] = top(scope[0])
    found: dict[int, tuple[list[int], list[int]]] = {}
    for j, scope, leaf in scopes:
        found.setdefault(top(scope[0]), ([], []))[leaf].append(j)
    return tuple(Knot(tuple(hidden), tuple(leaves)) for hidden, leaves in found.values())


class Patterns:
    """Rows by what has to be summed out of them.

    Parameters
    ----------
    parents, order
        The graph.
    n_values
        How many values each column has; one without any says nothing.
    slots : array of shape (rows, columns)
        The slots of rows that are not whole.
    """

    def __init__(
        self, parents: tuple[tuple[int, ...], ...], order: tuple[int, ...], n_values: Counts, slots: AnyArray
    ) -> None:
        self._graph = parents, order
        states = np.zeros(slots.shape, np.uint8)
        states[slots == 0] = 1
        states[slots > n_values] = 2
        states[:, n_values == 0] = 3
        self._states = states

    def __iter__(self) -> Iterator[tuple[Knot, Counts]]:
        """Yield each knot with the rows that have it."""
        yield from self._by_knot.items()

    @cached_property
    def _by_knot(self) -> dict[Knot, Counts]:
        if not len(self._states):
            return {}
        p = len(self._states[0])
        whole = np.ascontiguousarray(self._states).view(np.dtype((np.void, p))).ravel()
        found, inverse, counts = np.unique(whole, return_inverse=True, return_counts=True)
        rows_of = np.split(np.argsort(inverse, kind="stable"), np.cumsum(counts)[:-1])
        gathered: dict[Knot, list[Counts]] = {}
        for state, rows in zip(found, rows_of, strict=True):
            for knot in knots(*self._graph, state.tobytes()):
                gathered.setdefault(knot, []).append(rows)
        return {knot: np.concatenate(rows) for knot, rows in gathered.items()}


def elimination_order(scopes: Sequence[frozenset[int]], hidden: Sequence[int], sizes: Counts) -> list[tuple[int, int]]:
    """Return the hidden columns in the order in which to sum them out, each with the cells of the table it takes.

    The next is always that of the smallest table, the first of equals.

    Examples
    --------
    >>> elimination_order([frozenset({0, 1}), frozenset({1, 2}), frozenset({2})], (0, 1, 2), np.array([2, 3, 4]))
    [(0, 6), (1, 12), (2, 4)]
    """
    left, rest, found = [set(scope) for scope in scopes], list(hidden), []
    while rest:
        sums = {j: set().union(*(scope for scope in left if j in scope)) for j in rest}
        costs = {j: _product(sums[j], sizes) for j in rest}
        j = min(rest, key=lambda i: costs[i])
        found.append((j, costs[j]))
        left = [scope for scope in left if j not in scope] + [sums[j] - {j}]
        rest.remove(j)
    return found


def _product(columns: set[int], sizes: Counts) -> int:
    product = 1
    for j in columns:
        product *= int(sizes[j])  # which does not overflow
    return product
