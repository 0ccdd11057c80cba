"""The arrays of a model file where they lie in its bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.storage.envelope import DTYPES

_TYPES = {name: dtype for dtype, name in DTYPES.items()}


def arrays_in(data: AnyArray, places: Mapping[str, Any]) -> dict[str, AnyArray]:
    """Return arrays as views of the bytes that they lie in, by the rules of safetensors.

    Parameters
    ----------
    data
        The bytes behind the header.
    places
        The type, the shape and the place of each array, from the header. They are nobody's word: arrays that overlap,
        leave gaps, reach beyond the bytes or have another size than their shape are refused, and so are those that do
        not begin at a multiple of the width of their numbers.

    Raises
    ------
    LookupError, TypeError, ValueError, OverflowError
        Where it is so.

    Examples
    --------
    >>> places = {"n": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]}}
    >>> arrays_in(np.array([1, 0, 2, 0], np.uint8), places)
    {'n': array([1, 2], dtype=int16)}
    """
    arrays: dict[str, AnyArray] = {}
    last = 0
    for begin, end, name in sorted((*_span(name, place), name) for name, place in places.items()):
        dtype, shape = _TYPES[places[name]["dtype"]], _shape(name, places[name]["shape"])
        if begin != last or end > len(data) or begin % dtype.itemsize:
            raise ValueError(f"the array {name!r} at the bytes {begin} to {end}")
        if end - begin != dtype.itemsize * math.prod(shape):
            raise ValueError(f"the array {name!r} of the shape {shape} in {end - begin} bytes")
        arrays[name] = data[begin:end].view(dtype).reshape(shape)
        if dtype == np.bool_ and (data[begin:end] > 1).any():
            raise ValueError(f"the array {name!r} of truth values that are neither 0 nor 1")
        last = end
    if last != len(data):
        raise ValueError(f"{len(data) - last} bytes that belong to no array")
    return arrays


def _span(name: str, place: Any) -> tuple[int, int]:
    """Return where an array begins and ends."""
    if place.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"the parts {sorted(place)} of the place of {name!r}")
    begin, end = place["data_offsets"]
    if not (_is_size(begin) and _is_size(end) and begin <= end):
        raise ValueError(f"the array {name!r} at {place['data_offsets']}")
    return begin, end


def _shape(name: str, shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise ValueError(f"the array {name!r} of the shape {shape}")
    return tuple(shape)


def _is_size(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0
