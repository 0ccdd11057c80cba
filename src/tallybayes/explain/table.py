"""Evidence as an Arrow table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes._types import Counts, Floats, Name
from tallybayes.decision.labels import is_missing

PRIOR = "(prior)"
"""The column of the line that holds the prior."""

REMAINDER = "(remainder)"
"""The column of the line of what columns add together."""

_SCHEMA = pa.schema({"row": pa.int64(), "column": pa.string(), "value": pa.string(), "contribution": pa.float64()})
_LINES = 1 << 20
"""How many lines are laid out at a time, so that no array of texts grows beyond what Arrow can address."""


def evidence_table(
    names: Sequence[Name],
    values: Sequence[Sequence[Any]],
    rows: Counts,
    prior: Floats,
    contributions: Floats,
    remainder: Floats | None = None,
) -> pa.Table:
    """Return a line for the prior, one for each column of each row, and one for the remainder where there is one.

    Examples
    --------
    >>> table = evidence_table(["hue"], [["青绿"]], np.array([0]), np.array([0.5]), np.array([[-1.0]]))
    >>> table.to_pylist()
    [{'row': 0, 'column': '(prior)', 'value': None, 'contribution': 0.5},
     {'row': 0, 'column': 'hue', 'value': '青绿', 'contribution': -1.0}]
    """
    last = [] if remainder is None else [REMAINDER]
    lines = 1 + len(names) + len(last)
    columns = pa.array([PRIOR, *(_text(name) for name in names), *last], pa.string())
    batches = []
    step = max(_LINES // lines, 1)
    for begin in range(0, len(rows), step):
        at = slice(begin, begin + step)
        n, end = len(rows[at]), [] if remainder is None else [remainder[at]]
        cells = [pa.nulls(n, pa.string())]
        cells += [pa.array([_text(cell) for cell in column[at]], pa.string()) for column in values]
        cells += [pa.nulls(n, pa.string()) for _ in last]
        # The cells lie column by column, and are taken row by row.
        by_row = np.arange(n * lines).reshape(lines, n).T.ravel()
        parts = [
            pa.array(np.repeat(rows[at], lines)),
            columns.take(pa.array(np.tile(np.arange(lines), n))),
            pa.concat_arrays(cells).take(pa.array(by_row)),
            pa.array(np.column_stack([prior[at], contributions[at], *end]).ravel()),
        ]
        batches.append(pa.RecordBatch.from_arrays(parts, schema=_SCHEMA))
    return pa.Table.from_batches(batches, schema=_SCHEMA)


def _text(cell: Any) -> str | None:
    """Return a cell as its owner wrote it, None where it is missing."""
    if is_missing(cell):
        return None
    text = cell if isinstance(cell, str) else str(cell)
    # Half a surrogate pair is no text to Arrow.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
