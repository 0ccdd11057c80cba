"""``tallybayes rank``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallybayes.cli import options as opt

if TYPE_CHECKING:
    import pyarrow as pa

TOP = 20
"""How many rows a person is shown who did not say how many."""


def rank(
    model: opt.Model,
    data: opt.Data,
    label: Annotated[str, typer.Option("--label", metavar="CLASS", help="The class.", show_default=False)],
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            metavar="N",
            help=f"How many rows; by default {TOP} to be read, and all into a file or as JSON.",
            show_default=False,
        ),
    ] = None,
    output: opt.Output = None,
    keep: opt.Keep = None,
    as_json: opt.Json = False,
    to: opt.To = None,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Put the rows in order, the likeliest of a class first; rows are counted from 0.

    Example: tallybayes rank mail.tally inbox.csv --label spam --top 10 --keep subject
    """
    import pyarrow as pa

    from tallybayes.cli.asking import asking
    from tallybayes.cli.models import open_model
    from tallybayes.cli.reading import STANDARD, Reading
    from tallybayes.cli.writing import show, table_writer, wrote
    from tallybayes.decision.rank import rank as ranked

    to_be_read = output is None and not as_json and to is None
    fitted = open_model(model)
    reading = Reading(data, form, delimiter, decimal, encoding)
    reading.keep_apart(output)
    with asking(fitted, reading, keep, "ranking") as source:
        ranking = ranked(fitted, source, label, TOP if top is None and to_be_read else top)
    table = ranking.to_table()
    if keep:
        kept = source.all_kept().take(pa.array(ranking.rows))
        for name in kept.schema.names:
            table = table.append_column(name, kept[name])
    if to_be_read:
        show(_page(table, ranking.label))
        return
    with table_writer(output or STANDARD, to, as_json=as_json) as writer:
        for batch in table.to_batches():
            writer.write(batch)
    wrote(output, "the ranking", as_json=as_json)


def _page(table: pa.Table, label: Any) -> Any:
    from rich.text import Text

    from tallybayes.decision.showing import printable, slim_table

    page = slim_table()
    for head in ("row", Text(f"P({printable(label)})"), "log odds"):
        page.add_column(head, justify="right")
    kept = table.schema.names[3:]
    for name in kept:
        page.add_column(Text(printable(name)))
    for record in table.to_pylist():
        cells = [Text("" if record[name] is None else printable(record[name])) for name in kept]
        page.add_row(f"{record['row']}", f"{record['probability']:.4g}", f"{record['log_odds']:+.4g}", *cells)
    return page
