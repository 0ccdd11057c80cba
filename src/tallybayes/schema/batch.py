"""A batch: rows that a schema has given a meaning, encoded when a tally or a factor asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from tallybayes._types import Floats, Name
from tallybayes.schema.coded import CodedBlock, Labels

if TYPE_CHECKING:
    from scipy import sparse


class Batch(Protocol):
    """What tallies and factors see of the data, whatever the source.

    The blocks of a batch have the asked columns in the asked order.
    """

    @property
    def labels(self) -> Labels:
        """The target; rows without a label or of weight zero take no part (code -1)."""

    @property
    def first(self) -> int:
        """The number of the first row in the whole source, for messages."""

    @property
    def unlabelled(self) -> int:
        """How many rows have no label."""

    @property
    def weights(self) -> Floats | None:
        """One weight a row, or None where every row counts once."""

    def __len__(self) -> int: ...

    def codes(self, names: Sequence[Name]) -> CodedBlock:
        """Return categorical and boolean columns as codes."""

    def numbers(self, names: Sequence[Name]) -> Floats:
        """Return columns as an (n, p) float64 array in C order, a view of the source where it can be.

        NaN is missing.
        """

    def terms(self, names: Sequence[Name]) -> Floats | sparse.csr_array:
        """Return columns as `numbers` does, but as CSR where the source is sparse; stored NaN is missing."""

    def texts(self, name: Name) -> pa.Array:
        """Return a column of texts, as Arrow has it; null is missing."""

    def raw(self, name: Name) -> list[Any]:
        """Return the cells of a column as they came, as plain Python values."""

    def shown(self, name: Name) -> list[Any]:
        """Return the cells of a column for people: as they came, and of a bin, in which."""
