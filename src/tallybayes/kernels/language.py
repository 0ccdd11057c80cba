"""Scoring texts by a language model: from one known n-gram to the next, by way of ever shorter ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing
from tallybayes.kernels.utf8 import signed

_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFF_FFFF)


class Trie(NamedTuple):
    """N-grams as nodes: 0 is the empty one, the others stand by length, the shorter first.

    Attributes
    ----------
    first
        The node of each unit alone, -1 where it has none. After the units of the vocabulary come the end of a text,
        its beginning, and the unit that stands for all unknown ones.
    edges
        Of a node, the node without its last unit in the upper half, and that unit in the lower.
    suffix
        The node of the longest known n-gram that a node ends with, besides itself.
    depth
        How many units a node has.
    log_prob
        log P(last unit | units before).
    log_rest
        What a unit that is not known after this node adds before it is looked for after the suffix; or its log
        probability itself, where the model does not go on to shorter contexts.
    follows
        Whether anything was ever counted after the node.
    slots
        Finds children; open addressing, -1 where a slot is empty.
    """

    first: Codes
    edges: AnyArray
    suffix: Codes
    depth: AnyArray
    log_prob: Floats
    log_rest: Floats
    follows: AnyArray
    slots: Codes

    @property
    def parent(self) -> Counts:
        """Of a node, the node without its last unit."""
        parents: Counts = (self.edges >> _HALF).astype(np.int64)
        return parents

    @property
    def unit(self) -> Counts:
        """Of a node, its last unit."""
        units: Counts = (self.edges & _LOW).astype(np.int64)
        return units


class Rule(NamedTuple):
    """What happens where an n-gram is not known.

    Attributes
    ----------
    order
        The most units of an n-gram.
    longest
        The first node of so many units, or beyond all nodes.
    backs_off
        Whether shorter contexts are asked; otherwise `log_rest` is the answer.
    shortens
        Whether, where they are not, a context that nothing is known to follow is shortened until something does.
    log_short
        What each unit adds by which a context is too short because it is not known itself.
    log_unknown
        The log probability of a unit that is known in no context; where neither is done, of any unit in a context that
        is not known.
    """

    order: int
    longest: int
    backs_off: bool
    shortens: bool
    log_short: float
    log_unknown: float


@jit_borrowing
def _slot(edge: np.uint64, mask: np.uint64) -> Any:
    mixed = edge * _MIX
    return (mixed ^ (mixed >> _HALF)) & mask


@jit_borrowing
def put_children(trie: Trie, begin: int) -> None:
    """Write the nodes from `begin` on into the slots, which are empty."""
    mask = np.uint64(trie.slots.shape[0] - 1)
    for node in range(begin, trie.edges.shape[0]):
        slot = _slot(trie.edges[node], mask)
        while trie.slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        trie.slots[slot] = node


@jit_borrowing
def child_of(trie: Trie, node: int, unit: int) -> Any:
    """Return the node of a node followed by a unit, -1 where there is none."""
    if node == 0:
        return signed(trie.first[unit])
    edge = (np.uint64(node) << _HALF) | np.uint64(unit)
    mask = np.uint64(trie.slots.shape[0] - 1)
    slot = _slot(edge, mask)
    while True:
        child = signed(trie.slots[slot])
        if child < 0 or trie.edges[child] == edge:
            return child
        slot = (slot + np.uint64(1)) & mask


@jit_borrowing
def step(trie: Trie, rule: Rule, state: int, before: int, unit: int) -> tuple[Any, Any]:
    """Return the log probability of a unit, and the state after it.

    The state is the node of the longest known n-gram, shorter than the order, that the text ends with; `before` units
    of it have led there.
    """
    node, total = signed(state), 0.0
    child = child_of(trie, node, unit)
    while child < 0 and node > 0:
        total += trie.log_rest[node]
        node = signed(trie.suffix[node])
        child = child_of(trie, node, unit)
    after = max(child, 0)
    if after >= rule.longest:
        after = signed(trie.suffix[after])
    if rule.backs_off:
        if rule.log_short != 0.0:
            total += rule.log_short * (min(before, rule.order - 1) - trie.depth[state])
        return total + (trie.log_prob[child] if child >= 0 else rule.log_unknown), after
    node = signed(state)
    if rule.shortens:
        while node > 0 and not trie.follows[node]:
            node = signed(trie.suffix[node])
    elif trie.depth[state] < min(before, rule.order - 1):
        return rule.log_unknown, after
    child = child_of(trie, node, unit)
    return (trie.log_prob[child] if child >= 0 else trie.log_rest[node]), after


@jit_borrowing
def score_texts(
    numbers: Codes,
    bounds: Counts,
    trie: Trie,
    rule: Rule,
    boundaries: bool,
    out: Floats,
    each: Floats,
) -> None:
    """Add to ``out[k]`` the log probability of text k, ``numbers[bounds[k]:bounds[k + 1]]``.

    `each`, unless it is empty, takes that of every unit, with that of the end after the last of its text. With
    `boundaries`, texts begin after the beginning and have an end.
    """
    units = trie.first.shape[0] - 3
    at = 0
    for k in range(bounds.shape[0] - 1):
        state, before = 0, 0
        if boundaries:
            state, before = trie.first[units + 1], 1
            if rule.order == 1 or state < 0:
                state = 0
        last = bounds[k + 1]
        for place in range(bounds[k], last + 1 if boundaries else last):
            unit = units
            if place < last:
                unit = numbers[place] if numbers[place] >= 0 else units + 2
            score, state = step(trie, rule, state, before, unit)
            before += 1
            out[k] += score
            if each.shape[0] > 0:
                each[at] = score
            at += 1
