"""An evaluation as a person wants to see it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tallybayes.decision.showing import printable, slim_table

if TYPE_CHECKING:
    from tallybayes.decision.evaluation import Evaluation

MOST_ERRORS = 10
"""How many kinds of error are listed where the confusion table is too wide for the page."""


def page(result: Evaluation, console: Console, options: ConsoleOptions) -> RenderResult:
    """Yield the measures, the notes on what is out of the ordinary, and the classes as well as they fit."""
    yield _measures(result)
    for note in _notes(result):
        yield Text(f"\n{note}", style="yellow")
    for table in _fitting(result, console, options):
        yield Text()
        yield table


def _fitting(result: Evaluation, console: Console, options: ConsoleOptions) -> list[Table]:
    """Return the confusion table with recall and precision, or two tables, or the errors in a few words."""
    rates = _classes(result, rates=True)
    if len(result.classes) <= options.max_width // 3:  # where there are more, it cannot fit
        for tables in (
            [_classes(result, confusion=True, rates=True)],
            [_classes(result, confusion=True), rates],
        ):
            free = options.update(max_width=100 * options.max_width)
            if all(Measurement.get(console, free, t).maximum <= options.max_width for t in tables):
                return tables
    errors = _errors(result)
    return [rates, errors] if errors.row_count else [rates]


def _measures(result: Evaluation) -> Table:
    table = Table.grid(padding=(0, 3))
    table.add_column()
    table.add_column(justify="right")
    table.add_row("rows", f"{result.rows:,}")
    if result.rejected:
        table.add_row("decided", _percent(result.coverage))
    table.add_row("accuracy of the decided" if result.rejected else "accuracy", _percent(result.accuracy))
    if not math.isnan(result.brier):
        table.add_row("log-loss", _number(result.log_loss))
        table.add_row("Brier score", _number(result.brier))
        table.add_row("calibration error", _number(result.ece))
    table.add_row("average cost", _number(result.average_cost))
    return table


def _notes(result: Evaluation) -> list[str]:
    scores = result.scores
    notes = []
    if result.impossible:
        notes.append(
            f"The true label had probability 0 in {_rows(result.impossible)}, which makes the log-loss "
            f"infinite; over the others it is {_number(result.log_loss_of_possible)}."
        )
    if scores.unknown:
        names = sorted(map(printable, scores.unknown))
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        notes.append(
            f"Labels that the model has never seen: {shown}. They count as wrong, and are no part of the average cost."
        )
    if scores.unlabelled:
        notes.append(f"{_rows(scores.unlabelled)} without a label took no part.")
    if result.rejected and math.isnan(result.average_cost):
        notes.append("There are rows without a decision and no reject_cost, so there is no average cost.")
    return notes


def _classes(result: Evaluation, *, confusion: bool = False, rates: bool = False) -> Table:
    """Return what was decided for the rows of each class, and recall and precision, as far as asked for."""
    names = [Text(printable(label)) for label in result.classes]
    counts = result.scores.counts if result.rejected else result.scores.counts[:, :-1]
    count, counted = _counting(result)
    table = slim_table()
    table.add_column("true \\ decided" if confusion else "class", overflow="fold")
    if confusion:
        for name in [*names, Text("(rejected)")][: counts.shape[1]]:
            table.add_column(name, justify="right", no_wrap=True)
    if rates:
        for heading in ("recall", "precision", counted):
            table.add_column(heading, justify="right", no_wrap=True)
    for i, name in enumerate([*names, Text("(unknown)")] if result.scores.unknown else names):
        row = [name]
        if confusion:
            row += [Text(count(n), style="bold" if i == j else "") for j, n in enumerate(counts[i])]
        if rates:
            known = i < len(names)
            row += [Text(_percent(r[i]) if known else "") for r in (result.recall, result.precision)]
            row.append(Text(count(counts[i].sum())))
        table.add_row(*row)
    return table


def _errors(result: Evaluation) -> Table:
    """Return the most frequent kinds of error."""
    wrong = result.confusion.copy()
    np.fill_diagonal(wrong, 0)
    places = np.argsort(-wrong, axis=None, kind="stable")[: min(MOST_ERRORS, np.count_nonzero(wrong))]
    count, counted = _counting(result)
    table = slim_table()
    table.add_column("most frequent errors: true", overflow="fold")
    table.add_column("decided", overflow="fold")
    table.add_column(counted, justify="right", no_wrap=True)
    for i, j in zip(*np.unravel_index(places, wrong.shape), strict=True):
        true, decided = (Text(printable(result.classes[k])) for k in (i, j))
        table.add_row(true, decided, count(wrong[i, j]))
    return table


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}%"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _counting(result: Evaluation) -> tuple[Callable[[float], str], str]:
    """Return how a number of rows is written, and what it is called: rows of weight 1 are only counted."""
    counts = result.scores.counts
    digits = 2 if (counts % 1).any() else 0
    return (lambda weight: f"{weight:,.{digits}f}"), "rows" if counts.sum() == result.rows else "weight"
