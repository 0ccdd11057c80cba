"""``tallybayes explain``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from tallybayes.cli import options as opt
from tallybayes.errors import OptionError

SHOWN = 5
"""How many rows a person is shown who did not say which."""


def explain(
    model: opt.Model,
    data: opt.Data,
    row: Annotated[
        list[int] | None,
        typer.Option("--row", metavar="N", help="A row, the first being 0; repeatable.", show_default=False),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option(
            "--first",
            metavar="N",
            help=f"The first rows; by default {SHOWN} to be read, and all into a file or as JSON.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="CLASS",
            help="The class to explain; by default the likeliest of each row.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="CLASS",
            help="The class to compare with; by default the likeliest besides.",
            show_default=False,
        ),
    ] = None,
    output: opt.Output = None,
    as_json: opt.Json = False,
    to: opt.To = None,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Say why: how much each column speaks for a class against another.

    The contributions of a row, in nats, and its prior add up to the log odds of the two classes. With -o they are
    written as a table of row, column, value and contribution.

    Example: tallybayes explain adult.tally new.csv --row 17
    """
    from tallybayes.cli.asking import asking
    from tallybayes.cli.models import open_model
    from tallybayes.cli.reading import STANDARD, Reading
    from tallybayes.cli.writing import records, show, table_writer, wrote
    from tallybayes.explain.evidence_page import page
    from tallybayes.sources.picked import PickedSource, PieceSource

    to_be_read = output is None and not as_json and to is None
    ranges = _ranges(row, first, SHOWN if to_be_read else None)
    fitted = open_model(model)
    reading = Reading(data, form, delimiter, decimal, encoding)
    reading.keep_apart(output)
    seen = -1

    def explained() -> Any:
        nonlocal seen
        for piece in PickedSource(source, ranges).rows():
            found = fitted.explain(PieceSource(source, piece), label=label, against=against)
            seen = piece.first + len(piece) - 1
            yield replace(found, rows=found.rows + piece.first)

    with asking(fitted, reading, None, "explaining") as source:
        if to_be_read:
            for i, found in enumerate(explained()):
                if i:
                    show("")
                show(page(found, most_rows=len(found)))
        elif as_json:
            with records() as write:
                for found in explained():
                    for record in found.to_dict()["rows"]:
                        write(record)
        else:
            with table_writer(output or STANDARD, to) as writer:
                for found in explained():
                    for batch in found.table.to_batches():
                        writer.write(batch)
    if row and max(row) > seen:
        raise OptionError(f"--row {max(row)} is after the last row of {reading.label}; rows are counted from 0.")
    wrote(output, "the evidence", as_json=as_json)


def _ranges(rows: list[int] | None, first: int | None, usual: int | None) -> list[range] | None:
    """Return the rows that are asked for, in their order; None for all."""
    if rows and first is not None:
        raise OptionError("--row and --first both say which rows; leave one of them out.")
    if rows:
        if min(rows) < 0:
            raise OptionError(f"--row {min(rows)} is no row; the first one is 0.")
        return [range(number, number + 1) for number in sorted(set(rows))]
    first = usual if first is None else first
    if first is not None and first < 1:
        raise OptionError(f"--first {first} is no number of rows; give 1 or more.")
    return None if first is None else [range(first)]
