"""Texts that stand for numbers, dates or truth values."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes._types import Bools, Floats
from tallybayes.schema.arrow import distinct, to_days, to_floats
from tallybayes.schema.field import CellType
from tallybayes.schema.reading import MARKERS, Odd, Reading

_WHOLE = r"^[+-]?(0|[1-9][0-9]{0,17})$"
_PADDED = r"^[+-]?0[0-9]"
_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
_NUMBER = r"(?i)^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$|^[+-]?(nan|inf|infinity)$"
_COMMAS = r"^[+-]?[0-9.]*(,[0-9]+)*(,[0-9]+|[0-9])([eE][+-]?[0-9]+)?$"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def numbers_of(texts: pa.Array, reading: Reading) -> Floats:
    """Return texts as numbers; a text that is none is refused with its row."""
    if reading.type == "boolean":
        return _one_by_one(texts, reading)
    for column in (texts, tidy(texts, reading.text)):
        try:
            return to_floats(column.cast(pa.float64()))
        except pa.ArrowInvalid:
            continue
    return _one_by_one(texts, reading)


def _one_by_one(texts: pa.Array, reading: Reading) -> Floats:
    """Read each distinct text by itself, so that the first bad one can be named."""
    if reading.type != "boolean":  # cells that are asked for as numbers are numbers, whatever the column means
        reading = replace(reading, field=replace(reading.field, type="number"))
    places, values = distinct(texts)
    numbers = np.full(len(values) + 1, np.nan)
    unfit = {}
    for k, text in enumerate(values.to_pylist()):
        value = reading.value(text)
        if value is Odd.UNFIT and reading.type == "boolean" and reading.field.kind != "boolean":  # 0, 1 and others
            value = replace(reading, field=replace(reading.field, type="number")).value(text)
        if value is Odd.UNFIT:
            unfit[k] = text
        elif value is Odd.INFINITE:
            numbers[k] = float(text)
        elif not isinstance(value, Odd):
            numbers[k] = float(value)
    if unfit:
        row = int(np.flatnonzero(np.isin(places, list(unfit)))[0])
        raise reading.refusal(Odd.UNFIT, unfit[int(places[row])], row)
    return numbers[places]


def days_of(texts: pa.Array, reading: Reading) -> Floats:
    """Return texts that write dates or instants by ISO 8601 as days since 1970-01-01."""
    plain = tidy(texts, reading.text)
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return to_days(plain.cast(kind))
        except pa.ArrowInvalid:
            continue
    places, values = distinct(plain)
    days = np.array([*(_day(text) for text in values.to_pylist()), np.nan])
    bad = np.isnan(days[places]) & (places >= 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise reading.refusal(Odd.UNFIT, texts[row].as_py(), row)
    return days[places]


def _day(text: str) -> float:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return float("nan")
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return (time - _EPOCH).total_seconds() / 86_400


def tidy(texts: pa.Array, text: bool) -> pa.Array:
    """Return texts without blanks around them, and with the markers of a text file as missing cells."""
    trimmed = pc.utf8_trim_whitespace(texts)
    if text:
        marked = pc.is_in(trimmed, value_set=pa.array(sorted(MARKERS), trimmed.type))
        trimmed = pc.if_else(marked, pa.scalar(None, trimmed.type), trimmed)
    return trimmed


def sniff(texts: pa.Array) -> CellType:
    """Return what the texts of a file stand for: the narrowest type that all of them can be read as.

    Whole numbers that begin with 0, such as postcodes, are texts, and so is what no rule knows.
    """
    seen = tidy(pc.unique(texts), text=True).drop_null()
    if not len(seen):
        return "unknown"
    if _all(seen, _WHOLE):
        return "integer"
    try:
        seen.cast(pa.float64())
    except pa.ArrowInvalid:
        pass
    else:
        return "string" if padded(seen) else "number"
    if all(text.lower() in ("true", "false") for text in seen[:3].to_pylist()) and _all(seen, "(?i)^(true|false)$"):
        return "boolean"
    return "time" if all_dates(seen) else "string"


def all_dates(texts: pa.Array) -> bool:
    """Return whether texts all write dates or instants by ISO 8601, and there is one."""
    seen = pc.unique(texts).drop_null()
    return len(seen) > 0 and _all(seen, _ISO) and not any(np.isnan(_day(text)) for text in seen.to_pylist())


def padded(texts: pa.Array) -> bool:
    """Return whether some text is a number with zeros before it, as a postcode or an article has."""
    return bool(pc.any(pc.match_substring_regex(texts, _PADDED)).as_py())


def are_numbers(texts: pa.Array) -> Bools:
    """Return which texts without blanks around them write numbers."""
    found: Bools = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False).to_numpy(zero_copy_only=False)
    return found


def are_dates(texts: pa.Array) -> Bools:
    """Return which texts without blanks around them write dates or instants by ISO 8601."""
    alike: Bools = pc.fill_null(pc.match_substring_regex(texts, _ISO), False).to_numpy(zero_copy_only=False).copy()
    alike[alike] = [not np.isnan(_day(text)) for text in texts.filter(pa.array(alike)).to_pylist()]
    return alike


def with_commas(texts: pa.Array) -> bool:
    """Return whether texts are numbers but for commas, which are decimal in some countries and group in others."""
    seen = tidy(pc.unique(texts), text=True).drop_null()
    return len(seen) > 0 and _all(seen, _COMMAS) and bool(pc.any(pc.match_substring(seen, ",")).as_py())


def _all(texts: pa.Array, pattern: str) -> bool:
    # A look at one text spares most columns the look at all of them.
    return all(pc.all(pc.match_substring_regex(some, pattern)).as_py() for some in (texts[:1], texts))
