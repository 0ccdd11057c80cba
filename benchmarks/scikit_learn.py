"""Beside scikit-learn's naive Bayes classifiers and its KernelDensity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sklearn.naive_bayes
from sklearn.neighbors import KernelDensity

import tallybayes
from benchmarks.measure import Result, bytes_per_second, seconds, side_by_side


def run(scale: float = 1.0) -> Iterator[Result]:
    """Yield the results; `scale` makes the tables smaller."""
    yield from categorical(int(1_000_000 * scale), int(200_000 * scale))
    yield from gaussian(int(1_000_000 * scale), int(200_000 * scale))
    yield from kernel(int(100_000 * scale))


def categorical(rows: int, asked: int) -> Iterator[Result]:
    """`CategoricalNB` on 30 columns of codes, 5 classes; int64, as NumPy and scikit-learn have them."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 5, rows)
    X = (rng.integers(0, 10, (rows, 30)) + y[:, None]) % 10
    ours, theirs = tallybayes.CategoricalNB(), sklearn.naive_bayes.CategoricalNB()
    for name, cells in (("int64", X), ("int8", X.astype(np.int8))):
        a, b = side_by_side(lambda cells=cells: ours.fit(cells, y), lambda cells=cells: theirs.fit(cells, y))
        note = f"{cells.size / a / 1e9:.2f} billion counts/s, {_reading(cells.nbytes, a)}"
        yield Result(f"CategoricalNB fit, {rows:,} x 30 {name}", "scikit-learn", a, b, 20, note)
        few = cells[:asked]
        a, b = side_by_side(lambda few=few: ours.predict_proba(few), lambda few=few: theirs.predict_proba(few), times=7)
        note = f"{few.size / a / 1e9:.2f} billion look-ups/s"
        yield Result(f"CategoricalNB predict_proba, {asked:,} {name}", "scikit-learn", a, b, 2.5, note)


def gaussian(rows: int, asked: int) -> Iterator[Result]:
    """`GaussianNB` on 50 columns of float64, 5 classes."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 5, rows)
    X = rng.standard_normal((rows, 50))
    X += y[:, None] * 0.1
    ours, theirs = tallybayes.GaussianNB(), sklearn.naive_bayes.GaussianNB()
    a, b = side_by_side(lambda: ours.fit(X, y), lambda: theirs.fit(X, y))
    yield Result(f"GaussianNB fit, {rows:,} x 50 float64", "scikit-learn", a, b, 15, _reading(X.nbytes, a))
    few = X[:asked]
    a, b = side_by_side(lambda: ours.predict_proba(few), lambda: theirs.predict_proba(few), times=7)
    note = f"{few.size * 5 / a / 1e9:.2f} billion densities/s, {_reading(few.nbytes, a)}"
    yield Result(f"GaussianNB predict_proba, {asked:,} x 50", "scikit-learn", a, b, 3, note)


def kernel(rows: int) -> Iterator[Result]:
    """`KernelNB` on 10 columns, 2 classes, against one KernelDensity for each class and column."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, rows)
    X = rng.standard_normal((rows, 10)) + y[:, None]
    asked = max(rows // 200, 1)  # KernelDensity would take minutes for all rows
    densities: list[tuple[int, KernelDensity]] = []

    def their_fit() -> None:
        for c in (0, 1):
            own = X[y == c]
            for j in range(X.shape[1]):
                column = own[:, [j]]
                width = column.std(ddof=1) * (0.75 * len(column)) ** -0.2
                densities.append((j, KernelDensity(bandwidth=width, rtol=1e-3).fit(column)))

    def their_answers() -> None:
        for j, density in densities:
            density.score_samples(X[:asked, [j]])

    model = tallybayes.KernelNB()
    a, fitting = side_by_side(lambda: model.fit(X, y).predict_proba(X), their_fit, times=5, their_times=1)
    b = fitting + seconds(their_answers) * (rows / asked)
    note = f"KernelDensity answers {asked:,} of the rows, which is scaled up by {rows // asked}"
    yield Result(f"KernelNB fit and predict, {rows:,} x 10", "KernelDensity", a, b, 100, note)


def _reading(size: int, duration: float) -> str:
    speed = size / duration
    limit = bytes_per_second()
    return f"reads {speed / 1e9:.1f} GB/s of the {limit / 1e9:.1f} GB/s that the machine can"
