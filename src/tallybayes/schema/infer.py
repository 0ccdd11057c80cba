"""What each column means, from its type, from a look at the first rows, and from what the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from scipy import sparse

from tallybayes._types import Name
from tallybayes.errors import ColumnError, OptionError, did_you_mean, warn
from tallybayes.schema.cells import codes
from tallybayes.schema.field import KINDS, CellType, Field, Kind, Overrides, Schema, listed
from tallybayes.schema.match import refuse_repeated
from tallybayes.schema.profile import FEW, Profile, profile
from tallybayes.schema.reading import Reading, nested, plain_number
from tallybayes.schema.rows import Rows
from tallybayes.schema.strangers import MOSTLY
from tallybayes.schema.values import Values

ENOUGH = 20
"""With fewer rows than this, distinct texts say nothing about being an id."""

LONG = 30
"""The mean length from which mostly distinct texts are taken for free text."""

RULES = f"""\
How the kind of a column is chosen, from its type and the first rows (at most 65,536):

  true or false                          boolean
  integers, at most {FEW} distinct values   categorical, if each stands in two rows or more on average
  other integers, other numbers          numeric
  dates, times and durations             numeric, in days (dates since 1970-01-01)
  texts, and what the source calls
  a category (pandas, Polars, Arrow)     categorical
  texts that are all different           ignored, like an id (from {ENOUGH} rows on)
  long texts, mostly different           ignored, as free text (from {ENOUGH} rows on, of {LONG} characters)
  a column of a sparse matrix            count, if all cells are whole and not negative; otherwise numeric
  no value at all, and no type           ignored

