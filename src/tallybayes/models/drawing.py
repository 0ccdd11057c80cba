"""Values drawn from tables of shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallybayes._types import Counts
from tallybayes.models.family import Family


def draw_family(family: Family, given: Sequence[Counts], classes: Counts, rng: np.random.Generator) -> Counts:
    """Draw the place of a value for each row.

    Parameters
    ----------
    family
        P(x | p.., c).
    given
        The place of the value of each parent in each row.
    classes
        The class of each row.
    rng
        What draws.

    Returns
    -------
    array
        Places; -1, the last of any list, for a column that has no value.
    """
    if not family.shares.shape[-2]:
        return np.full(len(classes), -1)
    cumulated = np.moveaxis(family.shares.cumsum(axis=-2), -2, -1)[(*given, classes)]
    drawn: Counts = (cumulated <= (rng.random(len(classes)) * cumulated[:, -1])[:, None]).sum(axis=1)
    last: Counts = np.minimum(drawn, family.shares.shape[-2] - 1)  # sums are rounded
    return last
