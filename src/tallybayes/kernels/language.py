"""Scoring texts by a language model: which known n-grams end at each place, and what follows from the longest.

The n-grams are the nodes of a trie. Texts are scored a portion at a time, and within it one length of n-grams
after the other: the n-gram of k units that ends at a place is a child of that of k - 1 units at the place before.
So no look-up waits for the one before it, and the memory that they read is fetched many at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.utf8 import signed

_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)
HALF, LOW, _BYTE = np.uint64(32), np.uint64(0xFFFF_FFFF), np.uint64(0xFF)
_DEPTH = np.uint64(32)
_FOLLOWS = np.uint64(40)
_NONE = np.uint64(0)

EDGE, LOG_PROB, LOG_REST, SUFFIX = range(4)
"""The columns of `Trie.nodes`."""

FOLLOWED = np.uint64(1 << 40)
"""The bit of the last column that is set where anything was counted after the node."""


class Trie(NamedTuple):
    """N-grams as nodes: 0 is the empty one, the others stand by length, the shorter first.

    What is asked of a node stands together, so that it is in one line of the cache.

    Attributes
    ----------
    first
        The node of each unit alone, -1 where it has none. After the units of the vocabulary come the end of a text,
        its beginning, and the unit that stands for all unknown ones.
    nodes
        By node: the node without its last unit in the upper half, and that unit in the lower; the bits of the two
        columns of `logs`; and the node of the longest known n-gram that it ends with besides itself, with how many
        units it has from bit 32 on, and in bit 40 whether anything was ever counted after it.
    logs
        The same memory as floats, of which two columns are such: log P(last unit | units before), and what a unit that
        is not known after this node adds before it is looked for after the suffix; or its log probability itself, where
        the model does not go on to shorter contexts.
    slots
        Finds children: in the upper half a part of the hash of the edge, in the lower the node, 0 where it is empty.
    """

    first: Codes
    nodes: AnyArray
    logs: Floats
    slots: AnyArray

    @property
    def parent(self) -> Counts:
        """Of a node, the node without its last unit."""
        parents: Counts = (self.nodes[:, EDGE] >> HALF).astype(np.int64)
        return parents

    @property
    def unit(self) -> Counts:
        """Of a node, its last unit."""
        units: Counts = (self.nodes[:, EDGE] & LOW).astype(np.int64)
        return units

    @property
    def suffix(self) -> Counts:
        """The node of the longest known n-gram that a node ends with, besides itself."""
        suffixes: Counts = (self.nodes[:, SUFFIX] & LOW).astype(np.int64)
        return suffixes

    @property
    def depth(self) -> AnyArray:
        """How many units a node has."""
        return ((self.nodes[:, SUFFIX] >> _DEPTH) & _BYTE).astype(np.uint8)

    @property
    def follows(self) -> AnyArray:
        """Whether anything was ever counted after a node."""
        return (self.nodes[:, SUFFIX] >> _FOLLOWS).astype(np.bool_)

    @property
    def log_prob(self) -> Floats:
        """Of a node, log P(last unit | units before)."""
        return self.logs[:, LOG_PROB]

    @property
    def log_rest(self) -> Floats:
        """Of a node, what a unit adds that is not known after it."""
        return self.logs[:, LOG_REST]


class Rule(NamedTuple):
    """What happens where an n-gram is not known.

    Attributes
    ----------
    order
        The most units of an n-gram.
    longest
        The first node of so many units, or beyond all nodes.
    backs_off
        Whether shorter contexts are asked; otherwise the rest of a node is the answer.
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


@jit_inlined
def suffix_of(trie: Trie, node: int) -> Any:
    """Return the longest known n-gram that a node ends with, besides itself."""
    return signed(trie.nodes[node, SUFFIX] & LOW)


@jit_inlined
def depth_of(trie: Trie, node: int) -> Any:
    """Return how many units a node has."""
    return signed((trie.nodes[node, SUFFIX] >> _DEPTH) & _BYTE)


