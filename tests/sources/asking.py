"""What the tests of sources share: the cells that a source yields, and the error that it gives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from tallybayes import errors
from tallybayes.schema.arrow import to_python
from tallybayes.sources import open_source


def plain(cells):
    """Return the cells of a piece as lists, one a column."""
    if isinstance(cells, pa.RecordBatch):
        return [to_python(column) for column in cells.columns]
    if sparse.issparse(cells):
        cells = cells.toarray()
    return [[None if cell != cell else cell for cell in column] for column in cells.T.tolist()]


def table_of(X, y=None, sample_weight=None, **options):
    """Return all rows of a source, read piece by piece: columns, and beside them ``target`` and ``weights``."""
    columns, beside = None, {"target": [], "weights": []}
    rows = 0
    for piece in open_source(X, y, sample_weight, **options).rows():
        assert piece.first == rows
        rows += len(piece)
        found = plain(piece.cells)
        if columns is None:
            columns = {name: [] for name in piece.names}
        for name, cells in zip(piece.names, found, strict=True):
            columns[name] += cells
        if piece.target is not None:
            beside["target"] += (
                piece.target.tolist() if isinstance(piece.target, np.ndarray) else to_python(piece.target)
            )
        if piece.weights is not None:
            beside["weights"] += piece.weights.tolist()
    return columns | {key: cells for key, cells in beside.items() if cells}


def refused(call, *words, kind=errors.DataError):
    """Return the message of the one error of a call: of a kind, on one line, with some words in it."""
    with pytest.raises(errors.TallyBayesError) as caught:
        call()
    assert isinstance(caught.value, kind), repr(caught.value)
    message = str(caught.value)
    assert "\n" not in message, message
    assert message.endswith((".", "?")), message
    for word in words:
        assert str(word) in message, f"{word!r} is not in: {message}"
    return message
