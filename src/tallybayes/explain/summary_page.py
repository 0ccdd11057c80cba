"""A summary of a model as a person wants to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tallybayes.decision.showing import printable, slim_table
from tallybayes.explain.summary import Digest, Summary

MOST_CLASSES = 20
"""How many classes are listed."""

MOST_COLUMNS = 30
"""How many columns are shown with their parameters."""

MOST_VALUES = 5
"""How many values of a column are shown with their probabilities."""

_WIDEST = 24
"""How many cells of the page a name or a value takes at most."""


def page(summary: Summary, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield what was learned from, the classes, and the columns with as many classes as fit."""
    used = summary.schema.used()
    rows, n = int(summary.rows.sum()), len(summary.classes)
    yield Text(printable(summary.model), style="bold")
    yield Text(f"{_count(rows, 'row')}, {_count(n, 'class', 'classes')}, {_count(len(used), 'column')}\n")
    order = np.argsort(-summary.log_prior, kind="stable").tolist()
    yield _classes(summary, order[:MOST_CLASSES] if n > MOST_CLASSES else range(n))
    if n > MOST_CLASSES:
        yield Text(f"and {_count(n - MOST_CLASSES, 'less probable class', 'less probable classes')}", style="dim")
    if used:
        yield Text()
        free = options.update(max_width=100 * options.max_width)
        # Two classes are always shown, and more where they fit.
        k = min(n, options.max_width // 6)
        table = _columns(summary, sorted(order[:k]))
        while k > 2 and Measurement.get(console, free, table).maximum > options.max_width:
            k -= 1
            table = _columns(summary, sorted(order[:k]))
        yield table
        if k < n:
            yield Text(f"of {n:,} classes the {k} most probable", style="dim")
    if len(used) > MOST_COLUMNS:
        yield Text(f"and {_count(len(used) - MOST_COLUMNS, 'more column')}", style="dim")
    if ignored := summary.schema.of_kind("ignored"):
        more = f" and {len(ignored) - MOST_COLUMNS} more" if len(ignored) > MOST_COLUMNS else ""
        yield Text(f"\nignored: {', '.join(_short(name).plain for name in ignored[:MOST_COLUMNS])}{more}")


def _classes(summary: Summary, shown: Sequence[int]) -> Table:
    """Return some classes with their rows and priors."""
    weighted = bool((summary.rows != summary.weights).any())
    table = slim_table()
    table.add_column("class")
    for heading in ("rows", *["weight"] * weighted, "prior"):
        table.add_column(heading, justify="right", no_wrap=True)
    for c in shown:
        weight = [f"{summary.weights[c]:,.6g}"] * weighted
        prior = f"{np.exp(summary.log_prior[c]):.1%}"
        table.add_row(_short(summary.classes[c]), f"{summary.rows[c]:,}", *weight, prior)
    return table


def _columns(summary: Summary, classes: Sequence[int]) -> Table:
    """Return the parameters of the columns in some classes."""
    table = slim_table()
    for heading in ("column", "distribution", ""):
        table.add_column(heading)
    for c in classes:
        table.add_column(_short(summary.classes[c], 12), justify="right", no_wrap=True)
    for field in summary.schema.used()[:MOST_COLUMNS]:
        name = _short(field.name)
        for factor, digest in summary.digests_of(field.name) or [(field.kind, {})]:
            distribution = Text(factor)
            for title, numbers in _lines(digest, len(summary.classes)):
                cells = [Text(_number(numbers[c])) for c in classes] if numbers else []
                table.add_row(name, distribution, Text(title, no_wrap=True, overflow="ellipsis"), *cells)
                name = distribution = Text()
    return table


def _lines(digest: Digest, n_classes: int) -> list[tuple[str, Sequence[Any]]]:
    """Return what there is to say of a column, each with a number for every class or for none."""
    values = digest.get("values", [])
    shared = [f"{key} {_number(x)}" for key, x in digest.items() if not isinstance(x, list) and key != "distinct"]
    lines: list[tuple[str, Sequence[Any]]] = [(", ".join(shared), [])] if shared else []
    lines += [(key, x) for key, x in digest.items() if isinstance(x, list) and len(x) == n_classes and x is not values]
    lines += [(f"P({_short(value, 16)})", probability) for value, probability in values[:MOST_VALUES]]
    more = digest.get("distinct", len(values)) - min(len(values), MOST_VALUES)
    if more > 0:
        lines.append((f"and {_count(more, 'more value')}", []))
    return lines or [("", [])]


def _short(content: object, most: int = _WIDEST) -> Text:
    """Return a name or a value on one line, cut off where it takes more cells than `most`."""
    text = Text(printable(str(content)[: 4 * most]), no_wrap=True, overflow="ellipsis")
    text.truncate(most, overflow="ellipsis")
    return text


def _number(number: Any) -> str:
    return "-" if number is None else number if isinstance(number, str) else f"{number:.4g}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
