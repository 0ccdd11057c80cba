"""Raw Arrow columns as numbers and as codes, read by the field that the schema gave them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Bools, Codes, Counts, Floats, Value
from tallybayes.errors import DataError
from tallybayes.schema.arrow import (
    cell_type,
    distinct,
    is_string,
    is_time,
    present,
    time_sort,
    to_days,
    to_floats,
    to_objects,
)
from tallybayes.schema.field import CellType, TimeSort
from tallybayes.schema.reading import Odd, Reading, nested, plain_number
from tallybayes.schema.texts import days_of, numbers_of
from tallybayes.schema.values import Values

WIDEST = 4096
"""Integers whose range is no wider are coded by taking away the least of them; others are looked up."""

AS_THEY_ARE: frozenset[CellType] = frozenset({"integer", "number", "unknown"})
"""The types that take numbers as they are."""


def numbers(column: pa.Array, reading: Reading) -> Floats:
    """Return the cells of a column as floats, NaN where they are missing; times are in days.

    Infinite numbers pass: see `tallybayes.schema.refusals.refuse_infinite`.
    """
    _refuse_nested(column, reading)
    found = _numbers(column, reading)
    return found if pa.types.is_boolean(column.type) else refuse_untrue(found, reading)


def _numbers(column: pa.Array, reading: Reading) -> Floats:
    if pa.types.is_dictionary(column.type):
        places, values = distinct(column)
        if is_string(values.type):
            return _numbers(values.take(column.indices), reading)
        return np.append(_numbers(values, reading), np.nan)[places]
    kind, filled = column.type, column.null_count < len(column)
    if is_string(kind):
        if reading.type != "time":
            return numbers_of(column, reading)
        _refuse_other_times("dates" if filled else None, reading)
        return days_of(column, reading)
    if is_time(kind):
        _refuse_other_times(time_sort(kind) if filled else None, reading)
        return to_days(column)
    found = to_floats(column)
    if reading.type == "time" and not np.isnan(found).all():
        raise reading.other_type("plain numbers")
    return found


def _refuse_other_times(found: TimeSort | None, reading: Reading) -> None:
    """Refuse times in a column of other times, or of none; None is cells that are no times."""
    if found is None or reading.type == "unknown":
        return
    if reading.type != "time":
        raise reading.other_type("dates or times")
    if reading.field.time not in (None, found):
        raise reading.other_type(found)


def refuse_untrue(found: AnyArray, reading: Reading) -> AnyArray:
    """Return the cells of a column, having refused numbers besides 0 and 1 where it is one of truth values."""
    if reading.type == reading.field.kind == "boolean":
        odd = np.flatnonzero((found != 0) & (found != 1) & ~np.isnan(found))
        if len(odd):
            row = int(odd[0])
            raw = found[row].item()
            number = plain_number(raw)
            infinite = isinstance(number, Odd)
            raise reading.refusal(Odd.INFINITE if infinite else Odd.UNFIT, raw if infinite else number, row)
    return found


def codes(column: pa.Array, reading: Reading) -> tuple[Codes, Values]:
    """Return the code of each cell, -1 where it is missing, and the values that the codes stand for."""
    _refuse_nested(column, reading)
    if pa.types.is_null(column.type):
        return np.full(len(column), -1, dtype=np.int32), Values()
    if pa.types.is_integer(column.type) and reading.type in AS_THEY_ARE and len(column):
        there = present(column)
        found = code_integers((column if there is None else column.fill_null(0)).to_numpy(), there)
        if found is not None:
            return found
    places, values = distinct(column)
    sort = time_sort(values.type) if values.null_count < len(values) else None
    if reading.type == "time":
        _refuse_other_times(sort, reading)
    if sort == "durations" and reading.type == "time":
        reading = replace(reading, field=replace(reading.field, type="number"))  # of days, which are no dates
    if is_string(values.type) and reading.type in ("string", "unknown") and not reading.text:
        return recode(places, values.to_pylist(), _itself, reading.refusal)
    return recode(places, to_objects(values), reading.value, reading.refusal)


def code_integers(integers: AnyArray, there: Bools | None = None) -> tuple[Codes, Values] | None:
    """Code integers that lie close together, without sorting; None where they do not.

    What stands where `there` is false must lie no farther from 0 than the widest range.
    """
    if there is not None and not there.any():
        return np.full(len(integers), -1, dtype=np.int32), Values()
    seen = integers if there is None else integers[there]
    low, high = int(seen.min()), int(seen.max())
    if high - low > WIDEST:
        return None
    if integers.dtype == np.uint64:
        above = (integers - np.uint64(low)).astype(np.int32)
    else:
        above = (integers.astype(np.int64, copy=False) - low).astype(np.int32)
    if there is not None:
        above[~there] = -1
    return above, integer_values(low, high)


def recode(
    places: Counts,
    raw: Sequence[object],
    read: Callable[[object], Value | Odd],
    refusal: Callable[[Odd, object, int], DataError],
) -> tuple[Codes, Values]:
    """Turn places among distinct raw cells into codes.

    Parameters
    ----------
    places
        The place of each row, -1 for a missing cell.
    raw
        The distinct cells, each of which some row has; several may stand for one value.
    read
        What a cell stands for.
    refusal
        Returns the error for a cell that stands for no value, given the first row that has one.
    """
    read_as = [read(cell) for cell in raw]
    odd = [k for k, value in enumerate(read_as) if isinstance(value, Odd) and value is not Odd.MISSING]
    if odd:
        row = int(np.flatnonzero(np.isin(places, odd))[0])
        at = int(places[row])
        raise refusal(cast(Odd, read_as[at]), raw[at], row)
    values = Values(value for value in read_as if not isinstance(value, Odd))
    index = values.index
    # The last entry is for -1, a missing cell.
    code = [-1 if isinstance(value, Odd) else index[value] for value in read_as] + [-1]
    return np.array(code, dtype=np.int32)[places], values


def integer_values(low: int, high: int) -> Values:
    """Return the values from `low` to `high`."""
    return _few_integers(low, high) if high - low < 256 else Values(range(low, high + 1))


@lru_cache(maxsize=1024)
def _few_integers(low: int, high: int) -> Values:
    return Values(range(low, high + 1))


def _itself(raw: object) -> Value | Odd:
    return raw if isinstance(raw, str) else Odd.MISSING


def _refuse_nested(column: pa.Array, reading: Reading) -> None:
    if cell_type(column.type) is None:
        raise nested(reading.field.name, column.type)
