"""The arrays of a model file, read one after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.storage.envelope import DTYPES

_MOST_DIMENSIONS, _MOST_NUMBERS = 32, 1 << 60

_TYPES = {name: dtype for dtype, name in DTYPES.items()}


class Place(NamedTuple):
    """An array, which lies behind those before it."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


def places_in(header: Mapping[str, Any], size: int) -> list[Place]:
    """Return the arrays that a header says are in the bytes behind it, by the rules of safetensors.

    Parameters
    ----------
    header
        The type, the shape and the place of each array. It is nobody's word: arrays that overlap, leave gaps, reach
        beyond the bytes or have another size than their shape are refused, and so are those that do not begin at a
        multiple of the width of their numbers.
    size
        How many bytes there are.

    Raises
    ------
    LookupError, TypeError, ValueError, OverflowError
        Where it is so.

    Examples
    --------
    >>> places_in({"n": {"dtype": "I16", "shape": [2], "data_offsets": [0, 4]}}, 4)
    [Place(name='n', dtype=dtype('int16'), shape=(2,))]
    """
    places = []
    last = 0
    for begin, end, name in sorted((*_span(name, place), name) for name, place in header.items()):
        dtype, shape = _TYPES[header[name]["dtype"]], _shape(name, header[name]["shape"])
        if begin != last or end > size or begin % dtype.itemsize:
            raise ValueError(f"the array {name!r} at the bytes {begin} to {end}")
        if end - begin != dtype.itemsize * math.prod(shape):
            raise ValueError(f"the array {name!r} of the shape {shape} in {end - begin} bytes")
        places.append(Place(name, dtype, shape))
        last = end
    if last != size:
        raise ValueError(f"{size - last} bytes that belong to no array")
    return places


def read_arrays(file: BinaryIO, places: Sequence[Place]) -> dict[str, AnyArray]:
    """Read arrays, each into memory of its own, which is free again as soon as nobody needs that array."""
    arrays: dict[str, AnyArray] = {}
    for name, dtype, shape in places:
        array = np.empty(shape, dtype)
        file.readinto(bytes_of(array))  # type: ignore[attr-defined]
        arrays[name] = array
    return arrays


def require_truth(arrays: Mapping[str, AnyArray]) -> None:
    """Refuse truth values that are neither 0 nor 1."""
    for name, array in arrays.items():
        if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
            raise ValueError(f"the array {name!r} of truth values that are neither 0 nor 1")


def bytes_of(array: AnyArray) -> memoryview:
    """Return the bytes of an array as they lie in memory."""
    return array.reshape(-1).view(np.uint8).data


def _span(name: str, place: Any) -> tuple[int, int]:
    """Return where an array begins and ends."""
    if place.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"the parts {sorted(place)} of the place of {name!r}")
    begin, end = place["data_offsets"]
    if not (_is_size(begin) and _is_size(end) and begin <= end):
        raise ValueError(f"the array {name!r} at {place['data_offsets']}")
    return begin, end


def _shape(name: str, shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS or not all(map(_is_size, shape)):
        raise ValueError(f"the array {name!r} of the shape {shape}")
    if math.prod(max(length, 1) for length in shape) >= _MOST_NUMBERS:  # NumPy has none such, even without a number
        raise ValueError(f"the array {name!r} of the shape {shape}")
    return tuple(shape)


def _is_size(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0
