"""How a CSV file is written, and what is said of one that is not written so."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow.csv

from tallybayes.errors import OptionError, SourceError
from tallybayes.sources.base import in_words
from tallybayes.sources.encodings import bad_byte
from tallybayes.sources.inputs import FileInput, Input


@dataclass(frozen=True, eq=False)
class Dialect:
    """The bytes of a CSV or TSV file, and how cells and characters are told apart in them.

    Attributes
    ----------
    given
        The bytes.
    delimiter
        What separates cells.
    encoding
        How characters are written, by the name that Python gives it, ``"utf-8-sig"`` for UTF-8.
    """

    given: Input
    delimiter: str
    encoding: str

    @classmethod
    def checked(cls, given: Input, delimiter: str, encoding: str) -> Dialect:
        """Return a dialect; `OptionError` where it is none."""
        if len(delimiter) != 1:
            raise OptionError(f"delimiter={delimiter!r} is not one character; give ',', ';' or '\\t' for example.")
        try:
            codec = codecs.lookup(encoding).name
        except LookupError:
            raise OptionError(f"encoding={encoding!r} is no encoding that Python knows; 'utf-8' is one.") from None
        return cls(given, delimiter, "utf-8-sig" if codec == "utf-8" else codec)

    @property
    def label(self) -> str:
        """What messages call the file."""
        return self.given.label

    @property
    def words(self) -> str:
        """What messages call files of this kind."""
        return "a TSV file" if self.delimiter == "\t" else "a CSV file"

    def blank_row(self, columns: int) -> bytes:
        """Return a row of empty cells to put after the last row: where it is not read, some quote is open."""
        row = self.delimiter * (columns - 1) + "\n"
        same = row.encode(self.encoding) == row.encode("ascii", "replace")
        return row.encode() if same or self.encoding == "utf-8-sig" else b""

    def error(self, reason: BaseException, ragged: Sequence[pyarrow.csv.InvalidRow], skipped: int) -> SourceError:
        """Return the error for what the parser says, or for the first row of a wrong length, after skipped ones."""
        if ragged:
            row = ragged[0]
            number, cells = row.number - skipped, row.actual_columns
            if row.text.count('"') % 2 and "\n" in row.text:
                return self.unquoted(number)
            return SourceError(
                f"{self.label} has {cells} cell{'s' * (cells != 1)} in row {number} where the header has "
                f"{row.expected_columns}: {row.text[:80]!r}. Mend the row; a cell that holds "
                f"{self.delimiter!r} stands in double quotes."
            )
        if "invalid UTF8" in str(reason):
            return self.undecodable()
        return SourceError(
            f"{self.label} cannot be read as {self.words}: {in_words(reason)}. It may be cut off or damaged."
        )

    def unquoted(self, row: int) -> SourceError:
        """Return the error for quotes without an end."""
        return SourceError(
            f"{self.label} has double quotes in row {row} that are opened and not closed. Close them, or double "
            "a quote that is part of a cell."
        )

    def undecodable(self) -> SourceError:
        """Return the error for bytes that are no characters of the encoding."""
        encoding = self.encoding.removesuffix("-sig")
        place = bad_byte(self.given, self.encoding) if isinstance(self.given, FileInput) else ""
        return SourceError(
            f"{self.label} is not text in {encoding}{place}. Save it in UTF-8, or say how it is written, as "
            f"in CsvSource({self.label!r}, encoding='gb18030') for Chinese, or 'latin-1' for Western "
            "languages."
        )


class LongRowError(Exception):
    """A row is longer than what is parsed at a time."""

    def told(self, block: int) -> SourceError:
        """Return the error for people, where no more than so many bytes are parsed at a time."""
        return SourceError(
            f"{self} has a row of more than {block / 2**20:g} MB. A double quote that is opened and never closed "
            "does that; look for one."
        )
