"""Rows drawn from a model, in the form in which the model reads rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts, Name
from tallybayes.errors import OptionError
from tallybayes.models.base import Joint
from tallybayes.schema.arrow import to_objects
from tallybayes.schema.bins import drawn_within
from tallybayes.schema.field import OTHER, Field, Schema

_TICKS = 86_400_000_000
"""The microseconds of a day."""

_EXACT = 2**53
"""Beyond it not every whole number is a float."""


def sample(joint: Joint, schema: Schema, n: Any, random_state: Any) -> tuple[Any, Counts]:
    """Draw classes from the prior, and the columns of each row given its class.

    A column is drawn from its distribution, and what was drawn becomes a cell of the column: of truth values, which
    are counted by any distribution, true or false; of counts and of whole-numbered categories, whole numbers.

    Returns
    -------
    X : pyarrow.Table or array
        A table where the columns have names, a matrix where they have positions.
    codes : array
        The place of each row's class.
    """
    if not isinstance(n, int | np.integer) or n < 0:
        raise OptionError(f"n={n!r} should be how many rows to draw, 0 or more.")
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    rng = np.random.default_rng(random_state)
    codes = rng.choice(len(joint.classes), size=n, p=np.exp(joint.log_prior))
    drawn = joint.sample(codes, rng)
    fields = [field for field in schema if field.name in drawn]
    drawn = {field.name: _of_coarse(drawn[field.name], field, rng) for field in fields}
    return (_table if schema.named else _matrix)(drawn, fields, len(codes)), codes


def _of_coarse(column: AnyArray, field: Field, rng: np.random.Generator) -> AnyArray:
    """Return what was drawn for a column as cells that are read so: a number of a bin, another value for the others."""
    if field.edges is not None:
        codes = np.array([-1 if code is None else code for code in column.tolist()], dtype=np.int32)
        return drawn_within(field.edges, codes, rng, whole=field.type == "integer" or field.kind == "count")
    if field.kept is not None and field.type in ("integer", "number"):
        numbers = [value for value in field.kept if not isinstance(value, str)]
        other = int(max(numbers, default=0)) + 1
        cells = [other if value == OTHER else value for value in column.tolist()]
        return np.array([*cells, None], dtype=object)[:-1]
    return column


def _table(drawn: Mapping[Name, AnyArray], fields: list[Field], n: int) -> Any:
    import pyarrow as pa

    columns = {}
    for field in fields:
        cells = _cells(drawn[field.name], field)
        times = _times(cells, field)
        columns[str(field.name)] = times if times is not None else pa.array(_plain(cells), from_pandas=True)
    return pa.table(columns)


def _matrix(drawn: Mapping[Name, AnyArray], fields: list[Field], n: int) -> AnyArray:
    """Return the columns as an array: of numbers where all are, of objects otherwise."""
    columns = []
    for field in fields:
        cells = _cells(drawn[field.name], field)
        times = _times(cells, field)
        columns.append(_plain(cells) if times is None else np.array([*times.to_pylist(), None], dtype=object)[:-1])
    if columns and all(column.dtype != object for column in columns):
        return np.column_stack(columns)
    whole = np.empty((n, len(columns)), dtype=object if columns else np.float64)
    for j, column in enumerate(columns):
        whole[:, j] = column.tolist()
    return whole


def _cells(column: AnyArray, field: Field) -> AnyArray:
    """Return what was drawn for a column as its cells: objects with None, or numbers with NaN."""
    if column.dtype == object:  # the values of the column itself
        return column
    numbers = column.astype(np.float64)
    if field.kind == "boolean" or (field.kind == "categorical" and field.type == "boolean"):
        truths = (numbers >= 0.5).astype(object)
        truths[np.isnan(numbers)] = None
        return truths
    if field.kind == "count":
        return np.maximum(np.rint(numbers), 0.0)
    if field.kind == "categorical" and field.type == "integer":
        return np.rint(numbers)
    return numbers


def _plain(cells: AnyArray) -> AnyArray:
    """Return whole numbers as integers, and objects that are all numbers, or missing, as numbers."""
    if cells.dtype == object:
        items = cells.tolist()
        if any(isinstance(item, str) or (isinstance(item, int) and abs(item) > _EXACT) for item in items):
            return cells
        if None not in items:
            return np.array(items)
        if any(isinstance(item, bool) for item in items):
            return cells
        return np.array([np.nan if item is None else item for item in items], dtype=np.float64)
    whole = len(cells) > 0 and bool((np.abs(cells) <= _EXACT).all()) and bool((np.rint(cells) == cells).all())
    return cells.astype(np.int64) if whole else cells


def _times(cells: AnyArray, field: Field) -> Any:
    """Return days, or times in words, as the dates, durations or times of day that they are; None for others."""
    import pyarrow as pa

    if field.type != "time":
        return None
    if any(isinstance(cell, str) for cell in cells.tolist()):
        return _read(cells.tolist(), field)
    days = cells.astype(np.float64)
    missing = np.isnan(days)
    ticks = np.rint(np.where(missing, 0.0, days) * _TICKS)
    if field.time == "times of day":
        ticks = np.clip(ticks, 0, _TICKS - 1)
    whole = pa.array(np.clip(ticks, -(2.0**62), 2.0**62).astype(np.int64), mask=missing)
    if field.time == "durations":
        return whole.cast(pa.duration("us"))
    return whole.cast(pa.time64("us") if field.time == "times of day" else pa.timestamp("us"))


def _read(words: list[Any], field: Field) -> Any:
    """Return times in words as times, where the words come back from them; those of a text file may be any."""
    import pyarrow as pa

    try:
        if field.time == "times of day":
            times = pa.array([None if word is None else time.fromisoformat(word) for word in words], pa.time64("us"))
        else:
            times = pa.array(words).cast(pa.timestamp("us"))
    except (ValueError, TypeError):
        return None
    return times if to_objects(times) == words else None
