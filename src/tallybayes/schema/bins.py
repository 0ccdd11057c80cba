"""Numbers as bins: edges, what a bin is called, and which numbers lie in it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np

from tallybayes._types import Codes, Floats
from tallybayes.kernels.binning import bin_numbers

Edges = tuple[float, ...]
"""Where a column is cut, ascending. A bin is closed on the left: its number is how many edges are at most x."""

MOST_SHOWN = 6
"""How many edges are listed for people."""

_EPOCH = datetime(1970, 1, 1)


def are_edges(items: Any) -> bool:
    """Return whether a list can be one of edges: floats, finite, ascending and distinct."""
    return all(type(item) is float and math.isfinite(item) for item in items) and all(a < b for a, b in pairwise(items))


def bins_of(numbers: Floats, edges: Iterable[float]) -> Codes:
    """Return the bin of each number, -1 for NaN.

    Examples
    --------
    >>> bins_of(np.array([890.0, 400.0, 399.0, np.nan, np.inf]), (400, 800, 1200, 1600)).tolist()
    [2, 1, 0, -1, 4]
    """
    cut = np.array([*edges], dtype=np.float64)
    out = np.empty((len(numbers), 1), dtype=np.int32, order="F")
    bin_numbers(np.ascontiguousarray(numbers)[:, None], cut, np.array([0, len(cut)]), np.zeros(1, np.int64), out)
    return out[:, 0]


def interval(edges: Edges, code: int, *, dates: bool = False) -> str:
    """Return what people call a bin.

    Examples
    --------
    >>> [interval((0.381, 0.56), code) for code in range(3)], interval((), 0)
    (['< 0.381', '[0.381, 0.56)', '>= 0.56'], 'any')
    """
    words = edges_in_words(edges, dates=dates)
    if not words:
        return "any"
    if code <= 0:
        return f"< {words[0]}"
    return f">= {words[-1]}" if code >= len(words) else f"[{words[code - 1]}, {words[code]})"


def edges_in_words(edges: Edges, *, dates: bool = False) -> list[str]:
    """Return edges with as few digits as tell them well apart, and six at least; days since 1970 as dates.

    Examples
    --------
    >>> edges_in_words((0.1 + 0.2, 0.5)), edges_in_words((1000008.25, 1000009.5)), edges_in_words((1234567.5,))
    (['0.3', '0.5'], ['1000008.25', '1000009.5'], ['1234568'])
    >>> edges_in_words((19723.0, 19844.5), dates=True)
    ['2024-01-01', '2024-05-01 12:00:00']
    """
    if dates:
        try:
            times = [_EPOCH + timedelta(days=edge) for edge in edges]
            return [str(time.replace(microsecond=0)).removesuffix(" 00:00:00") for time in times]
        except OverflowError:
            pass
    gap = min((b - a for a, b in pairwise(edges)), default=math.inf)
    whole = [len(f"{abs(edge):.0f}") for edge in edges if abs(edge) < 1e15]
    for digits in range(max(6, *whole, 0), 17):
        words = [f"{edge:.{digits}g}" for edge in edges]
        if all(abs(float(word) - edge) <= gap / 100 for word, edge in zip(words, edges, strict=True)):
            return words
    return [repr(edge) for edge in edges]


def cut_in_words(edges: Edges, *, dates: bool = False) -> str:
    """Return in words where a column is cut.

    Examples
    --------
    >>> cut_in_words((0.381, 0.56)), cut_in_words(())
    ('3 bins, cut at 0.381 and 0.56', '1 bin')
    """
    words = edges_in_words(edges, dates=dates)
    if not words:
        return "1 bin"
    shown, more = words[:MOST_SHOWN], len(words) - MOST_SHOWN
    parts = [*shown, f"{more} more"] if more > 0 else shown
    places = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{len(words) + 1} bins, cut at {places}"


def drawn_within(edges: Edges, codes: Codes, rng: np.random.Generator, *, whole: bool = False) -> Floats:
    """Draw a number of each bin, and NaN for -1: what is known of a number is its bin, within which all are alike.

    An outer bin is taken to be as wide as the one beside it. Where `whole`, numbers are whole if a bin has such.

    Examples
    --------
    >>> drawn = drawn_within((400.0, 800.0), np.array([0, 1, 2, -1]), np.random.default_rng(7), whole=True)
    >>> bins_of(drawn, (400.0, 800.0)).tolist()
    [0, 1, 2, -1]
    """
    bounds = outer(edges)
    low, high = bounds[:-1][codes], bounds[1:][codes]
    drawn: Floats = low + rng.random(len(codes)) * (high - low)
    if whole:
        rounded = np.floor(drawn)
        rounded = np.where(rounded < low, np.ceil(low), rounded)
        drawn = np.where(rounded < high, rounded, drawn)
    drawn = np.clip(drawn, low, np.nextafter(high, -np.inf))  # sums are rounded
    return np.where(codes < 0, np.nan, drawn)


def outer(edges: Edges) -> Floats:
    """Return the edges with an outer bound on each side, which is as far as the edge beside.

    Examples
    --------
    >>> outer((400.0, 800.0)), outer((5.0,)), outer(())
    (array([   0.,  400.,  800., 1200.]), array([4., 5., 6.]), array([0., 1.]))
    """
    if not edges:
        return np.array([0.0, 1.0])
    first = edges[1] - edges[0] if len(edges) > 1 else max(1.0, abs(edges[0]) * 2.0**-40)
    last = edges[-1] - edges[-2] if len(edges) > 1 else first
    return np.array([edges[0] - first, *edges, edges[-1] + last])
