"""Rows from a file or from standard input, and a bar for how far they have been read."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tallybayes.cli.saying import say, stderr
from tallybayes.errors import OptionError, did_you_mean

if TYPE_CHECKING:
    from tallybayes.sources.base import Source
    from tallybayes.sources.formats import Format

STANDARD = "-"
"""Standard input where something is read, standard output where it is written."""

SOON = 0.5
"""After how many seconds work is long enough for a bar."""


@dataclass(frozen=True)
class Reading:
    """Where rows are, and how they are written there as far as the name does not tell."""

    data: str
    form: str | None = None
    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"

    @property
    def label(self) -> str:
        """What to call it."""
        return "standard input" if self.data == STANDARD else self.data

    def keep_apart(self, output: str | None) -> None:
        """Refuse to write over the rows."""
        if output in (None, STANDARD) or self.data == STANDARD:
            return
        if os.path.exists(output) and os.path.exists(self.data) and os.path.samefile(output, self.data):
            raise OptionError(f"-o {output} is DATA itself, which would be lost; choose another name.")

    @property
    def is_stream(self) -> bool:
        """Whether the rows can be read once only."""
        kept = os.path.isfile(self.data) or os.path.isdir(self.data)
        return self.data == STANDARD or (os.path.exists(self.data) and not kept)

    def open(
        self, target: str | None = None, weights: str | None = None, *, only: Collection[str | int] | None = None
    ) -> Source:
        """Open the rows; `target` and `weights` name columns, and `only` those that are read besides."""
        from tallybayes.sources.delimited import CsvSource
        from tallybayes.sources.formats import ending_of
        from tallybayes.sources.inputs import Input, StreamInput, input_of
        from tallybayes.sources.open import open_source, read_as

        form = checked_format("--format", self.form)
        if form is None and (os.path.isdir(self.data) or self.data.lower().endswith((".mbox", ".eml"))):
            return open_source(self.data, target, weights, only=only)
        if self.data == STANDARD:
            if sys.stdin.isatty():
                say("note", "reading rows from the terminal; Ctrl-D ends them")
            given: Input = StreamInput(sys.stdin.buffer, self.label)
            form = form or "csv"
        else:
            given = input_of(self.data, gzip=self.data.lower().endswith(".gz"))  # which first says if there is none
            form = form or ending_of(self.data).format
        if form in ("csv", "tsv"):
            usual = "\t" if form == "tsv" else ","
            delimiter = {"\\t": "\t", "tab": "\t", None: usual}.get(self.delimiter, self.delimiter or "")
            return open_source(CsvSource.of(given, delimiter, self.encoding, self.decimal), target, weights, only=only)
        if self.delimiter is not None or self.decimal != "." or self.encoding != "utf-8":
            raise OptionError(
                f"--delimiter, --decimal and --encoding are for text, and {self.label} is {form}; leave them out."
            )
        return open_source(read_as(given, form), target, weights, only=only)


def checked_format(option: str, form: str | None) -> Format | None:
    """Return the name of a format that an option gives, if it is one."""
    from tallybayes.sources.formats import FORMATS

    if form is not None and form not in FORMATS:
        raise OptionError(f"{option} {form} is not one of {', '.join(FORMATS)}.{did_you_mean(form, FORMATS)}")
    return form


@contextmanager
def progress(doing: str, source: Source) -> Iterator[Source]:
    """Give the same rows, and show how many have been read where that takes long and a person looks on."""
    console = stderr()
    if not console.is_terminal:
        yield source
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from tallybayes.sources.watched import WatchedSource

    columns = TextColumn(doing), BarColumn(), TextColumn("{task.completed:,} rows"), TimeElapsedColumn()
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(doing, total=source.n_rows)
    begun = time.monotonic()

    def report(rows: int) -> None:
        bar.advance(task, rows)
        if time.monotonic() - begun > SOON:
            bar.start()

    try:
        yield WatchedSource(source, report)
    finally:
        bar.stop()
