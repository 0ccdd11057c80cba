"""Counts of groups of columns: brute force, layouts, limits of memory, and forged states."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import MergeError, ModelFileError, TooLargeError
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State
from tallybayes.tallies.group_plan import all_groups, bytes_for, canonical
from tallybayes.tallies.groups import GroupTally

NAMES = ("p", "q", "r", "s")
SCHEMA = Schema(tuple(Field(name, "categorical", "integer") for name in NAMES), named=True)


def batch(columns, labels, weights=None):
    cells = pa.RecordBatch.from_arrays([pa.array(c, pa.int64()) for c in columns], names=list(NAMES[: len(columns)]))
    schema = Schema(SCHEMA.fields[: len(columns)], named=True)
    weights = None if weights is None else np.array(weights, dtype=np.float64)
    return encode(Rows(cells, cells.schema.names, pa.array(labels, pa.string()), weights), schema, target_type="string")


@st.composite
def rows(draw):
    n = draw(st.integers(0, 12))
    column = st.lists(st.sampled_from([None, 0, 1, 2, 7]), min_size=n, max_size=n)
    columns = [draw(column) for _ in NAMES]
    labels = draw(st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=n, max_size=n))
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=n, max_size=n))
    return columns, labels, weights


GROUPS = st.lists(st.sets(st.integers(0, 3), min_size=1).map(sorted), min_size=1, max_size=6).map(
    lambda found: [*found, [0, 1, 2, 3][len(found) % 4 :] or [0], [0, 1, 2, 3]]
)


@given(rows(), GROUPS, st.randoms())
def test_every_cell_is_what_counting_by_hand_gives(data, groups, random):
    columns, labels, weights = data
    tally = GroupTally.empty(NAMES, groups).count(batch(columns, labels, weights))
    ones = [1.0] * len(labels) if weights is None else weights
    used = [i for i, (label, w) in enumerate(zip(labels, ones, strict=True)) if label is not None and w > 0]
    assert list(tally.classes) == sorted({labels[i] for i in used})
    assert [list(v) for v in tally.values] == [
        sorted({column[i] for i in used if column[i] is not None}) for column in columns
    ]
    for group in tally.groups:
        members = list(group)
        random.shuffle(members)
        axes = [[None, *tally.values[j]] for j in members]
        seen, mass = tally.row_table(members), tally.table(members)
        assert seen.shape == mass.shape == (*map(len, axes), len(tally.classes))
        for place in product(*(range(len(axis)) for axis in axes), range(len(tally.classes))):
            cells = [axis[k] for axis, k in zip(axes, place, strict=False)]
            own = [
                i
                for i in used
                if labels[i] == tally.classes[place[-1]]
                and all(columns[j][i] == cell for j, cell in zip(members, cells, strict=True))
            ]
            assert seen[place] == len(own)
            assert mass[place] == sum(ones[i] for i in own)


@given(rows(), rows())
def test_laid_out_by_other_values_each_count_goes_with_its_value(one, two):
    empty = GroupTally.empty(NAMES, all_groups(4, 3))
    a, b = empty.count(batch(*one)), empty.count(batch(*two))
    there = a.aligned(b.classes, b.values)
    for members in a.groups:
        for place in product(*(range(len(b.values[j]) + 1) for j in members), range(len(b.classes))):
            slots = []
            for j, slot in zip(members, place, strict=False):
                value = None if slot == 0 else b.values[j][slot - 1]
                slots.append(0 if slot == 0 else a.values[j].index.get(value, -2) + 1)
            c = a.classes.index.get(b.classes[place[-1]], -1)
            expected = 0 if c < 0 or min(slots) < 0 else a.row_table(members)[(*slots, c)]
            assert there.row_table(members)[place] == expected


def test_all_groups_and_their_one_order():
    assert all_groups(4, 2) == tuple(combinations(range(4), 2))
    assert all_groups(0, 2) == ()
    assert all_groups(2, 3) == ((0, 1),)
    assert canonical([(2, 0), (1,), (0, 2)], 3) == ((0, 2), (1,))
    for wrong in ([(0, 0), (1,)], [(0,)], [(0, 2)], [(0,), (1,), ()]):
        with pytest.raises(ValueError, match="no groups of 2 columns"):
            canonical(wrong, 2)


def test_many_values_and_many_classes_are_counted():
    """Codes beyond 255 and beyond 65,535, and 300 classes, take wider types."""
    n = 70_000
    first, second, labels = np.arange(n), np.arange(n) % 300, [f"c{i % 290}" for i in range(n)]
    tally = GroupTally.empty(NAMES[:2], [(0,), (1,)]).count(batch([first, second], labels))
    assert tally.row_table([0])[1:].sum(axis=1).tolist() == [1] * n
    assert tally.row_table([1]).sum(axis=1).tolist() == [0, *np.bincount(second).tolist()]
    assert [tally.classes[c] for c in tally.row_table([0])[1:6].argmax(axis=1)] == ["c0", "c1", "c2", "c3", "c4"]


def test_memory_is_refused_before_it_is_taken():
    n = 1000
    many = batch([np.arange(n), np.arange(n)], ["a", "b"] * (n // 2))
    need = bytes_for(((0, 1),), (Values(range(n)),) * 2, 2)
    assert need == 1001 * 1001 * 2 * 16
    assert GroupTally.empty(NAMES[:2], [(0, 1)], most=need).count(many).rows.nbytes * 2 == need
    with pytest.raises(TooLargeError, match=r"would take 30\.6 MiB, and may take 30\.6 MiB.* 'p' \(1,000 values\)"):
        GroupTally.empty(NAMES[:2], [(0, 1)], most=need - 1).count(many)
    wide = GroupTally.empty([f"x{j}" for j in range(40)], [range(40)])
    with pytest.raises(TooLargeError, match=r"anybody has.*max_values=.*columns=\{'x0': 'ignored'\}.*memory_limit="):
        # Beyond what numbers of 64 bits hold.
        wide.aligned(Values(["a"]), [Values(range(1000))] * 40)


def test_integers_that_lie_far_apart_take_no_room():
    rng = np.random.default_rng(5)
    n = 300
    columns = [rng.choice([None, 0, 4000], n).tolist(), rng.choice([7, 4090], n).tolist(), rng.integers(0, 4000, n)]
    labels = rng.choice([None, "a", "b"], n).tolist()
    X = np.array([[np.nan if cell is None else cell for cell in column] for column in columns], dtype=np.float64).T
    schema = Schema(tuple(Field(j, "categorical", "integer") for j in range(3)), named=False)
    matrix = encode(Rows(X, (0, 1, 2), pa.array(labels, pa.string()), None), schema, target_type="string")
    assert len(matrix.codes((0, 1, 2)).values[0]) == 4001
    ours = GroupTally.empty((0, 1, 2), all_groups(3, 2), most=1 << 24).count(matrix)
    theirs = GroupTally.empty(NAMES[:3], all_groups(3, 2)).count(batch(columns, labels))
    assert ours.values == theirs.values
    np.testing.assert_array_equal(ours.rows, theirs.rows)


def test_the_limit_of_a_tally_from_a_file_is_that_of_who_asks():
    tally = GroupTally.empty(NAMES[:2], [(0, 1)], most=10**9).count(batch([[1, 2], [3, 4]], ["u", "v"]))
    again = GroupTally.from_state(tally.state())
    assert again.most == 2 << 30
    tight = GroupTally.empty(NAMES[:2], [(0, 1)], most=64)
    assert tight.like(GroupTally.empty(NAMES[:2], [(0, 1)], most=640)).most == 640


def test_a_sum_may_take_what_the_larger_limit_allows():
    one = batch([np.arange(40), np.arange(40)], ["a"] * 40)
    two = batch([np.arange(40, 80), np.arange(40, 80)], ["a"] * 40)
    tight, wide = (GroupTally.empty(NAMES[:2], [(0, 1)], most=most) for most in (27_000, 10**9))
    assert (tight.count(one) + wide.count(two)).rows.sum() == 80
    with pytest.raises(TooLargeError):
        tight.count(one) + tight.count(two)


def test_other_groups_do_not_add():
    a, b = GroupTally.empty(["x", "y"], [(0, 1)]), GroupTally.empty(["x", "y"], [(0,), (1,)])
    with pytest.raises(MergeError, match="other groups"):
        a + b


def test_what_was_never_counted_names_class_and_columns():
    a = GroupTally.empty(NAMES[:2], [(0, 1)]).count(batch([[1, 2], [3, 3]], ["u", "v"]))
    b = GroupTally.empty(NAMES[:2], [(0, 1)]).count(batch([[2, 1], [3, 3]], ["u", "v"]))
    with pytest.raises(MergeError, match="class 'v', with some values of 'p' and 'q', has fewer rows"):
        a - b


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("groups", None),
        ("groups", [[0, 1], [0, 1]]),
        ("groups", [[1, 0]]),
        ("groups", [[0, 5]]),
        ("groups", [[0]]),
        ("groups", [[0, True]]),
        ("values", [[1, 2]]),
        ("values", [[2, 1], [3, 4]]),
        ("values", [[1, 2, 5], [3, 4]]),
        ("values", [list(range(10**5)), list(range(10**5))]),
        ("classes", ["u"]),
        ("names", ["p"]),
    ],
)
def test_forged_headers_are_refused(key, wrong):
    state = GroupTally.empty(NAMES[:2], [(0, 1)]).count(batch([[1, 2], [3, 4]], ["u", "v"])).state()
    with pytest.raises(ModelFileError):
        GroupTally.from_state(State({**state.header, key: wrong}, state.arrays))


def test_forged_counts_are_refused():
    tally = GroupTally.empty(NAMES[:3], all_groups(3, 2)).count(batch([[1, 2], [3, 4], [5, 5]], ["u", "v"]))
    state = tally.state()
    for change in (
        lambda rows, weights: rows.__setitem__((0, 0), -1),
        lambda rows, weights: rows.__setitem__((0, 0), 1),  # one table has a row more than the others
        lambda rows, weights: weights.__setitem__((0, 0), 1.0),
        lambda rows, weights: weights.__setitem__((0, 0), np.inf),
    ):
        rows, weights = tally.rows.copy(), tally.weights.copy()
        change(rows, weights)
        with pytest.raises(ModelFileError):
            GroupTally.from_state(State(state.header, {"rows": rows, "weights": weights}))
    assert tally.agrees(Values(["u", "v"]), np.array([1, 1]))
    assert not tally.agrees(Values(["u", "v"]), np.array([1, 2]))
    assert not tally.agrees(Values(["u", "w"]), np.array([1, 1]))
