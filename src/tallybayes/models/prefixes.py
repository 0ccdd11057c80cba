"""What the rows of a batch cost without themselves, by how many columns of a graph are asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallybayes._types import AnyArray, Bools, Floats
from tallybayes.factors.left_out import OwnRows, never_learned, own_rows
from tallybayes.kernels.ladders import each_log, own_logs
from tallybayes.kernels.prefixes import add_losses, prefix_losses
from tallybayes.models.graph_joint import GraphJoint
from tallybayes.models.hidden import Patterns
from tallybayes.models.naive import NaiveJoint
from tallybayes.models.summing import Own, knot_logs
from tallybayes.schema.batch import Batch

LEAST = np.finfo(np.float64).min
"""What stands for the logarithm of zero where it is subtracted."""


def left_out_by_prefix(joints: Sequence[GraphJoint], batch: Batch, beside: NaiveJoint | None = None) -> Floats:
    """Return the losses of rows with none of the columns, with the first of the order, with the first two and so on.

    Of a row that weighs more than 1 as much as a row of weight 1 is left out: it stands for several.

    As parents come before their children, the first columns of a graph are a graph of their own, and what a row says
    with one column more is what it said before times one more share. So all prefixes together cost little more than
    the longest of them.

    Parameters
    ----------
    joints
        Estimated graphs of the same columns in the same order, from the same rows.
    batch
        Rows, labels and weights as they were learned.
    beside
        Other columns, which are always asked.

    Returns
    -------
    array of shape (graphs, columns + 1, 3)
        Sums over the rows, by their weights: of the log-losses, of how many are wrong, and of (1 - P(own class))^2.
    """
    one = joints[0]
    slots, learned = one.slots(batch), own_rows(batch, one.classes)
    heavy = learned.weights > 1.0
    own = Own(learned.classes, np.minimum(learned.weights, 1.0), heavy.astype(np.int64))
    prior = _first(one, batch, beside, learned, heavy)[learned.rows]
    order = np.array(one.order, np.int64)
    losses = np.zeros((len(joints), len(order) + 1, 3))
    whole = np.empty(len(learned.rows), np.bool_)
    for joint, sums in zip(joints, losses, strict=True):
        odd = prefix_losses(
            slots, learned.rows, own.classes, learned.weights, own.weights, own.left, prior, order, joint.ladders,
            joint.left_out_table(learned.even), whole, sums,
        )  # fmt: skip
        if odd >= 0:
            raise never_learned(f"column {joint.names[odd]!r} has a value more often than it was learned")
        left = np.flatnonzero(~whole)
        if len(left):
            _add_incomplete(joint, slots[learned.rows[left]], own.of(left), learned.weights[left], prior[left], sums)
    return losses


def _first(joint: GraphJoint, batch: Batch, beside: NaiveJoint | None, learned: OwnRows, heavy: Bools) -> Floats:
    """Return P(c), or P(c | other columns), without each row."""
    prior = joint.left_out_log_prior(batch)
    for c in np.unique(learned.classes[heavy]).tolist():
        prior[learned.rows[heavy & (learned.classes == c)]] = joint.prior.without(c, 1.0)
    table = prior.copy()
    if beside is not None:
        for part in beside.conditionals.values():
            part.add_left_out(batch, table)
        nowhere = np.isneginf(table).all(axis=1)
        table[nowhere] = prior[nowhere]
    table = np.exp(table - table.max(axis=1, keepdims=True))
    first: Floats = table / table.sum(axis=1, keepdims=True)
    return first


def _add_incomplete(
    joint: GraphJoint, slots: AnyArray, own: Own, weights: Floats, prior: Floats, losses: Floats
) -> None:
    """Add the losses of rows of which something has to be summed out."""
    m, everywhere = len(slots), np.arange(len(slots))
    each = np.empty((m, len(joint.names), prior.shape[1]))
    each_log(slots, joint.ladders, np.empty(m, np.bool_), each)
    mine = np.empty((m, len(joint.names)))
    own_logs(
        slots, everywhere, own.classes, own.weights, own.left, joint.ladders, joint.left_out_table(even=False), mine
    )
    each[everywhere, :, own.classes] = mine
    with np.errstate(divide="ignore"):
        known = np.log(prior)
    add_losses(prior, own.classes, weights, losses[0])
    hidden = np.zeros_like(known)
    asked = np.zeros_like(slots)
    for q, j in enumerate(joint.order):
        asked[:, j] = slots[:, j]
        known += each[:, j]
        above = list(joint.parents[j])
        rows = np.flatnonzero((slots[:, j] != 0) & (slots[:, above] == 0).any(axis=1))
        if len(rows):
            hidden[rows] = _hidden(joint, asked[rows], own.of(rows))
        table = known + hidden
        table = table - np.maximum(table.max(axis=1, keepdims=True), LEAST)
        nowhere = np.isneginf(table).all(axis=1, keepdims=True)
        table = np.where(nowhere, prior, np.exp(table))
        add_losses(table / table.sum(axis=1, keepdims=True), own.classes, weights, losses[q + 1])


def _hidden(joint: GraphJoint, slots: AnyArray, own: Own) -> Floats:
    """Return what has to be summed out of some rows says."""
    out = np.zeros((len(slots), len(joint.classes)))
    for knot, rows in Patterns(joint.parents, joint.order, joint.ladders.n_values, slots):
        out[rows] += knot_logs(knot, slots[rows], joint.ladders, joint.names, own.of(rows))
    return out
