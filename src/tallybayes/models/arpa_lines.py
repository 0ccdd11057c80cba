"""An ARPA file from top to bottom: its header, its sections, and the line for messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, final

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.errors import SourceError
from tallybayes.kernels.arpa import DONE, NEXT, NO_GRAM, NO_NUMBER, PART, TOO_MANY, TWICE
from tallybayes.tallies.sequences import MOST_UNITS

_COUNT = re.compile(r"ngram\s+(\d{1,18})\s*=\s*(\d{1,18})")
_LINE = ord("\n")
_PAGE = 1 << 24
"""How many bytes are read at a time."""

Read = Callable[[AnyArray, int, int, int], tuple[int, int, int]]
"""Reads lines from a place up to another, with so many n-grams before.

Returns where it stopped, why, and how many n-grams there are by then; see `tallybayes.kernels.arpa`.
"""


@final
class ArpaLines:
    """Reads a file a page at a time."""

    def __init__(self, file: BinaryIO, label: str) -> None:
        self._file, self._label = file, label
        self._data: AnyArray = np.zeros(0, np.uint8)
        self._at = self._stop = self._number = 0
        self._ahead = ""

    def wrong(self, what: str, number: int | None = None) -> SourceError:
        """Return the error that something is wrong in the line that was read last, or in one that is said."""
        return SourceError(
            f"{self._label} is no ARPA file that can be read: {what} (line {number or self._number}). Write it again "
            "with the program that it comes from."
        )

    def sizes(self, size: int) -> list[int]:
        """Return how many n-grams of each length the header says there are, in a file of so many bytes."""
        while self._line() != "\\data\\":
            pass
        sizes: list[int] = []
        while found := _COUNT.fullmatch(line := self._line()):
            if int(found[1]) != len(sizes) + 1:
                raise self.wrong("the lengths do not stand in order")
            sizes.append(int(found[2]))
            # A line has at least a digit, a blank and a letter for each unit, and its end. So nothing is made room for
            # that a file only claims.
            if sum((2 * k + 2) * n for k, n in enumerate(sizes, 1)) > size + 1:
                raise self.wrong(f"there should be {sizes[-1]:,} n-grams of length {len(sizes)}, and it is too short")
            if len(sizes) > MOST_UNITS:
                raise self.wrong(f"its n-grams have up to {len(sizes)} units, and {MOST_UNITS} is the most")
        if not sizes or not sizes[0]:
            raise self.wrong("it does not say how many n-grams it has")
        if sum(sizes) >= 2**31 - 1:
            raise self.wrong(f"it has {sum(sizes):,} n-grams, and 2,147,483,646 are the most")
        self._ahead = line
        return sizes

    def section(self, k: int, size: int, read: Read) -> Iterator[tuple[AnyArray, int]]:
        """Read the n-grams of length k; yield each page with how many there are by the end of it."""
        if self._ahead != f"\\{k}-grams:":
            raise self.wrong(f"the n-grams of length {k} are not there, but {self._ahead[:40]!r}")
        filled, why = 0, DONE
        while why == DONE:
            if self._at >= self._stop and not self._turn():
                raise self.wrong("it ends too soon")
            begin = self._at
            self._at, why, filled = read(self._data, begin, self._stop, filled)
            self._number += int(np.count_nonzero(self._data[begin : self._at] == _LINE))
            yield self._data, filled
        if why != NEXT:
            raise self.bad(why, k, size)
        if filled != size:
            raise self.wrong(f"there are {filled} n-grams of length {k}, and there should be {size}")
        self._ahead = self._line()

    def bad(self, why: int, k: int, size: int) -> SourceError:
        """Return the error for the line at which the reading stopped."""
        line = self._line()
        gram = " ".join(line.split()[1 : k + 1])
        said = {
            NO_NUMBER: f"{line[:40]!r} has no numbers",
            NO_GRAM: f"{line[:40]!r} is no n-gram of length {k} with its logarithm",
            PART: f"the n-gram {gram!r} is there, and a part of it is not",
            TWICE: f"the n-gram {gram!r} stands there twice",
            TOO_MANY: f"there are more n-grams of length {k}, and there should be {size}",
        }
        return self.wrong(said[why])

    def end(self) -> None:
        """Refuse a file with more sections than it says."""
        if self._ahead != "\\end\\":
            raise self.wrong(f"there is more, {self._ahead[:40]!r}")

    def _turn(self) -> bool:
        """Read the next page, of whole lines; return whether there was more."""
        more = self._file.read(_PAGE)
        parts = [more]
        while more and b"\n" not in more:
            more = self._file.read(_PAGE)
            parts.append(more)
        read = b"".join(parts)
        self._data = np.concatenate([self._data[self._stop :], np.frombuffer(read, np.uint8)])
        ends = read.rfind(b"\n") if more else -1
        self._at, self._stop = 0, len(self._data) - (len(read) - 1 - ends if ends >= 0 else 0)
        return bool(len(self._data))

    def _line(self) -> str:
        """Return the next line that is not blank."""
        while True:
            if self._at >= self._stop and not self._turn():
                raise self.wrong("it ends too soon")
            rest = self._data[self._at : self._stop]
            end = int(np.argmax(rest == _LINE))
            end = end if rest[end] == _LINE else len(rest)
            self._at += end + 1
            self._number += 1
            if line := rest[:end].tobytes().decode("utf-8", "replace").removeprefix("\ufeff").strip():
                return line
