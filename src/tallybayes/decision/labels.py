"""Find classes by value: the labels that people, files and arrays write, among the classes of a model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallybayes._types import Counts
from tallybayes.errors import OptionError, TargetError, did_you_mean
from tallybayes.schema.field import listed


def plain(labels: Any) -> list[Any]:
    """Return an array, a column of any frame, or a sequence as a list of plain Python values; bytes are texts.

    Examples
    --------
    >>> plain(np.array([1, 2])), plain(("a", np.float64(1.0)))
    ([1, 2], ['a', 1.0])
    """
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise TargetError(
            f"{labels!r} is no array of labels; give one label for each row. A column is "
            "named only to tallybayes' own models."
        )
    for method in ("to_pylist", "to_list", "tolist"):  # Arrow; pandas and Polars; NumPy
        if hasattr(labels, method):
            return [_text(label) for label in getattr(labels, method)()]
    return [_text(label.item() if isinstance(label, np.generic) else label) for label in labels]


def _text(label: Any) -> Any:
    """Return bytes as the text that a source makes of them, and anything else as it is."""
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else label


def is_missing(label: object) -> bool:
    """Return whether a label stands for no label: None, a NaN, or what pandas has for them."""
    if label is None or (isinstance(label, float) and math.isnan(label)):
        return True
    return type(label).__name__ in ("NAType", "NaTType")


class ClassIndex:
    """The position of each class, looked up by value and, failing that, by how the value is written.

    The second look-up is for labels that come out of a text file: ``"1"`` there is the class ``1``. It never
    guesses between two classes that are written alike.

    Parameters
    ----------
    classes
        The classes of the model, in its order.

    Examples
    --------
    >>> index = ClassIndex([0, 1])
    >>> index.find(1), index.find("1"), index.find("2")
    (1, 1, None)
    """

    def __init__(self, classes: Any) -> None:
        self.classes = tuple(plain(classes))
        try:
            self._by_value = {label: k for k, label in enumerate(self.classes)}
        except TypeError:
            raise OptionError(
                "The classes of this model are no plain values, as for several targets at once; decide about "
                "one target at a time."
            ) from None
        self._by_text: dict[str, int | None] = {}
        for k, label in enumerate(self.classes):
            for text in _spellings(label):
                self._by_text[text] = None if text in self._by_text else k

    def __len__(self) -> int:
        return len(self.classes)

    def __str__(self) -> str:
        return listed(self.classes)

    def find(self, label: object) -> int | None:
        """Return the position of a label, or None when it is no class."""
        label = _text(label.item() if isinstance(label, np.generic) else label)
        if not isinstance(label, str | int | float):
            return None
        if label in self._by_value:
            return self._by_value[label]
        found = {k for text in _spellings(label) if (k := self._by_text.get(text)) is not None}
        return found.pop() if len(found) == 1 else None

    def require(self, label: object) -> int:
        """Return the position of a label; `OptionError` when it is no class."""
        place = self.find(label)
        if place is None:
            hint = did_you_mean(label, self.classes)
            raise OptionError(f"{label!r} is not a class.{hint} The classes are {self}.")
        return place

    def positions(self, labels: Any) -> Counts:
        """Return the position of each label by value alone, -1 for what is no class."""
        try:
            found = [self._by_value.get(label, -1) for label in plain(labels)]
        except TypeError:
            raise TargetError("A label is no plain value; give texts, numbers or truth values.") from None
        return np.array(found, dtype=np.int64)


def _spellings(label: object) -> set[str]:
    """Return how a label may be written in a text file."""
    texts = {str(label)}
    if isinstance(label, bool):
        texts.add(str(label).lower())  # JSON writes true
    elif isinstance(label, int):
        texts.add(f"{label}.0")
    elif isinstance(label, float) and label.is_integer():
        texts.add(str(int(label)))
    return texts
