"""The files that are read and written: known by their endings, and recognised by their first bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, get_args

from tallybayes.errors import SourceError, did_you_mean

Format = Literal["csv", "tsv", "parquet", "arrow", "jsonl"]
"""The forms of a file; `arrow` is the IPC file and the IPC stream."""

FORMATS: tuple[Format, ...] = get_args(Format)

ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""What each ending means; `.csv`, `.tsv`, `.jsonl` and `.ndjson` may be followed by `.gz`."""

TEXT_FORMATS: tuple[Format, ...] = ("csv", "tsv", "jsonl")

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"FEA1", "a Feather file of version 1"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"PK\x03\x04", "a ZIP archive, such as an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"\x80\x04\x95", "a pickle"),
)


@dataclass(frozen=True)
class Ending:
    """What the ending of a file name says: the format, and whether it is compressed by gzip."""

    format: Format
    gzip: bool = False


def ending_of(path: str) -> Ending:
    """Return what the ending of `path` says.

    Raises
    ------
    SourceError
        The ending is none of those that are known.
    """
    stem, last = os.path.splitext(path.lower())
    zipped = last == ".gz"
    if zipped:
        last = os.path.splitext(stem)[1]
    kind = ENDINGS.get(last)
    if kind is not None and (not zipped or kind in TEXT_FORMATS):
        return Ending(kind, zipped)
    given = f"the ending {os.path.basename(path.lower()).partition('.')[1:][1]!r}" if last or zipped else "no ending"
    hint = did_you_mean(last, ENDINGS) if last else ""
    if last == ".json":
        hint = " JSON is read with one object a line, as .jsonl."
    if last in (".xlsx", ".xls"):
        hint = " Save the sheet as CSV, or give pandas.read_excel(...)."
    raise SourceError(
        f"{path!r} has {given}, which says no format that is known.{hint} The endings are "
        f"{', '.join(ENDINGS)}, and .gz after those of text."
    )


def recognise(head: bytes) -> str | None:
    """Return what a file is by its first bytes, in words; None for text."""
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    if head[:4] in (b"\xff\xff\xff\xff",):
        return "an Arrow stream"
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "text in UTF-16"
    start = head[:64].lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml")):
        return "an HTML or XML page"
    if b"\x00" in head:
        return "a binary file"
    return None


def wrong_ending(label: str, expected: str, head: bytes, *, remedy: str = "") -> SourceError:
    """Return the error of a file that is not what its ending says."""
    found = recognise(head) or "text"
    advice = {
        "a gzip file": "Add .gz to its name, or decompress it.",
        "a Parquet file": "Rename it to end in .parquet.",
        "an Arrow file": "Rename it to end in .arrow.",
        "an Arrow stream": "Rename it to end in .arrow.",
        "text": "Give it the ending of what it holds, such as .csv, .tsv or .jsonl.",
    }.get(
        found,
        "Give the table itself, in one of the formats that are read: CSV, TSV, Parquet, Arrow, JSON lines.",
    )
    return SourceError(f"{label} is not {expected}: it is {found}. {remedy or advice}")
