"""The lines of ARPA files: writing those of a trie, and reading them into one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats
from tallybayes.kernels._borrow import jit_borrowing, jit_inlined
from tallybayes.kernels.hashing import hash_bytes
from tallybayes.kernels.language import (
    EDGE,
    FOLLOWED,
    HALF,
    LOG_PROB,
    LOG_REST,
    LOW,
    SUFFIX,
    Trie,
    is_followed,
    longer_of,
    put_child,
)
from tallybayes.kernels.utf8 import signed
from tallybayes.kernels.vocabulary import find, put_slot

NEVER = -99.0
"""What stands for the logarithm of 0."""

MOST_LOG = 1e6
"""No logarithm beyond it means anything; a line with one is refused."""

LN10 = 2.302585092994046
_DIGITS = 9
_WHOLE = 1_000_000_000
_LONGEST_NUMBER = 24
_TAB, _LINE, _BLANK, _PLUS, _MINUS, _POINT, _ZERO, _BACKSLASH = 9, 10, 32, 43, 45, 46, 48, 92
_EXPONENT = 101
_INF, _NAN = 0x69_6E_66, 0x6E_61_6E
_POWERS = 10.0 ** np.arange(23)
_EXACT = 23

DONE, NEXT, NO_NUMBER, NO_GRAM, PART, TWICE, TOO_MANY = range(7)
"""Why the reading stopped: at the end of what there is, at a line that begins with a backslash, or at a bad line."""


class Names(NamedTuple):
    """The bytes of the units, one after the other: those of unit n are ``text[at[n]:at[n + 1]]``."""

    at: Counts
    text: AnyArray


class Page(NamedTuple):
    """Some n-grams of one length, as they are read.

    Attributes
    ----------
    starts
        Where the line of each begins.
    units
        ``units[k]`` are their units at place k, -1 for a word that is none.
    logs
        The two logarithms of each.
    nodes
        Room for the node that each begins with.
    """

    starts: Counts
    units: Codes
    logs: Floats
    nodes: Codes


@jit_borrowing
def _put_number(log: float, out: AnyArray, at: int) -> Any:
    """Write a natural logarithm as one to the base of 10; return where it ends."""
    ten = log / LN10
    if not ten > NEVER:
        ten = NEVER
    if ten > MOST_LOG:
        ten = MOST_LOG
    if ten < 0.0:
        out[at] = _MINUS
        at += 1
    scaled = np.int64(abs(ten) * _WHOLE + 0.5)
    if scaled == 0 and ten < 0.0:
        at -= 1
    whole, part = scaled // _WHOLE, scaled % _WHOLE
    size, rest = 1, whole
    while rest >= 10:
        rest //= 10
        size += 1
    rest = whole
    for k in range(at + size - 1, at - 1, -1):
        out[k] = _ZERO + rest % 10
        rest //= 10
    at += size
    if part == 0:
        return at
    out[at] = _POINT
    size = _DIGITS
    while part % 10 == 0:
        part //= 10
        size -= 1
    for k in range(at + size, at, -1):
        out[k] = _ZERO + part % 10
        part //= 10
    return at + size + 1


@jit_borrowing
def write_grams(
    trie: Trie, names: Names, begin: int, end: int, size: int, longest: bool, path: Codes, out: AnyArray
) -> tuple[Any, Any]:
    """Write the lines of n-grams of so many units, from node `begin` on, as far as there is room before node `end`.

    ``path[k]`` is room for the unit at place k of some n-grams, which are looked up side by side. Returns the node to
    go on with and where the last line ends.
    """
    end = min(end, begin + path.shape[1])
    for i in range(end - begin):
        path[0, i] = begin + i
    for k in range(size - 1, -1, -1):
        for i in range(end - begin):
            edge = trie.nodes[path[0, i], EDGE]
            path[k + 1, i] = edge & LOW
            path[0, i] = edge >> HALF
    at = 0
    for i in range(end - begin):
        node, need = begin + i, 2 * _LONGEST_NUMBER + 3
        for k in range(1, size + 1):
            need += names.at[path[k, i] + 1] - names.at[path[k, i]] + 1
        if at + need > out.shape[0]:
            return node, at
        at = _put_number(trie.logs[node, LOG_PROB], out, at)
        for k in range(1, size + 1):
            out[at] = _TAB if k == 1 else _BLANK
            at += 1
            for byte in range(names.at[path[k, i]], names.at[path[k, i] + 1]):
                out[at] = names.text[byte]
                at += 1
        rest = trie.logs[node, LOG_REST]
        if not longest and (is_followed(trie, node) or rest != 0.0):
            out[at] = _TAB
            at = _put_number(rest, out, at + 1)
        out[at] = _LINE
        at += 1
    return end, at


@jit_inlined
def _number(data: AnyArray, begin: int, end: int) -> tuple[Any, Any]:
    """Return the number that some bytes are, and whether they are one."""
    at, negative = begin, False
    if at < end and (data[at] == _MINUS or data[at] == _PLUS):
        negative = data[at] == _MINUS
        at += 1
    if end - at == 3:
        word = (signed(data[at] | 32) << 16) | (signed(data[at + 1] | 32) << 8) | signed(data[at + 2] | 32)
        if word == _INF:
            return -np.inf if negative else np.inf, True
        if word == _NAN:
            return np.nan, True
    value, exponent, digits, point = 0.0, 0, 0, False
    while at < end:
        if data[at] == _POINT and not point:
            point = True
        elif _ZERO <= data[at] < _ZERO + 10:
            digits += 1
            if value < 1e15:
                # Whole numbers so small are exact.
                value = value * 10.0 + (signed(data[at]) - _ZERO)
                exponent -= point
            else:
                exponent += not point
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, False
    if at < end:
        if data[at] | 32 != _EXPONENT:
            return 0.0, False
        at += 1
        sign = 1
        if at < end and (data[at] == _MINUS or data[at] == _PLUS):
            sign = -1 if data[at] == _MINUS else 1
            at += 1
        said, first = 0, at
        while at < end and _ZERO <= data[at] < _ZERO + 10:
            said = min(said * 10 + (signed(data[at]) - _ZERO), 9_999)
            at += 1
        if at < end or at == first:
            return 0.0, False
        exponent += sign * said
    if -_EXACT < exponent < 0:
        value /= _POWERS[-exponent]
    elif exponent != 0:
        value *= 10.0 ** max(min(exponent, 300), -300)
    return -value if negative else value, True


@jit_inlined
def _is_blank(byte: int) -> Any:
    return byte in (_BLANK, _TAB, 0) or 11 <= byte <= 13


@jit_inlined
def _word(data: AnyArray, at: int, stop: int) -> tuple[Any, Any]:
    """Return where the next word of a line begins and ends; twice the end of the line where there is none."""
    while at < stop and _is_blank(data[at]):
        at += 1
    begin = at
    while at < stop and data[at] != _LINE and not _is_blank(data[at]):
        at += 1
    return begin, at


@jit_inlined
def _end_of_line(data: AnyArray, at: int, stop: int) -> Any:
    begin, end = _word(data, at, stop)
    return begin if begin == end else signed(-1)


@jit_inlined
def _logarithms(
    data: AnyArray, begin: int, end: int, after: int, stop: int, longest: bool
) -> tuple[Any, Any, Any, Any]:
    """Return the two natural logarithms of a line, where it ends, and what is wrong with it.

    The first is ``data[begin:end]``, and the other may stand from `after` on.
    """
    log, right = _number(data, begin, end)
    if not right:
        return 0.0, 0.0, begin, NO_NUMBER
    rest = 0.0
    if after >= 0:
        begin, end = _word(data, after, stop)
        if end > begin:
            rest, right = _number(data, begin, end)
            if not right:
                return 0.0, 0.0, begin, NO_NUMBER
            after = end
            if longest:
                return 0.0, 0.0, begin, NO_GRAM
        after = _end_of_line(data, after, stop)
    if after < 0 or not log <= 0.0 or not rest <= MOST_LOG:
        return 0.0, 0.0, begin, NO_GRAM
    return (log * LN10 if log > NEVER else -np.inf), rest * LN10, after, DONE


@jit_borrowing
def read_singles(
    data: AnyArray, at: int, stop: int, longest: bool, known: AnyArray, places: Counts, logs: Floats, filled: int
) -> tuple[Any, Any, Any]:
    """Read lines of single units: ``places[n]`` is where word n stands, ``logs[n]`` its logarithms.

    `known` takes the words by the hashes of their bytes. Returns where the reading stopped, why, and how many words
    there are.
    """
    while at < stop:
        begin, end = _word(data, at, stop)
        if begin == end:
            at = end + 1
            continue
        if data[begin] == _BACKSLASH:
            return at, NEXT, filled
        first, last = _word(data, end, stop)
        log, rest, after, wrong = _logarithms(data, begin, end, last if last > first else -1, stop, longest)
        key = hash_bytes(data, first, last)
        if wrong == DONE and find(known, key) >= 0:
            wrong = TWICE
        if wrong == DONE and filled == logs.shape[0]:
            wrong = TOO_MANY
        if wrong != DONE:
            return at, wrong, filled
        put_slot(known, key, filled)
        places[filled, 0], places[filled, 1] = first, last
        logs[filled, 0], logs[filled, 1] = log, rest
        filled += 1
        at = after + 1
    return at, DONE, filled


@jit_borrowing
def read_grams(
    data: AnyArray, at: int, stop: int, longest: bool, known: AnyArray, units: Codes, page: Page
) -> tuple[Any, Any, Any]:
    """Read lines of n-grams into a page; `known` finds words by the hashes of their bytes, and word n is ``units[n]``.

    Returns where the reading stopped, why, and how many there are.
    """
    filled = 0
    while at < stop and filled < page.starts.shape[0]:
        begin, end = _word(data, at, stop)
        if begin == end:
            at = end + 1
            continue
        if data[begin] == _BACKSLASH:
            return at, NEXT, filled
        after = signed(end)
        for k in range(page.units.shape[0]):
            first, after = _word(data, after, stop)
            if first == after:
                after = signed(-1)
                break
            word = find(known, hash_bytes(data, first, after))
            page.units[k, filled] = units[word] if word >= 0 else -1
        log, rest, after, wrong = _logarithms(data, begin, end, after, stop, longest)
        if wrong != DONE:
            return at, wrong, filled
        page.starts[filled] = at
        page.logs[filled, 0], page.logs[filled, 1] = log, rest
        filled += 1
        at = after + 1
    return at, DONE, filled


@jit_borrowing
def put_grams(page: Page, n: int, trie: Trie, begin: int) -> tuple[Any, Any]:
    """Write the n n-grams of a page as the nodes from `begin` on; return how many are right, and what the next is not.

    Each step is one for all of them, so that no look-up waits for the one before it.
    """
    size = page.units.shape[0]
    for i in range(n):
        page.nodes[i] = trie.first[page.units[0, i]] if page.units[0, i] >= 0 else -1
    for k in range(1, size - 1):
        for i in range(n):
            if page.nodes[i] >= 0:
                known = page.units[k, i] >= 0
                page.nodes[i] = longer_of(trie, page.nodes[i], page.units[k, i]) if known else -1
    for i in range(n):
        node, unit = page.nodes[i], page.units[size - 1, i]
        if node < 0 or unit < 0:
            return i, PART
        if longer_of(trie, node, unit) >= 0:
            return i, TWICE
        new = begin + i
        trie.nodes[new, EDGE] = (np.uint64(node) << HALF) | np.uint64(unit)
        trie.logs[new, LOG_PROB], trie.logs[new, LOG_REST] = page.logs[i, 0], page.logs[i, 1]
        trie.nodes[new, SUFFIX] = np.uint64(size) << HALF
        trie.nodes[node, SUFFIX] |= FOLLOWED
        put_child(trie, new)
    return n, DONE
