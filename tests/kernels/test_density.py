from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from tallybayes.kernels.density import NODES, add_log_density, atoms, deposit, fill, log_sum

OFFSETS = st.lists(
    st.tuples(st.floats(-0.5, 0.5), st.floats(1e-3, 1e3)), min_size=1, max_size=12, unique_by=lambda pair: pair[0]
)


def bin_sums(pairs):
    t, w = np.array(pairs).T
    return np.array([[math.fsum(w * t**m) for m in range(4)]])


def stand(index, sums, origin=0):
    place, mass = np.empty(2 * len(index)), np.empty(2 * len(index))
    count = atoms(np.array(index), sums, origin, place, mass)
    return place[:count], mass[:count]


@given(OFFSETS)
def test_atoms_have_the_moments_of_their_bin(pairs):
    sums = bin_sums(pairs)
    place, mass = stand([3], sums)
    assert ((place >= 3.0) & (place <= 4.0)).all()
    assert (mass > 0.0).all()
    for m in range(4):
        moment = (mass * (place - 3.5) ** m).sum()
        assert moment == pytest.approx(sums[0, m], rel=1e-9, abs=1e-9 * sums[0, 0])


@pytest.mark.parametrize("values", [[(0.25, 3.0)], [(-0.5, 1.0), (0.25, 7.0)], [(0.1, 1e-3), (0.4, 1e3)]])
def test_atoms_of_one_or_two_numbers_are_these(values):
    place, mass = stand([7], bin_sums(values), origin=7)
    np.testing.assert_allclose(np.stack((place - 0.5, mass), axis=1), values, rtol=1e-6)


def test_a_bin_whose_weight_was_taken_out_has_no_atom():
    sums = np.array([[0.0, 0.0, 0.0, 0.0], [2.0, 0.5, 0.125, 0.03125]])
    place, mass = stand([0, 1], sums)
    assert (place.tolist(), mass.tolist()) == ([1.75], [2.0])


@given(st.lists(st.tuples(st.floats(1.0, 12.0), st.floats(0.1, 10.0)), min_size=1, max_size=10))
def test_deposit_keeps_the_moments(pairs):
    place, mass = np.array(pairs).T
    grid, step, low = np.zeros(40), 0.5, -2.0
    deposit(place, mass, low, step, grid)
    nodes = low + step * np.arange(40)
    for m in range(4):
        np.testing.assert_allclose((grid * nodes**m).sum(), (mass * place**m).sum(), rtol=1e-9)


def direct(t, place, mass, bandwidth):
    return logsumexp(np.log(mass) - 0.5 * ((t - place) / bandwidth) ** 2)


@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.floats(-80.0, 80.0), st.floats(0.01, 10.0))
def test_log_sum_is_the_direct_sum(count, seed, t, bandwidth):
    rng = np.random.default_rng(seed)
    place = np.sort(rng.normal(0.0, 20.0, count))
    mass = rng.exponential(size=count) ** 3
    mass /= mass.sum()
    expected = direct(t, place, mass, bandwidth)
    assert log_sum(t, place, mass, bandwidth) == pytest.approx(expected, abs=3e-5, rel=1e-13)


def test_log_sum_beyond_the_range_of_floats_is_minus_infinity():
    assert log_sum(1e300, np.array([0.0, 1.0]), np.array([0.5, 0.5]), 1e-10) == -math.inf


def density(place, mass, bandwidth, *, gap=None):
    """Arguments of `add_log_density` for one density with a table over its atoms, NaN from `gap` on."""
    low, step = float(place[0]), bandwidth / NODES
    table = np.full(int((place[-1] - low) / step), np.nan)
    fill(table, low, step, place, mass, bandwidth)
    if gap is not None:
        table[gap:] = np.nan
    bounds = np.array([[0, len(place), 0, len(table)]])
    return bounds, np.array([[5.0, bandwidth, low, 0.25]]), place, mass, table


@pytest.mark.parametrize("gap", [None, 40, 0])
def test_looking_up_and_summing_agree(rng, gap):
    """Inside of the table, beyond it, and where it has NaN."""
    place = np.sort(rng.normal(size=50))
    mass = np.full(50, 0.02)
    x = 5.0 + np.linspace(-6.0, 6.0, 3000)
    out = np.ones((3000, 1, 1))
    add_log_density(x[:, None], np.zeros((1, 1), np.int64), *density(place, mass, 0.3, gap=gap), out, 0)
    expected = [1.25 + direct(t - 5.0, place, mass, 0.3) for t in x]
    np.testing.assert_allclose(out[:, 0, 0], expected, atol=3e-5)


def test_nan_and_no_density_add_nothing(rng):
    place, mass = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    x = np.array([[5.0, 5.0], [math.nan, 5.0]])
    which = np.array([[0, -1], [-1, 0]])
    out = np.zeros((2, 2, 2))
    add_log_density(x, which, *density(place, mass, 0.5), out, 1)
    there = out[0, 0, 0]
    assert there != 0.0
    assert out.tolist() == [[[there, 0.0], [0.0, there]], [[0.0, 0.0], [0.0, there]]]
    total = np.zeros((2, 1, 2))
    add_log_density(x, which, *density(place, mass, 0.5), total, 0)
    np.testing.assert_array_equal(total[:, 0], out.sum(axis=1))
