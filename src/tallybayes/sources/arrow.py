"""Anything that speaks Arrow: tables, record batches, streams of them, Polars frames, DuckDB relations."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

import pyarrow as pa

from tallybayes._types import Name
from tallybayes.errors import SourceError, TallyBayesError, UnsupportedDataError
from tallybayes.sources.arrays import check_dimensions
from tallybayes.sources.base import CHUNK_ROWS, Table, in_words


@final
class ArrowTable(Table):
    """An Arrow table or record batch in memory."""

    named = True

    def __init__(self, X: pa.Table) -> None:
        self._X = X
        self.n_rows = X.num_rows
        self.names, self.hidden = split_names(X.schema)

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield slices of the table."""
        yield from self._X.select(list(columns)).to_batches(max_chunksize=most)


@final
class ArrowStream(Table):
    """What hands out a stream of record batches; read again where it hands out another.

    Of a relation of DuckDB it is known that it does; others may hand out one only.
    """

    named = True

    def __init__(self, X: Any) -> None:
        self._X = X
        if isinstance(X, pa.RecordBatchReader):
            self.label = "X, a RecordBatchReader, whose rows can be read once only,"
        self.once = not _is_of(X, "duckdb", "DuckDBPyRelation")
        self._reader: pa.RecordBatchReader | None = _reader_of(X)
        self.names, self.hidden = split_names(self._reader.schema)

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the batches of the stream."""
        reader, self._reader = self._reader, None
        if reader is None:
            if isinstance(self._X, pa.RecordBatchReader):
                raise SourceError(
                    "The RecordBatchReader has been read already, and hands out its rows once only; make a "
                    "new one, or give reader.read_all()."
                )
            reader = _reader_of(self._X)
        for batch in watched(reader, _broken_off):
            yield batch.select(list(columns))


def arrow_table(X: Any) -> Table:
    """Return the table that an object with the Arrow PyCapsule interface is."""
    if isinstance(X, pa.Table):
        return ArrowTable(X)
    if isinstance(X, pa.RecordBatch):
        return ArrowTable(pa.Table.from_batches([X]))
    if isinstance(X, (pa.Array, pa.ChunkedArray)) and not pa.types.is_struct(X.type):
        check_dimensions((len(X),), str(X[:5].to_pylist()))
    try:
        if isinstance(X, pa.ChunkedArray):  # of records, which are rows
            return ArrowTable(pa.Table.from_struct_array(X))
        if _is_of(X, "polars", "DataFrame"):
            return ArrowTable(pa.table(X))  # in memory already, and so shared
        if not hasattr(X, "__arrow_c_stream__"):
            return ArrowTable(pa.Table.from_batches([pa.record_batch(X)]))
    except Exception as reason:  # noqa: BLE001 - a producer of any library may raise anything
        raise _no_table(X, reason) from None
    return ArrowStream(X)


def split_names(schema: pa.Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of a schema, and apart from them those that were the index of a pandas frame."""
    index: set[str] = set()
    metadata = (schema.metadata or {}).get(b"pandas")
    if metadata:
        # Metadata that pandas did not write leave the columns as they stand.
        with contextlib.suppress(ValueError, KeyError, TypeError):
            index = {name for name in json.loads(metadata)["index_columns"] if isinstance(name, str)}
    names = tuple(schema.names)
    return tuple(n for n in names if n not in index), tuple(n for n in names if n in index)


def watched(
    batches: Iterable[pa.RecordBatch], error: Callable[[BaseException], TallyBayesError]
) -> Iterator[pa.RecordBatch]:
    """Yield batches as they come, with an error of the project's own where their source fails."""
    with told(error):
        yield from batches


@contextlib.contextmanager
def told(error: Callable[[BaseException], TallyBayesError]) -> Iterator[None]:
    """Turn what goes wrong in reading a file or a stream into an error of the project's own."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as reason:  # names may be anything but UTF-8
        raise error(reason) from None


def valid(batch: pa.RecordBatch, error: Callable[[BaseException], TallyBayesError]) -> pa.RecordBatch:
    """Return a batch of a file, which may say anything, where its texts are UTF-8 and lie within it."""
    try:
        batch.validate(full=True)
    except pa.ArrowException as reason:
        raise error(reason) from None
    return batch


def _broken_off(reason: BaseException) -> SourceError:
    return SourceError(f"The Arrow stream broke off: {in_words(reason)}. Check where it comes from.")


def _reader_of(X: Any) -> pa.RecordBatchReader:
    if isinstance(X, pa.RecordBatchReader):
        return X
    try:
        if _is_of(X, "duckdb", "DuckDBPyRelation"):
            # The capsule of a relation holds the whole result; its reader fetches it piece by piece.
            relation: Any = X
            read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
            return read(CHUNK_ROWS)
        return pa.RecordBatchReader.from_stream(X)
    except Exception as reason:  # noqa: BLE001 - a producer of any library may raise anything
        raise _no_table(X, reason) from None


def _is_of(X: Any, module: str, name: str) -> bool:
    """Whether `X` is of a class of a library that is not imported here: whoever has one has imported it."""
    return isinstance(X, getattr(sys.modules.get(module), name, ()))


def _no_table(X: Any, reason: BaseException) -> Exception:
    if "non-struct" in str(reason) or getattr(X, "ndim", 2) == 1:
        check_dimensions((0,), f"a {type(X).__name__}")
    if _is_of(X, "duckdb", "DuckDBPyRelation"):
        return SourceError(f"The query of the DuckDB relation fails: {in_words(reason)}. Check it with .fetchall().")
    which = ""
    if _is_of(X, "polars", "DataFrame"):
        which = "".join(f" It is column {column.name!r}, of type {column.dtype}." for column in _unexported(X))
    return UnsupportedDataError(
        f"The {type(X).__name__} cannot be read as an Arrow table: {in_words(reason)}. "
        f"Cast the columns it cannot export to strings or numbers.{which}"
    )


def _unexported(frame: Any) -> list[Any]:
    """Return the first column of a Polars frame that Arrow has no type for."""
    for column in frame.get_columns():
        try:
            pa.chunked_array(column)
        except pa.ArrowException:
            return [column]
    return []
