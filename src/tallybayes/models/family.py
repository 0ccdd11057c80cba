"""P(child | parents, class): one table of a model in which columns depend on one another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.factors.base import logarithm, quotient
from tallybayes.factors.left_out import less


@dataclass(frozen=True, eq=False)
class Family:
    """P(x | p.., c) = (count + smoothing) / (rows with x, p.. and c + smoothing * number of values of x).

    A count is of rows in which the child and all parents are present. Where there is none and no smoothing, all values
    are alike, which is what ever less smoothing comes to.

    A table has an axis for each parent, one for the child, and one for the classes. On the axis of a column stand, in
    this order: the column summed out, its values, and a value that was never seen.

    Attributes
    ----------
    rows, sums
        The numbers of rows, and their weights, of the values alone: shape (values of each parent .., values, classes).
    smoothing
        What is added to each count.
    """

    rows: Counts
    sums: Floats
    smoothing: float

    @cached_property
    def totals(self) -> Floats:
        """The weights of the rows of each values of the parents, shape (values of each parent .., classes)."""
        totals: Floats = self.sums.sum(axis=-2)
        return totals

    @cached_property
    def total_rows(self) -> Counts:
        """The numbers of these rows."""
        total: Counts = self.rows.sum(axis=-2)
        return total

    @cached_property
    def shares(self) -> Floats:
        """P(x | p.., c) of the values alone."""
        return self._shares(self.sums, self.totals[..., None, :])

    @cached_property
    def log_table(self) -> Floats:
        """The logarithms, with NaN where a parent is summed out, and 0 where the child is."""
        unseen = self._shares(np.zeros((1,) * self.sums.ndim), self.totals[..., None, :])
        return self._framed(logarithm(self.shares), logarithm(unseen))

    @cached_property
    def left_out(self) -> Floats:
        """The logarithm of each share without one of its rows, of the weight 1; infinite where there is none.

        A row is taken out of the count of its own cell and out of its total.
        """
        sums = less(self.sums, np.ones(()), self.rows)
        totals = less(self.totals, np.ones(()), self.total_rows)
        log_shares = logarithm(self._shares(sums, totals[..., None, :]))
        odd = (self.rows < 1) | (self.sums < 1.0 - 1e-9 * self.sums)
        log_shares[odd] = np.inf
        return self._framed(log_shares, np.full(self.totals[..., None, :].shape, np.inf))

    @staticmethod
    def framed(table: AnyArray) -> AnyArray:
        """Return a table of values with lines of zeros for what is summed out and never seen."""
        return np.pad(table, [(1, 1)] * (table.ndim - 1) + [(0, 0)])

    def _shares(self, sums: Floats, totals: Floats) -> Floats:
        values = self.sums.shape[-2]
        return quotient(sums + self.smoothing, totals + self.smoothing * values, 1.0 / max(values, 1))

    def _framed(self, log_shares: Floats, unseen: Floats) -> Floats:
        """Return logarithms of values with the lines of what is summed out, and of what was never seen."""
        parents = log_shares.ndim - 2
        inner = (slice(1, -1),) * parents
        table: Floats = np.full([n + 2 for n in log_shares.shape[:-1]] + [log_shares.shape[-1]], np.nan)
        table[..., 0, :] = 0.0
        table[(*inner, slice(1, -1))] = log_shares
        table[(*inner, slice(-1, None))] = unseen
        if not log_shares.shape[-2]:
            table[:] = 0.0  # a column that no row has says nothing
        return table


def family(rows: Counts, sums: Floats, first: tuple[int, ...], smoothing: float) -> Family:
    """Return the family of counts with slots for missing cells.

    Parameters
    ----------
    rows, sums
        Shape (slots of each parent .., slots of the child, classes).
    first
        For each parent and the child, the first slot that is a value: 1, or 0 where a missing cell is one.
    smoothing
        What is added to each count.
    """
    inner = tuple(slice(begin, None) for begin in first)
    return Family(rows[inner], sums[inner], smoothing)
