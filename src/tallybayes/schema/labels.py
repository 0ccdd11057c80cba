"""Targets as class codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Counts, Floats, Value
from tallybayes.errors import DataError, TargetError
from tallybayes.schema.arrow import cell_type, compact, distinct, to_objects
from tallybayes.schema.cells import WIDEST, recode
from tallybayes.schema.coded import Labels
from tallybayes.schema.field import CellType
from tallybayes.schema.reading import Odd, read_value
from tallybayes.schema.texts import sniff
from tallybayes.schema.values import Values

_MEANT: dict[CellType, str] = {"integer": "whole numbers", "number": "numbers", "boolean": "true or false"}


def target_type(target: pa.Array | AnyArray, text: bool) -> CellType:
    """Return how labels are to be read, from the first piece of a target.

    The labels of a text file are integers, numbers or truth values where all of the piece are; otherwise, and
    in any other source, they are what they are.

    Examples
    --------
    >>> target_type(pa.array(["0", "1"]), text=True), target_type(pa.array(["0", "1"]), text=False)
    ('integer', 'string')
    """
    column = _column(target)
    if isinstance(column, np.ndarray):
        return _natural(column)
    found = cell_type(column.type)
    if found == "string" and text:
        sniffed = sniff(distinct(column)[1])
        return "string" if sniffed == "time" else sniffed
    return found or "unknown"


def code_labels(
    target: pa.Array | AnyArray,
    weights: Floats | None = None,
    *,
    read_as: CellType | None = None,
    first: int = 0,
) -> tuple[Labels, int]:
    """Code a target, and count the rows that have no label.

    Parameters
    ----------
    target : pyarrow.Array or one-dimensional numpy array
        Texts, integers, truth values, or floats that are whole; None and NaN are missing labels.
    weights : array of float64, optional
        A row of weight zero takes no part, and its label is no class.
    read_as : CellType, optional
        How the labels are read, from `target_type`; by default each as it is.
    first : int
        The number of the first row in its source, for messages.

    Returns
    -------
    labels : Labels
        Codes of the classes that some row has, -1 for rows that take no part.
    missing : int
        How many rows have no label.

    Examples
    --------
    >>> labels, missing = code_labels(pa.array(["b", "a", None]))
    >>> labels.values, labels.codes.tolist(), missing
    (Values('a', 'b'), [1, 0, -1], 1)
    """
    column = _column(target)
    if isinstance(column, np.ndarray):
        places, raw = _numbers(column, first)
        natural = _natural(column)
        complete = column.dtype.kind in "biu"
    else:
        places, values = distinct(column)
        raw = to_objects(values)
        natural = cell_type(column.type) or "unknown"
        complete = False
    if isinstance(column, np.ndarray) and read_as in (None, "unknown", natural):
        codes, values = places, Values(raw)
    else:
        meant = natural if read_as in (None, "unknown") else read_as
        few, values = recode(
            places,
            raw,
            lambda label: _read(label, meant),
            lambda odd, label, row: _refusal(odd, label, first + row, meant),
        )
        codes = few.astype(np.int64)
    missing = 0 if complete else int(np.count_nonzero(codes < 0))
    if weights is not None and not weights.all():
        codes, values = _without(codes, values, weights)
    return Labels(codes, values), missing


def _column(target: pa.Array | AnyArray) -> pa.Array | AnyArray:
    """Return a target as a NumPy array where it is one of numbers, as it is otherwise."""
    if isinstance(target, np.ndarray):
        return target
    kind = target.type
    if cell_type(kind) in (None, "time"):
        raise TargetError(
            f"Unknown label type: {kind}. A target holds texts, integers, truth values or whole numbers; "
            "turn other labels into texts, for example with y.astype(str)."
        )
    whole = pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    if pa.types.is_floating(kind) or (whole and not target.null_count):
        numbers: AnyArray = target.to_numpy(zero_copy_only=False)
        return numbers
    return target


def _natural(numbers: AnyArray) -> CellType:
    return {"b": "boolean", "f": "number"}.get(numbers.dtype.kind, "integer")  # type: ignore[return-value]


def _numbers(labels: AnyArray, first: int) -> tuple[Counts, Sequence[Any]]:
    """Return each row's place among the distinct numbers in their order, -1 for NaN, and these."""
    if labels.dtype.kind == "b":
        places, integers = _integers(labels.view(np.uint8))
        return places, [bool(v) for v in integers]
    if labels.dtype.kind in "iu":
        return _integers(labels)
    labels = labels.astype(np.float64, copy=False)
    there = ~np.isnan(labels)
    known = labels if there.all() else labels[there]
    for bad, odd in ((np.isinf(labels), Odd.INFINITE), (there & (np.floor(labels) != labels), Odd.UNFIT)):
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise _refusal(odd, float(labels[row]), first + row, "number")
    if len(known) and np.abs(known).max() < 2**53:
        found, whole = _integers(known.astype(np.int64))
        raw: Sequence[Any] = [float(v) for v in whole]
    else:
        distinct, found = np.unique(known, return_inverse=True)
        raw = distinct.tolist()
    if len(known) == len(labels):
        return found, raw
    places = np.full(len(labels), -1, dtype=np.int64)
    places[there] = found
    return places, raw


