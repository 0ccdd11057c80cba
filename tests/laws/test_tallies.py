from __future__ import annotations

import math
from dataclasses import fields
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import MergeError
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.counts import CountTally
from tallybayes.tallies.given import GivenTally
from tallybayes.tallies.groups import GroupTally
from tallybayes.tallies.moments import MomentTally
from tallybayes.tallies.sketch import SketchTally
from tallybayes.tallies.sums import SumTally
from tests.laws.tables import CUTS, Table, tables

EMPTY = {
    "classes": ClassTally.empty(),
    "counts": CountTally.empty(["colour", "tame"]),
    "pairs": GroupTally.empty(["colour", "tame", "eggs"], [(0, 1), (0, 2), (1, 2)]),
    "groups": GroupTally.empty(["tame", "eggs", "colour"], [(1,), (0, 1, 2), (2, 0)]),
    "moments": MomentTally.empty(["size", "far", "eggs"]),
    "moments given": GivenTally.empty(["far", "size"], "colour"),
    "moments given, missing cells too": GivenTally.empty(["size", "eggs"], "tame", missing_is_value=True),
    "sums": SumTally.empty(["eggs", "tame"]),
    "presences": SumTally.empty(["eggs", "tame"], threshold=1.0),
    "sketch": SketchTally.empty(["size", "far", "eggs"]),
    "coarse sketch": SketchTally.empty(["size", "far", "eggs"], limit=3),
}
every_tally = pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)


def count(empty, table: Table):
    return empty.count(table.batch())


def same(a, b, *, loose: bool = False, scale=None) -> None:
    """Two tallies are equal: integers and labels to the last bit, sums to 1e-12 of their scale."""
    assert type(a) is type(b)
    for field in fields(a):
        ours, theirs = getattr(a, field.name), getattr(b, field.name)
        if isinstance(ours, Tally):
            same(ours, theirs, loose=loose, scale=getattr(scale, field.name, None))
        elif not isinstance(ours, np.ndarray):
            assert ours == theirs, field.name
        elif ours.dtype.kind in "iu":
            np.testing.assert_array_equal(ours, theirs, err_msg=field.name)
        elif isinstance(a, MomentTally):
            same_moments(a, b, scale=scale)
        elif isinstance(a, SketchTally):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12, err_msg=field.name)
        elif loose:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * (1 + np.abs(ours).max(initial=0)))
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=field.name)


def same_moments(a: MomentTally, b: MomentTally, *, scale: MomentTally | None = None) -> None:
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12, atol=0)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-12, atol=1e-12)
    around = (scale or a).pooled()
    # The larger operand's scale: its spread, and the squares of how far the means of its classes are apart.
    atol = 1e-12 * around.deviations.max(initial=0.0) if scale is not None else 0.0
    floor = 1e-28 * (1 + np.abs(a.mean).max(initial=0)) ** 2 * (1 + a.weight.max(initial=0))
    np.testing.assert_allclose(a.deviations, b.deviations, rtol=1e-12, atol=atol + floor)
    assert (a.deviations >= 0).all()
    assert (b.deviations >= 0).all()


def identical(a, b) -> None:
    """Two tallies are equal to the last bit."""
    for field in fields(a):
        ours, theirs = getattr(a, field.name), getattr(b, field.name)
        if isinstance(ours, Tally):
            identical(ours, theirs)
        elif isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, theirs, err_msg=field.name)
        else:
            assert ours == theirs, field.name


@every_tally
@given(table=tables(), cuts=CUTS, data=st.data())
def test_any_chunks_in_any_order_give_the_same(empty, table, cuts, data):
    pieces = [count(empty, piece) for piece in table.pieces(cuts)]
    whole = count(empty, table)
    same(reduce(lambda a, b: a + b, pieces, empty), whole)
    shuffled = data.draw(st.permutations(pieces))
    same(reduce(lambda a, b: a + b, shuffled, empty), whole)
    same(reduce(lambda a, b: b + a, shuffled, empty), whole)


@every_tally
@given(table=tables(), cuts=CUTS)
def test_update_is_count_and_add(empty, table, cuts):
    total = empty
    for piece in table.pieces(cuts):
        total = total.update(piece.batch())
    same(total, count(empty, table))


@every_tally
@given(tables(), tables(), tables())
def test_monoid(empty, one, two, three):
    a, b, c = (count(empty, table) for table in (one, two, three))
    same((a + b) + c, a + (b + c))
    same(a + b, b + a)
    for sum_ in (a + empty, empty + a, a - empty):
        identical(sum_, a)


@every_tally
@given(tables(), tables())
def test_taking_out_what_was_added(empty, one, two):
    a, b = count(empty, one), count(empty, two)
    back = (a + b) - b
    if isinstance(back, SketchTally):
        a = coarsened(a, back)
    same(back, a, loose=True, scale=a + b)


