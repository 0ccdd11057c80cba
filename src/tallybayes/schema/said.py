"""What the user says of columns in ``columns=``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from tallybayes._types import Name
from tallybayes.errors import ColumnError, OptionError, did_you_mean
from tallybayes.schema.cells import codes
from tallybayes.schema.field import KINDS, CellType, Field, Kind, Overrides, Schema, listed
from tallybayes.schema.profile import Profile
from tallybayes.schema.reading import Reading, plain_number
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values

GIVEN = "given in columns="
"""The reason of a kind that the user gave."""


def check_given(columns: Overrides | None, schema: Schema) -> None:
    """Refuse what is by now said of columns where they were learned otherwise."""
    for name, said in checked_overrides(columns, schema.names).items():
        kind = said if isinstance(said, str) else "categorical"
        if schema[name].kind != kind:
            raise OptionError(
                f"columns={{{name!r}: {said!r}}} has changed since fit: the column was learned as "
                f"{schema[name].kind}. Call fit again."
            )


def checked_overrides(columns: Overrides | None, names: Sequence[Name]) -> Overrides:
    """Return what the user says of columns, each of which is there."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise OptionError(f"columns={columns!r} should be a dict of names and kinds, such as {{'zip': 'categorical'}}.")
    known = set(names)
    unknown = tuple(name for name in columns if name not in known)
    if unknown:
        which = "which is no column" if len(unknown) == 1 else "which are no columns"
        raise ColumnError(
            f"columns= names {listed(unknown)}, {which}.{did_you_mean(unknown[0], names)} "
            f"The columns are {listed(tuple(names))}."
        )
    checked: dict[Name, Any] = {}
    for name, said in columns.items():
        checked[name] = said if isinstance(said, str) else declared_values(said)
        if checked[name] is None or (isinstance(said, str) and said not in KINDS):
            raise OptionError(
                f"columns={{{name!r}: {said!r}}} is no kind of column.{did_you_mean(said, KINDS)} The kinds "
                f"are {', '.join(KINDS)}; a list of values declares a categorical column."
            )
    return checked


def declared_values(said: Any) -> list[Any] | None:
    """Return the values that a list, an array, an index or the like holds, None where it is no such thing.

    Examples
    --------
    >>> import pandas as pd
    >>> declared_values(pd.Index(["S", "M"])), declared_values(np.array([1, 2])), declared_values("SM")
    (['S', 'M'], [1, 2], None)
    """
    if isinstance(said, str | bytes | Mapping) or not hasattr(said, "__len__") or getattr(said, "ndim", 1) != 1:
        return None
    for method in ("tolist", "to_pylist", "to_list"):  # of NumPy and pandas, of Arrow, of Polars
        if hasattr(said, method):
            return list(getattr(said, method)())
    return list(said)


def field_as_said(name: Name, said: Any, seen: Profile) -> Field:
    """Return the field of a column as the user has it."""
    read_as = seen.type or "unknown"
    if not isinstance(said, str):
        values = _plain_values(name, said)
        sorts = {value.__class__ for value in values}
        of: CellType = "string" if str in sorts else "boolean" if bool in sorts else "number"
        return Field(name, "categorical", "integer" if sorts == {int} else of, GIVEN, values)
    kind = cast(Kind, said)
    if kind == "boolean":
        read_as = "boolean"
    elif kind == "text":
        read_as = "string"
    elif kind == "count" or (kind == "numeric" and read_as in ("string", "unknown")):
        read_as = "number"
    return Field(name, kind, read_as, GIVEN, time=seen.time if read_as == "time" else None)


def some_declared_occurs(rows: Rows, place: int, field: Field) -> bool:
    """Return whether some row has one of the values that were declared for a column."""
    found, values = codes(rows.column(place), Reading(field, rows.first, rows.text))
    return any(values[code] in (field.values or ()) for code in np.unique(found[found >= 0]).tolist())


def _plain_values(name: Name, said: Any) -> Values:
    """Return declared values in their plain form."""
    plain: list[Any] = []
    for value in said:
        value = value.item() if isinstance(value, np.generic) else value
        plain.append(plain_number(value) if type(value) in (int, float) else value)
    sorts = {float if type(value) is int else type(value) for value in plain}
    if len(sorts) != 1 or not sorts <= {str, bool, float}:
        raise OptionError(
            f"columns={{{name!r}: {said!r}}} should be a kind ({', '.join(KINDS)}) or the list of all values "
            "of a categorical column, either texts, numbers or truth values."
        )
    return Values(plain)
