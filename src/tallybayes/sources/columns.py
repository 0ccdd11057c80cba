"""Python objects as Arrow columns, and the tables that are read column by column."""

from __future__ import annotations

import contextlib
import datetime
import numbers
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Name
from tallybayes.errors import DataError, KindError, TallyBayesError, UnsupportedDataError, ValueRangeError
from tallybayes.sources.base import Table, spans
from tallybayes.sources.plain import one_array

_REFUSALS = (pa.ArrowException, OverflowError, TypeError, ValueError)


class ColumnTable(Table):
    """A table in memory whose columns become Arrow a piece at a time."""

    n_rows: int

    @abstractmethod
    def column(self, position: int, start: int, stop: int) -> pa.Array:
        """Return the cells of a column in the rows from `start` to before `stop`."""

    def pieces(self, columns: tuple[Name, ...], most: int) -> Iterator[pa.RecordBatch]:
        """Yield the columns as record batches."""
        where = {name: i for i, name in enumerate(self.names)}
        headers = [str(name) for name in columns]
        unreadable: dict[Name, TallyBayesError] = {}
        self.unreadable = unreadable
        for start, stop in spans(self.n_rows, most):
            arrays = []
            for name in columns:
                try:
                    arrays.append(self.column(where[name], start, stop))
                except (KindError, ValueRangeError, UnsupportedDataError) as error:
                    advice = f" Or leave the column out with columns={{{name!r}: 'ignored'}}."
                    unreadable[name] = type(error)(f"{error}{advice}")
                    arrays.append(pa.nulls(stop - start))
            yield pa.RecordBatch.from_arrays(arrays, names=headers)


