"""Histograms and kernel densities without one row, against sums over the other rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tallybayes as tb

pytestmark = pytest.mark.filterwarnings("ignore::tallybayes.errors.TallyBayesWarning")

COLUMNS = {0: "numeric", 1: "numeric"}


def rows_of(seed: int, n: int, digits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers with holes, labels of which one may be alone, and weights."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), digits) * [1.0, 1e3] + [0.0, 5e3]
    X[rng.random(X.shape) < 0.15] = np.nan
    y = rng.choice(["p", "q", "r"], n, p=[0.6, 0.35, 0.05])
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], n) if seed % 2 else np.ones(n)
    weights[:2] = 1.0
    return X, y, weights


def left_out(model: Any, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return the one factor of a model, and what it says of each row without that row."""
    model.fit(X, y, weights)
    joint, rows, encode = model._asked(X, y, weights)
    (batch,) = [encode(block) for block in rows]
    (conditional,) = joint.conditionals.values()
    out = np.zeros((len(X), len(joint.classes)))
    conditional.add_left_out(batch, out)
    np.testing.assert_allclose(joint.left_out_contributions(batch).sum(axis=1), out, atol=1e-12)
    return joint, out


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(12))
def test_a_histogram_counts_the_other_rows_between_the_same_edges(seed: int, smoothing: float) -> None:
    X, y, weights = rows_of(seed, 8 + 3 * seed, seed % 3)
    joint, out = left_out(tb.NaiveBayes(numeric="histogram", smoothing=smoothing, columns=COLUMNS), X, y, weights)
    (conditional,) = joint.conditionals.values()
    expected = np.zeros(out.shape)
    for i, label_place in np.ndindex(out.shape):
        others = weights.copy()
        others[i] = 0.0
        for j, edges in enumerate(conditional.edges):
            if np.isnan(X[i, j]) or not others[~np.isnan(X[:, j])].any():
                continue
            at, bins = (np.searchsorted(edges, x, side="right") - 1 for x in (X[i, j], X[:, j]))
            there = ~np.isnan(X[:, j])
            own = there & (y == joint.classes[label_place])
            if others[own].sum() + smoothing == 0.0:
                own = there
            inside = 0 <= at < len(edges) - 1
            count = math.fsum(others[own & (bins == at)]) + smoothing if inside else smoothing
            total = math.fsum(others[own]) + smoothing * (len(edges) - 1)
            near = min(max(at, 0), len(edges) - 2)
            log_width = math.log(edges[near + 1] - edges[near])
            expected[i, label_place] += (math.log(count / total) if count else -math.inf) - log_width
    np.testing.assert_allclose(out, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("bandwidth", ["silverman", 0.1])
@pytest.mark.parametrize("seed", range(12))
def test_a_kernel_density_sums_the_other_rows_with_the_same_bandwidth(seed: int, bandwidth: Any) -> None:
    X, y, weights = rows_of(seed, 8 + 10 * seed, 2)
    X = X / [1.0, 1e3]
    joint, out = left_out(tb.KernelNB(bandwidth=bandwidth), X, y, weights)
    (conditional,) = joint.conditionals.values()
    pooled, places = conditional.tally.pooled(), joint.classes.places_in(conditional.tally.classes)
    expected = np.zeros(out.shape)
    for i, c in np.ndindex(out.shape):
        others = weights.copy()
        others[i] = 0.0
        for j in range(2):
            there = ~np.isnan(X[:, j]) & (others > 0)
            if np.isnan(X[i, j]) or not there.any():
                continue
            every = pooled.bins(0, j)
            own = there & (y == joint.classes[c])
            bins = conditional.tally.bins(int(places[c]), j) if own.any() else every
            own = own if own.any() else there
            h = conditional.factor.bandwidth_of(bins, every)
            exponents = np.log(others[own]) - 0.5 * ((X[i, j] - X[own, j]) / h) ** 2
            top = exponents.max()
            total = top + math.log(np.exp(exponents - top).sum()) - math.log(others[own].sum())
            expected[i, c] += total - math.log(h) - 0.5 * math.log(2 * math.pi)
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-3)


def test_what_an_outlier_leaves_is_not_the_rounding_of_its_own_peak() -> None:
    X = np.array([[0.0], [0.1], [0.2], [0.3], [50.0], [1.0], [1.1], [1.2]])
    y = np.array(["p"] * 5 + ["q"] * 3)
    joint, out = left_out(tb.KernelNB(bandwidth=0.5), X, y, np.ones(8))
    expected = math.log(np.exp(-0.5 * ((50.0 - X[:4, 0]) / 0.5) ** 2 + 4600).sum() / 4) - 4600
    assert joint.classes[0] == "p"
    assert out[4, 0] == pytest.approx(expected - math.log(0.5) - 0.5 * math.log(2 * math.pi), abs=1e-6)
