"""The one door to every source: what was given, and which file of this room reads it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np

from tallybayes._types import Name, is_sparse
from tallybayes.errors import ColumnError, OptionError, SourceError, UnsupportedDataError, did_you_mean
from tallybayes.schema.rows import Cells
from tallybayes.sources.arrays import array_table, check_dimensions
from tallybayes.sources.arrow import arrow_table
from tallybayes.sources.base import Source, Table
from tallybayes.sources.delimited import CsvSource
from tallybayes.sources.formats import FORMATS, Format, ending_of
from tallybayes.sources.frames import Frame, is_pandas
from tallybayes.sources.inputs import Input, StreamInput, input_of
from tallybayes.sources.ipc import IpcTable
from tallybayes.sources.joined import TableSource
from tallybayes.sources.jsonl import JsonLines
from tallybayes.sources.messages import MAIL_ENDINGS, Folder, Mailbox, has_classes
from tallybayes.sources.parquet import ParquetTable
from tallybayes.sources.records import list_table
from tallybayes.sources.sparse import SparseMatrix


def open_source(X: Any, y: Any = None, sample_weight: Any = None, *, only: Collection[Name] | None = None) -> Source:
    """Return the rows of anything that has rows.

    Parameters
    ----------
    X
        A NumPy array, a SciPy sparse matrix, a list of rows or of dicts, a pandas frame, anything with the
        Arrow PyCapsule interface (Polars, PyArrow, DuckDB), the path of a CSV, TSV, Parquet, Arrow, Feather
        or JSON lines file, a list of such paths, a folder with a folder of texts for each class, a mailbox (.mbox) or
        a message (.eml), or a `Source`.
    y : str or array-like, optional
        The name of the target's column in `X`, which is then no feature, or one label a row.
    sample_weight : str, float or array-like, optional
        The name of the weights' column, one weight for all rows, or one weight a row.
    only : collection of str, optional
        The features that are wanted; others are not read, and are named in `Source.extra`. Where columns have
        no names, all of them are read.

    Raises
    ------
    UnsupportedDataError
        `X` is of a type that has no rows.
    DataError
        The rows, the target or the weights cannot be used; the message says what to do.

    Examples
    --------
    >>> from tallybayes.sources import open_source
    >>> source = open_source([{"sky": "blue", "play": "yes"}, {"sky": "grey", "play": "no"}], "play")
    >>> for rows in source.rows():
    ...     print(rows.names, rows.cells.to_pylist(), rows.target.to_pylist())
    ('sky',) [{'sky': 'blue'}, {'sky': 'grey'}] ['yes', 'no']
    """
    if isinstance(X, Source):
        if y is not None or sample_weight is not None:
            raise OptionError(
                f"A {type(X).__name__} yields its own target and weights; put y and sample_weight into its rows."
            )
        return X
    table = X if isinstance(X, Table) else _table(X)
    for what, given, own in (("y", y, table.target), ("sample_weight", sample_weight, table.sample_weight)):
        if given is not None and own is not None and not (isinstance(given, str) and given == own):
            raise OptionError(f"{what} was given twice, and the source names its own: {own!r}. Leave one of them out.")
    return TableSource(table, y, sample_weight, only=only)


def open_stream(
    stream: Any,
    form: Format,
    y: Any = None,
    sample_weight: Any = None,
    *,
    only: Collection[Name] | None = None,
    label: str = "standard input",
) -> Source:
    """Return the rows of a binary stream such as ``sys.stdin.buffer``, which is read once.

    Parameters
    ----------
    stream
        A binary file object; what is compressed by gzip is recognised.
    form : {"csv", "tsv", "parquet", "arrow", "jsonl"}
        The form of the table.
    y, sample_weight, only
        As for `open_source`.
    label : str
        What messages call the stream.
    """
    if form not in FORMATS:
        raise OptionError(f"form={form!r} is not one of {FORMATS}.{did_you_mean(form, FORMATS)}")
    return TableSource(read_as(StreamInput(stream, label), form), y, sample_weight, only=only)


def _table(X: Any) -> Table:
    if isinstance(X, (str, os.PathLike)):
        return _file(X)
    if is_pandas(X, "DataFrame"):
        return Frame(X)
    if is_sparse(X):
        return SparseMatrix(X)
    if isinstance(X, np.ndarray):
        return array_table(X)
    if is_pandas(X, "Series"):
        check_dimensions((len(X),), f"a Series of {len(X)} values")
    if isinstance(X, (list, tuple)) and X and all(_is_path(item) for item in X):
        return Files([_file(path) for path in X])
    if isinstance(X, Sequence) and not isinstance(X, (bytes, bytearray, memoryview)):
        return list_table(X)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return arrow_table(X)
    if hasattr(X, "__array__") or isinstance(X, (int, float, complex)):
        return array_table(_as_array(X))
    raise _unsupported(X)


def _as_array(X: Any) -> Any:
    try:
        return np.asarray(X)
    except Exception as reason:  # noqa: BLE001 - an array of any library may raise anything
        raise UnsupportedDataError(f"The {type(X).__name__} gives no NumPy array: {reason}") from None


def _file(path: str | os.PathLike[str]) -> Table:
    name = os.fspath(path)
    if not isinstance(name, str):
        name = os.fsdecode(name)
    if os.path.isdir(name):
        if not has_classes(name):
            input_of(name)  # says what to do with a folder
        return Folder(name)
    if name.lower().endswith(MAIL_ENDINGS):
        return Mailbox(name)
    ending = ending_of(name)
    return read_as(input_of(name, gzip=ending.gzip), ending.format)


def read_as(given: Input, form: Format) -> Table:
    """Return the table in any input that is in one of the formats."""
    match form:
        case "csv":
            return CsvSource.of(given, ",")
        case "tsv":
            return CsvSource.of(given, "\t")
        case "parquet":
            return ParquetTable(given)
        case "arrow":
            return IpcTable(given)
        case "jsonl":
            return JsonLines(given)


def _is_path(item: Any) -> bool:
    if isinstance(item, str):
        try:
            ending_of(item)
        except SourceError:
            return False
        return True
    return isinstance(item, os.PathLike)


@final
class Files(Table):
    """Several files of the same columns, one after the other."""

    named = True

    def __init__(self, tables: list[Table]) -> None:
        self._tables = tables
        first = tables[0]
        self.names, self.hidden = first.names, first.hidden
        self.label = f"{first.label} and {len(tables) - 1} more" if len(tables) > 1 else first.label
        self.text, self.dated, self.prose, self.note = first.text, first.dated, first.prose, first.note
        counts = [table.n_rows for table in tables]
        self.once = any(table.once for table in tables)
        self.n_rows = sum(n for n in counts if n is not None) if None not in counts else None
        for table in tables:
            if (table.text, table.dated) != (first.text, first.dated):
                raise SourceError(
                    f"{first.label} and {table.label} are of different formats; read one format at a time."
                )
            if set(table.names) != set(first.names):
                odd = sorted(map(str, set(table.names) ^ set(first.names)))
                raise ColumnError(
                    f"{table.label} has not the columns of {first.label}: {odd} are in one of them only. "
                    "Give files of the same columns."
                )

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[Cells]:
        """Yield the rows of all files."""
        for table in self._tables:
            yield from table.pieces(columns, most)


def _unsupported(X: Any) -> UnsupportedDataError:
    kind = f"{type(X).__module__}.{type(X).__qualname__}".removeprefix("builtins.")
    if X is None:
        hint = " X is None: what makes it returned nothing."
    elif kind.startswith("polars") and hasattr(X, "collect"):
        hint = " Call .collect() on it, or write it with .sink_parquet(path) and give the path."
    elif isinstance(X, Mapping):
        hint = " Give a list of dicts, one a row, or make a table of its columns with pyarrow.table(X)."
    elif hasattr(X, "to_table"):
        hint = " Give X.to_table(), or X.scanner().to_reader() to read it in pieces."
    elif kind.endswith("DuckDBPyConnection"):
        hint = " Give the relation that connection.sql(query) returns."
    elif hasattr(X, "read"):
        hint = " Give the path of the file, or tallybayes.sources.open_stream(file, form)."
    elif hasattr(X, "__next__"):
        hint = " Give list(X)."
    else:
        hint = ""
    return UnsupportedDataError(
        f"X is of type {kind}, which no source reads.{hint} What is read: NumPy arrays, SciPy sparse "
        "matrices, lists of rows or of dicts, pandas frames, anything with the Arrow PyCapsule interface "
        "(Polars, PyArrow, DuckDB), and the paths of CSV, TSV, Parquet, Arrow, Feather and JSON lines files."
    )
