"""The kernel density of one column in one class, as a table where that pays and as atoms everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import fft

from tallybayes._types import Floats
from tallybayes.kernels.density import NODES, atoms, deposit, fill
from tallybayes.tallies.sketch import Bins

_FEW: Final = 16  # atoms that are as quickly summed as looked up
_WIDEST: Final = 512  # bandwidths at most that a convolution covers
_EDGE: Final = 8  # bandwidths beyond which a Gaussian is nothing beside its peak
_TAIL: Final = 64  # bandwidths at most that a table goes on beyond what a convolution covers
_RELIABLE: Final = 1e-10  # of the peak; a convolution is exact to about 1e-15 of it
_SMOOTH: Final = 2e-4  # what interpolation may be off
_GREATEST: Final = np.finfo(np.float64).max


@dataclass(frozen=True, eq=False)
class KernelTable:
    """sum_a m_a N(x; origin + place_a, bandwidth**2), and a table of its logarithm.

    Node i of the table stands at origin + low + i * bandwidth / NODES. It has NaN where a cubic through the nodes
    around x would not do; there, and beyond the table, the atoms are summed. The logarithm of
    1 / (bandwidth sqrt(2 pi)) is left out of the table.
    """

    origin: float
    place: Floats
    mass: Floats
    bandwidth: float
    low: float
    table: Floats

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw numbers: an atom by its mass, and a Gaussian around it."""
        drawn: Floats = rng.choice(self.place, n, p=self.mass / self.mass.sum()) + self.origin
        return drawn + self.bandwidth * rng.standard_normal(n)


def kernel_table(bins: Bins, bandwidth: float, low: float, high: float) -> KernelTable:
    """Build the density of what was binned.

    Parameters
    ----------
    bins
        The bins of a class and column.
    bandwidth
        The deviation of the kernel.
    low, high
        The range of the column over all classes: where a question is likely to fall.
    """
    size = len(bins.index)
    middle = int(bins.index[size // 2])
    place, mass = np.empty(2 * size), np.empty(2 * size)
    count = atoms(bins.index, bins.sums, middle, place, mass)
    place, mass = in_units(place[:count], bins.exponent), mass[:count] / mass[:count].sum()
    origin = float(in_units(middle, bins.exponent))
    table, first = np.empty(0), 0.0
    if count > _FEW:
        table, first = _table(place, mass, bandwidth, low - origin, high - origin)
    return KernelTable(origin, place, mass, bandwidth, first, table)


def in_units(position: float | Floats, exponent: int) -> Floats:
    """Return a position in bins of the width 2**exponent as a number; what no float reaches is the greatest float."""
    with np.errstate(over="ignore"):
        number: Floats = np.clip(np.ldexp(position, exponent), -_GREATEST, _GREATEST)
    return number


def _table(place: Floats, mass: Floats, bandwidth: float, low: float, high: float) -> tuple[Floats, float]:
    """Return the table and the position of its first node."""
    first, last = _heaviest(place, mass, (_WIDEST - 2 * _EDGE) * bandwidth)
    core = _convolved(place[first : last + 1], mass[first : last + 1], bandwidth)
    reliable = core > _RELIABLE * core.max()
    # Atoms beyond the window would count near its end.
    reliable[: 2 * _EDGE * NODES * (first > 0)] = False
    reliable[len(core) - 2 * _EDGE * NODES * (last < len(place) - 1) :] = False
    step = bandwidth / NODES
    start = place[first] - _EDGE * bandwidth
    before = _nodes(start - low, step) if first == 0 else 0
    after = _nodes(high - start - len(core) * step, step) if last == len(place) - 1 else 0
    start -= before * step
    table = np.full(before + len(core) + after, np.nan)
    np.log(core, out=table[before : before + len(core)], where=reliable)
    fill(table, start, step, place, mass, bandwidth)
    # A cubic is off by 3/128 of the fourth difference, which is large where one mode takes over from another.
    table[2:-2][np.abs(np.diff(table, 4)) * (3.0 / 128.0) > _SMOOTH] = np.nan
    return table, start


def _convolved(place: Floats, mass: Floats, bandwidth: float) -> Floats:
    """Return sum_a m_a exp(-z_a**2 / 2) at the nodes from the first atom to the last and `_EDGE` beyond."""
    step = bandwidth / NODES
    start = place[0] - _EDGE * bandwidth
    size = math.ceil((place[-1] - place[0]) / step) + 2 * _EDGE * NODES
    padded = fft.next_fast_len(size + _EDGE * NODES, real=True)
    grid = np.zeros(padded)
    deposit(place, mass, start, step, grid)
    spectrum = fft.rfft(grid)
    # The transform of exp(-z**2 / 2).
    frequency = np.arange(len(spectrum)) * (2.0 * math.pi * NODES / padded)
    spectrum *= NODES * math.sqrt(2.0 * math.pi) * np.exp(-0.5 * frequency**2)
    density: Floats = fft.irfft(spectrum, padded)[:size]
    return density


def _heaviest(place: Floats, mass: Floats, room: float) -> tuple[int, int]:
    """Return the first and the last atom of the window no wider than `room` that holds most mass."""
    if place[-1] - place[0] <= room:
        return 0, len(place) - 1
    upto = np.concatenate(([0.0], np.cumsum(mass)))
    last = np.searchsorted(place, place + room, side="right")
    first = int(np.argmax(upto[last] - upto[:-1]))
    return first, int(last[first]) - 1


def _nodes(length: float, step: float) -> int:
    """Return how many nodes a table goes on for a length."""
    return math.ceil(min(max(length / step, 0.0), _TAIL * NODES))
