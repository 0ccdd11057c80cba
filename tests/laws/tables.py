"""Random tables for the laws: mixed types, missing cells, missing labels, weights, and odd magnitudes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from tallybayes.schema.batch import Batch
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows

SCHEMA = Schema(
    (
        Field("colour", "categorical", "string", "texts"),
        Field("size", "numeric", "number", "numbers"),
        Field("far", "numeric", "number", "numbers"),
        Field("eggs", "count", "integer", "given"),
        Field("tame", "boolean", "boolean", "booleans"),
    ),
    named=True,
)
TYPES = {
    "colour": pa.string(),
    "size": pa.float64(),
    "far": pa.float64(),
    "eggs": pa.int64(),
    "tame": pa.bool_(),
}


@dataclass(frozen=True)
class Table:
    """Some rows; `weights` is None where every row counts once."""

    columns: dict[str, list]
    labels: list
    weights: list[float] | None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Sequence[int]) -> Table:
        columns = {name: [cells[i] for i in rows] for name, cells in self.columns.items()}
        weights = None if self.weights is None else [self.weights[i] for i in rows]
        return Table(columns, [self.labels[i] for i in rows], weights)

    def arrow(self) -> pa.Table:
        return pa.table({name: pa.array(cells, TYPES[name]) for name, cells in self.columns.items()})

    def batch(self) -> Batch:
        cells = pa.RecordBatch.from_arrays(
            [pa.array(cells, TYPES[name]) for name, cells in self.columns.items()], names=list(self.columns)
        )
        weights = None if self.weights is None else np.array(self.weights, dtype=np.float64)
        target = pa.array(self.labels, pa.string())
        return encode(Rows(cells, tuple(self.columns), target, weights), SCHEMA, target_type="string")

    def pieces(self, cuts: Sequence[int]) -> list[Table]:
        """Cut the rows at some places; pieces may be empty."""
        bounds = [0, *sorted(cut % (len(self) + 1) for cut in cuts), len(self)]
        return [self.take(range(a, b)) for a, b in pairwise(bounds)]


COLOURS = ("red", "绿", "blue", "", "très rare")
SIZES = (0.0, -0.0, 1.0, -3.0, 1e-6, 0.1, 4.0, 1 / 3)


def random_table(n: int, seed: int, *, weighted: bool) -> Table:
    """Return `n` random rows; a table of fewer rows is the simpler one."""
    rng = np.random.default_rng(seed)
    holes = rng.choice([0.0, 0.2, 0.9])

    def column(cells: list) -> list:
        gone = rng.random(n) < holes
        return [None if missing else cell for cell, missing in zip(cells, gone.tolist(), strict=True)]

    odd = rng.choice(SIZES, n)
    columns = {
        "colour": column(rng.choice(COLOURS, n).tolist()),
        "size": column(np.where(rng.random(n) < 0.5, odd, rng.standard_normal(n)).tolist()),
        "far": column((1e9 + rng.standard_normal(n)).tolist()),
        "eggs": column(rng.poisson(1.5, n).tolist()),
        "tame": column((rng.random(n) < 0.4).tolist()),
    }
    labels = [None if k == 3 else "abc"[k] for k in rng.integers(0, rng.integers(1, 5), n).tolist()]
    # Eighths, so that sums of weights are exact in any order and may be compared bit for bit.
    weights = (rng.integers(0, 25, n) / 8).tolist()
    return Table(columns, labels, weights if weighted else None)


def tables(*, least: int = 0, most: int = 24, weighted: bool | None = None) -> st.SearchStrategy[Table]:
    return st.builds(
        random_table,
        st.integers(least, most),
        st.integers(0, 2**32 - 1),
        weighted=st.booleans() if weighted is None else st.just(weighted),
    )


CUTS = st.lists(st.integers(0, 40), max_size=4)
