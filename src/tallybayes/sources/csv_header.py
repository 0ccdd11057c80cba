"""The first row of a CSV file, which names its columns."""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass

from tallybayes.errors import EmptyDataError, SourceError
from tallybayes.sources.base import in_words
from tallybayes.sources.csv_dialect import Dialect
from tallybayes.sources.formats import recognise, wrong_ending


@dataclass(frozen=True)
class Header:
    """The columns of a CSV file.

    Attributes
    ----------
    names, hidden
        The columns, and before them one that is probably an index.
    skipped
        How many rows are over when the header is.
    note
        What a person who opens the file for the first time is warned of.
    """

    names: tuple[str, ...]
    hidden: tuple[str, ...]
    skipped: int
    note: str


def read_header(dialect: Dialect) -> Header:
    """Return the columns that the first row names that is not blank."""
    cells, skipped = _first_row(dialect)
    # The index of a frame that was written with it has no name; left in, it would be taken for a feature.
    hidden = ("",) if cells[0] == "" and len(cells) > 1 else ()
    nameless = [place for place, name in enumerate(cells, 1) if name == ""][len(hidden) :]
    note = ""
    if nameless:
        note = (
            f"Column {nameless[0]} of {dialect.label} has no name, and goes by the empty one. Give it a name, or take "
            "it out of the file."
        )
    elif hidden:
        note = (
            f"The first column of {dialect.label} has no name, like an index that was written with the "
            "table, and is left out. Give it a name if it is to be used."
        )
    return Header(tuple(cells[len(hidden) :]), hidden, skipped, note)


def _first_row(dialect: Dialect) -> tuple[list[str], int]:
    """Return the cells of the first row that is not blank, and how many rows it ends."""
    size = 1 << 16
    while True:
        head = dialect.given.head(size)
        found = recognise(head)
        wide = dialect.encoding.startswith(("utf-16", "utf-32")) and found in ("text in UTF-16", "a binary file")
        if found is not None and not wide:
            remedy = f"Give CsvSource({dialect.label!r}, encoding='utf-16')." if "UTF-16" in found else ""
            raise wrong_ending(dialect.label, dialect.words, head, remedy=remedy)
        whole = len(head) < size
        text = _decoded(dialect, head, whole).removeprefix("\ufeff")
        try:
            header, blank, ended = first_record(text, dialect.delimiter)
        except csv.Error as reason:
            if whole:
                raise SourceError(
                    f"The header of {dialect.label} cannot be read: {in_words(reason)}. Check its double quotes."
                ) from None
            ended = False
        if ended or whole:
            break
        size *= 4
    if not header:
        raise EmptyDataError(f"{dialect.label} has no header and no rows; the first row names the columns.")
    _refuse_other_separators(dialect, header, text)
    return header, blank + 1


def first_record(text: str, delimiter: str) -> tuple[list[str], int, bool]:
    """Return the first record with cells, the number of blank ones before it, and whether text follows."""
    lines = io.StringIO(text, newline="")
    blank = 0
    for record in csv.reader(iter(lines.readline, ""), delimiter=delimiter, strict=True):
        if record:
            return record, blank, lines.tell() < len(text)
        blank += 1
    return [], blank, False


def _decoded(dialect: Dialect, head: bytes, whole: bool) -> str:
    decoder = codecs.getincrementaldecoder(dialect.encoding)()
    try:
        return decoder.decode(head, final=whole)
    except UnicodeDecodeError:
        raise dialect.undecodable() from None


def _refuse_other_separators(dialect: Dialect, header: list[str], text: str) -> None:
    """Refuse a header of a single cell in which another separator stands."""
    if len(header) > 1 or '"' in text[: len(header[0]) + 8]:
        return
    other = max("\t;,|", key=header[0].count)
    if other in header[0]:
        commas = re.search(rf"(^|{re.escape(other)})[0-9]+,[0-9]+({re.escape(other)}|$)", text, re.MULTILINE)
        decimal = ", decimal=','" if other != "," and commas else ""
        raise SourceError(
            f"{dialect.label} has no {dialect.delimiter!r} in its header, but {other!r}: {header[0][:60]!r}. If that "
            f"separates its columns, give CsvSource({dialect.label!r}, delimiter={other!r}{decimal})."
        )
