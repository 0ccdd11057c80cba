"""What CSV needs besides a parser: a known end, and points in place of decimal commas."""

from __future__ import annotations

import atexit
import io
import threading
import time
import weakref
from contextlib import suppress
from itertools import count
from typing import Any, BinaryIO, final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

AHEAD = 3
"""How many blocks are read ahead."""

PATIENCE = 0.2
"""How many seconds a block waits at most; were there a parser that wanted more blocks at once, it would get them."""

_WITH_COMMA = r"^\s*[+-]?([0-9]{1,3}(\.[0-9]{3})+(,[0-9]*)?|[0-9]+,[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?\s*$"
"""A number with a decimal comma, or with points between groups of three digits."""


def with_points(texts: pa.Array) -> pa.Array:
    """Return texts in which numbers have a decimal comma as they are with a decimal point.

    What is no number, and a number that has a point before its fraction already, stays as it is.

    Examples
    --------
    >>> with_points(pa.array(["1,5", "1.234,5", "-1.234", "1.5", "a,b", None])).to_pylist()
    ['1.5', '1234.5', '-1234', '1.5', 'a,b', None]
    """
    pointed = pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", ".")
    return pc.if_else(pc.match_substring_regex(texts, _WITH_COMMA), pointed, texts)


@final
class Ended(io.RawIOBase):
    """The bytes of a file, and after its last line some more; a few blocks ahead of who takes them, and no more.

    The parser would read some thirty blocks ahead in a thread of its own.
    """

    def __init__(self, file: BinaryIO, end: bytes) -> None:
        self._file, self._end, self._last = file, end, b"\n"
        self._ahead = threading.Semaphore(AHEAD)
        self._free = self._stopped = False

    def taken(self) -> None:
        """Let another block be read."""
        self._ahead.release()

    def free(self) -> None:
        """Let everything be read, because nobody waits for it any more."""
        self._free = True
        self._ahead.release()

    def stop(self) -> None:
        """Have no more to read, because nobody takes it any more."""
        self._stopped = True
        self.free()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._free:
            self._ahead.acquire(timeout=PATIENCE)
        if self._stopped:
            return b""
        # Fewer bytes than asked would cut a row, for the parser takes what it gets for a block.
        parts: list[bytes] = []
        while (missing := size - sum(map(len, parts))) > 0:
            part = self._file.read(missing)
            if not part:
                if self._end and self._last not in b"\r\n":
                    self._end = b"\n" + self._end
                part, self._end = self._end[:missing], self._end[missing:]
            if not part:
                break
            self._last = part[-1:]
            parts.append(part)
        return b"".join(parts)


@final
class Parsing:
    """A parser, which reads ahead in threads of its own, and all that it holds of Python's.

    A thread that asks for Python, if only to let something go, while Python ends takes the program down, and its exit
    code with it. So whoever is done waits until the parser has let go of everything, and so does the end of a program
    in which an error keeps a parser alive that nobody goes on with.
    """

    def __init__(self, ended: Ended) -> None:
        self.reader: pa.csv.CSVStreamingReader | None = None
        self._ended = ended
        self._lent: dict[int, weakref.ref[Any]] = {}
        self._numbers = count()
        _under_way.add(self)

    @property
    def is_gone(self) -> bool:
        """Whether the parser has let go of all that it was lent."""
        return not self._lent

    def lend(self, thing: Any) -> Any:
        """Return something that the parser alone is to hold, and notice when it lets go."""
        lent, number = self._lent, next(self._numbers)
        lent[number] = weakref.ref(thing, lambda _: lent.pop(number, None))
        return thing

    def finish(self) -> None:
        """Let the parser come to an end of what it has read so far, and wait until it is gone."""
        self._ended.stop()
        with suppress(pa.ArrowException, OSError, UnicodeError, StopIteration):
            while self.reader is not None:
                self.reader.read_next_batch()
        self.reader = None
        until = time.monotonic() + PATIENCE
        while not self.is_gone and time.monotonic() < until:
            time.sleep(1e-4)
        _under_way.discard(self)


_under_way: set[Parsing] = set()


@atexit.register
def _finish_all() -> None:
    for parsing in [*_under_way]:
        parsing.finish()


@final
class Lent:
    """What a parser reads bytes from."""

    closed = False

    def __init__(self, ended: Ended, parsing: Parsing) -> None:
        self._ended, self._parsing = ended, parsing

    def read(self, size: int = -1) -> memoryview:
        """Return so many bytes, fewer at the end alone."""
        view: memoryview = self._parsing.lend(memoryview(self._ended.read(size)))
        return view

    def close(self) -> None:
        """Do nothing: who opened the file closes it."""
