"""The classes that a user declares, and those that may come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tallybayes._types import Value
from tallybayes.errors import TargetError
from tallybayes.models.base import CLASSES, Tallies
from tallybayes.schema.values import Values


def told_classes(classes: Any) -> Values:
    """Return the classes that a user lists, as plain values."""
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        raise TargetError(f"classes={classes!r} should be a list of the classes, such as ['no', 'yes'].")
    items = [item.item() if isinstance(item, np.generic) else item for item in classes]
    items = [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in items]
    sorts = {str if isinstance(item, str) else float if isinstance(item, int | float) else type(item) for item in items}
    if len(sorts) != 1 or not sorts <= {str, float} or any(item != item for item in items):
        raise TargetError(
            f"classes={classes!r} should list one class or more, either texts or whole numbers, none of them missing."
        )
    return Values(items)


def refuse_new_classes(counted: Tallies, known: Iterable[Value]) -> None:
    """Refuse classes that scikit-learn's rule for `partial_fit` does not allow."""
    known = list(known)
    new = [label for label in counted[CLASSES].classes if label not in known]
    if new:
        raise TargetError(
            f"The target label(s) {new} in y do not exist in the initial classes {known}. Name all classes "
            "at the first call to partial_fit, or use NaiveBayes, whose classes may grow."
        )