In a text file, a column is of integers, numbers, true or false, or ISO dates where all its cells are, and NA,
N/A, NaN, nan, null, NULL, None, ? and blanks are missing there; integers with leading zeros are texts; in a
column of texts only the empty cell is missing. A column of which {MOSTLY}% of the cells or more are numbers, or
dates, and the others texts is an error. columns={{"name": kind}} overrides, with a kind
({", ".join(KINDS)}) or with a list of the values of a categorical column.
"""
"""The rules of `infer` in words, for people to read."""

GIVEN = "given in columns="
"""The reason of a kind that the user gave."""

_KIND_OF: Mapping[CellType, Kind] = {
    "string": "categorical",
    "integer": "numeric",
    "number": "numeric",
    "boolean": "boolean",
    "time": "numeric",
    "unknown": "ignored",
}

_NOTES = {
    "id": "ignored, because all texts are different, like those of an id",
    "text": "ignored, because the texts are long and mostly different; text columns come in a later version",
    "untyped": "ignored, because the first rows have no value",
    "commas": "texts, because their numbers have commas; where these are decimal, open the file by CsvSource(path, "
    "decimal=',')",
    "mixed": "texts, though most cells are numbers or dates; where the others mean a missing cell, leave them empty",
    "constant": "of no use, because the first rows have one value only",
    "undeclared": "none of the values that columns= lists is in the first rows",
    "empty": "of no use, because the first rows have no value; one in a later row counts",
}


def infer(first: Rows, columns: Overrides | None, named: bool) -> Schema:
    """Return the schema of a source from its first rows, by `RULES`.

    Parameters
    ----------
    first : Rows
        The first rows.
    columns : mapping of name to kind or values, optional
        What the user says: a kind, or a list of values that a categorical column may take.
    named : bool
        Whether columns go by their headers; otherwise they go by their positions.

    Raises
    ------
    ColumnError
        `columns` names a column that is not there, or a column is there twice.
    KindError
        A column of a text file that nobody spoke of is of numbers or dates, but for a few texts.
    OptionError
        It gives a kind that there is not, or values that are none.

    Warns
    -----
    DataWarning
        Once, listing the columns that are ignored or of no use and why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = pa.RecordBatch.from_pydict({"sky": ["blue", "grey", "blue", "blue"], "wind": [2, 9, 2, 9]})
    >>> print(infer(Rows(cells, ("sky", "wind")), {"wind": "numeric"}, named=True))
    sky   categorical  texts, 2 distinct values
    wind  numeric      given in columns=
    """
    refuse_repeated(first.names, "X")
    said = _checked(columns, first.names)
    is_sparse = isinstance(first.cells, sparse.csr_array)
    fields: list[Field] = []
    notes: dict[str, list[Name]] = {}
    for name, seen in zip(first.names, profile(first), strict=True):
        given = said.get(name)
        if given != "ignored":
            if name in first.unreadable:
                raise first.unreadable[name]
            if seen.type is None:
                raise nested(name, seen.words)
        if given is None and seen.stranger is not None and seen.stranger.mistaken:
            raise seen.stranger.refusal(name, first.first)
        field, note = inferred(name, seen, len(first), is_sparse)
        if given is not None:
            field = _given(name, given, seen)
            note = note if note in ("constant", "empty") and given != "ignored" else ""
            if field.values is not None and seen.present and not _occurs(first, len(fields), field):
                note = "undeclared"
        if note:
            notes.setdefault(note, []).append(name)
        fields.append(field)
    if notes:
        told = "; ".join(f"{listed(tuple(names))}: {_NOTES[note]}" for note, names in notes.items())
        name = next(iter(notes.values()))[0]
        warn(
            f"Some columns are set aside or of no use. {told}. Say columns={{{name!r}: 'ignored'}} to leave a "
            "column out without a warning, or the kind that it is meant to have."
        )
    return Schema(tuple(fields), named)


def fixed(names: Sequence[Name], kind: Kind, named: bool) -> Schema:
    """Return the schema of columns that are all of one kind, without a look at them."""
    return Schema(tuple(Field(name, kind, "unknown") for name in names), named)


def check_given(columns: Overrides | None, schema: Schema) -> None:
    """Refuse what is by now said of columns where they were learned otherwise."""
    for name, said in _checked(columns, schema.names).items():
        kind = said if isinstance(said, str) else "categorical"
        if schema[name].kind != kind:
            raise OptionError(
                f"columns={{{name!r}: {said!r}}} has changed since fit: the column was learned as "
                f"{schema[name].kind}. Call fit again."
            )


def inferred(name: Name, seen: Profile, rows: int, is_sparse: bool) -> tuple[Field, str]:
    """Return the field of a column by the rules, and what deserves a warning."""
    read_as = seen.type or "unknown"
    kind, reason, note = _KIND_OF[read_as], seen.words, ""
    if is_sparse:
        kind = "count" if read_as == "integer" else "numeric"
    elif read_as in ("string", "integer") or seen.listed:
        uncounted = read_as == "integer" and seen.distinct > FEW and not seen.listed
        count = f"more than {FEW}" if uncounted else str(seen.distinct)
        reason += f", {count} distinct value{'s' * (seen.distinct != 1)}"
    if seen.listed or (read_as == "integer" and few_valued(seen) and not is_sparse):
        kind = "categorical"
    elif read_as == "string" and seen.present >= ENOUGH and 2 * seen.distinct > seen.present:
        if seen.length >= LONG:
            kind, reason, note = "ignored", "long texts, mostly different, as free text is", "text"
        elif seen.distinct == seen.present:
            kind, reason, note = "ignored", "texts, all different, as of an id", "id"
    if not note and seen.distinct < 2 and rows > 1:  # a single row shows nothing
        note = "constant" if seen.present else "empty"
    if seen.stranger is not None and seen.stranger.varied > FEW:
        note = "mixed"
    if seen.commas:
        note = "commas"
    if read_as == "unknown":
        reason, note = "no value at all", "untyped"
    return Field(name, kind, read_as, reason, seen=seen.present, time=seen.time), note


def few_valued(seen: Profile) -> bool:
    """Return whether integers are categories: at most `FEW` of them, each in two rows or more on average."""
    return 0 < seen.distinct <= FEW and 2 * seen.distinct <= seen.present


def _checked(columns: Overrides | None, names: Sequence[Name]) -> Overrides:
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


def _given(name: Name, said: Any, seen: Profile) -> Field:
    """Return the field of a column as the user has it."""
    read_as = seen.type or "unknown"
    if not isinstance(said, str):
        values = _declared(name, said)
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


def _occurs(rows: Rows, place: int, field: Field) -> bool:
    """Return whether some row has one of the values that were declared for a column."""
    found, values = codes(rows.column(place), Reading(field, rows.first, rows.text))
    return any(values[code] in (field.values or ()) for code in np.unique(found[found >= 0]).tolist())


def _declared(name: Name, said: Any) -> Values:
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
