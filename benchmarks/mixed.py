"""The table that the rivals outside Python are given: ten measurements, ten categories, three classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

VALUES = ["a", "b", "c", "d", "e", "f"]
CLASSES = ["ham", "spam", "other"]


def mixed_table(rows: int) -> tuple[pa.Table, npt.NDArray[np.str_]]:
    """Return the columns and the labels."""
    rng = np.random.default_rng(7)
    label = rng.integers(0, 3, rows)
    columns: dict[str, object] = {f"x{j}": rng.standard_normal(rows) + 0.2 * label for j in range(10)}
    for j in range(10):
        codes = (rng.integers(0, 4, rows) + label) % 6
        columns[f"c{j}"] = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), VALUES)
    return pa.table(columns), np.array(CLASSES)[label]
