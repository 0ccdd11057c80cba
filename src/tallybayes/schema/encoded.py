"""Rows that a schema has given a meaning: each block is encoded when it is first asked for, and then kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Counts, Floats, Name
from tallybayes.errors import TargetError
from tallybayes.schema import cells
from tallybayes.schema.coarse import coarse_codes
from tallybayes.schema.coded import CodedBlock, Labels
from tallybayes.schema.field import CellType, Schema
from tallybayes.schema.labels import code_labels
from tallybayes.schema.reading import Reading
from tallybayes.schema.rows import Rows

if TYPE_CHECKING:
    from scipy import sparse


class EncodedBatch(ABC):
    """Rows read by a schema; satisfies `tallybayes.schema.batch.Batch`.

    Parameters
    ----------
    rows : Rows
        The raw rows.
    schema : Schema
        What their columns mean.
    places : array of int64
        Where each column of the schema stands in the rows; -1 for an ignored one that is not there.
    target_type : CellType, optional
        How the labels are read; by default each as it is.
    """

    def __init__(self, rows: Rows, schema: Schema, places: Counts, target_type: CellType | None = None) -> None:
        self.rows = rows
        self.schema = schema
        self.places = places
        self.target_type = target_type
        self._kept: dict[tuple[str, tuple[Name, ...]], Any] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def first(self) -> int:
        """The number of the first row in the whole source."""
        return self.rows.first

    @property
    def weights(self) -> Floats | None:
        """One weight a row, or None where every row counts once."""
        return self.rows.weights

    @cached_property
    def _labelled(self) -> tuple[Labels, int]:
        if self.rows.target is None:
            raise TargetError("These rows have no target to learn from. Pass y, or the name of the target column.")
        return code_labels(self.rows.target, self.rows.weights, read_as=self.target_type, first=self.first)

    @property
    def labels(self) -> Labels:
        """The target; rows without a label or of weight zero have the code -1."""
        return self._labelled[0]

    @property
    def unlabelled(self) -> int:
        """How many rows have no label."""
        return self._labelled[1]

    def codes(self, names: Sequence[Name]) -> CodedBlock:
        """Return categorical and boolean columns as codes, and those that are cut as the numbers of their bins."""
        key = "codes", tuple(names)
        if key not in self._kept:
            coarse = coarse_codes(self.schema, key[1], len(self), self._codes, self.numbers)
            self._kept[key] = self._codes(key[1]) if coarse is None else coarse
        return cast(CodedBlock, self._kept[key])

    def numbers(self, names: Sequence[Name]) -> Floats:
        """Return columns as an (n, p) float64 array in C order, a view of the source where it can be."""
        key = "numbers", tuple(names)
        if key not in self._kept:
            self._kept[key] = self._numbers(key[1])
        return cast(Floats, self._kept[key])

    def terms(self, names: Sequence[Name]) -> Floats | sparse.csr_array:
        """Return columns as `numbers` does, but as CSR where the source is sparse."""
        return self.numbers(names)

    def texts(self, name: Name) -> pa.Array:
        """Return a column of texts, as Arrow has it; null is missing."""
        raise Reading(self.schema[name], self.first).other_type("plain numbers")

    @abstractmethod
    def raw(self, name: Name) -> list[Any]:
        """Return the cells of a column as they came, as plain Python values."""

    def shown(self, name: Name) -> list[Any]:
        """Return the cells of a column for people: as they came, and of what is read more coarsely, as what."""
        raw, field = self.raw(name), self.schema[name]
        if not field.edges and field.kept is None:  # a single bin is no news
            return raw
        block = self.codes([name])
        words = [field.shown(value) for value in block.values[0]]
        codes = block.codes[:, 0].tolist()
        return [
            cell if code < 0 or words[code] == str(cell) else f"{cell} in {words[code]}"
            for cell, code in zip(raw, codes, strict=True)
        ]

    @abstractmethod
    def _codes(self, names: tuple[Name, ...]) -> CodedBlock: ...

    @abstractmethod
    def _numbers(self, names: tuple[Name, ...]) -> Floats: ...

    def _readings(self, names: tuple[Name, ...]) -> list[Reading]:
        return [Reading(self.schema[name], self.first, self.rows.text) for name in names]

    def _columns(self, names: tuple[Name, ...]) -> Counts | None:
        """Return where the columns stand in the rows; None where they are all of them, in order."""
        whole = len(names) == len(self.rows.names) and names == self.schema.names
        if whole and bool((self.places == np.arange(len(names))).all()):
            return None
        return self.places[[self.schema.index[name] for name in names]]

    def _refuse_times(self, names: tuple[Name, ...]) -> None:
        """Refuse the plain numbers of a matrix in a column whose cells are dates or times."""
        for name in self.schema.times.intersection(names):
            raise Reading(self.schema[name], self.first).other_type("plain numbers")

    def _refuse_untrue(self, names: tuple[Name, ...], column: Callable[[int], AnyArray]) -> None:
        """Refuse the plain numbers of a matrix besides 0 and 1 in a column of truth values."""
        for name in self.schema.truths.intersection(names):
            cells.refuse_untrue(
                column(int(self.places[self.schema.index[name]])), Reading(self.schema[name], self.first)
            )
