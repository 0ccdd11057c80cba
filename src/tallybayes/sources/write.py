"""Tables written to files, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import datetime
import gzip
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Self, final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from tallybayes.errors import EmptyDataError, KindError, SourceError, ValueRangeError
from tallybayes.schema.arrow import is_string, to_days
from tallybayes.sources.formats import TEXT_FORMATS, Ending, Format, ending_of
from tallybayes.sources.plain import plain_array
from tallybayes.storage.atomic import replacing

STANDARD_OUTPUT = "-"
"""The path that stands for standard output, to which CSV is written."""


def write_table(
    batches: pa.Table | Iterable[pa.RecordBatch],
    path: str | os.PathLike[str],
    *,
    form: Format | None = None,
) -> int:
    """Write a table, batch by batch, in the format that the ending of `path` says; return the number of rows.

    Parameters
    ----------
    batches : pyarrow.Table or iterable of pyarrow.RecordBatch
        The rows.
    path : str or os.PathLike
        Where to; ``"-"`` is standard output.
    form : {"csv", "tsv", "parquet", "arrow", "jsonl"}, optional
        By default what the ending says, and CSV on standard output.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> from tallybayes.sources import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "melons.csv")
    ...     rows = write_table(pa.table({"melon": ["青绿"], "ripe": [0.9]}), path)
    ...     print(rows, path.read_text("utf-8").split())
    1 ['melon,ripe', '青绿,0.9']
    """
    if isinstance(batches, pa.RecordBatch):
        batches = [batches]
    if isinstance(batches, pa.Table):
        batches = batches.to_batches() or [pa.RecordBatch.from_pylist([], schema=batches.schema)]
    with TableWriter(path, form=form) as writer:
        for batch in batches:
            writer.write(batch)
    return writer.rows


@final
class TableWriter:
    """A table that is being written; when the block is left by an error, the old file is as it was.

    Parameters
    ----------
    path : str or os.PathLike
        Where to; ``"-"`` is standard output.
    form : {"csv", "tsv", "parquet", "arrow", "jsonl"}, optional
        By default what the ending says, and CSV on standard output.
    stdout : binary file, optional
        What standard output is.

    Attributes
    ----------
    rows
        How many rows were written.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, form: Format | None = None, stdout: BinaryIO | None = None
    ) -> None:
        self._path = os.fspath(path)
        self._stdout = stdout
        if self._path == STANDARD_OUTPUT:
            ending = Ending("csv")
        elif form is None:
            ending = ending_of(self._path)
        else:
            ending = Ending(form, self._path.lower().endswith(".gz"))
        self._format = form or ending.format
        self._gzip = ending.gzip
        if self._gzip and self._format not in TEXT_FORMATS:
            raise SourceError(f"{self._path!r} would be compressed twice; take .gz off its name.")
        self._schema: pa.Schema | None = None
        self._writer: Any = None
        self.rows = 0

    def __enter__(self) -> Self:
        self._stack = contextlib.ExitStack()
        if self._path == STANDARD_OUTPUT:
            self._file: Any = self._stdout or sys.stdout.buffer
            self._stack.callback(self._file.flush)
        else:
            self._file = self._stack.enter_context(replacing(self._path, error=SourceError))
        if self._gzip:
            self._file = self._stack.enter_context(gzip.GzipFile("", fileobj=self._file, mode="wb", mtime=0))
        self._stack.push(self._finish)
        return self

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows; all batches have the columns of the first."""
        try:
            batch = _writable(batch, text=self._format in TEXT_FORMATS)
            if self._schema is None:
                self._begin(batch.schema)
            elif batch.schema != self._schema:
                batch = batch.select(self._schema.names).cast(self._schema)
            if self._writer is not None:
                self._writer.write_batch(batch)
            elif self._format == "jsonl":
                self._file.write(_json_lines(batch))
            else:
                self._file.write(_delimited(batch, self._delimiter))
        except (pa.ArrowException, KeyError) as reason:
            raise KindError(
                f"The columns of {self._path!r} cannot be written: {reason}. Give all batches the columns of "
                "the first, of texts, numbers, truth values or times."
            ) from None
        self.rows += batch.num_rows

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _finish(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._schema is None and error is None:
            raise EmptyDataError(f"Nothing was given to write to {self._path!r}, not even the names of columns.")

    @property
    def _delimiter(self) -> str:
        return "\t" if self._format == "tsv" else ","

    def _begin(self, schema: pa.Schema) -> None:
        self._schema = schema
        match self._format:
            case "parquet":
                self._writer = pa.parquet.ParquetWriter(self._file, schema)
            case "arrow":
                self._writer = pa.ipc.new_file(self._file, schema)
            case "csv" | "tsv":
                self._file.write(_csv_header(schema.names, self._delimiter))


def _csv_header(names: Sequence[str], delimiter: str) -> bytes:
    """Return the line of names; a single one in which another separator stands has quotes, which say what it is."""
    alone = len(names) == 1 and any(mark in names[0] for mark in "\t;,|")
    line = io.StringIO()
    write = (
        csv.writer(line, delimiter=delimiter, quoting=csv.QUOTE_ALL) if alone else csv.writer(line, delimiter=delimiter)
    )
    write.writerow(names)
    return line.getvalue().removesuffix("\r\n").encode() + b"\n"


def _writable(batch: pa.RecordBatch, *, text: bool) -> pa.RecordBatch:
    """Return a batch of plain columns without dictionaries, which in a file must not change on the way.

    A text file has no durations: they become the days that they are read as elsewhere. Instants of a time zone
    are written in UTC, because an offset has no seconds.
    """
    columns = [plain_array(column) for column in batch.columns]
    if text:
        columns = [_in_text(column) for column in columns]
    columns = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _in_text(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_duration(kind):
        return pa.array(to_days(column), from_pandas=True)
    return column.cast(pa.timestamp(kind.unit, "UTC")) if getattr(kind, "tz", None) else column


def _delimited(batch: pa.RecordBatch, delimiter: str) -> pa.Buffer:
    """Return rows as CSV, with quotes where some cell holds a separator, a quote or a line break."""

    def written(quoting: str) -> pa.Buffer:
        sink = pa.BufferOutputStream()
        options = pa.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
        pa.csv.write_csv(batch, sink, options)
        return sink.getvalue()

    texts = [column for column in batch.columns if is_string(column.type)]
    if any(pc.any(pc.match_substring(column, "\r")).as_py() for column in texts):  # which "none" lets pass
        return written("needed")
    try:
        return written("none")
    except pa.ArrowInvalid:
        return written("needed")


def _json_lines(batch: pa.RecordBatch) -> bytes:
    names = batch.schema.names
    columns = [[_json_value(cell) for cell in column.to_pylist()] for column in batch.columns]
    rows = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _json_value(cell: Any) -> Any:
    if isinstance(cell, float) and not math.isfinite(cell):
        if math.isnan(cell):
            return None
        raise ValueRangeError(f"JSON has no number {cell}; write to a .csv or .parquet file.")
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    return cell