def coarsened(fine: SketchTally, like: SketchTally) -> SketchTally:
    """Return a sketch on the grid of another one, which may be coarser: ``a - b`` keeps the grid of a."""
    assert fine.classes == like.classes
    shifts = like.exponents - fine.exponents
    assert (shifts >= 0).all()
    index, rows, sums, sizes = [], [], [], []
    for cell, shift in enumerate(shifts.ravel().tolist()):
        bins: dict[int, tuple[int, list[Fraction]]] = {}
        for at in range(int(fine.start[cell]), int(fine.start[cell + 1])):
            old = int(fine.index[at])
            new = old >> shift
            # w t**m about the new centre, from those about the old one, in exact arithmetic
            w = [Fraction(value) for value in fine.sums[at].tolist()]
            r = Fraction(1, 2**shift)
            g = (old + Fraction(1, 2)) * r - new - Fraction(1, 2)
            moved = [sum(math.comb(m, k) * r**k * g ** (m - k) * w[k] for k in range(m + 1)) for m in range(4)]
            count, total = bins.get(new, (0, [Fraction(0)] * 4))
            bins[new] = count + int(fine.rows[at]), [a + b for a, b in zip(total, moved, strict=True)]
        sizes.append(len(bins))
        index += sorted(bins)
        rows += [bins[i][0] for i in sorted(bins)]
        sums += [[float(s) for s in bins[i][1]] for i in sorted(bins)]
    return SketchTally(
        fine.names,
        fine.classes,
        fine.limit,
        like.exponents,
        np.array(sizes, np.int64).reshape(shifts.shape),
        np.array(index, np.int64),
        np.array(rows, np.int64),
        np.array(sums).reshape(-1, 4),
    )


@every_tally
@given(tables())
def test_taking_out_everything_leaves_the_empty_tally(empty, table):
    a = count(empty, table)
    same(a - a, empty)


@every_tally
@given(table=tables(weighted=False), rows=st.lists(st.integers(0, 30), max_size=30))
def test_a_weight_is_how_often_a_row_counts(empty, table, rows):
    times = np.bincount([r % max(len(table), 1) for r in rows], minlength=len(table)) if len(table) else []
    repeated = table.take([i for i, k in enumerate(times) for _ in range(k)])
    weighted = count(empty, Table(table.columns, table.labels, [float(k) for k in times]))
    plain = count(empty, repeated)
    assert weighted.classes == plain.classes
    if isinstance(weighted, GivenTally):
        same_moments(weighted.moments, plain.moments)
    elif isinstance(weighted, MomentTally):
        same_moments(weighted, plain)
    elif isinstance(weighted, SketchTally):
        np.testing.assert_array_equal(weighted.exponents, plain.exponents)
        np.testing.assert_array_equal(weighted.index, plain.index)
        np.testing.assert_allclose(weighted.sums, plain.sums, rtol=1e-12, atol=1e-12)
    else:
        for field in fields(weighted):
            ours, theirs = getattr(weighted, field.name), getattr(plain, field.name)
            if isinstance(ours, np.ndarray) and ours.dtype.kind == "f":
                np.testing.assert_array_equal(ours, theirs)
            elif isinstance(ours, tuple | Values):
                assert ours == theirs


@every_tally
@given(tables())
def test_state_comes_back(empty, table):
    a = count(empty, table)
    state = a.state()
    again = type(a).from_state(State(dict(state.header), dict(state.arrays)))
    identical(again, a)


@every_tally
@given(tables(least=1), tables(least=1))
def test_rows_that_were_never_counted_are_refused(empty, one, two):
    a, b = count(empty, one), count(empty, two)
    both = a + b
    if len(b.classes) == 0:
        return
    with pytest.raises(MergeError):
        b - both - both


@every_tally
@given(tables(), st.randoms())
def test_columns_in_another_order_add(empty, table, random):
    a = count(empty, table)
    if isinstance(a, ClassTally):
        return
    names = list(a.names)
    random.shuffle(names)
    other = count(type(a).empty(names, **_options(a, names)), table)
    same(a + other, a + a)
    same(other.arranged(a.names), a)


def _options(tally, names):
    if isinstance(tally, GivenTally):
        return {"given": tally.given, "missing_is_value": tally.missing_is_value}
    if isinstance(tally, GroupTally):
        return {"groups": [[names.index(tally.names[j]) for j in group] for group in tally.groups]}
    if isinstance(tally, SumTally):
        return {"threshold": tally.threshold}
    return {"limit": tally.limit} if isinstance(tally, SketchTally) else {}


def test_moments_far_from_zero_keep_their_digits(rng):
    numbers = 1e9 + rng.standard_normal(500)
    table = Table(
        {
            "colour": ["red"] * 500,
            "size": [0.0] * 500,
            "far": numbers.tolist(),
            "eggs": [1] * 500,
            "tame": [True] * 500,
        },
        ["a"] * 500,
        None,
    )
    empty = EMPTY["moments"]
    exact = [Fraction(x) for x in numbers.tolist()]
    mean = sum(exact) / 500
    deviations = sum((x - mean) ** 2 for x in exact)
    singly = reduce(lambda total, i: total + count(empty, table.take([i])), range(500), empty)
    for tally in (count(empty, table), singly):
        assert tally.mean[0, 1] == pytest.approx(float(mean), rel=1e-15)
        assert tally.deviations[0, 1] == pytest.approx(float(deviations), rel=1e-14)
