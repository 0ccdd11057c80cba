"""A run of raw rows, in the form in which the source has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Floats, Name
from tallybayes.errors import TallyBayesError

if TYPE_CHECKING:
    from scipy import sparse

Cells: TypeAlias = "pa.RecordBatch | AnyArray | sparse.csr_array"
"""A table by column, a dense matrix, or a sparse one; each stays what it is, so that nothing is copied.

The columns of a table are of Arrow's null, boolean, integer, float32, float64, string, large string, date,
time, timestamp or duration types, or dictionaries of these; what is of another type can only be ignored. A
matrix holds truth values, integers, float32 or float64.
"""


@dataclass(frozen=True, eq=False)
class Rows:
    """A piece of a source: cells, and beside them the target and the weights where there are any.

    Attributes
    ----------
    cells
        Only feature columns, in the order of `names`.
    names
        The headers of a table, the positions of a matrix.
    target
        One raw label a row, or None: an Arrow array of such a type, or a NumPy array of numbers or truth
        values.
    weights
        Checked weights, one a row: finite and not negative; or None.
    first
        The number of the first row in the whole source, for messages.
    text
        Whether the cells come from a text file, so that strings may stand for numbers.
    dated
        Whether strings may stand for dates, as in JSON, which has no other way to write them.
    prose
        Columns that are whole texts, such as messages, however few or however alike they are.
    unreadable
        Columns whose cells could not be read, each with the error that is raised if the column is used.
    """

    cells: Cells
    names: tuple[Name, ...]
    target: pa.Array | AnyArray | None = None
    weights: Floats | None = None
    first: int = 0
    text: bool = False
    dated: bool = False
    prose: frozenset[Name] = frozenset()
    unreadable: Mapping[Name, TallyBayesError] = field(default_factory=dict)

    def column(self, place: int) -> pa.Array:
        """Return one column as Arrow has it, whatever the rows are."""
        cells: Any = self.cells
        if isinstance(cells, pa.RecordBatch):
            return cells.column(place)
        if isinstance(cells, np.ndarray):
            return pa.array(np.ascontiguousarray(cells[:, place]))
        return pa.array(np.ravel(cells[:, [place]].toarray()))

    def __len__(self) -> int:
        return int(self.cells.num_rows if isinstance(self.cells, pa.RecordBatch) else self.cells.shape[0])
