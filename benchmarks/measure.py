"""Timing two things side by side, and the machine's own limits."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Result:
    """One line of the report.

    Attributes
    ----------
    task, rival
        What was done, and who did it beside us.
    ours, theirs
        The best of several times, in seconds.
    goal
        The ratio that is promised, if one is.
    note
        What bounds ours.
    """

    task: str
    rival: str
    ours: float
    theirs: float
    goal: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times as fast we are."""
        return self.theirs / self.ours


@dataclass(frozen=True)
class Rate:
    """One line of the report on rates.

    Attributes
    ----------
    task
        What was done.
    megabytes
        Of how many millions of bytes in a second.
    goal
        The rate that is promised, if one is.
    """

    task: str
    megabytes: float
    goal: float | None = None


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes, without a collection of garbage in it."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start
    finally:
        gc.enable()


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], *, times: int = 5, their_times: int | None = None
) -> tuple[float, float]:
    """Return the best time of each; they take turns, so that both meet the same machine. Kernels are warm."""
    ours()
    best_ours = best_theirs = float("inf")
    for turn in range(times):
        best_ours = min(best_ours, seconds(ours))
        if turn < (their_times or times):
            best_theirs = min(best_theirs, seconds(theirs))
    return best_ours, best_theirs


def cells_per_second(cells: int, duration: float) -> str:
    """Return how many cells go by in a second, in words."""
    return f"{cells / duration / 1e6:.0f} million cells/s"


def bytes_per_second() -> float:
    """Return how fast the machine's cores together read memory: sums over an array that no cache holds."""
    block = np.ones(1 << 24)
    cores = os.cpu_count() or 1
    parts = np.array_split(block, cores)
    with ThreadPoolExecutor(cores) as pool:
        best = min(seconds(lambda: list(pool.map(np.sum, parts))) for _ in range(7))
    return block.nbytes / best
