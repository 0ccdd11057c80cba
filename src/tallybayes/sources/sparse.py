"""Sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, final

import numpy as np

from tallybayes._types import Name
from tallybayes.errors import UnsupportedDataError
from tallybayes.sources.arrays import check_dimensions
from tallybayes.sources.base import Table, chunk_rows, spans
from tallybayes.sources.columns import complex_error

if TYPE_CHECKING:
    from scipy import sparse


@final
class SparseMatrix(Table):
    """A sparse matrix of any format, as CSR; a piece holds a copy of its cells at most.

    The length of a piece goes by the cells that are stored, not by the columns: a text has a hundred thousand
    columns and a hundred words.
    """

    named = False
    matrix = True

    def __init__(self, X: Any) -> None:
        if X.dtype.kind == "c":
            raise complex_error(f"sparse matrix of type {X.dtype}")
        if X.dtype.kind not in "biuf":
            raise UnsupportedDataError(f"A sparse matrix of type {X.dtype} has no numbers; convert it with astype.")
        check_dimensions(X.shape, repr(X))
        self._X = _canonical(X)
        self.n_rows = X.shape[0]
        self.names = tuple(range(X.shape[1]))

    def most_rows(self, width: int) -> int:
        """Return the rows of a piece, by what a row stores on average."""
        return chunk_rows(12 * -(-self._X.nnz // max(1, self._X.shape[0])))

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[sparse.csr_array]:
        """Yield rows as CSR matrices."""
        from scipy import sparse

        X = self._X
        for start, stop in spans(X.shape[0], most):
            low, high = int(X.indptr[start]), int(X.indptr[stop])
            indptr = X.indptr[start : stop + 1] - X.indptr[start]
            yield sparse.csr_array(
                (X.data[low:high], X.indices[low:high], indptr), shape=(stop - start, X.shape[1]), copy=False
            )


def _canonical(X: Any) -> sparse.csr_array:
    """Return a CSR array whose rows name each column once, and leave the user's matrix as it is."""
    from scipy import sparse

    csr = sparse.csr_array(X)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr.astype(np.float64) if csr.dtype == np.longdouble else csr
