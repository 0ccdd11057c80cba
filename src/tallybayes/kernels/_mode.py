"""Whether kernels are compiled, or run by Python as they are written.

To load the compiler and what it has compiled takes half a second and over 150 MB. Who reads a single message is done
sooner without: the source is the same, and so are the numbers, bit by bit.
"""

from __future__ import annotations

import sys

import numpy as np

_interpreted = False


def interpret() -> bool:
    """Have the kernels run by Python from now on, in the whole process; return whether they will be.

    That is for a process that ends soon: the kernels then take about a thousand times as long. Where they have been
    imported already, they are compiled and stay so.
    """
    global _interpreted  # noqa: PLW0603 - one compiler for the whole process is the point
    if "tallybayes.kernels._jit" not in sys.modules:
        _interpreted = True
        np.seterr(over="ignore")  # hashes are products whose high bits are dropped
    return _interpreted


def compiled() -> bool:
    """Return whether kernels are compiled."""
    return not _interpreted