def column_of(values: Sequence[Any] | AnyArray, what: str, first: int = 0) -> pa.Array:
    """Return Python or NumPy objects as an Arrow column; None, NaN and the like are missing.

    Parameters
    ----------
    values
        A list, or an array of one dimension.
    what
        What messages call the column.
    first
        The number of the first row in its source.

    Raises
    ------
    KindError
        The column mixes texts, numbers, truth values and times; the message says where.
    UnsupportedDataError
        A cell is none of these. Lists and dicts pass, where all cells are, for columns that nobody uses.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufMmS":
        values = _convertible(values)
    try:
        array = pa.array(values, from_pandas=True)
        _refuse_strangers(values, array.type)
        if pa.types.is_date32(array.type) and any(isinstance(v, datetime.datetime) for v in values):
            array = pa.array([_instant(v) for v in values], from_pandas=True)  # or times of day are lost
        return one_array(array)
    except _REFUSALS as reason:
        return _numbers(values, what, first, reason)


_FAMILIES: dict[str, tuple[type, ...]] = {
    "truth values": (bool, np.bool_),
    "dates": (datetime.date, np.datetime64),
    "durations": (datetime.timedelta, np.timedelta64),  # which NumPy counts among the integers
    "times of day": (datetime.time,),
    "numbers": (numbers.Real, Decimal),
    "texts": (str,),
    "bytes": (bytes,),
}


def _refuse_strangers(values: Sequence[Any] | AnyArray, kind: pa.DataType) -> None:
    """Refuse what Arrow takes for days among dates, and for 0 and 1 among floats."""
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return
    strange: tuple[type, ...] = ()
    if pa.types.is_temporal(kind):
        strange = numbers.Real, Decimal
    elif pa.types.is_floating(kind):
        strange = bool, np.bool_
    sorts = [s for s in set(map(type, values)) if issubclass(s, strange) and not issubclass(s, np.timedelta64)]
    if sorts and any(isinstance(cell, tuple(sorts)) and not _is_missing(cell) for cell in values):
        raise TypeError("types are mixed")


def _numbers(values: Sequence[Any] | AnyArray, what: str, first: int, reason: Exception) -> pa.Array:
    """Return as floats what has no single Arrow type, where it is numbers; otherwise say what is mixed."""
    found: dict[str, tuple[int, Any]] = {}
    for row, cell in enumerate(values, first + 1):
        if not _is_missing(cell):
            found.setdefault(_family(cell, what, row), (row, cell))
    if list(found) in (["dates"], ["durations"]):
        array = _moments(values)
        if array is not None:
            return array
    if list(found) == ["numbers"]:
        if all(_is_missing(cell) or isinstance(cell, numbers.Integral) for cell in values):
            with contextlib.suppress(OverflowError, pa.ArrowException):  # where they need more than 64 bits
                return pa.array([None if _is_missing(cell) else int(cell) for cell in values], pa.uint64())
        try:
            floats = [None if _is_missing(cell) else float(cell) for cell in values]
        except OverflowError:
            raise ValueRangeError(f"{what} has a number that no float64 holds; scale it.") from None
        return pa.array(floats, pa.float64(), from_pandas=True)
    if len(found) < 2:
        raise KindError(f"{what} cannot be read: {reason}. Make all of its cells texts, numbers or times.")
    examples = " and ".join(f"{family} ({cell!r} in row {row})" for family, (row, cell) in found.items())
    raise KindError(
        f"{what} mixes {examples}. Make it all texts, for example with astype(str), or all numbers, with "
        "None where a number is missing."
    )


def _family(cell: Any, what: str, row: int) -> str:
    for family, types in _FAMILIES.items():
        if isinstance(cell, types):
            return family
    if isinstance(cell, (complex, np.complexfloating)):
        raise KindError(f"Complex data not supported: {what} has {cell!r} in row {row}. Take its parts apart.")
    raise UnsupportedDataError(
        f"{what} has a cell of type {type(cell).__name__} in row {row}: an argument must be a table whose cells are "
        "each a string, a number, a truth value or a time. Take it apart into columns of its own."
    )


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating, np.datetime64, np.timedelta64, Decimal)) and bool(cell != cell)


def _moments(values: Sequence[Any] | AnyArray) -> pa.Array | None:
    """Return dates or durations some of which are NumPy's, whatever their units; None where they do not go."""
    unit = "m8[us]" if any(isinstance(v, _FAMILIES["durations"]) for v in values) else "M8[us]"
    try:
        plain = [np.array(None if _is_missing(v) else _in_utc(v), dtype=unit) for v in values]
    except (TypeError, ValueError, OverflowError):
        return None
    return one_array(pa.array(np.array(plain, dtype=unit), from_pandas=True))


def _in_utc(cell: Any) -> Any:
    """Return an instant without its time zone."""
    if isinstance(cell, datetime.datetime) and cell.tzinfo is not None:
        return cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return cell


def _instant(cell: Any) -> Any:
    if isinstance(cell, datetime.datetime) or not isinstance(cell, datetime.date):
        return cell
    return datetime.datetime.combine(cell, datetime.time())


def _convertible(column: AnyArray) -> AnyArray:
    """Return an array of NumPy's own types in one that Arrow reads."""
    kind = column.dtype.kind
    if kind == "f" and isinstance(column, np.ma.MaskedArray):
        column = np.asarray(column.filled(np.nan))
    if kind == "f" and column.dtype.itemsize > 8:
        return column.astype(np.float64)
    if kind in "Mm" and np.datetime_data(column.dtype)[0] not in ("D", "s", "ms", "us", "ns"):
        # Arrow knows no weeks, hours or minutes, and nothing finer than nanoseconds.
        fine = np.datetime_data(column.dtype)[0] in ("ps", "fs", "as")
        return column.astype(f"{kind}8[ns]" if fine else f"{kind}8[s]")
    return column if column.dtype.isnative else column.astype(column.dtype.newbyteorder("="))


def complex_error(what: str) -> DataError:
    """Return the error of complex numbers."""
    return DataError(
        f"Complex data not supported, as in {what}. Give the real and the imaginary part as columns of their own."
    )