@jit_inlined
def is_followed(trie: Trie, node: int) -> Any:
    """Return whether anything was counted after a node."""
    return trie.nodes[node, SUFFIX] >> _FOLLOWS != _NONE


@jit_inlined
def put_child(trie: Trie, node: int) -> None:
    """Write a node, which is not there and of which the edge is known, into the slots."""
    mixed = trie.nodes[node, EDGE] * _MIX
    mixed ^= mixed >> HALF
    size = np.uint64(trie.slots.shape[0])
    slot = ((mixed >> HALF) * size) >> HALF
    while trie.slots[slot] != _NONE:
        slot += np.uint64(1)
        if slot == size:
            slot = _NONE
    trie.slots[slot] = (mixed << HALF) | np.uint64(node)


@jit_borrowing
def put_level(
    trie: Trie,
    begin: int,
    below: int,
    depth: int,
    counts: Counts,
    context: Codes,
    suffix: Codes,
    units: Codes,
    log_prob: Floats,
) -> None:
    """Write the nodes of one length from node `begin` on; those one shorter, of which contexts are, from `below` on."""
    for i in range(counts.shape[0]):
        node, parent = begin + i, below + context[i]
        trie.nodes[node, EDGE] = (np.uint64(parent) << HALF) | np.uint64(units[i])
        trie.logs[node, LOG_PROB] = log_prob[i]
        # It may be marked as followed only by longer ones, which come later.
        trie.nodes[node, SUFFIX] = (np.uint64(depth) << HALF) | np.uint64(below + suffix[i])
        if counts[i] > 0:
            trie.nodes[parent, SUFFIX] |= FOLLOWED


@jit_borrowing
def put_children(trie: Trie, begin: int) -> None:
    """Write the nodes from `begin` on into the slots, which are empty."""
    for node in range(begin, trie.nodes.shape[0]):
        put_child(trie, node)


@jit_inlined
def longer_of(trie: Trie, node: int, unit: int) -> Any:
    """Return the node of one that is not the empty one followed by a unit, -1 where there is none."""
    edge = (np.uint64(node) << HALF) | np.uint64(unit)
    mixed = edge * _MIX
    mixed ^= mixed >> HALF
    size = np.uint64(trie.slots.shape[0])
    slot = ((mixed >> HALF) * size) >> HALF
    part = mixed & LOW
    while True:
        there = trie.slots[slot]
        if there == _NONE:
            return signed(-1)
        if there >> HALF == part and trie.nodes[there & LOW, EDGE] == edge:
            return signed(there & LOW)
        slot += np.uint64(1)
        if slot == size:
            slot = _NONE


@jit_inlined
def child_of(trie: Trie, node: int, unit: int) -> Any:
    """Return the node of a node followed by a unit, -1 where there is none."""
    if node == 0:
        return signed(trie.first[unit])
    return longer_of(trie, node, unit)


@jit_borrowing
def step(trie: Trie, rule: Rule, state: int, unit: int) -> Any:
    """Return the state after one more unit.

    The state is the node of the longest known n-gram, shorter than the order, that a text ends with.
    """
    node = signed(state)
    child = child_of(trie, node, unit)
    while child < 0 and node > 0:
        node = suffix_of(trie, node)
        child = child_of(trie, node, unit)
    after = max(child, 0)
    return suffix_of(trie, after) if after >= rule.longest else after


@jit_borrowing
def put_suffixes(trie: Trie, begin: int) -> None:
    """Find the suffixes of the nodes from `begin` on, which have two units or more."""
    for node in range(begin, trie.nodes.shape[0]):
        edge = trie.nodes[node, EDGE]
        at, unit = suffix_of(trie, signed(edge >> HALF)), signed(edge & LOW)
        child = child_of(trie, at, unit)
        while child < 0 and at > 0:
            at = suffix_of(trie, at)
            child = child_of(trie, at, unit)
        trie.nodes[node, SUFFIX] |= np.uint64(max(child, 0))


