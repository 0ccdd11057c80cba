"""Counted terms as arrays of a model file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Counts
from tallybayes.kernels.merge_terms import Counted
from tallybayes.tallies.base import State
from tallybayes.tallies.layout import checked, damaged
from tallybayes.tallies.term_sets import narrow


def term_arrays(counted: Counted) -> dict[str, AnyArray]:
    """Return the arrays that a model file keeps."""
    entries = {
        "entry_classes": counted.classes.astype(np.int64),
        "entry_rows": counted.rows.astype(np.int64),
        "entry_sums": counted.sums,
    }
    return {name: getattr(counted, name) for name in ("keys", "text_at", "text", "start")} | entries


def stored_terms(state: State, classes: int) -> Counted:
    """Return the terms of so many classes; `ModelFileError` where there can be no such terms."""
    keys, text = stored_array(state, "keys", np.uint64), stored_array(state, "text", np.uint8)
    at, start = (checked(state, name, (len(keys) + 1,), np.int64) for name in ("text_at", "start"))
    size = (int(start[-1]),)
    places, rows = (checked(state, f"entry_{name}", size, np.int64) for name in ("classes", "rows"))
    if (places >= classes).any():
        raise damaged("terms have texts, classes or counts that no texts have")
    # Arrays that can be written to, as those of a file can, so that the kernels need compiling only for such.
    arrays: tuple[Any, ...] = (
        keys,
        at,
        text,
        start,
        places.astype(np.int32),
        narrow(rows),
        checked(state, "entry_sums", size),
    )
    counted = Counted(*(np.require(array, requirements="W") for array in arrays))
    if not _sound(counted):
        raise damaged("terms have texts, classes or counts that no texts have")
    return counted


def stored_array(state: State, name: str, dtype: type) -> Any:
    """Return an array of any length."""
    array = state.arrays.get(name)
    if array is None or array.ndim != 1 or array.dtype != dtype:
        raise damaged(f"{name!r} should be a list of {np.dtype(dtype)}")
    return array


def _sound(counted: Counted) -> bool:
    """Whether the numbers can be those of terms."""
    keys, at, text, start, classes, rows, sums = counted
    first = np.zeros(len(classes) + 1, bool)  # whether an entry is the first of its term
    if not (at[0] == start[0] == 0 and at[-1] == len(text) and (np.diff(at) >= 0).all() and (np.diff(start) > 0).all()):
        return False
    first[start] = True
    return bool(
        (keys > 0).all()
        and (keys[1:] > keys[:-1]).all()
        and ((np.diff(classes) > 0) | first[1:-1]).all()
        and (rows > 0).all()
        and (sums >= 0).all()
        and _are_texts(text, at)
    )


def _are_texts(text: AnyArray, at: Counts) -> bool:
    """Whether bytes are UTF-8, and so is what lies between the places; halves of surrogate pairs may be terms."""
    try:
        text.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return not (text[at[at < len(text)]] & 0xC0 == 0x80).any()
