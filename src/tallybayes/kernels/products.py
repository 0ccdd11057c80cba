"""Products of the shares of a row, added up: of four classes at a time, and however many factors they have.

Where products could leave the range of floats, a sum is ``sums[r, c] * 2**exponents[r, c]``.
"""

from __future__ import annotations

import math

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels._jit import jit, times_four

Four = tuple[float, float, float, float]

ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


@jit
def product_of_all(shares: Floats, at: np.uint64, places: AnyArray, row: np.uint64, product: Four) -> Four:
    """Return four numbers, times the shares of all columns of a row."""
    # Unsigned, as an index that may be negative costs a comparison.
    for j in range(places.shape[1]):
        product = times_four(product, shares, at + np.uint64(places[row, np.uint64(j)]))
    return product


@jit
def _product_of_some(
    shares: Floats, at: np.uint64, places: AnyArray, row: np.uint64, first: int, last: int, product: Four
) -> Four:
    """Return four numbers, times the shares of some columns; of all, `product_of_all` takes two thirds of the time."""
    for j in range(first, last):
        product = times_four(product, shares, at + np.uint64(places[row, np.uint64(j)]))
    return product


@jit
def add_near(sums: Floats, r: np.uint64, c: np.uint64, weight: float, product: Four) -> None:
    """Add four products to ``sums[r, c:c + 4]``."""
    sums[r, c] += weight * product[0]
    sums[r, c + ONE] += weight * product[1]
    sums[r, c + TWO] += weight * product[2]
    sums[r, c + THREE] += weight * product[3]


@jit
def add_far(
    shares: Floats, at: int, places: AnyArray, row: int, head: float, chunk: int, sums: Floats, exponents: Counts,
    r: int, c: int,
) -> None:  # fmt: skip
    """Add one product to ``sums[r, c]``, however many factors it has."""
    p = places.shape[1]
    if p + 3 <= chunk:
        for j in range(p):
            head *= shares[at + places[row, j]]
        sums[r, c] += head
        return
    part, exponent = math.frexp(head)
    j = 0
    while j < p:
        for k in range(j, min(j + chunk, p)):
            part *= shares[at + places[row, k]]
        j += chunk
        part, more = math.frexp(part)
        exponent += more
    _add_part(part, exponent, sums, exponents, r, c)


@jit
def add_far_four(
    shares: Floats, at: int, places: AnyArray, row: int, weight: float, head: Four, chunk: int, sums: Floats,
    exponents: Counts, r: int, c: int,
) -> None:  # fmt: skip
    """Add four products to ``sums[r, c:c + 4]``, however many factors they have."""
    p = places.shape[1]
    e0, e1, e2, e3 = 0, 0, 0, 0
    product = (weight * head[0], weight * head[1], weight * head[2], weight * head[3])
    for j in range(0, p, chunk):
        product = _product_of_some(shares, np.uint64(at), places, np.uint64(row), j, min(j + chunk, p), product)
        m0, more = math.frexp(product[0])
        e0 += more
        m1, more = math.frexp(product[1])
        e1 += more
        m2, more = math.frexp(product[2])
        e2 += more
        m3, more = math.frexp(product[3])
        e3 += more
        product = (m0, m1, m2, m3)
    _add_part(product[0], e0, sums, exponents, r, c)
    _add_part(product[1], e1, sums, exponents, r, c + 1)
    _add_part(product[2], e2, sums, exponents, r, c + 2)
    _add_part(product[3], e3, sums, exponents, r, c + 3)


@jit
def _add_part(part: float, exponent: int, sums: Floats, exponents: Counts, r: int, c: int) -> None:
    """Add ``part * 2**exponent`` to ``sums[r, c]``."""
    if part == 0.0:
        return
    before = exponents[r, c]
    if sums[r, c] == 0.0:
        sums[r, c], exponents[r, c] = part, exponent
    elif exponent > before:
        sums[r, c], exponents[r, c] = math.ldexp(sums[r, c], max(before - exponent, -2000)) + part, exponent
    else:
        sums[r, c] += math.ldexp(part, max(exponent - before, -2000))
