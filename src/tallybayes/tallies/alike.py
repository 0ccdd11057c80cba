"""Terms with the same counts: most of a dictionary are of a few kinds, such as all that one text of a class has had."""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts
from tallybayes.kernels.merge_terms import Counted

_FIRST, _SECOND, _HALF = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xD6E8_FEB8_6659_FD93), np.uint64(32)


def alike(counted: Counted) -> tuple[Codes, Counts]:
    """Return the group of each term among those with the same entries, and a term of each group.

    Examples
    --------
    >>> rows = np.array([1, 1, 2, 1], np.int32)
    >>> start, classes, none = np.array([0, 1, 3, 4]), np.array([0, 0, 1, 0], np.int32), np.zeros(0, np.uint8)
    >>> group, first = alike(Counted(np.arange(3), start, none, start, classes, rows, rows * 1.0))
    >>> bool(group[0] == group[2] != group[1]), len(first)
    (True, 2)
    """
    n = len(counted.keys)
    every: Counts = np.arange(n)
    if n == 0:
        return every.astype(np.int32), every
    _, first, places = np.unique(_hashes(counted), return_index=True, return_inverse=True)
    group: Codes = places.astype(np.int32).ravel()
    # Where two kinds of terms have one hash, which is as good as never, all terms are of their own kind.
    return (group, first) if _equal(counted, first[group]) else (every.astype(np.int32), every)


def picked(counted: Counted, terms: Counts) -> Counted:
    """Return some terms, without their texts."""
    entries, start = _entries(counted, terms)
    none = np.zeros(len(terms) + 1, np.int64)
    keys, _, _, _, classes, rows, sums = counted
    return Counted(keys[terms], none, np.zeros(0, np.uint8), start, classes[entries], rows[entries], sums[entries])


def _entries(counted: Counted, terms: Counts) -> tuple[Counts, Counts]:
    """Return the entries of some terms, one term after the other, and where those of each begin and end."""
    sizes = (counted.start[1:] - counted.start[:-1])[terms]
    start: Counts = np.concatenate([[0], np.cumsum(sizes)])
    entries = np.arange(start[-1]) + np.repeat(counted.start[:-1][terms] - start[:-1], sizes)
    return entries, start


def _hashes(counted: Counted) -> AnyArray:
    """Return a hash of the entries of each term."""
    mixed = counted.sums.view(np.uint64) * _SECOND
    mixed ^= counted.rows.astype(np.uint64) << _HALF
    mixed += counted.classes.astype(np.uint64)
    mixed *= _FIRST
    mixed ^= mixed >> _HALF
    mixed *= _SECOND
    mixed ^= mixed >> _HALF
    hashes: AnyArray = np.add.reduceat(mixed, counted.start[:-1])
    return hashes


def _equal(counted: Counted, others: Counts) -> bool:
    """Whether each term has the entries of another one."""
    sizes = np.diff(counted.start)
    if (sizes != sizes[others]).any():
        return False
    entries, _ = _entries(counted, others)
    return all(bool((column == column[entries]).all()) for column in counted[4:])
