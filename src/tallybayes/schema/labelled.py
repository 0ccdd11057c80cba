"""The labels that an array of numbers may carry along its sides, as those of pandas do."""

from __future__ import annotations

from typing import Any, Literal


def labels_along(given: Any, side: Literal["index", "columns"]) -> list[Any] | None:
    """Return what the rows or the columns of a table are called, None where nobody has named them.

    What counts from 0 of its own accord is no name: the index that pandas gives where none was said, and the
    ``column_0``, ``column_1`` of Polars.

    Examples
    --------
    >>> import pandas as pd
    >>> labels_along(pd.Series({"q": 0.9, "p": 0.1}), "index"), labels_along(pd.Series([0.9, 0.1]), "index")
    (['q', 'p'], None)
    """
    labels = getattr(given, side, None)
    if side == "columns":
        labels = getattr(given, "column_names", labels)  # Arrow, whose columns are the cells themselves
    if labels is None or callable(labels):  # a list has a method of that name
        return None
    if type(labels).__name__ == "RangeIndex" and labels.start == 0 and labels.step == 1:
        return None
    names = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    return None if names == [f"column_{j}" for j in range(len(names))] else names
