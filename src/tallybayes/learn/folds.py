"""Rows in folds: each is learned without, and asked about, once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, final

import numpy as np

from tallybayes._types import Counts, Floats
from tallybayes.decision.posterior import normalise_rows
from tallybayes.engines.threads import in_order
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.leave_one_out import Losses
from tallybayes.models.base import Joint
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.sources.base import Source
from tallybayes.sources.part import rows_where

K = TypeVar("K", bound=Hashable)

ALWAYS, NEVER = -1, -2
"""Rows that are in no fold: learned in all of them, or in none."""


def fold_numbers(codes: Counts, folds: int, *, seed: int = 0, most: int | None = None) -> Counts:
    """Return the fold of each row: so that each class is spread over the folds as evenly as can be.

    A row that is alone in its class is learned always: without it there would be no such class.

    Parameters
    ----------
    codes
        The class of each row; below 0 there is none.
    folds
        How many folds there are.
    seed
        Another one makes other folds.
    most
        How many rows take part; where there are more, chance takes that many.

    Examples
    --------
    >>> numbers = fold_numbers(np.array([0, 0, 0, 0, 1, 1, 2, -1]), 2)
    >>> np.sort(numbers[:4]).tolist(), np.sort(numbers[4:6]).tolist(), numbers[6:].tolist()
    ([0, 0, 1, 1], [0, 1], [-1, -1])
    """
    rng = np.random.default_rng(seed)
    out = np.full(len(codes), ALWAYS)
    rows = np.flatnonzero(codes >= 0)
    if most is not None and len(rows) > most:
        out[:] = NEVER
        rows = np.sort(rng.choice(rows, most, replace=False))
        out[rows] = ALWAYS
    shift = 0
    for c in np.unique(codes[rows]).tolist():
        own = rng.permutation(rows[codes[rows] == c])
        if len(own) > 1:
            out[own] = (np.arange(len(own)) + shift) % folds
            shift += len(own)
    return out


def labels_of(rows: Iterable[Rows], encoder: Encoder) -> tuple[Counts, Values]:
    """Return the class of each row, -1 where it takes no part, and the classes."""
    parts = [batch.labels for batch in in_order(encoder, rows)]
    classes = Values(value for part in parts for value in part.values)
    codes = []
    for part in parts:
        places = np.append(part.values.places_in(classes), -1)
        codes.append(places[part.codes])  # of -1 the last
    return np.concatenate(codes), classes


@final
class FoldSource(Source):
    """The rows of a fold, or those of all others.

    Parameters
    ----------
    like
        The source that they come from, whose names they have.
    pieces
        All rows.
    numbers
        The fold of each of them, as `fold_numbers` gives it.
    fold
        Which one.
    held_out
        Whether these are the rows of the fold.
    """

    def __init__(self, like: Source, pieces: Sequence[Rows], numbers: Counts, fold: int, *, held_out: bool) -> None:
        self.names, self.named, self.target = like.names, like.named, like.target
        self.label, self.extra, self.once = like.label, like.extra, False
        self._pieces, self._numbers, self._fold, self._held_out = pieces, numbers, fold, held_out

    def rows(self) -> Iterator[Rows]:
        """Yield the rows in order; they are numbered as they are here, not as in the whole."""
        first = start = 0
        for rows in self._pieces:
            numbers = self._numbers[start : start + len(rows)]
            start += len(rows)
            own = numbers == self._fold
            part = rows_where(rows, own if self._held_out else ~own & (numbers != NEVER))
            if len(part):
                yield replace(part, first=first)
                first += len(part)


def losses_of(joints: Mapping[K, Joint], rows: Iterable[Rows], encode: Encoder, costs: Floats) -> dict[K, Losses]:
    """Return what labelled rows cost that models have not learned, in one pass; all labels are of their classes."""

    def answer(block: Rows) -> dict[K, Losses]:
        batch = encode(block)
        labels = batch.labels
        used = np.flatnonzero(labels.codes >= 0)
        weights = np.ones(len(used)) if batch.weights is None else batch.weights[used]
        found = {}
        for key, joint in joints.items():
            table = joint.log_joint(batch)
            normalise_rows(table, joint.log_prior, "log")
            own = labels.values.places_in(joint.classes)[labels.codes[used]]
            found[key] = Losses.of(table[used], own, weights, costs)
        return found

    total: dict[K, Losses] = {}
    for part in in_order(answer, rows):
        for key, losses in part.items():
            total[key] = total[key] + losses if key in total else losses
    return total
