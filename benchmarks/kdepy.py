"""Beside KDEpy's FFTKDE, the fastest one-dimensional kernel density in Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tallybayes
from benchmarks.measure import Result, cells_per_second, side_by_side


def run(scale: float = 1.0) -> Iterator[Result]:
    """Yield the result; KDEpy fits a grid per class and column, and looks the rows up in it."""
    from KDEpy import FFTKDE

    rows = int(100_000 * scale)
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, rows)
    X = rng.standard_normal((rows, 10)) + y[:, None]

    def theirs() -> None:
        total = np.zeros((rows, 2))
        for c in (0, 1):
            own = X[y == c]
            for j in range(X.shape[1]):
                width = own[:, j].std(ddof=1) * (0.75 * len(own)) ** -0.2
                grid, density = FFTKDE(kernel="gaussian", bw=width).fit(own[:, j]).evaluate(2**12)
                with np.errstate(divide="ignore"):
                    total[:, c] += np.log(np.interp(X[:, j], grid, density))
        total -= total.max(axis=1, keepdims=True)
        np.exp(total, out=total)
        total /= total.sum(axis=1, keepdims=True)

    model = tallybayes.KernelNB()
    a, b = side_by_side(lambda: model.fit(X, y).predict_proba(X), theirs, times=5)
    note = cells_per_second(X.size, a)
    yield Result(f"KernelNB fit and predict, {rows:,} x 10", "KDEpy FFTKDE", a, b, 1, note)
