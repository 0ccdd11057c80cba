from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.kernels.histogram import add_log_histogram


@given(st.lists(st.integers(0, 120), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_values_find_their_place_among_the_edges(sizes, seed):
    rng = np.random.default_rng(seed)
    edges = [np.unique(rng.integers(-50, 50, size)).astype(float) for size in sizes]
    start = np.concatenate(([0], np.cumsum([len(e) for e in edges])))
    tables = [rng.normal(size=(len(e) + 1, 3)) for e in edges]
    x = rng.integers(-60, 60, (20, len(sizes))).astype(float)
    x[rng.random(x.shape) < 0.2] = math.nan
    out = np.zeros((20, len(sizes), 3))
    finite = add_log_histogram(x, start, np.concatenate(edges), np.concatenate(tables), out, 1)
    assert finite
    for j, (e, table) in enumerate(zip(edges, tables, strict=True)):
        expected = table[np.searchsorted(e, x[:, j], side="right")]
        np.testing.assert_array_equal(out[:, j], np.where(np.isnan(x[:, [j]]), 0.0, expected))


def test_infinite_values_are_told():
    start, edges, table = np.array([0, 1]), np.array([0.0]), np.zeros((2, 1))
    for value, finite in ((1.0, True), (math.nan, True), (math.inf, False), (-math.inf, False)):
        assert add_log_histogram(np.array([[value]]), start, edges, table, np.zeros((1, 1, 1)), 0) is finite
