"""The sums of numbers against exact arithmetic, on data that is made to lose digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tallybayes._types import Floats
from tallybayes.kernels import moments as kernel

N = 1500
RNG = np.random.default_rng(7)

NUMBERS: dict[str, Floats] = {
    "normal": RNG.standard_normal(N),
    "far from zero": 1e9 + RNG.standard_normal(N),
    "farther, and narrow": 1e15 + RNG.integers(0, 3, N) / 4,
    "an outlier first": np.r_[1e12, RNG.standard_normal(N - 1)],
    "an outlier last": np.r_[RNG.standard_normal(N - 1), -1e12],
    "sorted": np.sort(RNG.standard_normal(N)),
    "steps": np.repeat(RNG.standard_normal(N // 100) * 1e6, 100) + 1e-3 * RNG.standard_normal(N),
    "runs of one number": np.repeat(RNG.integers(0, 9, N // 300) * 0.1, 300),
    "heavy tails": RNG.standard_cauchy(N),
}
WEIGHTS: dict[str, Floats] = {
    "no weights": np.zeros(0),
    "weights": RNG.uniform(0.5, 2, N),
    "weights far apart": 10.0 ** RNG.uniform(-12, 12, N),
    "a light row first": np.r_[1e-12, np.ones(N - 1)],
}


def summed(x: Floats, weights: Floats, labels: Floats | None = None) -> tuple[Floats, Floats]:
    """The numbers of rows and the centred moments."""
    codes = np.zeros(len(x), np.int32) if labels is None else labels.astype(np.int32)
    shape = (int(codes.max()) + 1, x.shape[1])
    rows, out = np.zeros(shape, np.int64), np.zeros((6, *shape))
    kernel.moments(x, weights, codes, rows, out)
    return rows, out


def exact(x: Floats, weights: Floats) -> tuple[Fraction, Fraction, Fraction]:
    """The weight, the mean and the sum of squared deviations of the numbers that are there."""
    w = [Fraction(a) for a in (weights if len(weights) else np.ones(len(x)))]
    there = [(a, Fraction(b)) for a, b in zip(w, x.tolist(), strict=True) if b == b]
    total = sum(a for a, _ in there)
    mean = sum(a * b for a, b in there) / total
    return total, mean, sum(a * (b - mean) ** 2 for a, b in there)


@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["complete", "with missing cells"])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_nothing_is_lost(numbers: str, weights: str, missing: float) -> None:
    x = np.where(np.random.default_rng(1).random(N) < missing, np.nan, NUMBERS[numbers])
    rows, found = summed(x[:, None].copy(), WEIGHTS[weights])
    total, mean, squares = exact(x, WEIGHTS[weights])
    weight, middle, deviations = (Fraction(found[2 * k, 0, 0]) + Fraction(found[2 * k + 1, 0, 0]) for k in range(3))
    assert rows[0, 0] == np.isfinite(x).sum()
    assert abs(weight - total) <= 1e-30 * total
    assert (middle - mean) ** 2 <= Fraction(1e-24) ** 2 * squares / total + (Fraction(1e-31) * mean) ** 2
    assert abs(deviations - squares) <= 1e-25 * squares


def test_classes_and_columns_do_not_mix() -> None:
    rng = np.random.default_rng(3)
    labels = rng.choice([-1, 0, 1, 2, 3], 4000, p=[0.1, 0.6, 0.2, 0.0999, 0.0001])
    x = rng.standard_normal((4000, 7)) + 10 * labels[:, None]
    for holes in (0.0, 0.2):
        x = np.where(rng.random(x.shape) < holes, np.nan, x)
        rows, found = summed(x, np.zeros(0), labels)
        for c in range(rows.shape[0]):
            own = x[labels == c]
            assert rows[c].tolist() == (~np.isnan(own)).sum(axis=0).tolist()
            for j in np.flatnonzero(rows[c]):
                there = own[~np.isnan(own[:, j]), j]
                assert found[2, c, j] == pytest.approx(there.mean(), rel=1e-13)
                assert found[4, c, j] == pytest.approx(there.var() * len(there), rel=1e-12, abs=1e-12)


def test_a_column_that_a_class_never_has() -> None:
    x = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 5.0]])
    rows, found = summed(x, np.zeros(0), np.array([0, 0, 1]))
    assert rows.tolist() == [[2, 0], [1, 1]]
    assert found[:, 0, 1].tolist() == [0.0] * 6
    assert found[[0, 2, 4], 0, 0].tolist() == [2.0, 1.5, 0.5]


@pytest.mark.parametrize("make", [lambda x: x, lambda x: np.where(x > 3.9, np.nan, x)], ids=["complete", "missing"])
def test_one_number_has_no_deviation(make: Callable[[Floats], Floats]) -> None:
    x = make(np.full((1000, 2), 0.1) * [1.0, 30.0])
    _, found = summed(x, np.zeros(0))
    assert found[4:].tolist() == [[[0.0, 0.0]], [[0.0, 0.0]]]
    assert found[2, 0, 0] == 0.1


@pytest.mark.parametrize("value", [0.0, 0.1, 3.0, -1e-3, 1e9 + 0.1])
@pytest.mark.parametrize("gone", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("weights", [np.zeros(0), RNG.uniform(0.1, 9.0, N)], ids=["no weights", "weights"])
def test_equal_numbers_that_are_left_are_equal(value: float, gone: float, weights: Floats) -> None:
    """Were anything left of the others, a column that is constant now would have a deviation of its own."""
    others = 1000
    x = np.r_[gone * RNG.standard_normal(others), np.full(N - others, value)][:, None]
    rows, whole = summed(x, weights)
    _, part = summed(x[:others], weights[:others])
    out = np.zeros_like(whole)
    kernel.take_out(whole, part, rows - others, out)
    assert (out[2, 0, 0], out[3, 0, 0]) == (value, 0.0)
    assert (out[4, 0, 0], out[5, 0, 0]) == (0.0, 0.0)


@pytest.mark.parametrize("far", [1e3, 1e9, -1e12])
def test_an_outlier_that_is_taken_out_leaves_the_others_their_deviation(far: float) -> None:
    x = NUMBERS["normal"].copy()
    x[700] = far
    rows, whole = summed(x[:, None], np.zeros(0))
    _, part = summed(x[700:701, None], np.zeros(0))
    out = np.zeros_like(whole)
    kernel.take_out(whole, part, rows - 1, out)
    _, mean, squares = exact(np.delete(x, 700), np.zeros(0))
    assert out[2, 0, 0] == pytest.approx(float(mean), rel=1e-12)
    assert out[4, 0, 0] == pytest.approx(float(squares), rel=1e-6 if far == -1e12 else 1e-12)
