"""Arithmetic on pairs of floats, high + low, which hold about 32 decimal digits.

The algorithms are Knuth's two-sum and Dekker's product with a fused multiply-add; the error of each operation
is a few units of 2**-104 (Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building
blocks of double-word arithmetic", ACM TOMS 44, 2017).
"""

from __future__ import annotations

from tallybayes.kernels._jit import fma, jit


@jit
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b and its rounding error."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


@jit
def add(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return the sum of two pairs."""
    high, error = two_sum(a, b)
    low, rest = two_sum(a_low, b_low)
    high, low = two_sum(high, error + low)
    return two_sum(high, rest + low)


@jit
def multiply(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return the product of two pairs."""
    high = a * b
    low = fma(a, b, -high) + (a * b_low + a_low * b)
    return two_sum(high, low)


@jit
def divide(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return the quotient of two pairs."""
    first = a / b
    product, product_low = multiply(first, 0.0, b, b_low)
    rest, rest_low = add(a, a_low, -product, -product_low)
    second = rest / b
    product, product_low = multiply(second, 0.0, b, b_low)
    rest, rest_low = add(rest, rest_low, -product, -product_low)
    high, low = two_sum(first, second)
    return add(high, low, rest / b, 0.0)
