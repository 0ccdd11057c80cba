"""The mean, over groups of super-parents, of P(c, parents) prod_j P(x_j | c, parents)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.factors.base import logarithm
from tallybayes.kernels.aode import add_terms
from tallybayes.kernels.super_parents import fill_heads, fill_shares
from tallybayes.models.super_parents import CountedParents, least_share, states_of

PORTION = 4096
"""So many rows are answered at a time: what is known of them stays in the cache, beside the table of a group."""

KEPT = 1 << 23
"""Tables of no more numbers than that are kept for the next rows."""

WEIGHTS = 1 << 21
"""Of rows that have weights of groups of their own, so many weights are worked out at a time."""

WITHIN = 600.0
"""The logarithms of products that floats hold with a margin."""


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """Rows as the kernels want them.

    Attributes
    ----------
    places, values
        What `tallybayes.kernels.aode.place_rows` gives.
    own, weights
        The class and the weight of each row that is left out; -1 where none is.
    prior
        P(c) of each row without it, shape (rows, classes), where that is not counted with the columns; else one line.
    even
        Whether all rows that are left out have the weight 1.
    """

    places: AnyArray
    values: AnyArray
    own: Counts
    weights: Floats
    prior: Floats
    even: bool = True

    def __len__(self) -> int:
        return len(self.places)

    def pick(self, rows: Counts) -> PlacedRows:
        """Return some of the rows."""
        prior = self.prior[rows] if len(self.prior) > 1 else self.prior
        return PlacedRows(self.places[rows], self.values[rows], self.own[rows], self.weights[rows], prior, self.even)

    def without(self, column: int, start: int) -> PlacedRows:
        """Return the rows with a column summed out, whose shares begin at `start`."""
        places, values = self.places.copy(), self.values.copy()
        places[:, column], values[:, column] = start, -1
        return replace(self, places=places, values=values)


class Averages:
    """The groups of one size, and what they say of rows.

    Tables of shares are filled for the values that there are, block by block of the classes; for fewer rows than that
    takes, shares are worked out row by row, straight from the counts. Both do the same operations in the same order.

    Parameters
    ----------
    parents
        The groups.
    prior
        P(c), or None where it is counted with the columns.
    least
        In how many rows a state must have been seen to be a super-parent.
    weighted
        Whether groups weigh as much as they say of the class, and not all the same.
    lazy
        Whether shares are worked out row by row; None leaves it to the number of rows.
    """

    def __init__(
        self, parents: CountedParents, prior: Floats | None, least: int, *, weighted: bool, lazy: bool | None = None
    ) -> None:
        self.parents = parents
        self.arrays = parents.arrays
        self.weighted = weighted
        self.lazy = lazy
        self._least = least
        self._classes = len(parents.columns.classes)
        self._blocks = (self._classes + 3) // 4
        self.prior = np.full((1, self._classes), -1.0) if prior is None else prior[None]
        low = least_share(self.arrays)
        # Half-way between the least share and 1, so that as many factors as possible stay within the range of floats.
        self._scale = 2.0 ** -round(np.log2(low) / 2)
        self._chunk = max(1, int(WITHIN / max(np.log(self._scale), -np.log(low * self._scale), 1e-3)))
        self._lock = Lock()
        self._kept: dict[bool, tuple[Counts, Floats]] = {}

    @cached_property
    def weights(self) -> Floats:
        """The weight of each group, shape (1, groups)."""
        found = self.parents.information if self.weighted else np.ones(len(self.arrays.members))
        return np.ones((1, len(found))) if not found.any() else found[None]

    def weights_for(self, rows: PlacedRows) -> Floats:
        """Return the weight of each group for each row, which depends on it where it is left out."""
        if not self.weighted or not (rows.own >= 0).any():
            return self.weights
        found = np.tile(self.weights, (len(rows), 1))
        left = np.flatnonzero(rows.own >= 0)
        states = states_of(rows.values[left], self.arrays)
        found[left] = self.parents.information_left_out(states, rows.own[left], rows.weights[left])
        return found

    def log_means(self, rows: PlacedRows) -> tuple[Floats, Bools]:
        """Return the log of the mean of the terms of each row and class, and for which rows there is a term."""
        portion = max(1, WEIGHTS // max(1, len(self.arrays.members)))
        if self.weighted and len(rows) > portion and (rows.own >= 0).any():
            cuts = np.arange(portion, len(rows), portion)
            parts = [self.log_means(rows.pick(some)) for some in np.split(np.arange(len(rows)), cuts)]
            return np.concatenate([means for means, _ in parts]), np.concatenate([there for _, there in parts])
        means, there = self._means(rows, self.weights_for(rows))
        if self.weighted and not there.all():
            # Groups that say nothing of the class are alike where there are no others.
            again = np.flatnonzero(~there)
            means[again], there[again] = self._means(rows.pick(again), np.ones_like(self.weights))
        return means, there

    def _means(self, rows: PlacedRows, weights: Floats) -> tuple[Floats, Bools]:
        n, width = len(rows), 4 * self._blocks
        sums, exponents = np.zeros((n, width)), np.zeros((n, width), np.int64)
        counted = np.zeros(n)
        left_out = bool((rows.own >= 0).any())
        for first, last, start, shares, own_shares in self._tables(rows, left_out):
            for begin in range(0, n, PORTION):
                add_terms(
                    self.arrays, self._heads, rows.prior, self._least, weights, first, last, start, shares, own_shares,
                    self._scale, self._chunk, rows.places, rows.values, rows.own, rows.weights,
                    begin, min(begin + PORTION, n), sums, exponents, counted,
                )  # fmt: skip
        there = counted > 0
        means = logarithm(sums[:, : self._classes])
        means += exponents[:, : self._classes] * np.log(2.0) - len(self.arrays.first) * np.log(self._scale)
        means -= np.log(np.where(there, counted, 1.0))[:, None]
        return means, there

    @cached_property
    def _heads(self) -> Floats:
        heads = np.zeros((len(self.arrays.seen), 4 * self._blocks))
        fill_heads(self.arrays, self.prior[0], heads)
        return heads

    def _tables(self, rows: PlacedRows, left_out: bool) -> Iterator[tuple[int, int, Counts, Floats, Floats]]:
        """Yield the tables of all groups, in portions; one without any where they are not worth while."""
        groups = len(self.arrays.members)
        nothing = np.zeros(0, np.int64), np.zeros(0)
        if not groups:
            return
        uneven = left_out and not rows.even
        few = len(rows) * groups < len(self.arrays.seen) and not self._kept
        if uneven or (few if self.lazy is None else self.lazy):
            yield 0, groups, *nothing, nothing[1]
            return
        sizes = self._line * np.diff(self.arrays.state_start)
        if sizes.sum() <= KEPT:
            start, shares = self._whole(False)
            yield 0, groups, start, shares, self._whole(True)[1] if left_out else nothing[1]
            return
        first = 0
        while first < groups:
            last = max(first + 1, first + int(np.searchsorted(np.cumsum(sizes[first:]), KEPT, "right")))
            start, shares = self._filled(first, last, False)
            yield first, last, start, shares, self._filled(first, last, True)[1] if left_out else nothing[1]
            first = last

    @property
    def _line(self) -> int:
        """How many numbers the table of a group has for each state."""
        return 4 * self._blocks * int((self.arrays.n_values[:-1] + 2).sum())

    def _whole(self, left_out: bool) -> tuple[Counts, Floats]:
        with self._lock:
            if left_out not in self._kept:
                self._kept[left_out] = self._filled(0, len(self.arrays.members), left_out)
            return self._kept[left_out]

    def _filled(self, first: int, last: int, left_out: bool) -> tuple[Counts, Floats]:
        start = self._line * (self.arrays.state_start[first : last + 1] - self.arrays.state_start[first])
        shares = np.zeros(int(start[-1]))  # those of no class are not written
        fill_shares(self.arrays, first, last, left_out, self._scale, start, shares)
        return start, shares
