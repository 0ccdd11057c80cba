"""The plain Arrow columns that sources yield, brought to the few forms that cells are read from."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Bools, Counts, Floats
from tallybayes.schema.field import CellType, TimeSort

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def is_string(kind: pa.DataType) -> bool:
    """Return whether cells of an Arrow type are texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_time(kind: pa.DataType) -> bool:
    """Return whether cells of an Arrow type are dates, times or durations."""
    return bool(pa.types.is_temporal(kind)) and not pa.types.is_interval(kind)


def time_sort(kind: pa.DataType) -> TimeSort | None:
    """Return which times the cells of an Arrow type are, or None where they are none."""
    if pa.types.is_dictionary(kind):
        return time_sort(kind.value_type)
    if not is_time(kind):
        return None
    return "durations" if pa.types.is_duration(kind) else "times of day" if pa.types.is_time(kind) else "dates"


def cell_type(kind: pa.DataType) -> CellType | None:
    """Return what the cells of an Arrow type are, or None where no column may hold them."""
    if pa.types.is_dictionary(kind):
        return cell_type(kind.value_type)
    if pa.types.is_null(kind):
        return "unknown"
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_floating(kind):
        return "number"
    if is_string(kind):
        return "string"
    return "time" if is_time(kind) else None


def distinct(column: pa.Array) -> tuple[Counts, pa.Array]:
    """Return each cell's place among the distinct ones, -1 for a missing cell, and these.

    A dictionary may hold more than the rows have, such as all categories of the frame they are a piece of.
    """
    given = pa.types.is_dictionary(column.type)
    if not given:
        column = column.dictionary_encode()
    indices = column.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
    places: Counts = indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    places, kept = compact(places, len(column.dictionary)) if given else (places, None)
    return places, column.dictionary if kept is None else column.dictionary.take(pa.array(kept))


def compact(places: Counts, size: int) -> tuple[Counts, Counts | None]:
    """Renumber places below `size` some of which no row has; return which are kept, None where all are."""
    used = np.zeros(size + 1, dtype=bool)
    used[places] = True  # a missing cell, -1, marks the last entry
    used[-1] = False
    if used[:-1].all():
        return places, None
    renumbered = np.cumsum(used) - 1
    renumbered[-1] = -1
    return renumbered[places], np.flatnonzero(used)


def present(column: pa.Array) -> Bools | None:
    """Return which cells are there, or None where all are."""
    if not column.null_count:
        return None
    return cast(Bools, column.is_valid().to_numpy(zero_copy_only=False))


def to_floats(column: pa.Array) -> Floats:
    """Return plain numbers or truth values as floats, NaN where they are missing."""
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.float64())
    numbers: AnyArray = column.to_numpy(zero_copy_only=False)
    return numbers.astype(np.float64, copy=False)


def to_days(column: pa.Array) -> Floats:
    """Return dates and instants as days since 1970-01-01, times and durations as days."""
    kind = column.type
    if pa.types.is_date32(kind):
        return to_floats(column.view(pa.int32()))
    if pa.types.is_time32(kind):
        return to_floats(column.view(pa.int32())) / _PER_DAY[kind.unit]
    unit = "ms" if pa.types.is_date64(kind) else kind.unit
    return to_floats(column.view(pa.int64())) / _PER_DAY[unit]


def to_objects(values: pa.Array) -> list[Any]:
    """Return values, usually the distinct ones of a column, as None, truth values, numbers and strings.

    A date or an instant is written as ISO 8601 does, in UTC, without a time of day where that is midnight; a
    duration becomes its number of days.
    """
    kind = values.type
    if pa.types.is_duration(kind):
        return [None if days != days else days for days in to_days(values).tolist()]
    if not is_time(kind):
        return cast("list[Any]", values.to_pylist())
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        values = values.cast(pa.timestamp(kind.unit))
    return [None if text is None else _short(text) for text in values.cast(pa.string()).to_pylist()]


def to_python(column: pa.Array) -> list[Any]:
    """Return cells as Python has them, whose times know no nanoseconds."""
    kind = column.type
    if getattr(kind, "unit", "") == "ns":
        coarse = {
            "timestamp[ns": pa.timestamp("us", getattr(kind, "tz", None)),
            "duration[ns": pa.duration("us"),
        }
        column = column.cast(coarse.get(str(kind)[:12], pa.time64("us")), safe=False)
    return cast("list[Any]", column.to_pylist())


def _short(time: str) -> str:
    if "." in time:
        time = time.rstrip("0").rstrip(".")
    return time.removesuffix(" 00:00:00")