def _integers(labels: AnyArray) -> tuple[Counts, Sequence[int]]:
    """Do so for integers: without sorting where they lie close together."""
    low, high = (int(labels.min()), int(labels.max())) if len(labels) else (0, -1)
    if high - low > WIDEST:
        distinct, places = np.unique(labels, return_inverse=True)
        return places.astype(np.int64, copy=False), distinct.tolist()
    if labels.dtype == np.uint64:
        places = (labels - np.uint64(max(low, 0))).astype(np.int64)
    else:
        places = labels.astype(np.int64, copy=False) - low
    places, kept = compact(places, high - low + 1)
    return places, range(low, high + 1) if kept is None else (kept + low).tolist()


def _without(codes: Counts, values: Values, weights: Floats) -> tuple[Counts, Values]:
    """Take the rows of weight zero out, and the classes that only they had."""
    codes, kept = compact(np.where(weights == 0, -1, codes), len(values))
    return codes, values if kept is None else Values(values[k] for k in kept.tolist())


def _read(raw: object, read_as: CellType) -> Value | Odd:
    """Return the class that a raw label names."""
    if read_as == "string" and isinstance(raw, bool | int | float) and raw == raw:
        return Odd.UNFIT  # no class "1" beside the texts, where a 1 is a mistake
    label = read_value(raw, read_as, text=isinstance(raw, str) and read_as in _MEANT)
    if isinstance(label, float) and not label.is_integer():
        return Odd.UNFIT
    return float(label) if read_as == "number" and isinstance(label, int) else label


def _refusal(odd: Odd, raw: object, row: int, read_as: CellType) -> DataError:
    if odd is Odd.INFINITE:
        return TargetError(
            f"Input y contains infinity or a value too large for dtype('float64') in row {row + 1}. "
            "Replace it by the name of a class, or by NaN where the class is not known."
        )
    if read_as == "string":
        return TargetError(
            f"The labels are texts, as the first rows have them, but row {row + 1} is labelled {raw!r}. Where that is "
            "the name of a class, turn it into text, for example with y.astype(str)."
        )
    if isinstance(raw, float):
        return TargetError(
            f"Unknown label type: continuous. The target holds {raw!r} in row {row + 1}, and a classifier "
            "needs classes. Cut the numbers into ranges, or use a regressor."
        )
    return TargetError(
        f"The labels are {_MEANT.get(read_as, 'texts')}, as the first rows have them, but row {row + 1} is "
        f"labelled {raw!r}. Correct it, or write every label as text that is not a number."
    )
