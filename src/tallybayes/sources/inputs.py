"""Bytes to read a table from: a file, which can be read again, or a stream, which cannot."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import weakref
from abc import ABC, abstractmethod
from typing import Any, BinaryIO, cast, final

import pyarrow as pa

from tallybayes.errors import EmptyDataError, SourceError, did_you_mean
from tallybayes.sources.formats import wrong_ending

_GZIP = b"\x1f\x8b"


class Input(ABC):
    """Where bytes come from, decompressed.

    Attributes
    ----------
    label
        What messages call it.
    once
        Whether it can be opened a single time.
    """

    label: str
    once: bool

    @abstractmethod
    def head(self, size: int) -> bytes:
        """Return the first bytes, without using them up."""

    @abstractmethod
    def open(self) -> BinaryIO:
        """Return a reader of all the bytes; the caller closes it."""

    @abstractmethod
    def seekable(self) -> str | BinaryIO:
        """Return a path, or a file in which one can jump about."""


@final
class FileInput(Input):
    """A file by its path."""

    once = False

    def __init__(self, path: str, *, gzip: bool = False) -> None:
        self.label = path
        self._path, self._gzip = path, gzip
        if gzip:
            with open(path, "rb") as file:
                head = file.read(64)
            if not head.startswith(_GZIP):
                raise wrong_ending(path, "compressed by gzip", head, remedy="Take .gz off its name.")

    def head(self, size: int) -> bytes:
        """Return the first bytes of the file."""
        with self.open() as file:
            return read_bytes(file, size, self.label)

    def open(self) -> BinaryIO:
        """Open the file."""
        return cast(BinaryIO, pa.input_stream(self._path, compression="gzip" if self._gzip else None))

    def seekable(self) -> str | BinaryIO:
        """Return the path."""
        return self._path


@final
class StreamInput(Input):
    """A binary stream such as standard input; it is read once. gzip is recognised by its first bytes."""

    once = True

    def __init__(self, stream: Any, label: str) -> None:
        self.label = label
        if isinstance(stream, io.TextIOBase) or not hasattr(stream, "read"):
            raise SourceError(
                f"{label} is no stream of bytes; open the file in the mode 'rb', or take sys.stdin.buffer."
            )
        self._raw: Any = _Rest(stream)
        if self._raw.peek(2)[:2] == _GZIP:
            self._raw = _Rest(pa.CompressedInputStream(pa.PythonFile(self._raw, "r"), "gzip"))
        self._used = False
        if not self.head(1):
            raise EmptyDataError(f"{label} is empty: it has no bytes, and so no rows. Check what writes to it.")

    def head(self, size: int) -> bytes:
        """Return the first bytes of the stream."""
        try:
            return cast(bytes, self._raw.peek(size))
        except (OSError, pa.ArrowException) as reason:
            raise _broken(self.label, reason) from None

    def open(self) -> BinaryIO:
        """Return the stream, the first time."""
        if self._used:
            raise SourceError(
                f"{self.label} has been read already, and is a stream that can be read once only; "
                "write it to a file first."
            )
        self._used = True
        return io.BufferedReader(self._raw, 1 << 20)  # which reads as much as it is asked to

    def seekable(self) -> str | BinaryIO:
        """Return the stream's bytes in a temporary file without a name, which goes with this input."""
        spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
        weakref.finalize(self, spool.close)
        shutil.copyfileobj(self.open(), spool)
        spool.seek(0)
        return cast(BinaryIO, spool)


class _Rest(io.RawIOBase):
    """A stream with a head that was looked at already."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._head, self._end = stream, b"", False

    def peek(self, size: int) -> bytes:
        while len(self._head) < size and not self._end:
            more = self._stream.read(size - len(self._head))
            self._head += more
            self._end = not more
        return self._head[:size]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if self._head:
            taken = self._head[: len(view)]
            self._head = self._head[len(taken) :]
        else:
            taken = self._stream.read(len(view))
        view[: len(taken)] = taken
        return len(taken)


def input_of(path: str, *, gzip: bool = False) -> Input:
    """Return the input at a path; a pipe with a name is a stream.

    Raises
    ------
    SourceError
        There is no file, or it cannot be opened.
    EmptyDataError
        The file has no bytes.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        pipe = open(path, "rb")  # noqa: SIM115 - closed below
        given = StreamInput(pipe, path)
        weakref.finalize(given, pipe.close)
        return given
    _check_file(path)
    return FileInput(path, gzip=gzip)


def read_bytes(file: Any, size: int, label: str) -> bytes:
    """Read `size` bytes, fewer only where the file ends; a broken gzip file is said to be one."""
    parts = []
    try:
        while size > 0 and (part := file.read(size)):
            parts.append(part)
            size -= len(part)
    except (OSError, pa.ArrowException) as reason:
        raise _broken(label, reason) from None
    return b"".join(parts)


def _broken(label: str, reason: BaseException) -> SourceError:
    return SourceError(f"{label} cannot be read: {reason}. It may be cut off or damaged; copy or download it again.")


def _check_file(path: str) -> None:
    """Refuse a path where there is no file with anything in it."""
    folder, name = os.path.split(path)
    if not os.path.exists(path):
        if "://" in path:
            raise SourceError(f"{path!r} is an address, and only files are read; download it first.")
        try:
            siblings = os.listdir(folder or os.curdir)
        except OSError:
            raise SourceError(f"There is no folder {folder!r} to read {name!r} from; check the path.") from None
        raise SourceError(
            f"There is no file {path!r}.{did_you_mean(name, siblings)} The folder is {os.path.abspath(folder)!r}."
        )
    if os.path.isdir(path):
        raise SourceError(
            f"{path!r} is a folder; give a file, or a list of files of one format, such as "
            "sorted(glob.glob('folder/*.parquet')). Texts that are files belong into a folder, or a mailbox (.mbox), "
            "for each class."
        )
    try:
        with open(path, "rb") as file:
            empty = not file.read(1)
    except OSError as reason:
        raise SourceError(f"{path!r} cannot be opened: {reason.strerror}. Check who may read it.") from None
    if empty:
        raise EmptyDataError(f"{path} is empty: it has no bytes, and so no rows. Check how it was written.")
