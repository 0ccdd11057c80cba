"""Questions to an estimated model, answered block by block, on every thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from tallybayes._types import Counts, Floats, Name, Value
from tallybayes.decision.labels import ClassIndex
from tallybayes.decision.posterior import first_choice, normalise_rows, warn_impossible
from tallybayes.decision.scores import Piece
from tallybayes.engines.threads import in_order
from tallybayes.errors import TargetError
from tallybayes.explain.evidence import Evidence, evidence
from tallybayes.learn.fold import Encode
from tallybayes.models.base import Joint
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import CHUNK_BYTES, spans
from tallybayes.sources.picked import run

A = TypeVar("A", Floats, Counts)


def log_joint(joint: Joint, rows: Iterable[Rows], encode: Encode) -> Floats:
    """Return log p(x, c) for all rows, shape (rows, classes)."""
    return _joined(list(in_order(lambda block: joint.log_joint(encode(block)), rows)))


def posterior(
    joint: Joint, rows: Iterable[Rows], encode: Encode, *, scale: Literal["log", "plain"] = "plain"
) -> Floats:
    """Return P(c | x), or its logarithm, for all rows, with one warning for those that the prior answers."""
    return _joined(list(posteriors(joint, rows, encode, scale=scale)))


def posteriors(
    joint: Joint, rows: Iterable[Rows], encode: Encode, *, scale: Literal["log", "plain"] = "plain"
) -> Iterator[Floats]:
    """Yield P(c | x), or its logarithm, block by block, with one warning at the end."""

    def answer(block: Rows) -> tuple[Floats, int]:
        table = joint.log_joint(encode(block))
        return table, normalise_rows(table, joint.log_prior, scale)

    impossible = 0
    for table, count in in_order(answer, rows):
        impossible += count
        yield table
    warn_impossible(impossible)


def choice(joint: Joint, rows: Iterable[Rows], encode: Encode) -> Counts:
    """Return the place of the most probable class of each row, with the same warning."""

    def answer(block: Rows) -> tuple[Counts, int]:
        return first_choice(joint.log_joint(encode(block)), joint.log_prior)

    parts = list(in_order(answer, rows))
    warn_impossible(sum(count for _, count in parts))
    return _joined([places for places, _ in parts])


def accuracy(joint: Joint, rows: Iterable[Rows], encode: Encode) -> float:
    """Return the share of the labelled rows, by weight, whose label is the most probable class."""

    def answer(block: Rows) -> tuple[float, float, int]:
        batch = encode(block)
        labels, weights = batch.labels, batch.weights
        used = labels.codes >= 0
        chosen, impossible = first_choice(joint.log_joint(batch), joint.log_prior)
        right = chosen[used] == labels.values.places_in(joint.classes)[labels.codes[used]]
        each = np.ones(len(right)) if weights is None else weights[used]
        return float(each[right].sum()), float(each.sum()), impossible

    parts = list(in_order(answer, rows))
    warn_impossible(sum(count for _, _, count in parts))
    right, whole = sum(r for r, _, _ in parts), sum(w for _, w, _ in parts)
    if whole == 0:
        raise TargetError("No row has a label and a weight above 0, so there is nothing to score; check y.")
    return right / whole


def labelled_posteriors(joint: Joint, rows: Iterable[Rows], encode: Encode) -> Iterator[Piece]:
    """Yield the posteriors of labelled rows, block by block, with one warning at the end."""

    def answer(block: Rows) -> tuple[Piece, int]:
        batch = encode(block)
        logs = joint.log_joint(batch)
        table = logs.copy()
        normalise_rows(logs, joint.log_prior, "log")
        impossible = normalise_rows(table, joint.log_prior, "plain")
        return Piece(batch.labels, table, logs, weights=batch.weights), impossible

    impossible = 0
    for piece, count in in_order(answer, rows):
        impossible += count
        yield piece
    warn_impossible(impossible)


def log_likelihood(joint: Joint, rows: Iterable[Rows], encode: Encode) -> float:
    """Return the sum of weight * log p(x, y) over the labelled rows; -inf where a label is no class."""

    def answer(block: Rows) -> float:
        batch = encode(block)
        labels = batch.labels
        used = labels.codes >= 0
        place = labels.values.places_in(joint.classes)[labels.codes[used]]
        if (place < 0).any():
            return -np.inf
        scores = joint.log_joint(batch)[used, place]
        return float(scores.sum() if batch.weights is None else scores @ batch.weights[used])

    return float(sum(in_order(answer, rows)))


def odds(joint: Joint, table: Floats, a: Value, b: Value) -> Floats:
    """Return P(a | x) / P(b | x) from log p(x, c); where both are zero the prior answers, and says so."""
    index = ClassIndex(joint.classes)
    i, j = index.require(a), index.require(b)
    undecided = np.isneginf(table[:, i]) & np.isneginf(table[:, j])
    with np.errstate(over="ignore", invalid="ignore"):
        ratio: Floats = np.exp(table[:, i] - table[:, j])
        # Where the prior is zero for both, too, it says nothing: they are alike.
        never = np.isneginf(joint.log_prior[[i, j]]).all()
        ratio[undecided] = 1.0 if never else np.exp(joint.log_prior[i] - joint.log_prior[j])
    warn_impossible(int(undecided.sum()))
    return ratio


def explain(
    joint: Joint,
    rows: Iterable[Rows],
    encode: Encode,
    order: Sequence[Name],
    *,
    label: Value | None = None,
    against: Value | None = None,
) -> Evidence:
    """Return the evidence of every column, in the order of the schema, with the cells as they came."""
    names = [name for name in order if name in joint.names]
    places = [joint.names.index(name) for name in names]

    def answer(block: Rows) -> Evidence:
        batch = encode(block)
        return evidence(
            joint.classes,
            joint.log_prior,
            joint.contributions(batch)[:, places],
            names,
            [batch.shown(name) for name in names],
            label=label,
            against=against,
            log_joint=joint.log_joint(batch),
            is_product=joint.is_product,
        )

    # A row becomes a number for each column and class, whatever its cells took before.
    most = max(1, CHUNK_BYTES // (8 * max(1, len(joint.names) * len(joint.classes))))
    return Evidence.joined(list(in_order(answer, _shorter(rows, most))))


def _shorter(blocks: Iterable[Rows], most: int) -> Iterator[Rows]:
    """Cut blocks to at most so many rows."""
    for block in blocks:
        for start, stop in spans(len(block), most):
            yield run(block, block.first + start, block.first + stop)


def _joined(parts: list[A]) -> A:
    whole: Any = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return whole  # type: ignore[no-any-return]
