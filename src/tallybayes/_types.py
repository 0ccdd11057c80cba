"""The array types that every room speaks of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy import sparse
    from typing_extensions import TypeIs

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Bools: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]

Value: TypeAlias = str | int | float | bool
"""What a category or a class may be; always a plain Python object, never a NumPy scalar."""

Name: TypeAlias = str | int
"""How a column is named: by its header, or by its position in an array."""


def is_sparse(cells: object) -> TypeIs[sparse.csr_array]:
    """Return whether these are a sparse matrix or array of SciPy, without importing it: then nobody has made one."""
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and bool(scipy.issparse(cells))
