"""Information from counts, and trees by weight."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from tallybayes.structure.information import conditional_information, mutual_information
from tallybayes.structure.tree import rooted, spanning_tree

TABLES = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)).flatmap(
    lambda shape: st.lists(st.integers(0, 5), min_size=math.prod(shape), max_size=math.prod(shape)).map(
        lambda cells: np.array(cells, dtype=np.float64).reshape(shape)
    )
)


@given(TABLES)
def test_information_is_that_of_the_definitions(table):
    flat = table.sum(axis=2)
    if flat.sum() == 0:
        assert conditional_information(table) == mutual_information(flat) == 0.0
        return
    assert mutual_information(flat) == pytest.approx(mutual_info_score(None, None, contingency=flat), abs=1e-12)
    shares = table.sum(axis=(0, 1)) / table.sum()
    parts = [
        share * mutual_info_score(None, None, contingency=table[:, :, c]) for c, share in enumerate(shares) if share > 0
    ]
    assert conditional_information(table) == pytest.approx(sum(parts), abs=1e-12)
    assert conditional_information(table) == pytest.approx(conditional_information(table.transpose(1, 0, 2)), abs=1e-12)


def test_what_is_independent_says_exactly_nothing():
    table = np.multiply.outer(np.multiply.outer([1.0, 3.0, 7.0], [2.0, 5.0]), [1.0, 11.0])
    assert conditional_information(table) == 0.0


@pytest.mark.parametrize("weight", [2.0**-1060, 2.0**-300, 2.0**300, 1e-320, 1e90])
def test_weights_of_any_size_weigh_alike(weight):
    table = np.array([[[3.0, 1.0], [0.0, 4.0]], [[1.0, 1.0], [5.0, 2.0]]])
    # Of the least weights there are, few digits are left.
    assert conditional_information(table * weight) == pytest.approx(conditional_information(table), rel=1e-3)
    assert mutual_information(table[0] * weight) == pytest.approx(mutual_information(table[0]), rel=1e-3)


@given(st.integers(1, 5), st.randoms(use_true_random=False))
def test_no_tree_is_heavier(n, random):
    weights = np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        weights[i, j] = weights[j, i] = random.choice([0.0, 0.25, 0.5, 1.0, random.random()])
    found = spanning_tree(weights)
    assert len(found) == n - 1

    def spans(edges):
        return sum(above is None for above in rooted(edges, n)) == 1

    assert spans(found)
    pairs = list(combinations(range(n), 2))
    heaviest = max(sum(weights[e] for e in edges) for edges in combinations(pairs, n - 1) if spans(edges))
    assert sum(weights[e] for e in found) == pytest.approx(heaviest, abs=1e-12)


def test_rounding_does_not_choose_among_equal_weights():
    weights = np.array([[0, 0.3, 0.1 + 0.2], [0.3, 0, 0.3], [0.1 + 0.2, 0.3, 0]])
    assert weights[0, 2] > weights[0, 1]  # in the last digit
    assert spanning_tree(weights) == ((0, 1), (0, 2))


def test_parents_lead_to_the_root():
    edges = ((0, 1), (1, 2), (1, 3))
    assert rooted(edges, 4) == (None, 0, 1, 1)
    assert rooted(edges, 4, root=3) == (1, 3, 1, None)
    assert rooted((), 1) == (None,)
