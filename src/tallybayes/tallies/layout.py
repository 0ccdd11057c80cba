"""Arrays laid out by `Values`: growing an axis, uniting two, and dropping what no row supports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tallybayes._types import AnyArray, Counts, Name
from tallybayes.errors import ModelFileError
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State

A = TypeVar("A", bound=AnyArray)

MOST_ROWS = 2**53
"""More rows than anybody has; sums of so many are exact, and far from what an integer holds."""

LARGEST = 1e300
"""A stored sum of weights or counts is smaller, so that a few of them may still be added."""


def spread(array: A, axis: int, places: Counts, size: int) -> A:
    """Return the array with its slices along `axis` put at `places` of a longer axis, zeros elsewhere.

    A slice whose place is -1 is left out.
    """
    if len(places) == size == array.shape[axis] and bool((places == np.arange(size)).all()):
        return array
    shape = [*array.shape]
    shape[axis] = size
    out: Any = np.zeros(shape, dtype=array.dtype)
    kept = places >= 0
    index: list[Any] = [slice(None)] * array.ndim
    index[axis] = places[kept]
    out[tuple(index)] = array if kept.all() else array.compress(kept, axis)
    return out  # type: ignore[no-any-return]


def aligner(ours: Values, classes: Values, axis: int) -> Callable[[A], A]:
    """Return a function that lays arrays by our classes out by other ones; a class we lack is zero."""
    places = ours.places_in(classes)
    return lambda array: spread(array, axis, places, len(classes))


def checked(
    state: State, name: str, shape: Sequence[int], dtype: type = np.float64, *, signed: bool = False
) -> AnyArray:
    """Return an array of a stored tally, refusing one that cannot be its.

    Integers are counts of rows, and numbers are sums of what is never negative, unless `signed`.
    """
    array = state.arrays.get(name)
    if array is None or array.shape != tuple(shape) or array.dtype != dtype:
        found = "nothing" if array is None else f"{array.dtype}{list(array.shape)}"
        raise damaged(f"{name!r} should be {np.dtype(dtype)}{list(shape)} and is {found}")
    if dtype is np.float64 and not bool((np.isfinite(array) if signed else array <= LARGEST).all()):
        raise damaged(f"{name!r} is not finite")
    if not signed and bool((array < 0).any()):
        raise damaged(f"{name!r} has negative {'counts' if dtype is np.int64 else 'sums'}")
    if dtype is np.int64 and not signed and bool((array > MOST_ROWS).any()):
        raise damaged(f"{name!r} has more rows than there can be")
    return array


def require(sound: bool | np.bool_, what: str) -> None:
    """Refuse a stored tally whose numbers no rows have."""
    if not sound:
        raise damaged(f"{what} that no rows have")


def stored_classes(state: State) -> Values:
    """Return the stored classes of a tally."""
    return plain_values(state.header.get("classes"), "classes")


def plain_values(items: Any, key: str) -> Values:
    """Return `Values` of a stored list, refusing one that is not sorted and distinct."""
    if isinstance(items, list) and all(type(v) in (str, int, float, bool) for v in items):
        values = Values(items)
        if list(values.items) == items:
            return values
    raise damaged(f"{key!r} is not a sorted list of values")


def stored_names(state: State) -> tuple[Name, ...]:
    """Return the stored names of the columns of a tally."""
    names = state.header.get("names")
    if not isinstance(names, list) or not all(type(n) in (str, int) for n in names):
        raise damaged("the names of the columns of a tally are missing")
    return tuple(names)


def damaged(what: str) -> ModelFileError:
    """Return the error for a tally that no library wrote like this."""
    return ModelFileError(f"The model file is damaged: {what}. Train the model again or fetch an intact copy.")
