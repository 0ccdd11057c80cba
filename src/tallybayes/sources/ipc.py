"""Arrow IPC: files, which Feather of version 2 is, and streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import pyarrow as pa
import pyarrow.ipc

from tallybayes._types import Name
from tallybayes.errors import SourceError
from tallybayes.sources.arrow import split_names, told, valid, watched
from tallybayes.sources.base import Table, in_words
from tallybayes.sources.formats import wrong_ending
from tallybayes.sources.inputs import Input


@final
class IpcTable(Table):
    """An Arrow file or stream, batch by batch; a file is mapped into memory and not copied."""

    named = True

    def __init__(self, given: Input) -> None:
        self.label = given.label
        self._input = given
        head = given.head(64)
        self._is_file = head.startswith(b"ARROW1")
        if not self._is_file and not head.startswith(b"\xff\xff\xff\xff"):
            remedy = "Write it again, as version 2." if head.startswith(b"FEA1") else ""
            raise wrong_ending(self.label, "an Arrow file", head, remedy=remedy)
        self._file = given.seekable() if self._is_file else None
        self.once = given.once and not self._is_file
        self._stream: pa.RecordBatchStreamReader | None = None
        with told(self._error):
            if self._is_file:
                schema = self._open_file().schema
            else:
                self._stream = pa.ipc.open_stream(given.open())  # which may be readable only once
                schema = self._stream.schema
            self.names, self.hidden = split_names(schema)

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the columns batch by batch."""
        names = [str(name) for name in columns]
        for batch in watched(self._batches(), self._error):
            yield valid(batch.select(names), self._error)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        if not self._is_file:
            stream, self._stream = self._stream or pa.ipc.open_stream(self._input.open()), None
            yield from stream
            return
        reader = self._open_file()
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)

    def _open_file(self) -> pa.RecordBatchFileReader:
        # All columns, because the reader copies what it maps where it is told to leave some out.
        return pa.ipc.open_file(pa.memory_map(self._file) if isinstance(self._file, str) else self._file)

    def _error(self, reason: BaseException) -> SourceError:
        return SourceError(
            f"{self.label} is a damaged Arrow file: {in_words(reason)}. It may be cut off; copy it or write it again."
        )
