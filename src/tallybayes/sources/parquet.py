"""Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, final

import pyarrow as pa

from tallybayes._types import Name
from tallybayes.errors import SourceError
from tallybayes.sources.arrow import split_names, told, valid, watched
from tallybayes.sources.base import Table, in_words
from tallybayes.sources.formats import wrong_ending
from tallybayes.sources.inputs import Input

if TYPE_CHECKING:
    from pyarrow import parquet

_BUFFER_BYTES = 1 << 18
"""What is read ahead of each column; without it Arrow reads a column of a whole row group at once."""


@final
class ParquetTable(Table):
    """A Parquet file, of which only the asked columns are read, and never a whole row group."""

    named = True

    def __init__(self, given: Input) -> None:
        self.label = given.label
        head = given.head(64)
        if not head.startswith(b"PAR1"):
            raise wrong_ending(self.label, "a Parquet file", head)
        self._input, self._file = given, given.seekable()
        with told(self._error), self._open() as file:
            self.n_rows = file.metadata.num_rows
            self.names, self.hidden = split_names(file.schema_arrow)

    def _open(self) -> parquet.ParquetFile:
        from pyarrow import parquet  # with it come file systems in the cloud

        with told(self._error):
            return parquet.ParquetFile(self._file, pre_buffer=False, buffer_size=_BUFFER_BYTES)

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the columns batch by batch."""
        names = list(columns)
        with self._open() as file:
            batches = file.iter_batches(batch_size=most, columns=names, use_threads=False)
            for batch in watched(batches, self._error):
                yield valid(batch.select(names), self._error)

    def _error(self, reason: BaseException) -> SourceError:
        return SourceError(
            f"{self.label} is a damaged Parquet file: {in_words(reason)}. It may be cut off; copy it or write it again."
        )
