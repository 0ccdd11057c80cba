"""Values that come too late: in a column that was set aside because the first rows had none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from tallybayes._types import Name
from tallybayes.errors import warn
from tallybayes.schema.arrow import is_string
from tallybayes.schema.field import Schema, listed
from tallybayes.schema.match import match
from tallybayes.schema.rows import Rows
from tallybayes.schema.texts import tidy


def told_when_late(pieces: Iterable[Rows], schema: Schema) -> Iterator[Rows]:
    """Yield rows that a model learns, and warn at the end of values that were left out because they came late.

    Parameters
    ----------
    pieces : iterable of Rows
        The rows of one source.
    schema : Schema
        What its first rows say of its columns; of a column without a type and without a value, they say nothing.

    Warns
    -----
    DataWarning
        Once, naming all such columns that have a value later on, and the row of the first.
    """
    empty = [field.name for field in schema if field.type == "unknown" and field.seen is not None]
    late: dict[Name, int] = {}
    for rows in pieces:
        if len(late) < len(empty) and isinstance(rows.cells, pa.RecordBatch):
            places = match(rows.names, schema, warn=False)
            for name in empty:
                place = int(places[schema.index[name]])
                if name not in late and place >= 0:
                    row = _first_value(rows.cells.column(place), rows.text)
                    late |= {} if row is None else {name: rows.first + row + 1}
        yield rows
    if late:
        name, row = next(iter(late.items()))
        warn(
            f"Columns that were set aside because the first rows have no value have some later on, which are left out: "
            f"{listed(tuple(late))}, the first in row {row}. Say what the column means, as in columns={{{name!r}: "
            "'numeric'}, or 'ignored' to leave it out without a warning."
        )


def _first_value(column: pa.Array, text: bool) -> int | None:
    """Return the first row that has a value, None where none has."""
    cells = tidy(column, text) if text and is_string(column.type) else column
    gone = pc.is_null(cells, nan_is_null=True).to_numpy(zero_copy_only=False)
    return None if gone.all() else int(gone.argmin())
