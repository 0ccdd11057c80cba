"""Where a text file is not text."""

from __future__ import annotations

import codecs

from tallybayes.sources.inputs import Input


def bad_byte(given: Input, encoding: str) -> str:
    """Find the first byte that is no character in an encoding, in words that go on a sentence."""
    decoder = codecs.getincrementaldecoder(encoding)()
    done = lines = 0
    with given.open() as file:
        while True:
            part = file.read(1 << 22)
            held = len(decoder.getstate()[0])  # the start of a character whose end comes with this part
            try:
                lines += decoder.decode(part, final=not part).count("\n")
            except UnicodeDecodeError as error:
                lines += error.object[: error.start].count(b"\n")
                byte = error.object[error.start]
                return f": byte {done - held + error.start} (0x{byte:02x}), in line {lines + 1}, is no character"
            if not part:
                return ""
            done += len(part)
