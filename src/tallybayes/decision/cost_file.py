"""Costs from a file: CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from tallybayes._types import Value
from tallybayes.decision.costs import finite_cost
from tallybayes.errors import CostError, SourceError

Entry = tuple[Any, Any, Any]
"""The predicted class, the true class, and the cost."""


def read_costs(path: str | Path) -> dict[tuple[Value, Value], float]:
    """Read costs from a file, as pairs that `cost_matrix` takes.

    Parameters
    ----------
    path
        A ``.csv`` file whose first line is ``predicted,true,cost``, or a ``.json`` file with a list of
        ``["predicted", "true", cost]`` or a matrix ``{"classes": [...], "costs": [[...], ...]}``, a row of
        it for each predicted class.

    Raises
    ------
    SourceError
        When there is no such file, or it is not what its ending says.
    CostError
        When an entry is incomplete, named twice or no finite number.
    """
    path = Path(path)
    reader = {".json": _json_entries, ".csv": _csv_entries}.get(path.suffix.lower())
    if reader is None:
        raise SourceError(f"Costs are read from .json or .csv, and {str(path)!r} is neither; convert it.")
    try:
        entries = reader(path.read_text(encoding="utf-8-sig"), path)
    except FileNotFoundError:
        raise SourceError(f"There is no file {str(path)!r}; check the path of the costs.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"The costs in {str(path)!r} cannot be read as UTF-8 text ({error}); save them as UTF-8."
        ) from None
    pairs: dict[tuple[Value, Value], float] = {}
    for predicted, true, cost in entries:
        pair = (predicted, true)
        for label in pair:
            if not isinstance(label, str | int | float):
                raise CostError(f"{str(path)!r} has the label {label!r}; a label is a text or a number.")
        if pair in pairs:
            raise CostError(f"{str(path)!r} gives the cost of {pair!r} twice; keep one of the two.")
        pairs[pair] = finite_cost(cost, pair)
    return pairs


def _csv_entries(text: str, path: Path) -> list[Entry]:
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        header = [name.strip().lower() for name in next(rows, [])]
        if header != ["predicted", "true", "cost"]:
            raise CostError(f"The first line of {str(path)!r} is {header}; make it predicted,true,cost.")
        entries = []
        for row in rows:
            if row and len(row) != 3:
                raise CostError(
                    f"Line {rows.line_num} of {str(path)!r} has {len(row)} cells; give predicted, true and cost."
                )
            entries += [(row[0], row[1], row[2])] if row else []
    except csv.Error as error:
        raise SourceError(f"{str(path)!r} is no valid CSV ({error}); check its quotes.") from None
    return entries


def _json_entries(text: str, path: Path) -> list[Entry]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{str(path)!r} is no valid JSON ({error}); check its commas and quotes.") from None
    match content:
        case {"classes": list(classes), "costs": list(costs)} if len(content) == 2:
            if len(costs) == len(classes) and all(isinstance(r, list) and len(r) == len(costs) for r in costs):
                return [
                    (predicted, true, cost)
                    for predicted, row in zip(classes, costs, strict=True)
                    for true, cost in zip(classes, row, strict=True)
                ]
        case list() if all(isinstance(entry, list) and len(entry) == 3 for entry in content):
            return [(entry[0], entry[1], entry[2]) for entry in content]
    raise CostError(
        f'{str(path)!r} holds JSON of another shape; write a list of ["predicted", "true", cost], or '
        '{"classes": [...], "costs": [[...], ...]} with a row for each predicted class.'
    )
