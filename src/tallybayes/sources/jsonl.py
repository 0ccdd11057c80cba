"""JSON lines: one object a line."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import final

import pyarrow as pa
import pyarrow.json

from tallybayes._types import Name
from tallybayes.errors import EmptyDataError, KindError, SourceError, warn
from tallybayes.schema.arrow import is_time
from tallybayes.sources.base import Table, brief, in_words
from tallybayes.sources.formats import recognise, wrong_ending
from tallybayes.sources.inputs import Input, read_bytes
from tallybayes.sources.plain import one_array

BLOCK_BYTES = 1 << 22
"""How much is parsed at a time, but for the rest of its last line."""


@final
class JsonLines(Table):
    """JSON objects, one a line. The columns are the keys of the first block; an absent key is missing."""

    named = True
    dated = True

    def __init__(self, given: Input) -> None:
        self.label, self.once = given.label, given.once
        self._input = given
        if recognise(given.head(4096)) is not None:
            head = given.head(4096)
            remedy = "Save it in UTF-8." if "UTF-16" in (recognise(head) or "") else ""
            raise wrong_ending(self.label, "JSON lines", head, remedy=remedy)
        first = self._first_block()
        if first.isspace():
            raise EmptyDataError(f"{self.label} has no rows: it holds blank lines only. Check how it was written.")
        self.names = tuple(self._parse(first, 0, {}).schema.names)

    def _first_block(self) -> bytes:
        """Return what `_blocks` will yield first, without using it up."""
        size = BLOCK_BYTES
        while True:
            head = self._input.head(size)
            if len(head) < size:
                return head
            cut = head.rfind(b"\n") + 1
            if cut:
                return head[:cut]
            size += BLOCK_BYTES

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the columns block by block, with nulls where a block has none of a key."""
        names = [str(name) for name in columns]
        strings: dict[str, pa.DataType] = {}
        known = set(self.names)
        lines = 0
        with self._input.open() as file:
            for block in _blocks(file, self.label):
                if not block.isspace():
                    table = self._parse(block, lines, strings)
                    new = next((name for name in table.schema.names if name not in known), None)
                    if new is not None:
                        known.update(table.schema.names)
                        warn(
                            f"{self.label} has the key {new!r} after line {lines}, which no line of the "
                            f"first {BLOCK_BYTES >> 20} MB has; it is left out. Put a line that has every "
                            "key first."
                        )
                    batch = _with_columns(table, names, block)
                    strings |= {f.name: f.type for f in batch.schema if pa.types.is_string(f.type)}
                    yield batch
                lines += block.count(b"\n")

    def _parse(self, block: bytes, lines: int, strings: dict[str, pa.DataType]) -> pa.Table:
        """Parse a block that stands after `lines` lines; `strings` are columns that are known to be strings."""
        try:
            table = _parsed(block, strings)
            # Some strings look like dates to the parser; what they are is for the schema to say.
            times = [name for name, kind in zip(table.schema.names, table.schema.types, strict=True) if is_time(kind)]
            if times:
                names = table.schema.names  # in the order of the file, which the types that are given would change
                table = _parsed(block, strings | dict.fromkeys(times, pa.string())).select(names)
            table.validate(full=True)  # the parser takes any bytes for UTF-8
            return table
        except pa.ArrowException as reason:
            raise self._error(block, lines, reason) from None

    def _error(self, block: bytes, lines: int, reason: BaseException) -> Exception:
        changed = re.search(r"Column\(/(.+?)\) changed from (\w+) to (\w+) in row (\d+)", str(reason))
        for number, line in enumerate(block.split(b"\n"), lines + 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                where = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
                what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                return SourceError(
                    f"{self.label} has no JSON object in line {number}: {what}{where}. Write one whole object a "
                    "line, in UTF-8."
                )
            if not isinstance(value, dict):
                return SourceError(
                    f"{self.label} has no JSON object in line {number}, but {brief(line.decode())}; write one "
                    'object a line, for example {"column": "value"}.'
                )
        if changed:
            name, before, now, row = changed.groups()
            return KindError(
                f"Column {name!r} of {self.label} mixes types: {before} before and {now} in line "
                f"{_line(block, int(row)) + lines}. Make it all strings or all numbers."
            )
        return SourceError(
            f"{self.label} cannot be read as JSON lines, from line {lines + 1} on: {in_words(reason)}. Write one "
            "object a line, with each key once."
        )


def _parsed(block: bytes, strings: dict[str, pa.DataType]) -> pa.Table:
    return pa.json.read_json(
        io.BytesIO(block),
        read_options=pa.json.ReadOptions(use_threads=False, block_size=len(block) + 1),
        parse_options=pa.json.ParseOptions(explicit_schema=pa.schema(strings) if strings else None),
    )


def _line(block: bytes, row: int) -> int:
    """Return the number, from 1, of the line that has a row, counted from 0 without blank lines."""
    filled = [i for i, line in enumerate(block.split(b"\n"), 1) if line.strip()]
    return filled[min(row, len(filled) - 1)]


def _blocks(file: object, label: str) -> Iterator[bytes]:
    """Cut a file at line breaks into pieces of some megabytes."""
    rest = b""
    while part := read_bytes(file, BLOCK_BYTES, label):
        cut = part.rfind(b"\n") + 1
        if cut == 0:
            rest += part
            continue
        yield rest + part[:cut]
        rest = part[cut:]
    if rest:
        yield rest


def _with_columns(table: pa.Table, names: list[str], block: bytes) -> pa.RecordBatch:
    """Return these columns of a parsed block, null where it has none of them."""
    rows = table.num_rows if table.num_columns else sum(1 for line in block.split(b"\n") if line.strip())
    there = set(table.schema.names)
    arrays = [one_array(table.column(n)) if n in there else pa.nulls(rows) for n in names]
    return pa.RecordBatch.from_arrays(arrays, names=names)
