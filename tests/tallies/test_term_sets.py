"""Sets of counted terms: counts that four bytes do not hold, and large arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tallybayes.kernels.merge_terms import Counted
from tallybayes.tallies import pages
from tallybayes.tallies.term_sets import added, narrow, no_terms, without

HERE = np.array([0, 1])


def two_terms(rows: list[int]) -> Counted:
    """A term of two classes, and one of the second."""
    text = np.frombuffer(b"abc", np.uint8).copy()
    start, classes = np.array([0, 2, 3]), np.array([0, 1, 1], np.int32)
    keys = np.array([5, 9], np.uint64)
    return Counted(keys, np.array([0, 1, 3]), text, start, classes, narrow(np.array(rows)), np.array(rows) * 1.5)


def test_more_rows_than_four_bytes_hold() -> None:
    many, few = two_terms([2**31 - 1, 7, 2**31 - 2]), two_terms([3, 1, 1])
    assert many.rows.dtype == few.rows.dtype == np.int32
    whole = added(many, HERE, few, HERE, 2**32)
    assert whole.rows.dtype == np.int64
    assert whole.rows.tolist() == [2**31 + 2, 8, 2**31 - 1]
    assert whole.sums.tolist() == [1.5 * rows for rows in whole.rows.tolist()]
    more = added(whole, HERE, whole, HERE, 2**33)
    assert more.rows.tolist() == [2**32 + 4, 16, 2**32 - 2]
    left, missing = without(more, whole, HERE, 2)
    assert missing < 0
    for ours, theirs in zip(left, whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    left, missing = without(whole, few, HERE, 2)
    assert left.rows.tolist() == many.rows.tolist()


def test_other_classes_and_nothing_at_all() -> None:
    some = two_terms([1, 2, 3])
    moved = added(no_terms(), HERE[:0], some, np.array([1, 4]), 3)
    assert moved.classes.tolist() == [1, 4, 4]
    both = added(some, np.array([0, 2]), some, np.array([1, 2]), 6)
    assert both.classes.tolist() == [0, 1, 2, 2]
    assert both.rows.tolist() == [1, 1, 4, 6]
    assert bytes(both.text) == b"abc"
    assert without(some, two_terms([1, 2, 4]), HERE, 2)[1] == 1  # the second term is in fewer rows
    assert without(two_terms([1, 2, 3]), some, HERE, 2)[0].keys.tolist() == []


@pytest.mark.parametrize("least", [1, 1 << 40])
def test_pages_of_their_own_hold_the_same(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_LEAST", least)
    some = two_terms([1, 2, 3])
    both = added(some, HERE, some, HERE, 6)
    assert both.rows.tolist() == [2, 4, 6]
    assert both.keys.tolist() == [5, 9]
    assert both.text_at.tolist() == [0, 1, 3]
    both.rows[0] = 9  # they can be written to
    assert pages.room_for(0, np.int64).shape == (0,)
