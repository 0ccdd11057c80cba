"""Strengths against the rows left out one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallybayes.models.strengths import HIGHEST, LOWEST, Level, chosen_strengths

GRID = [2.0 ** (power / 2) for power in range(LOWEST, HIGHEST + 1)]


def levels_of(rows, sizes, classes):
    """Return the levels of rows (class, value, parents ..), counted one by one."""
    found = []
    for d in range(len(sizes)):
        table = np.zeros((*sizes[1 : d + 1], sizes[0], classes))
        for c, value, *above in rows:
            table[(*above[:d], value, c)] += 1
        shape = (math.prod(sizes[1 : d + 1]), sizes[0], classes)
        found.append(Level(table.reshape(shape).astype(np.int64), table.reshape(shape)))
    return found


def log_chance(rows, values, strengths):
    """Return the sum of the logarithms of the chance of each row by all others, from definitions."""
    total = 0.0
    for i, (c, value, *above) in enumerate(rows):
        rest = rows[:i] + rows[i + 1 :]
        share = 1.0 / values
        for d, s in enumerate(strengths):
            alike = [row[1] for row in rest if row[0] == c and tuple(row[2 : 2 + d]) == tuple(above[:d])]
            share = (alike.count(value) + s * share) / (len(alike) + s)
        total += math.log(share)
    return total


@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1)), min_size=2, max_size=14),
)
def test_no_other_strength_of_a_level_makes_the_rows_more_probable(rows):
    found = chosen_strengths(levels_of(rows, (3, 2), 2)).tolist()
    assert all(s in GRID for s in found)
    best = log_chance(rows, 3, found)
    for d in range(2):
        for s in GRID[::2]:
            other = [*found]
            other[d] = s
            assert log_chance(rows, 3, other) <= best + 1e-8 * abs(best) + 1e-12


def test_two_parents(rng):
    rows = [(int(c), int(a + b + (u < 0.2)) % 3, int(a), int(b)) for c, a, b, u in zip(
        rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.random(60), strict=True
    )]  # fmt: skip
    found = chosen_strengths(levels_of(rows, (3, 2, 2), 2)).tolist()
    best = log_chance(rows, 3, found)
    for d in range(3):
        for s in GRID[::4]:
            assert log_chance(rows, 3, [s if e == d else t for e, t in enumerate(found)]) <= best + 1e-9 * abs(best)
    assert found[2] < 10  # the second parent says much


def test_where_a_parent_says_nothing_the_table_leans_on_that_without_it(rng):
    rows = [(int(c), int(v), int(a)) for c, v, a in zip(
        rng.integers(0, 2, 4000), rng.choice(3, 4000, p=[0.7, 0.2, 0.1]), rng.integers(0, 8, 4000), strict=True
    )]  # fmt: skip
    found = chosen_strengths(levels_of(rows, (3, 8), 2))
    assert found[0] < 100 < found[1]


@pytest.mark.parametrize("rows", [[], [(0, 1, 1)]])
def test_few_rows(rows):
    assert chosen_strengths(levels_of(rows, (3, 2), 2)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("weight", [1.0, 2.0, 3.0])
def test_a_weight_is_so_many_rows(weight, rng):
    rows = [(int(c), int(v), int(a)) for c, v, a in rng.integers(0, 2, (30, 3))]
    once = levels_of(rows, (2, 2), 2)
    weighted = [Level(level.rows, level.sums * weight) for level in once]
    assert chosen_strengths(weighted).tolist() == chosen_strengths(levels_of(rows * int(weight), (2, 2), 2)).tolist()
