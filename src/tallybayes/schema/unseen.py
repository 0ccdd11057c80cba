"""Cells of another type than in training, none of which is a value that the model has seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from tallybayes._types import Name
from tallybayes.errors import warn
from tallybayes.schema.arrow import cell_type
from tallybayes.schema.cells import codes
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.match import match
from tallybayes.schema.reading import Reading
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values

_WORDS = {"integer": "integers", "number": "numbers", "boolean": "truth values", "time": "times", "string": "texts"}


def told_when_unseen(pieces: Iterable[Rows], schema: Schema, known: Mapping[Name, Values]) -> Iterator[Rows]:
    """Yield rows that a model is asked about, and warn at the end of columns that it was trained on in another form.

    A file has ``01`` where a frame that was read from it has 1. A value that is new is no mistake; but where no
    cell of a column is known, and all of them are numbers for texts or texts for numbers, something is wrong.

    Parameters
    ----------
    pieces : iterable of Rows
        The rows of one source.
    schema : Schema
        What the columns mean.
    known : mapping of name to Values
        The values that were seen of categorical columns.

    Warns
    -----
    DataWarning
        Once, naming all such columns.
    """
    suspected = {
        field.name: field
        for field in schema
        if field.kind == "categorical" and field.type in ("string", "integer", "number") and known.get(field.name)
    }
    found: dict[Name, str] = {}
    for rows in pieces:
        if suspected:
            places = match(rows.names, schema, warn=False)
            for name, field in list(suspected.items()):
                place = int(places[schema.index[name]])
                words = "" if rows.names[place] in rows.unreadable else _strange(rows, place, field, known[name])
                if words is None:
                    del suspected[name]
                    found.pop(name, None)
                elif words:
                    found[name] = words
        yield rows
    if found:
        told = "; ".join(f"column {name!r} holds {words}" for name, words in found.items())
        name = next(iter(found))
        warn(
            f"No cell of some columns is a value that was seen in training, where they were of another type: {told}. "
            f"The model knows {_such_as(known[name])}. Give the cells in the form that they had in training."
        )


def _strange(rows: Rows, place: int, field: Field, known: Values) -> str | None:
    """Return what the cells of a column are where all are unknown and of another type; None where they are not.

    A column without a value says nothing, which is an empty string.
    """
    if field.type != "string" and not isinstance(rows.cells, pa.RecordBatch):
        return None  # numbers, as in training
    column = rows.column(place)
    now = cell_type(column.type)
    if now in (None, "unknown") or column.null_count == len(column):
        return ""
    if (now == "string") == (field.type == "string"):
        return None
    found, values = codes(column, Reading(field, rows.first, rows.text))
    seen = [values[code] for code in np.unique(found[found >= 0]).tolist()]
    if any(value in known or (field.type != "string" and not isinstance(value, str)) for value in seen):
        return None
    return _WORDS[now] if seen and now is not None else ""


def _such_as(known: Values) -> str:
    kind = "texts" if isinstance(known[0], str) else "numbers"
    return f"{kind} such as {known[0]!r}"
