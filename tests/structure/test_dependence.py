"""Orders and parents against definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tallybayes.structure.dependence import by_information, k_dependence

INFORMATION = st.integers(1, 6).flatmap(
    lambda p: arrays(np.float64, (p, p), elements=st.sampled_from([0, 0.25, 0.5, 1]))
)


@given(INFORMATION)
def test_the_order_is_that_of_information_and_then_of_columns(table):
    worth = table[0]
    order = by_information(worth)
    assert sorted(order) == list(range(len(worth)))
    assert [(-worth[j], j) for j in order] == sorted((-worth[j], j) for j in range(len(worth)))


def test_rounding_decides_nothing():
    assert by_information([0.1 + 0.2, 0.3, 0.30000001]) == (2, 0, 1)
    weights = np.zeros((3, 3))
    weights[2, 0], weights[2, 1] = 0.3, 0.1 + 0.2
    assert k_dependence((0, 1, 2), weights, 1)[2] == (0,)


@given(INFORMATION, st.integers(0, 4), st.data())
def test_parents_are_the_strongest_of_those_before(table, k, data):
    table = (table + table.T) / 2
    order = data.draw(st.permutations(range(len(table))))
    parents = k_dependence(order, table, k)
    for place, j in enumerate(order):
        before = order[:place]
        assert len(parents[j]) == min(k, place)
        assert set(parents[j]) <= set(before)
        strength = [table[i, j] for i in parents[j]]
        assert strength == sorted(strength, reverse=True)
        for i in set(before) - set(parents[j]):
            assert all((table[i, j], -i) < (table[h, j], -h) for h in parents[j])
