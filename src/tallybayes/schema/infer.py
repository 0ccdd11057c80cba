"""What each column means, from its type, from a look at the first rows, and from what the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tallybayes._types import Name, is_sparse
from tallybayes.errors import warn
from tallybayes.schema.field import KINDS, CellType, Field, Kind, Overrides, Schema, listed
from tallybayes.schema.match import refuse_repeated
from tallybayes.schema.profile import FEW, Profile, profile
from tallybayes.schema.reading import nested
from tallybayes.schema.rows import Rows
from tallybayes.schema.said import checked_overrides, field_as_said, some_declared_occurs
from tallybayes.schema.strangers import MOSTLY

ENOUGH = 20
"""With fewer rows than this, distinct texts say nothing about being an id."""

LONG, WORDY = 30, 5
"""The mean numbers of characters and of words from which mostly distinct texts are taken for free text."""

VERBOSE = 15
"""The mean number of words from which they are however short the words: Chinese has a word in each character."""

RULES = f"""\
How the kind of a column is chosen, from its type and the first rows (at most 65,536):

  true or false                          boolean
  integers, at most {FEW} distinct values   categorical, if each stands in two rows or more on average
  other integers, other numbers          numeric
  dates, times and durations             numeric, in days (dates since 1970-01-01)
  messages, and texts that are files     text
  texts, and what the source calls
  a category (pandas, Polars, Arrow)     categorical
  long texts of words, mostly different  text, whose words are counted (from {ENOUGH} rows on; {WORDY} words or more
                                         on average, and {LONG} characters or {VERBOSE} words; a Chinese or Thai
                                         letter is a word)
  other long texts, mostly different     ignored, as paths, URLs and codes are
  other texts that are all different     ignored, like an id (from {ENOUGH} rows on)
  a column of a sparse matrix            count, if all cells are whole and not negative; otherwise numeric
  no value at all, and no type           ignored

In a text file, a column is of integers, numbers, true or false, or ISO dates where all its cells are, and NA,
N/A, NaN, nan, null, NULL, None, ? and blanks are missing there; integers with leading zeros are texts; in a
column of texts only the empty cell is missing. A column of which {MOSTLY}% of the cells or more are numbers, or
dates, and the others texts is an error. columns={{"name": kind}} overrides, with a kind
({", ".join(KINDS)}) or with a list of the values of a categorical column.
"""
"""The rules of `infer` in words, for people to read."""

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
    "long": "ignored, because the texts are long, of few words and mostly different; the kind 'text' counts words",
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
    said = checked_overrides(columns, first.names)
    counted = is_sparse(first.cells)
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
            raise seen.stranger.refusal(name, first.first, commas=seen.commas)
        field, note = inferred(name, seen, len(first), counted)
        if name in first.prose and field.type == "string":
            field, note = replace(field, kind="text", reason="whole texts"), ""
        if given is not None:
            field = field_as_said(name, given, seen)
            note = note if note in ("constant", "empty") and given != "ignored" else ""
            if field.values is not None and seen.present and not some_declared_occurs(first, len(fields), field):
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
        if seen.pieces >= WORDY and (seen.length >= LONG or seen.pieces >= VERBOSE):
            kind, reason = "text", f"texts, mostly different, of {seen.pieces:.0f} words on average"
        elif seen.length >= LONG:
            kind, reason, note = "ignored", "long texts of few words, mostly different", "long"
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
