"""pandas frames, which are not imported here: whoever has one has imported pandas."""

from __future__ import annotations

import sys
from typing import Any, final

import numpy as np
import pyarrow as pa

from tallybayes.errors import UnsupportedDataError
from tallybayes.sources.columns import ColumnTable, column_of, complex_error
from tallybayes.sources.plain import one_array


def is_pandas(X: Any, *names: str) -> bool:
    """Whether `X` is an instance of one of the classes that pandas calls by these names."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, tuple(getattr(pandas, name) for name in names))


@final
class Frame(ColumnTable):
    """A pandas frame; its index is never a column. Labels that are no strings are no names but positions."""

    def __init__(self, X: Any) -> None:
        labels = list(X.columns)
        strings = sum(isinstance(label, str) for label in labels)
        if 0 < strings < len(labels):
            kinds = sorted({type(label).__name__ for label in labels})
            raise UnsupportedDataError(
                "Feature names are only supported if all input features have string names, but your input "
                f"has {kinds} as feature name / column name types. Convert them all to strings, for example "
                "with X.columns = X.columns.astype(str)."
            )
        self.named = strings > 0
        self.n_rows = len(X)
        self.names = tuple(str(label) for label in labels) if self.named else tuple(range(len(labels)))
        self._columns = [X.iloc[:, i] for i in range(len(labels))]
        for name, column in zip(self.names, self._columns, strict=True):
            if getattr(column.dtype, "kind", "") == "c":
                raise complex_error(f"column {name!r}")

    def column(self, position: int, start: int, stop: int) -> pa.Array:
        """Return a column of some rows, in place where pandas keeps it as Arrow does."""
        series = self._columns[position].iloc[start:stop]
        return series_array(series, f"Column {self.names[position]!r}", start)


def series_array(series: Any, what: str, first: int = 0) -> pa.Array:
    """Return a series as an Arrow array; what pandas calls missing is missing."""
    pandas = sys.modules["pandas"]
    kind = series.dtype
    if isinstance(kind, np.dtype | pandas.SparseDtype):
        return column_of(np.asarray(series), what, first)
    if isinstance(kind, pandas.PeriodDtype):
        series = series.dt.to_timestamp()
    if isinstance(kind, pandas.IntervalDtype):
        return pa.array(series.astype(str).to_numpy(dtype=object), mask=series.isna().to_numpy())
    categories = kind.categories.dtype if isinstance(kind, pandas.CategoricalDtype) else None
    if isinstance(categories, pandas.IntervalDtype | pandas.PeriodDtype):  # which Arrow does not have
        series = series.cat.rename_categories(kind.categories.astype(str))
    try:
        return one_array(pa.array(series, from_pandas=True))
    except (pa.ArrowException, TypeError, ValueError):
        return column_of(series.to_numpy(dtype=object), what, first)
