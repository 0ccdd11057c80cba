"""What CSV needs besides a parser: a known end, and points in place of decimal commas."""

from __future__ import annotations

import io
import threading
from typing import BinaryIO, final

import pyarrow as pa
import pyarrow.compute as pc

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
        self._free = False

    def taken(self) -> None:
        """Let another block be read."""
        self._ahead.release()

    def free(self) -> None:
        """Let everything be read, because nobody waits for it any more."""
        self._free = True
        self._ahead.release()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._free:
            self._ahead.acquire(timeout=PATIENCE)
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
