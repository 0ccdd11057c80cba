"""Sets of tables for the quality benchmark: a folder for each, with data.csv and schema.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

PUBLISHED = {"adult": 32_561}
"""Sets with a published split: how many of the first rows are for training."""

LARGE = 10_000
"""Sets with more rows than this have fewer folds."""

FEWER = 3
"""How many folds those have."""


@dataclass(frozen=True)
class TableSet:
    """A table with its labels.

    Attributes
    ----------
    name
        What it is called.
    table, y
        The columns and the labels.
    values
        The values of each nominal column, None for a numeric one.
    """

    name: str
    table: pa.Table
    y: Any
    values: dict[str, list[str] | None]

    def splits(self, folds: int, seed: int = 0) -> Iterator[tuple[Any, Any]]:
        """Yield the rows for training and for testing: the published split, or folds with even classes."""
        n = len(self.y)
        if self.name in PUBLISHED:
            yield np.arange(PUBLISHED[self.name]), np.arange(PUBLISHED[self.name], n)
            return
        folds = min(folds, FEWER) if n > LARGE else folds
        rng, number, shift = np.random.default_rng(seed), np.empty(n, np.int64), 0
        for label in np.unique(self.y):
            own = rng.permutation(np.flatnonzero(self.y == label))
            number[own] = (np.arange(len(own)) + shift) % folds
            shift += len(own)
        for fold in range(folds):
            yield np.flatnonzero(number != fold), np.flatnonzero(number == fold)

    @property
    def kinds(self) -> dict[str, str]:
        """What each column means, in our words."""
        return {name: "numeric" if values is None else "categorical" for name, values in self.values.items()}

    @property
    def classes(self) -> Any:
        """The labels, sorted."""
        return np.unique(self.y)


def table_sets(data: Path, names: list[str] | None = None) -> Iterator[TableSet]:
    """Yield the sets of a folder, or those that are named."""
    folder = data / "tables" if (data / "tables").is_dir() else data
    for place in sorted(path.parent for path in folder.glob("*/schema.json")):
        if names is None or place.name in names:
            yield _read(place)


def _read(place: Path) -> TableSet:
    described = json.loads((place / "schema.json").read_text())
    target = described["target"]
    columns = {one["name"]: one.get("values") for one in described["columns"] if one["name"] != target}
    types = {name: pa.float64() if values is None else pa.string() for name, values in columns.items()}
    options = csv.ConvertOptions(column_types=types | {target: pa.string()}, strings_can_be_null=True, null_values=[""])
    table = csv.read_csv(next(place.glob("data.csv*")), convert_options=options)
    y = np.array(pc.utf8_trim_whitespace(table[target]).to_pylist(), dtype=object).astype(str)
    return TableSet(place.name, table.select(list(columns)), y, columns)
