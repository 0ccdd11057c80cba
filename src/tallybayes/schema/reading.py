"""How the cells of one column are read, and what is said of a cell that cannot be read so.

The type of a field decides what its cells mean, whatever form they come in: a model that was trained from
text and one that is asked with a frame have to agree on every value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from tallybayes._types import Value
from tallybayes.errors import DataError, KindError, UnsupportedDataError, ValueRangeError
from tallybayes.schema.field import CellType, Field

MARKERS = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"})
"""What stands for a missing cell in a column of a text file that holds numbers, dates or truth values."""

_EXACT = 2**53
_PADDED = re.compile(r"[+-]?0[0-9]")


class Odd(Enum):
    """What a cell may be instead of a value."""

    MISSING = "missing"
    UNFIT = "unfit"
    INFINITE = "infinite"


def parse_number(text: str) -> int | float | None:
    """Return the number that a text without blanks around it writes, or None."""
    if "_" in text:  # Python reads 1_000, which no file means as a number
        return None
    try:
        return int(text) if len(text) < 20 else float(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def plain_number(number: float | Decimal) -> int | float | Odd:
    """Return a number in its one form: as an int where it is whole and no digit is in doubt."""
    if isinstance(number, int):
        return number
    number = float(number)
    if number != number:
        return Odd.MISSING
    if number in (float("inf"), float("-inf")):
        return Odd.INFINITE
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def read_value(raw: object, read_as: CellType, text: bool) -> Value | Odd:
    """Return the value that a raw cell stands for in a column of a type.

    Parameters
    ----------
    raw
        None, a truth value, a number or a string; dates come as ISO strings.
    read_as : CellType
        The type of the field; ``"unknown"`` takes each cell as it is.
    text : bool
        Whether the cell comes from a text file, where `MARKERS` are missing cells.

    Examples
    --------
    >>> read_value("3", "integer", text=True), read_value(3.0, "integer", text=False)
    (3, 3)
    >>> read_value(3.0, "string", text=False)
    '3'
    """
    if raw is None:
        return Odd.MISSING
    if isinstance(raw, str):
        return _from_string(raw, read_as, text)
    if not isinstance(raw, bool | int | float | Decimal):
        return Odd.UNFIT
    if isinstance(raw, bool) and read_as in ("unknown", "boolean"):
        return raw
    number = int(raw) if isinstance(raw, bool) else plain_number(raw)
    if isinstance(number, Odd):
        return number
    if read_as == "string":
        return str(raw) if isinstance(raw, bool) else str(number)
    if read_as == "boolean":
        return bool(number) if number in (0, 1) else Odd.UNFIT
    return Odd.UNFIT if read_as == "time" else number


def _from_string(raw: str, read_as: CellType, text: bool) -> Value | Odd:
    if read_as in ("string", "unknown", "time"):
        return Odd.MISSING if text and not raw else raw
    trimmed = raw.strip()
    if text and trimmed in MARKERS:
        return Odd.MISSING
    if read_as == "boolean" and trimmed.lower() in ("true", "false"):
        return trimmed.lower() == "true"
    number = parse_number(trimmed)
    if number is None:
        return Odd.UNFIT
    found = plain_number(number)
    if read_as == "boolean" and not isinstance(found, Odd):
        return bool(found) if found in (0, 1) else Odd.UNFIT
    return found


_MEANT = {
    "integer": "a number",
    "number": "a number",
    "boolean": "true or false",
    "time": "a date or a time",
    "string": "text",
    "unknown": "a value",
}


_TIMES = {"dates": "a date", "durations": "a duration", "times of day": "a time of day"}


@dataclass(frozen=True)
class Reading:
    """A field as some rows hold it: where they begin in their source, and whether they are text."""

    field: Field
    first: int = 0
    text: bool = False

    @property
    def type(self) -> CellType:
        """How the cells are to be read."""
        return self.field.type

    def value(self, raw: object) -> Value | Odd:
        """Return the value of a raw cell.

        Every text is a value of a column that the user calls categorical, and of any categorical column of a
        text file, where the type is only what the first rows look like.
        """
        value = read_value(raw, self.field.type, self.text)
        inferred = self.field.seen is not None and not self.text
        if not isinstance(raw, str) or self.field.kind != "categorical" or inferred:
            return value
        # A number that is written with leading zeros, such as a postcode, is no number.
        padded = not isinstance(value, Odd) and _PADDED.match(raw.strip())
        return raw if value is Odd.UNFIT or padded else value

    def _meant(self, read_as: CellType) -> str:
        return _MEANT[read_as] if self.field.time is None else _TIMES[self.field.time]

    def refusal(self, odd: Odd, raw: object, row: int) -> DataError:
        """Return the error for the cell in a row of this piece."""
        if odd is Odd.INFINITE:
            return infinite(self.field.name, self.first + row, raw)
        name, kind, read_as = self.field.name, self.field.kind, self.field.type
        meant = self._meant("number" if read_as == "unknown" else read_as)
        remedy = f"fit again with columns={{{name!r}: 'categorical'}}, or leave the column out with 'ignored'"
        if not self.field.reason:  # every column of the estimator is of one kind
            remedy = "or use NaiveBayes, which chooses a kind for each column"
        row += self.first + 1
        shown = {"count": "of counts", "categorical": f"categorical, each of its values {meant}"}.get(kind, kind)
        return KindError(
            f"Column {name!r} is {shown}, but row {row} holds {raw!r}, which is not {meant}. Correct the cell, "
            f"{remedy}."
        )

    def other_type(self, found: str) -> KindError:
        """Return the error for a column whose cells are all of a type that the field cannot take."""
        name = self.field.name
        kind = "of counts" if self.field.kind == "count" else self.field.kind
        return KindError(
            f"Column {name!r} is {kind} and its cells are read as {self._meant(self.field.type)}, but from row "
            f"{self.first + 1} on it holds {found}. Convert the column, fit again on columns of one type, "
            f"or leave it out by columns={{{name!r}: 'ignored'}}."
        )


def nested(name: object, found: object) -> UnsupportedDataError:
    """Return the error for a column of lists, records or the like."""
    return UnsupportedDataError(
        f"Column {name!r} holds cells of type {found}: an argument must be a table whose cells are each a "
        "string, a number, a truth value or a time. Take the column apart into columns of its own, or leave "
        f"it out with columns={{{name!r}: 'ignored'}}."
    )


def infinite(name: object, row: int, raw: object) -> ValueRangeError:
    """Return the error for an infinite number in a row, counted from 0 in the whole source."""
    return ValueRangeError(
        f"Input X contains infinity: column {name!r} holds {raw} in row {row + 1}. Replace infinite numbers "
        f"by NaN, which is a missing cell, or by a limit, or leave the column out by columns={{{name!r}: "
        "'ignored'}."
    )
