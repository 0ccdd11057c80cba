"""Texts that are files: a folder for each class, one message in a file, or many in a mailbox."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO, final

import pyarrow as pa

from tallybayes._types import Name
from tallybayes.errors import EmptyDataError, SourceError
from tallybayes.sources.base import Table
from tallybayes.sources.mail import mail_text

TEXT, LABEL, FILE = "text", "label", "file"
"""The columns: what a file says, the folder that it lies in, and its path."""

MAIL_ENDINGS = (".eml", ".mbox")

_BATCH_BYTES = 1 << 22
_FROM = re.compile(rb"^From .*\d\d:\d\d", re.MULTILINE)
"""The line that begins a message in a mailbox, with a time in it."""

_HEADER = re.compile(rb"^[!-9;-~]+:", re.MULTILINE)
"""What a message begins with, and few other texts do."""


@final
class Mailbox(Table):
    """The messages of an ``.mbox`` file, or the one of an ``.eml`` file."""

    named = True
    names = (TEXT,)
    prose = frozenset(names)

    def __init__(self, path: str) -> None:
        self.label = path
        self._path = path
        _opened(path).close()

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the texts of messages."""
        if _is_mailbox(self._path):
            yield from _batches(({TEXT: text} for text in _texts(self._path)), columns)
            return
        with _opened(self._path) as file:
            yield from _batches(iter([{TEXT: mail_text(file.read())}]), columns)


@final
class Folder(Table):
    """The files of a folder of folders, each of which is a class; hidden files are left out.

    A file that looks like a message is read as one, others as text in UTF-8, or else in Latin-1. A mailbox is read
    message by message, and one that lies beside the folders, such as ``spam.mbox``, is a class by itself.
    """

    named = True
    names = (TEXT, LABEL)
    hidden = (FILE,)
    target = LABEL
    prose = frozenset([TEXT])

    def __init__(self, path: str) -> None:
        self.label = path
        self._files = sorted(_files(path))
        self.n_rows = None if any(_is_mailbox(file) for _, file in self._files) else len(self._files)
        if not self._files:
            raise EmptyDataError(
                f"The folder {path!r} has no folders with files in them. Put the texts of each class into a folder "
                "or a mailbox that is named like the class."
            )

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the texts of the files and the folders that they lie in."""
        yield from _batches(self._rows(), columns)

    def _rows(self) -> Iterator[dict[str, str]]:
        for label, path in self._files:
            for text in _texts(path):
                yield {TEXT: text, LABEL: label, FILE: path}


def has_classes(path: str) -> bool:
    """Return whether a folder holds folders or mailboxes, each of which can be a class."""
    try:
        with os.scandir(path) as entries:
            return any(_is_class(entry) for entry in entries)
    except OSError:
        return False


def is_mail(raw: bytes) -> bool:
    r"""Return whether bytes look like a message: two headers or more before the first empty line.

    Examples
    --------
    >>> is_mail(b"Subject: hello\nFrom: a@example.org\n\nhello"), is_mail(b"Note: buy milk\n\nand bread")
    (True, False)
    """
    head = re.split(rb"\r?\n\r?\n", raw[:65_536].lstrip(), maxsplit=1)[0]
    lines = [line for line in head.splitlines() if not line.startswith((b" ", b"\t", b"From "))]
    return len(lines) > 1 and all(_HEADER.match(line) for line in lines)


def split_mailbox(file: BinaryIO) -> Iterator[bytes]:
    """Yield the messages of a mailbox, one at a time; a ``>From`` in a message becomes ``From`` again."""
    message: list[bytes] = []
    blank = True
    for line in file:
        if blank and line.startswith(b"From ") and _FROM.match(line):
            if message:
                yield b"".join(message)
            message = []
        else:
            message.append(line[1:] if re.match(rb">+From ", line) else line)
        blank = not line.strip()
    if message:
        yield b"".join(message)


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the class and the path of each file."""
    with os.scandir(folder) as entries:
        classes = [entry for entry in entries if _is_class(entry)]
    for entry in classes:
        if not entry.is_dir():
            yield os.path.splitext(entry.name)[0], entry.path
            continue
        for place, folders, files in os.walk(entry.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from ((entry.name, os.path.join(place, name)) for name in files if not name.startswith("."))


def _is_class(entry: os.DirEntry[str]) -> bool:
    return (entry.is_dir() or _is_mailbox(entry.name)) and not entry.name.startswith(".")


def _is_mailbox(path: str) -> bool:
    return path.lower().endswith(".mbox")


def _texts(path: str) -> Iterator[str]:
    """Yield the texts of a file: one, or those of the messages of a mailbox."""
    with _opened(path) as file:
        if _is_mailbox(path):
            yield from map(mail_text, split_mailbox(file))
            return
        raw = file.read()
    yield mail_text(raw) if is_mail(raw) else _plain(raw)


def _batches(rows: Iterator[dict[str, str]], columns: tuple[Name, ...]) -> Iterator[pa.RecordBatch]:
    """Put rows together to some megabytes."""
    schema = pa.schema([(str(name), pa.large_string()) for name in columns])
    some: list[dict[str, str]] = []
    size = 0
    for row in rows:
        # Half a surrogate pair, which broken headers may hold, is no character.
        some.append({name: cell.encode("utf-8", "replace").decode() for name, cell in row.items()})
        size += len(row[TEXT])
        if size > _BATCH_BYTES:
            yield pa.RecordBatch.from_pylist(some, schema=schema)
            some, size = [], 0
    if some:
        yield pa.RecordBatch.from_pylist(some, schema=schema)


def _plain(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise SourceError(f"{path!r} cannot be read: {error.strerror}. Check its place and permissions.") from None
