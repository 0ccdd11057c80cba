"""Drawing texts from a language model.

In a context h, a unit is drawn from all that is known to follow h, and with the share that is left from what follows
the context without its first unit, and so on. What comes from a shorter context and also follows a longer one is drawn
anew: so each unit has the share that the model gives it, and nothing is done for the many that are not drawn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.language import (
    EDGE,
    LOG_PROB,
    LOG_REST,
    LOW,
    Rule,
    Trie,
    child_of,
    depth_of,
    is_followed,
    step,
    suffix_of,
)
from tallybayes.kernels.utf8 import signed

_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53
_TRIES = 64
"""After so many draws in vain, which take rests far above 1, all units are weighed."""


class Children(NamedTuple):
    """What follows each node: that of node n is ``nodes[at[n]:at[n + 1]]``, with the running sums of their shares.

    An unknown unit and the beginning of a text have none.
    """

    at: Counts
    nodes: Codes
    sums: Floats


@jit_borrowing
def put_followers(trie: Trie, out: Children) -> None:
    """Write what follows each node; `at` begins as zeros."""
    units, n = trie.first.shape[0] - 3, trie.nodes.shape[0]
    at = out.at
    # Where those of a node begin goes one place further, so that it ends up where they end.
    for node in range(1, n):
        at[signed(trie.nodes[node, EDGE] >> np.uint64(32)) + 1] += 1
    before = 0
    for node in range(1, n + 1):
        own = at[node]
        at[node] = before
        before += own
    for node in range(1, n):
        parent = signed(trie.nodes[node, EDGE] >> np.uint64(32)) + 1
        out.nodes[at[parent]] = node
        at[parent] += 1
    for node in range(n):
        total = 0.0
        for place in range(at[node], at[node + 1]):
            child = out.nodes[place]
            if signed(trie.nodes[child, EDGE] & LOW) <= units:
                total += np.exp(trie.logs[child, LOG_PROB])
            out.sums[place] = total


@jit_inlined
def _random(state: AnyArray) -> Any:
    """Return a number from 0 up to 1 by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return np.float64((z ^ (z >> _31)) >> _11) * _UNIT


@jit_borrowing
def _path_of(trie: Trie, rule: Rule, state: int, before: int, path: Codes) -> Any:
    """Write the contexts that are asked in a state, the longest first; return how many."""
    if rule.backs_off:
        size, node = 0, signed(state)
        while node > 0:
            path[size] = node
            node = suffix_of(trie, node)
            size += 1
        path[size] = 0
        return size + 1
    node = signed(state)
    if rule.shortens:
        while node > 0 and not is_followed(trie, node):
            node = suffix_of(trie, node)
    elif depth_of(trie, node) < min(before, rule.order - 1):
        return 0
    path[0] = node
    return 1


@jit_borrowing
def _share(trie: Trie, rule: Rule, path: Codes, size: int, unit: int) -> Any:
    """Return the share of a unit."""
    rest = 0.0
    for k in range(size):
        child = child_of(trie, path[k], unit)
        if child >= 0:
            return np.exp(rest + trie.logs[child, LOG_PROB])
        if path[k] > 0 or not rule.backs_off:
            rest += trie.logs[path[k], LOG_REST]
    return np.exp(rest + rule.log_unknown) if rule.backs_off or size == 0 else np.exp(rest)


@jit_borrowing
def _weighed(trie: Trie, rule: Rule, path: Codes, size: int, units: int, random: AnyArray) -> Any:
    """Draw one of the first units by the shares of all; -1 where none has any."""
    total = 0.0
    for unit in range(units):
        total += _share(trie, rule, path, size, unit)
    if not 0.0 < total < np.inf:
        return signed(-1)
    left, last = _random(random) * total, signed(-1)
    for unit in range(units):
        share = _share(trie, rule, path, size, unit)
        left -= share
        if share > 0.0:
            last = signed(unit)
            if left < 0.0:
                return last
    return last


@jit_borrowing
def _drawn(trie: Trie, rule: Rule, children: Children, path: Codes, size: int, units: int, random: AnyArray) -> Any:
    """Draw one of the first units, the contexts being known; -1 where none has a share."""
    for _ in range(_TRIES):
        total, rest = 0.0, 1.0
        for k in range(size):
            end = children.at[path[k] + 1]
            if end > children.at[path[k]]:
                total += rest * children.sums[end - 1]
            if path[k] > 0 or not rule.backs_off:
                rest *= np.exp(trie.logs[path[k], LOG_REST])
        if rule.backs_off or size == 0:
            rest *= np.exp(rule.log_unknown)
        total += rest * units
        if not 0.0 < total < np.inf:
            return signed(-1)
        left, rest, level, unit = _random(random) * total, 1.0, 0, signed(-1)
        while level < size:
            begin, end = children.at[path[level]], children.at[path[level] + 1]
            own = rest * children.sums[end - 1] if end > begin else 0.0
            if left < own:
                left /= rest
                low, high = begin, end - 1
                while low < high:
                    middle = (low + high) // 2
                    if children.sums[middle] > left:
                        high = middle
                    else:
                        low = middle + 1
                unit = signed(trie.nodes[children.nodes[low], EDGE] & LOW)
                break
            left -= own
            if path[level] > 0 or not rule.backs_off:
                rest *= np.exp(trie.logs[path[level], LOG_REST])
            level += 1
        if unit < 0:
            unit = min(signed(_random(random) * units), units - 1)
        fresh = unit < units
        for k in range(level):
            fresh = fresh and child_of(trie, path[k], unit) < 0
        if fresh:
            return unit
    return _weighed(trie, rule, path, size, units, random)


@jit_borrowing
def draw_texts(
    trie: Trie,
    rule: Rule,
    children: Children,
    boundaries: bool,
    state: int,
    before: int,
    most: int,
    random: AnyArray,
    path: Codes,
    ends: Counts,
    out: Codes,
) -> Any:
    """Draw texts that begin in a state, of `most` units at the most, as long as there is room.

    Text k is ``out[ends[k - 1]:ends[k]]``. `random` is the state of the generator, and `path` room for as many nodes as
    the order. Returns how many texts there are.
    """
    end = trie.first.shape[0] - 3
    at = 0
    for k in range(ends.shape[0]):
        seed = random[0]
        node, come = signed(state), signed(before)
        for _ in range(most):
            size = _path_of(trie, rule, node, come, path)
            unit = _drawn(trie, rule, children, path, size, end + boundaries, random)
            if unit < 0 or unit == end:
                break
            if at == out.shape[0]:
                # The same text comes again, and is not left out for being long.
                random[0] = seed
                return k
            out[at] = unit
            at += 1
            node = step(trie, rule, node, unit)
            come += 1
        ends[k] = at
    return ends.shape[0]
