"""What the program writes: tables, JSON, and lines for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from tallybayes.cli.reading import STANDARD, checked_format
from tallybayes.decision.showing import json_value
from tallybayes.errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa


class Writer(Protocol):
    """Something that takes a table piece by piece."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""


@contextmanager
def table_writer(output: str | None, to: str | None, *, as_json: bool = False) -> Iterator[Writer]:
    """Open a table to write: a file by its ending, or standard output as CSV, another format or JSON."""
    from tallybayes.sources.write import TableWriter

    form = checked_format("--to", to)
    if output is not None and output != STANDARD:
        with TableWriter(output, form=form) as writer:
            yield writer
    elif as_json and form is None:
        with records() as write:
            yield _JsonTable(write)
    else:
        if as_json:
            raise OptionError(f"--json and --to {form} both say how to write to standard output; leave one out.")
        if form in ("parquet", "arrow") and sys.stdout.isatty():
            raise OptionError(f"--to {form} is nothing to be read on a terminal; write to a file with -o.")
        with TableWriter(STANDARD, form=form, stdout=sys.stdout.buffer) as writer:
            yield writer


def wrote(output: str | None, what: str, *, as_json: bool) -> None:
    """Say what has been written, where it was written to a file."""
    if output is None or output == STANDARD:
        return
    if as_json:
        print_json({"output": output, "wrote": what})
    else:
        show(f"Wrote {what} to {output}.")


class _JsonTable:
    """A table as JSON records."""

    def __init__(self, write: Any) -> None:
        self._write = write

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""
        for row in batch.to_pylist():
            self._write({name: json_value(cell) for name, cell in row.items()})


@contextmanager
def records() -> Iterator[Any]:
    """Open a JSON array on standard output, to which one object after the other is written."""
    before = "["

    def write(record: Any) -> None:
        nonlocal before
        _print_bytes(f"{before}{_json(record)}")
        before = ",\n"

    yield write
    _print_bytes(f"{before if before == '[' else ''}]\n")


def print_json(content: Any) -> None:
    """Print one JSON object on standard output."""
    _print_bytes(_json(content, indent=2) + "\n")


def show(*parts: Any) -> None:
    """Print lines and tables for a person, with an empty line between them."""
    from tallybayes.cli.saying import stdout

    for i, part in enumerate(parts):
        if i:
            stdout().print()
        stdout().print(part, markup=False, soft_wrap=isinstance(part, str))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "row"), counted(32561, "row"), counted(2, "class", "classes")
    ('1 row', '32,561 rows', '2 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def named(labels: Iterable[Any], most: int = 8) -> str:
    """Return labels in words, cut off where there are too many."""
    from tallybayes.decision.showing import printable

    names = [printable(label) for label in labels]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _json(content: Any, indent: int | None = None) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent)


def _print_bytes(text: str) -> None:
    # JSON is UTF-8, whatever the terminal's characters are.
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
