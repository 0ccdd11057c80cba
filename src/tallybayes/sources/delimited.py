"""CSV and TSV: every cell is read as a string, and the schema says later what the strings mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import final

import pyarrow as pa
import pyarrow.csv

from tallybayes._types import Name
from tallybayes.errors import OptionError
from tallybayes.sources.base import Table
from tallybayes.sources.csv_dialect import Dialect, LongRowError
from tallybayes.sources.csv_header import read_header
from tallybayes.sources.csv_parts import Ended, Lent, Parsing, with_points
from tallybayes.sources.inputs import FileInput, Input, input_of

BLOCK_BYTES = 1 << 20
"""How much of the file is parsed at a time."""

LONGEST = 1 << 26
"""How much is parsed at a time where a row does not fit into a block; it has to fit into this."""


@final
class CsvSource(Table):
    r"""A CSV or TSV file whose separator or encoding is not the usual one, or which names its own target.

    Cells are separated by `delimiter`, and may stand in double quotes, in which a separator, a line break and
    a doubled quote are part of the cell (RFC 4180). The first row has the headers. An empty cell is missing.

    Parameters
    ----------
    path : str or os.PathLike
        The file; ``.gz`` at the end says that it is compressed.
    target, sample_weight : str, optional
        The columns that hold the labels and the weights.
    delimiter : str, optional
        The separator; by default a tab for ``.tsv`` and a comma otherwise.
    encoding : str
        How characters are written, as Python calls it: ``"utf-8"``, ``"gb18030"``, ``"latin-1"``,
        ``"utf-16"``.
    decimal : {".", ","}
        With a comma, ``1.234,5`` is a number, which a point otherwise writes ``1234.5``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tallybayes.sources import CsvSource, open_source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "melons.csv")
    ...     _ = path.write_text("色泽;好瓜\n青绿;是\n", encoding="gb18030")
    ...     source = open_source(CsvSource(path, target="好瓜", delimiter=";", encoding="gb18030"))
    ...     rows = next(source.rows())
    >>> rows.names, rows.cells.to_pylist(), rows.target.to_pylist()
    (('色泽',), [{'色泽': '青绿'}], ['是'])
    """

    named = True
    text = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        target: str | None = None,
        sample_weight: str | None = None,
        delimiter: str | None = None,
        encoding: str = "utf-8",
        decimal: str = ".",
    ) -> None:
        name = os.fspath(path)
        if delimiter is None:
            delimiter = "\t" if name.lower().endswith((".tsv", ".tsv.gz")) else ","
        zipped = name.lower().endswith(".gz")
        self._read(input_of(name, gzip=zipped), delimiter, encoding, decimal)
        self.target, self.sample_weight = target, sample_weight

    @classmethod
    def of(cls, given: Input, delimiter: str, encoding: str = "utf-8", decimal: str = ".") -> CsvSource:
        """Return the table in any input."""
        source = cls.__new__(cls)
        source._read(given, delimiter, encoding, decimal)
        return source

    def _read(self, given: Input, delimiter: str, encoding: str, decimal: str) -> None:
        if decimal not in (".", ","):
            raise OptionError(f"decimal={decimal!r} is neither '.' nor ','; give what stands before a fraction.")
        self._dialect, self._decimal = Dialect.checked(given, delimiter, encoding), decimal
        self.label, self.once = given.label, given.once
        header = read_header(self._dialect)
        self.names, self.hidden, self.note = header.names, header.hidden, header.note
        self._skipped = header.skipped

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the cells as strings, with a point before the fraction of a number."""
        done = 0
        try:
            for batch in self._batches(columns, BLOCK_BYTES):
                yield self._pointed(batch)
                done += batch.num_rows
        except LongRowError as error:
            if not isinstance(self._dialect.given, FileInput):
                raise error.told(BLOCK_BYTES) from None
        else:
            return
        try:
            for batch in self._batches(columns, LONGEST):  # from the start, for only the parser finds rows
                yield self._pointed(batch.slice(done))
                done = max(0, done - batch.num_rows)
        except LongRowError as error:
            raise error.told(LONGEST) from None

    def _pointed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if self._decimal == ".":
            return batch
        return pa.RecordBatch.from_arrays([with_points(c) for c in batch.columns], names=batch.schema.names)

    def _batches(self, columns: tuple[Name, ...], block: int) -> Iterator[pa.RecordBatch]:
        """Yield the cells in blocks of so many bytes."""
        ragged: list[pa.csv.InvalidRow] = []
        end = self._dialect.blank_row(len(self.hidden) + len(self.names))
        held: pa.RecordBatch | None = None
        rows = 0
        with self._dialect.given.open() as file:
            ended = Ended(file, end)
            if (
                self._dialect.encoding != "utf-8-sig"
            ):  # a block of which may take several, and none must wait for another
                ended.free()
            parsing = Parsing(ended)
            try:
                parsing.reader = self._reader(parsing, Lent(ended, parsing), columns, block, ragged)
                for batch in parsing.reader:
                    ended.taken()
                    if batch.num_rows:
                        if held is not None:
                            yield held
                        held = batch
                        rows += batch.num_rows
            except UnicodeDecodeError:
                raise self._dialect.undecodable() from None
            except (pa.ArrowException, OSError) as reason:
                if "straddl" in str(reason):
                    raise LongRowError(self.label) from None
                raise self._dialect.error(reason, ragged, self._skipped) from None
            finally:
                parsing.finish()
        if held is not None and end:
            last = held.slice(held.num_rows - 1)
            if any(column.null_count == 0 for column in last.columns):
                raise self._dialect.unquoted(rows)
            held = held.slice(0, held.num_rows - 1)
        if held is not None:
            yield held

    def _reader(
        self, parsing: Parsing, lent: Lent, columns: tuple[Name, ...], block: int, ragged: list[pa.csv.InvalidRow]
    ) -> pa.csv.CSVStreamingReader:
        """Return the parser, which puts the first row of a wrong length into `ragged`."""
        names = [*self.hidden, *self.names]

        def refuse(row: pa.csv.InvalidRow) -> str:
            ragged.append(row)
            return "error"

        # On one thread, because only then the parser counts rows; the engine has threads of its own.
        return pa.csv.open_csv(
            pa.PythonFile(parsing.lend(lent), "r"),
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                block_size=block,
                column_names=names,
                skip_rows_after_names=self._skipped,
                encoding="utf8" if self._dialect.encoding == "utf-8-sig" else self._dialect.encoding,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=self._dialect.delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(names) > 1,  # an empty line of a single column is a missing cell
                invalid_row_handler=parsing.lend(refuse),
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=[str(name) for name in columns],
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
