"""What comes beside a table: a target and weights, given as anything that holds one entry a row."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Floats, is_sparse
from tallybayes.errors import DataError, KindError, TargetError, UnsupportedDataError, WeightError, warn
from tallybayes.sources.base import brief
from tallybayes.sources.columns import column_of
from tallybayes.sources.frames import is_pandas, series_array
from tallybayes.sources.plain import one_array

Vector: TypeAlias = pa.Array | AnyArray
"""One entry a row: an Arrow array, or a NumPy array of numbers or truth values."""


def as_target(y: Any) -> Vector:
    """Return a target as an array with one raw label a row; None and NaN are missing labels.

    Raises
    ------
    TargetError
        The target has not exactly one entry a row, or mixes texts and numbers.
    """
    try:
        return _vector(y, "y")
    except (KindError, UnsupportedDataError) as reason:
        raise TargetError(f"Unknown label type: {reason}") from None
    except pa.ArrowInvalid as reason:
        raise TargetError(f"Unknown label type: {reason}. Turn the labels into texts.") from None
    except DataError as reason:
        raise TargetError(str(reason)) from None


def as_weights(weights: Any, rows: int | None) -> Floats | float:
    """Return weights as checked floats, one for all rows or one a row; `rows` only words the message.

    Raises
    ------
    WeightError
        A weight is missing, infinite or negative, or there is not one a row.
    """
    if isinstance(weights, (int, float, np.integer, np.floating)) and not isinstance(weights, bool):
        return float(weights_of(np.array([weights]), "sample_weight")[0])
    try:
        return weights_of(_vector(weights, "sample_weight"), "sample_weight")
    except WeightError:
        raise
    except (KindError, UnsupportedDataError, pa.ArrowInvalid):
        raise WeightError("sample_weight holds what is no number; weights are numbers of 0 or more.") from None
    except DataError as reason:
        expected = "one weight a row" if rows is None else f"{rows} weights, one a row"
        raise WeightError(f"Sample weights must be 1D array or scalar. {reason} Give {expected}.") from None


def weights_of(column: Vector, name: str, first: int = 0) -> Floats:
    """Return raw weights as checked floats; `first` is the number of their first row."""
    if isinstance(column, pa.Array):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_temporal(column.type) or pa.types.is_nested(column.type):
            raise WeightError(f"{name!r} is of type {column.type}; weights are numbers of 0 or more.")
        column = column.to_numpy(zero_copy_only=False)
    try:
        weights = column.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        row, value = next((i, v) for i, v in enumerate(column.tolist(), first + 1) if not _is_number(v))
        raise WeightError(f"{name!r} is {value!r} in row {row}; weights are numbers of 0 or more.") from None
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if not wrong.any():
        return weights
    row = int(wrong.argmax())
    where = f"{name!r} is {weights[row]} in row {first + row + 1}"
    if weights[row] < 0:
        raise WeightError(
            f"Negative values in data passed to `sample_weight`: {where}. Weights are 0 or more; rows are "
            "taken out again with forget()."
        )
    raise WeightError(
        f"Input sample_weight contains NaN or infinity: {where}. Give every row a finite weight, 0 to leave it out."
    )


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value is None
    return True


def _vector(values: Any, what: str) -> Vector:
    """Return one entry a row in one of the two forms of `Vector`."""
    if is_pandas(values, "Series", "Index"):
        return series_array(values.to_series() if is_pandas(values, "Index") else values, what)
    if is_pandas(values, "DataFrame"):
        return series_array(values.iloc[:, _only_column(values.shape[1], what)], what)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return one_array(values)
    if is_sparse(values):
        raise DataError(f"{what} should be a 1d array, got a sparse matrix instead; give its .toarray().ravel().")
    if not isinstance(values, np.ndarray) and hasattr(values, "__arrow_c_stream__"):
        return _from_stream(values, what)
    return _from_numpy(values, what)


def _from_stream(values: Any, what: str) -> pa.Array:
    """Return a column of Polars, DuckDB or another library; or the one column of a table."""
    try:
        chunked = pa.chunked_array(values)
    except (pa.ArrowException, TypeError, ValueError) as reason:
        raise DataError(f"{what} cannot be read as Arrow: {reason}. Give a NumPy array or a list.") from None
    if pa.types.is_struct(chunked.type):  # a table: its rows come as structs
        position = _only_column(chunked.type.num_fields, what)
        chunks = [chunk.flatten()[position] for chunk in chunked.chunks]
        chunked = pa.chunked_array(chunks, type=chunked.type.field(position).type)
    return one_array(chunked)


def _from_numpy(values: Any, what: str) -> Vector:
    try:
        array = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    except (TypeError, ValueError) as reason:
        raise DataError(f"{what} is no array of one entry a row: {reason}") from None
    if array.ndim == 0:
        raise DataError(
            f"{what} should be a 1d array, got {brief(repr(values))} of type {type(values).__name__} instead (bad "
            "input shape). Give one entry a row, as a list, an array or a column."
        )
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warn(
            f"A column-vector {what} was passed when a 1d array was expected. Please change the shape of "
            f"{what} to (n_samples,), for example using ravel().",
            DataConversionWarning,
        )
        values = array = array.ravel()
    if array.ndim != 1:
        raise DataError(
            f"{what} should be a 1d array, got an array of shape {array.shape} instead (bad input shape). "
            "Give one entry a row."
        )
    if array.dtype.names:
        raise DataError(f"{what} is a structured array; give the one field that is meant, as {what}['field'].")
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {what} holds complex numbers.")
    if array.dtype.kind in "biuf" and not isinstance(array, np.ma.MaskedArray):
        return array
    # NumPy writes the numbers of a list with texts in it as texts too; the list keeps them apart.
    return column_of(list(values) if isinstance(values, (list, tuple)) else array, what)


def _only_column(columns: int, what: str) -> int:
    if columns != 1:
        raise DataError(
            f"{what} should be a 1d array, got a table of {columns} columns instead (bad input shape); give "
            "the one column that is meant."
        )
    return 0