@jit_borrowing
def _put_grams(
    numbers: Codes, bounds: Counts, text: int, last: int, trie: Trie, order: int, boundaries: bool, room: Codes
) -> Any:
    """Write the nodes that end at each place of the texts from `text` up to `last`; return how many places there are.

    Before the units of each text comes a place for its beginning, and after them, with `boundaries`, one for its end.
    ``room[0]`` takes the units, ``room[k]`` the nodes of k units.
    """
    units = trie.first.shape[0] - 3
    at = 0
    for k in range(text, last):
        room[0, at] = -1
        at += 1
        for place in range(bounds[k], bounds[k + 1]):
            room[0, at] = numbers[place] if numbers[place] >= 0 else units + 2
            at += 1
        if boundaries:
            room[0, at] = units
            at += 1
    begin = trie.first[units + 1] if boundaries and order > 1 else -1
    for i in range(at):
        room[1, i] = trie.first[room[0, i]] if room[0, i] >= 0 else begin
    for k in range(2, order + 1):
        room[k, 0] = -1
        for i in range(1, at):
            node = room[k - 1, i - 1]
            room[k, i] = longer_of(trie, node, room[0, i]) if node >= 0 and room[0, i] >= 0 else -1
    return at


@jit_inlined
def _score(trie: Trie, rule: Rule, room: Codes, i: int, before: int) -> Any:
    """Return the log probability of the unit at a place, which so many units come before."""
    depth = min(before, rule.order - 1)
    while depth > 0 and room[depth, i - 1] < 0:
        depth -= 1
    if rule.backs_off:
        total = 0.0
        if rule.log_short != 0.0:
            total += rule.log_short * (min(before, rule.order - 1) - depth)
        while depth >= 0:
            child = room[depth + 1, i]
            if child >= 0:
                return total + trie.logs[child, LOG_PROB]
            if depth > 0 and room[depth, i - 1] >= 0:
                total += trie.logs[room[depth, i - 1], LOG_REST]
            depth -= 1
        return total + rule.log_unknown
    if rule.shortens:
        while depth > 0 and (room[depth, i - 1] < 0 or not is_followed(trie, room[depth, i - 1])):
            depth -= 1
    elif depth < min(before, rule.order - 1):
        return rule.log_unknown
    child = room[depth + 1, i]
    if child >= 0:
        return trie.logs[child, LOG_PROB]
    return trie.logs[room[depth, i - 1] if depth > 0 else 0, LOG_REST]


@jit_borrowing
def score_texts(
    numbers: Codes,
    bounds: Counts,
    trie: Trie,
    rule: Rule,
    boundaries: bool,
    room: Codes,
    out: Floats,
    each: Floats,
) -> None:
    """Add to ``out[k]`` the log probability of text k, ``numbers[bounds[k]:bounds[k + 1]]``.

    `each`, unless it is empty, takes that of every unit, with that of the end after the last of its text. With
    `boundaries`, texts begin after the beginning and have an end. `room` has a row more than the order, and places for
    all units of the longest text and two more.
    """
    text, texts, filled = 0, bounds.shape[0] - 1, 0
    while text < texts:
        last = text + 1
        while last < texts and bounds[last + 1] - bounds[text] + 2 * (last + 1 - text) <= room.shape[1]:
            last += 1
        _put_grams(numbers, bounds, text, last, trie, rule.order, boundaries, room)
        at = 0
        for k in range(text, last):
            size = bounds[k + 1] - bounds[k] + boundaries
            total = out[k]
            for place in range(1, size + 1):
                score = _score(trie, rule, room, at + place, place - 1 + boundaries)
                total += score
                if each.shape[0] > 0:
                    each[filled] = score
                    filled += 1
            out[k] = total
            at += size + 1
        text = last
