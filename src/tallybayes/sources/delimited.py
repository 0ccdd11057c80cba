"""CSV and TSV: every cell is read as a string, and the schema says later what the strings mean."""

from __future__ import annotations

import codecs
import csv
import os
import re
from collections.abc import Iterator
from typing import final

import pyarrow as pa
import pyarrow.csv

from tallybayes._types import Name
from tallybayes.errors import EmptyDataError, OptionError, SourceError
from tallybayes.sources.base import Table, in_words
from tallybayes.sources.csv_parts import Ended, first_record, with_points
from tallybayes.sources.encodings import bad_byte
from tallybayes.sources.formats import recognise, wrong_ending
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
        if len(delimiter) != 1:
            raise OptionError(f"delimiter={delimiter!r} is not one character; give ',', ';' or '\\t' for example.")
        if decimal not in (".", ","):
            raise OptionError(f"decimal={decimal!r} is neither '.' nor ','; give what stands before a fraction.")
        try:
            codec = codecs.lookup(encoding).name
        except LookupError:
            raise OptionError(f"encoding={encoding!r} is no encoding that Python knows; 'utf-8' is one.") from None
        self.label = given.label
        self._input, self._delimiter, self._decimal = given, delimiter, decimal
        self._encoding = "utf-8-sig" if codec == "utf-8" else codec
        self._kind = "a TSV file" if delimiter == "\t" else "a CSV file"
        header, self._skipped = self._header()
        # The index of a frame that was written with it has no name; left in, it would be taken for a feature.
        self.hidden = ("",) if header[0] == "" and len(header) > 1 else ()
        self.names = header[len(self.hidden) :]
        nameless = [place for place, name in enumerate(header, 1) if name == ""][len(self.hidden) :]
        if nameless:
            self.note = (
                f"Column {nameless[0]} of {self.label} has no name, and goes by the empty one. Give it a name, or take "
                "it out of the file."
            )
        if self.hidden:
            self.note = (
                f"The first column of {self.label} has no name, like an index that was written with the "
                "table, and is left out. Give it a name if it is to be used."
            )

    def _header(self) -> tuple[tuple[str, ...], int]:
        """Return the first row that is not blank, and how many rows it ends."""
        size = 1 << 16
        while True:
            head = self._input.head(size)
            found = recognise(head)
            wide = self._encoding.startswith(("utf-16", "utf-32")) and found in (
                "text in UTF-16",
                "a binary file",
            )
            if found is not None and not wide:
                remedy = f"Give CsvSource({self.label!r}, encoding='utf-16')." if "UTF-16" in found else ""
                raise wrong_ending(self.label, self._kind, head, remedy=remedy)
            whole = len(head) < size
            text = self._decoded(head, whole).removeprefix("\ufeff")
            try:
                header, blank, ended = first_record(text, self._delimiter)
            except csv.Error as reason:
                if whole:
                    raise SourceError(
                        f"The header of {self.label} cannot be read: {in_words(reason)}. Check its double quotes."
                    ) from None
                ended = False
            if ended or whole:
                break
            size *= 4
        if not header:
            raise EmptyDataError(f"{self.label} has no header and no rows; the first row names the columns.")
        self._check_header(header, text)
        return tuple(header), blank + 1

    def _decoded(self, head: bytes, whole: bool) -> str:
        decoder = codecs.getincrementaldecoder(self._encoding)()
        try:
            return decoder.decode(head, final=whole)
        except UnicodeDecodeError:
            raise self._undecodable() from None

    def _check_header(self, header: list[str], text: str) -> None:
        if len(header) == 1 and '"' not in text[: len(header[0]) + 8]:
            other = max("\t;,|", key=header[0].count)
            if other in header[0]:
                commas = re.search(rf"(^|{re.escape(other)})[0-9]+,[0-9]+({re.escape(other)}|$)", text, re.MULTILINE)
                decimal = ", decimal=','" if other != "," and commas else ""
                raise SourceError(
                    f"{self.label} has no {self._delimiter!r} in its header, but {other!r}: "
                    f"{header[0][:60]!r}. If that separates its columns, give CsvSource({self.label!r}, "
                    f"delimiter={other!r}{decimal})."
                )

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the cells as strings, with a point before the fraction of a number."""
        done = 0
        try:
            for batch in self._batches(columns, BLOCK_BYTES):
                yield self._pointed(batch)
                done += batch.num_rows
        except _LongRowError as error:
            if not isinstance(self._input, FileInput):
                raise error.told(BLOCK_BYTES) from None
        else:
            return
        try:
            for batch in self._batches(columns, LONGEST):  # from the start, for only the parser finds rows
                yield self._pointed(batch.slice(done))
                done = max(0, done - batch.num_rows)
        except _LongRowError as error:
            raise error.told(LONGEST) from None

    def _pointed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if self._decimal == ".":
            return batch
        return pa.RecordBatch.from_arrays([with_points(c) for c in batch.columns], names=batch.schema.names)

    def _batches(self, columns: tuple[Name, ...], block: int) -> Iterator[pa.RecordBatch]:
        """Yield the cells in blocks of so many bytes."""
        ragged: list[pa.csv.InvalidRow] = []
        end = self._end(len(self.hidden) + len(self.names))
        held: pa.RecordBatch | None = None
        rows = 0
        with self._input.open() as file:
            ended = Ended(file, end)
            if self._encoding != "utf-8-sig":  # a block of which may take several, and none must wait for another
                ended.free()
            try:
                for batch in self._reader(ended, columns, block, ragged):
                    ended.taken()
                    if batch.num_rows:
                        if held is not None:
                            yield held
                        held = batch
                        rows += batch.num_rows
            except UnicodeDecodeError:
                raise self._undecodable() from None
            except (pa.ArrowException, OSError) as reason:
                if "straddl" in str(reason):
                    raise _LongRowError(self.label) from None
                raise self._error(reason, ragged) from None
            finally:
                ended.free()
        if held is not None and end:
            last = held.slice(held.num_rows - 1)
            if any(column.null_count == 0 for column in last.columns):
                raise self._unquoted(rows)
            held = held.slice(0, held.num_rows - 1)
        if held is not None:
            yield held

    def _reader(
        self, ended: Ended, columns: tuple[Name, ...], block: int, ragged: list[pa.csv.InvalidRow]
    ) -> pa.csv.CSVStreamingReader:
        """Return the parser, which puts the first row of a wrong length into `ragged`."""
        names = [*self.hidden, *self.names]

        def refuse(row: pa.csv.InvalidRow) -> str:
            ragged.append(row)
            return "error"

        # On one thread, because only then the parser counts rows; the engine has threads of its own.
        return pa.csv.open_csv(
            pa.PythonFile(ended, "r"),
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                block_size=block,
                column_names=names,
                skip_rows_after_names=self._skipped,
                encoding="utf8" if self._encoding == "utf-8-sig" else self._encoding,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=self._delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(names) > 1,  # an empty line of a single column is a missing cell
                invalid_row_handler=refuse,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=[str(name) for name in columns],
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )

    def _end(self, columns: int) -> bytes:
        """Return a row of empty cells to put after the last row: where it is not read, some quote is open."""
        row = self._delimiter * (columns - 1) + "\n"
        same = row.encode(self._encoding) == row.encode("ascii", "replace")
        return row.encode() if same or self._encoding == "utf-8-sig" else b""

    def _error(self, reason: BaseException, ragged: list[pa.csv.InvalidRow]) -> Exception:
        if ragged:
            row = ragged[0]
            number, cells = row.number - self._skipped, row.actual_columns
            if row.text.count('"') % 2 and "\n" in row.text:
                return self._unquoted(number)
            return SourceError(
                f"{self.label} has {cells} cell{'s' * (cells != 1)} in row {number} where the header has "
                f"{row.expected_columns}: {row.text[:80]!r}. Mend the row; a cell that holds "
                f"{self._delimiter!r} stands in double quotes."
            )
        if "invalid UTF8" in str(reason):
            return self._undecodable()
        return SourceError(
            f"{self.label} cannot be read as {self._kind}: {in_words(reason)}. It may be cut off or damaged."
        )

    def _unquoted(self, row: int) -> SourceError:
        return SourceError(
            f"{self.label} has double quotes in row {row} that are opened and not closed. Close them, or double "
            "a quote that is part of a cell."
        )

    def _undecodable(self) -> SourceError:
        encoding = self._encoding.removesuffix("-sig")
        place = bad_byte(self._input, self._encoding) if isinstance(self._input, FileInput) else ""
        return SourceError(
            f"{self.label} is not text in {encoding}{place}. Save it in UTF-8, or say how it is written, as "
            f"in CsvSource({self.label!r}, encoding='gb18030') for Chinese, or 'latin-1' for Western "
            "languages."
        )


class _LongRowError(Exception):
    """A row is longer than a block."""

    def told(self, block: int) -> SourceError:
        return SourceError(
            f"{self} has a row of more than {block / 2**20:g} MB. A double quote that is opened and never closed "
            "does that; look for one."
        )
