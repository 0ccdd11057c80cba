"""Parameters of an estimator as strict JSON, and back, without losing what they were.

What JSON has is written as it is. Everything else is an object with one key that begins with ``$``::

    float("inf")            {"$float": "inf"}
    (1, 2)                  {"$tuple": [1, 2]}
    {1: "a"}                {"$dict": [[1, "a"]]}
    np.float32(0.5)         {"$scalar": ["float32", 0.5]}
    np.array([0.5, 1.0])    {"$array": ["float64", [2], [0.5, 1.0]]}
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.errors import ModelFileError, UnsupportedDataError
from tallybayes.storage.envelope import DTYPES

NUMBERS: Final = frozenset(dtype.name for dtype in DTYPES)
"""The NumPy types of numbers that are kept; beside them arrays of ``str`` and of ``object``."""

MOST_PADDING: Final = 16
"""NumPy gives each string of an array the room of the longest; no more than this for each real character."""


def to_plain(obj: Any, name: str = "the parameter") -> Any:
    """Turn a parameter into strict JSON that `from_plain` turns back.

    Parameters
    ----------
    obj
        None, booleans, numbers, strings, lists, tuples, dicts, NumPy scalars, and arrays of numbers, of
        strings or of such objects. A subclass of one of Python's own types comes back as that type.
    name
        What to call it in the message of an error.

    Raises
    ------
    UnsupportedDataError
        For anything else, such as a function.

    Examples
    --------
    >>> to_plain({"prior": (0.5, float("inf")), 1: None})
    {'$dict': [['prior', {'$tuple': [0.5, {'$float': 'inf'}]}], [1, None]]}
    """
    try:
        return _plain(obj, name)
    except RecursionError:
        raise UnsupportedDataError(
            f"{name} is nested too deeply, or holds itself, and a model file cannot hold that; pass something flatter."
        ) from None


def from_plain(plain: Any) -> Any:
    """Turn the result of `to_plain` back.

    Raises
    ------
    ModelFileError
        When this is nothing that `to_plain` gave.

    Examples
    --------
    >>> from_plain({"$dict": [[1, {"$float": "inf"}]]})
    {1: inf}
    """
    try:
        return _original(plain)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelFileError(
            f"The model file has parameters that no model was saved with ({type(error).__name__}: "
            f"{str(error)[:200]}); get the model again from where it was trained."
        ) from None


def _plain(obj: Any, name: str) -> Any:
    match obj:
        case np.ndarray():
            return {"$array": [*_array_type(obj, name), [_plain(item, name) for item in obj.ravel().tolist()]]}
        case np.generic() if not isinstance(obj, np.str_):
            if obj.dtype.name not in NUMBERS:
                raise _unknown(obj, name)
            return {"$scalar": [obj.dtype.name, _plain(obj.item(), name)]}
        case None | bool() | int() | str():
            return obj
        case float():
            return obj if math.isfinite(obj) else {"$float": str(float(obj))}
        case list():
            return [_plain(item, name) for item in obj]
        case tuple():
            return {"$tuple": [_plain(item, name) for item in obj]}
        case dict() if all(isinstance(key, str) and not key.startswith("$") for key in obj):
            return {key: _plain(item, name) for key, item in obj.items()}
        case dict():
            return {"$dict": [[_plain(key, name), _plain(item, name)] for key, item in obj.items()]}
    raise _unknown(obj, name)


def _array_type(array: AnyArray, name: str) -> tuple[str, list[int]]:
    kind = {"U": "str", "O": "object"}.get(array.dtype.kind, array.dtype.name)
    if kind not in NUMBERS | {"str", "object"}:
        raise _unknown(array, name)
    if kind == "str" and _padding(array.ravel().tolist()) > MOST_PADDING:
        raise UnsupportedDataError(
            f"{name} is an array of {array.size} strings, one of which is far longer than the others, and a "
            "model file "
            "does not hold so much padding; pass a list."
        )
    return kind, list(array.shape)


def _padding(strings: list[str]) -> float:
    """Return how many characters an array of some strings has for each that is really there."""
    return len(strings) * max(map(len, strings), default=0) / (1 + len(strings) + sum(map(len, strings)))


def _unknown(obj: Any, name: str) -> UnsupportedDataError:
    what = f"an array of {obj.dtype}" if isinstance(obj, np.ndarray) else f"a {type(obj).__qualname__}"
    return UnsupportedDataError(
        f"{name} is or holds {what}, which a model file does not keep; pass numbers, strings, lists, dicts, "
        "or arrays "
        "of these."
    )


def _original(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_original(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if not any(key.startswith("$") for key in plain):
        return {key: _original(item) for key, item in plain.items()}
    ((tag, content),) = plain.items()
    match tag, content:
        case "$float", "inf" | "-inf" | "nan":
            return float(content)
        case "$tuple", list():
            return tuple(_original(item) for item in content)
        case "$dict", list():
            made = {_original(key): _original(item) for key, item in content}
            if len(made) != len(content):
                raise ValueError("a repeated key")
            return made
        case "$scalar", [str() as kind, item] if kind in NUMBERS:
            return np.dtype(kind).type(_number(_original(item)))
        case "$array", [str() as kind, list() as shape, list() as items]:
            return _array(kind, shape, [_original(item) for item in items])
    raise ValueError(f"the tag {tag[:40]!r}")


def _array(kind: str, shape: list[Any], items: list[Any]) -> AnyArray:
    if kind == "object":
        array = np.fromiter(items, dtype=object, count=len(items))
    elif kind == "str":
        if not all(isinstance(item, str) for item in items) or _padding(items) > MOST_PADDING:
            raise ValueError("strings that make no array")
        array = np.array(items, dtype=np.str_)
    elif kind in NUMBERS:
        array = np.array([_number(item) for item in items], dtype=kind)
    else:
        raise ValueError(f"an array of {kind[:40]!r}")
    return array.reshape(shape)


def _number(item: Any) -> bool | int | float:
    # NumPy would also take strings, and lists that make another shape.
    if not isinstance(item, bool | int | float):
        raise TypeError(f"a number that is a {type(item).__name__}")
    return item
