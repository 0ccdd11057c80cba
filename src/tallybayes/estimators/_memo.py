"""The joint that was estimated last, and the options that it was estimated with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from tallybayes.errors import MergeError
from tallybayes.learn.learned import Learned
from tallybayes.models.base import Joint
from tallybayes.schema.labelled import labels_along
from tallybayes.text.callables import Absent


class Memo:
    """Remembers one joint; it is no part of what was learned, and is not pickled or copied with it."""

    def __init__(self) -> None:
        self._joint: Joint | None = None
        self._learned: Learned | None = None
        self._options: Mapping[str, Any] = {}

    def joint(self, learned: Learned, options: Mapping[str, Any], estimate: Callable[[], Joint]) -> Joint:
        """Return the joint for the tallies and options, estimated anew only where one of them is another."""
        as_before = _all_same(options, self._options) and _is_absent(options) == _is_absent(self._options)
        if self._joint is None or self._learned is not learned or not as_before:
            # An array or a dict may be changed in its place, so that it is a copy that tells.
            self._joint, self._learned, self._options = estimate(), learned, deepcopy(dict(options))
        return self._joint

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        return Memo, ()


def _is_absent(options: Mapping[str, Any]) -> bool:
    """Whether the analyzer only stands for a callable, which equals it when it is given again."""
    return isinstance(options.get("analyzer"), Absent)


def same_options(a: Any, b: Any) -> None:
    """Refuse to add models whose options differ: there would be no telling which of them the sum has."""
    theirs = b.get_params(deep=False)
    for name, ours in a.get_params(deep=False).items():
        # What columns mean is compared by the schemas, which say it whoever chose it.
        if name != "columns" and not same(ours, theirs[name]):
            raise MergeError(
                f"The two models have {name}={ours!r} and {name}={theirs[name]!r}. Make them the same with "
                "set_params before adding."
            )


def _all_same(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    return ours.keys() == theirs.keys() and all(same(value, theirs[name]) for name, value in ours.items())


def same(a: Any, b: Any) -> bool:
    """Return whether two options are the same, whatever they are: arrays, dicts, estimators."""
    if a is b:
        return True
    if type(a) is type(b) and hasattr(a, "get_params"):
        return _all_same(a.get_params(deep=False), b.get_params(deep=False))
    # What holds others may hold arrays.
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _all_same(a, b)
    if (isinstance(a, list) and isinstance(b, list)) or (isinstance(a, tuple) and isinstance(b, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return labels_along(a, "index") == labels_along(b, "index") and np.array_equal(a, b)
    return bool(a == b)
