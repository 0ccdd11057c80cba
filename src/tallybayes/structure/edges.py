"""Edges of a column, chosen from its numbers."""

from __future__ import annotations

import numpy as np

from tallybayes.schema.bins import Edges
from tallybayes.structure.cuts import Method
from tallybayes.structure.mdlp import mdlp
from tallybayes.structure.points import Points


def chosen_edges(points: Points, method: Method, *, bins: int = 10, most: int | None = None) -> Edges:
    """Return the edges of a column by "mdlp" or by "quantile"; for those of "width", see `equal_widths`.

    Parameters
    ----------
    points
        The numbers of the column.
    method
        How.
    bins
        The number of bins of equal weight; there are fewer where single numbers weigh more than a bin.
    most
        The most bins that "mdlp" makes.
    """
    if method == "mdlp":
        return points.edges(mdlp(points.rows, points.weights, most=most))
    before = np.cumsum(points.weights.sum(axis=1))[:-1]
    if not len(before):
        return ()
    total = float(points.weights.sum())
    # Cut at the place nearest to each quantile, so that no bin is empty.
    wanted = total * np.arange(1, bins) / bins
    after = np.clip(np.searchsorted(before, wanted), 1, max(len(before) - 1, 1))
    nearer = np.abs(before[after - 1] - wanted) <= np.abs(before[np.minimum(after, len(before) - 1)] - wanted)
    places = np.where(nearer, after - 1, np.minimum(after, len(before) - 1))
    return points.edges(np.unique(places) + 1)


def equal_widths(low: float, high: float, bins: int) -> Edges:
    """Return the edges between equally wide bins from the least number of a column to the greatest.

    Examples
    --------
    >>> equal_widths(0.0, 8.0, 4), equal_widths(3.0, 3.0, 4)
    ((2.0, 4.0, 6.0), ())
    """
    if not low < high:
        return ()
    shares = np.arange(1, bins) / bins
    edges = np.unique(low * (1.0 - shares) + high * shares + 0.0)
    return tuple(edges[(edges > low) & (edges <= high)].tolist())
