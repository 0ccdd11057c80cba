"""Sums over tables are the tables of fewer columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tallybayes.tallies.groups import GroupTally
from tallybayes.tallies.reduced import reduced
from tests.laws.tables import tables

NAMES = ("tame", "eggs", "colour")


@given(tables())
def test_it_is_what_counting_fewer_columns_gives(table):
    whole = GroupTally.empty(NAMES, [(0, 1, 2), (1, 2)]).count(table.batch())
    for names, groups in (
        (NAMES, [(0, 1), (2,)]),
        (("colour", "tame"), [(0, 1)]),
        (("eggs",), [(0,)]),
        (("colour", "eggs", "tame"), [(0,), (0, 1), (0, 1, 2)]),
    ):
        fewer, counted = reduced(whole, names, groups), GroupTally.empty(names, groups).count(table.batch())
        assert (fewer.names, fewer.groups, fewer.values) == (counted.names, counted.groups, counted.values)
        assert fewer.classes == counted.classes
        np.testing.assert_array_equal(fewer.rows, counted.rows)
        np.testing.assert_allclose(fewer.weights, counted.weights, rtol=1e-12)
