"""Looking for the cells that a model cannot take, when a kernel has noticed that there are some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes._types import AnyArray, Floats, Name, is_sparse
from tallybayes.errors import DataError
from tallybayes.schema.encoded import EncodedBatch
from tallybayes.schema.reading import infinite

if TYPE_CHECKING:
    from scipy import sparse


def refuse_infinite(block: Floats | sparse.csr_array, names: Sequence[Name], first: int = 0) -> None:
    """Raise `ValueRangeError` for the first infinite number of a block, and do nothing where there is none.

    Parameters
    ----------
    block
        Numbers, one column for each of `names`.
    names
        The columns, for the message.
    first
        The number of the block's first row in its source.
    """
    found = _first(block, np.isinf)
    if found is not None:
        row, j, value = found
        raise infinite(names[j], first + row, value)


def refuse_missing(batch: EncodedBatch, names: Sequence[Name]) -> None:
    """Raise `DataError` for the first missing cell of some columns of a batch, for ``missing="error"``.

    Infinite numbers are refused with them where they would be read as bins.
    """
    coded = [name for name in names if batch.schema[name].coded]
    measured = [name for name in names if batch.schema[name].kind in ("numeric", "count") and name not in coded]
    texts = [name for name in names if batch.schema[name].kind == "text"]
    cut = [name for name in coded if batch.schema[name].edges is not None]
    if cut:  # elsewhere, infinities lie in the outer bins
        refuse_infinite(batch.numbers(cut), cut, batch.first)
    found: list[tuple[int, Name]] = []
    for name in texts:
        there = batch.texts(name).is_valid().to_numpy(zero_copy_only=False)
        found += [] if there.all() else [(int(np.argmin(there)), name)]
    if coded:
        block = batch.codes(coded)
        at = _first(block.codes, lambda codes: codes < block.low)
        found += [] if at is None else [(at[0], coded[at[1]])]
    if measured:
        at = _first(batch.terms(measured), np.isnan)
        found += [] if at is None else [(at[0], measured[at[1]])]
    if found:
        row, name = min(found, key=lambda cell: cell[0])
        raise DataError(
            f"Column {name!r} has no value (NaN or empty) in row {batch.rows.first + row + 1}, and missing='error' "
            "accepts none. Fill it, leave the row out, or choose missing='marginalize' or "
            "missing='category'."
        )


def _first(block: AnyArray | sparse.csr_array, test: Callable[[AnyArray], AnyArray]) -> tuple[int, int, object] | None:
    """Return row, column and content of the first cell that passes a test."""
    cells: Any = block
    if is_sparse(cells):
        places = np.flatnonzero(test(cells.data))
        if not len(places):
            return None
        row = int(np.searchsorted(cells.indptr, places[0], side="right")) - 1
        return row, int(cells.indices[places[0]]), cells.data[places[0]].item()
    places = np.flatnonzero(test(cells).any(axis=1))
    if not len(places):
        return None
    row = int(places[0])
    j = int(np.flatnonzero(test(cells[row : row + 1])[0])[0])
    return row, j, cells[row, j].item()
