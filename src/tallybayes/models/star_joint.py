"""A SPODE with numbers: p(x, z, c) = P(c, x_i) prod_{j != i} P(x_j | c, x_i) prod_g N(z_g | c, x_i)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import logsumexp

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name
from tallybayes.factors.left_out import own_rows, portions_of
from tallybayes.models.base import Joint
from tallybayes.models.given_normal import GivenNormal, Moments
from tallybayes.models.tree_joint import Cells, TreeJoint
from tallybayes.schema.batch import Batch
from tallybayes.schema.refusals import refuse_infinite


class StarJoint(Joint):
    """An estimated SPODE with numeric columns.

    Parameters
    ----------
    core
        The columns that are read as codes.
    centre
        The place of the super-parent among them.
    numbers
        The densities of the others, given the class and the value of the super-parent.
    """

    is_product = False

    def __init__(self, core: TreeJoint, centre: int, numbers: GivenNormal) -> None:
        self.core = core
        self.centre = centre
        self.numbers = numbers
        self.classes = core.classes
        self.log_prior = core.log_prior
        self.numeric = numbers.tally.names
        self.names = (*core.names, *self.numeric)
        self.edges = (*core.edges, *((core.names[centre], name) for name in self.numeric))

    def log_joint(self, batch: Batch) -> Floats:
        return self._log_sum(self.core.read(batch), self._numbers(batch), self.log_prior)

    def contributions(self, batch: Batch) -> Floats:
        cells, x = self.core.read(batch), self._numbers(batch)
        whole = self._log_sum(cells, x, self.log_prior)
        out = np.zeros((len(batch), len(self.names), len(self.classes)))
        for j in range(len(self.names)):
            g = j - len(self.core.names)
            if g < 0:
                rest = self._log_sum(cells.taken_for(j, 0), x, self.log_prior)
            else:
                hidden = x.copy()
                hidden[:, g] = np.nan
                rest = self._log_sum(cells, hidden, self.log_prior)
            there = np.isfinite(rest)
            out[:, j][there] = whole[there] - rest[there]
        return out

    def left_out(self, batch: Batch) -> Floats:
        out: Floats = self.left_out_log_prior(batch) + self.left_out_contributions(batch).sum(axis=1)
        return out

    def left_out_log_prior(self, batch: Batch) -> Floats:
        return self.core.left_out_log_prior(batch)

    def left_out_contributions(self, batch: Batch) -> Floats:
        n = len(self.core.names)
        cells, x, own = self.core.read(batch), self._numbers(batch), own_rows(batch, self.classes)
        out = np.zeros((len(batch), len(self.names), len(self.classes)))
        out[:, :n] = self.core.left_out_contributions(batch)
        known, places = self._known(cells)
        out[known, n:] = self.numbers.log_density(x[known], places[known])
        if not self.numbers.values:
            return out
        # Where the super-parent is missing the row was not counted with it, and all is said at its place.
        hidden = np.flatnonzero(~known)
        out[hidden] = 0.0
        out[hidden, self.centre] = self._log_sum(cells.rows(hidden), x[hidden], np.zeros(len(self.classes)))
        learned = known[own.rows]
        rows, classes, weights = own.rows[learned], own.classes[learned], own.weights[learned]
        for part in portions_of(len(rows), len(self.classes) * max(len(self.numeric), 1)):
            at = rows[part]
            out[at, n:] = self.numbers.left_out(x[at], places[at], classes[part], weights[part])
        return out

    def digests(self) -> list[tuple[str, Mapping[Name, Mapping[str, Any]]]]:
        numbers = self.numbers
        of_classes = Moments(*(part[:, None] for part in numbers.of_classes))
        mean, variance = numbers.normal(of_classes, of_classes, Moments(*(part[None, None] for part in numbers.whole)))
        given, deviation = str(self.core.names[self.centre]), np.sqrt(variance)
        found = {
            name: {"given": given, "mean": mean[:, 0, j].tolist(), "deviation": deviation[:, 0, j].tolist()}
            for j, name in enumerate(self.numeric)
        }
        return [*self.core.digests(), ("gaussian", found)]

    def sample(self, classes: Counts, rng: np.random.Generator) -> Mapping[Name, AnyArray]:
        places = self.core.draw(classes, rng)
        mean, variance = self.numbers.parameters
        drawn: dict[Name, AnyArray] = self.core.named(places)
        at = (classes, places[self.centre])
        for j, name in enumerate(self.numeric):
            drawn[name] = rng.normal(mean[(*at, j)], np.sqrt(variance[(*at, j)]))
        return drawn

    def _numbers(self, batch: Batch) -> Floats:
        x = batch.numbers(self.numeric)
        refuse_infinite(x, self.numeric, batch.first)
        return x

    def _known(self, cells: Cells) -> tuple[Bools, Counts]:
        """Return in which rows the super-parent has a value that was seen, and the place of that value."""
        places = cells.slots(self.centre) - 1
        known: Bools = (places >= 0) & (places < self.numbers.values)
        return known, places

    def _log_sum(self, cells: Cells, x: Floats, start: Floats) -> Floats:
        """Return the sum of a number for each class and of all log factors, the super-parent summed out if need be."""
        known, places = self._known(cells)
        rows, hidden = np.flatnonzero(known), np.flatnonzero(~known)
        out = np.empty((len(x), len(self.classes)))
        out[rows] = self.core.log_sum(cells.rows(rows), start)
        out[rows] += self.numbers.log_density(x[rows], places[rows]).sum(axis=1)
        if not len(hidden):
            return out
        of_hidden, parts = cells.rows(hidden), []
        for v in range(self.numbers.values):
            part = self.core.log_sum(of_hidden.taken_for(self.centre, v + 1), start)
            parts.append(part + self.numbers.log_density(x[hidden], np.full(len(hidden), v)).sum(axis=1))
        out[hidden] = logsumexp(parts, axis=0) if parts else self.core.log_sum(of_hidden, start)
        unseen = hidden[places[hidden] == self.numbers.values]
        if parts:  # beside what is summed out, a value that was never seen says what a zero count says
            out[unseen] += self.core.families[self.centre].log_table[-1]
        return out
