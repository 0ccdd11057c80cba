"""Methods that only a classifier with a joint distribution has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tallybayes.errors import NotAJointError

F = TypeVar("F", bound=Callable[..., Any])


class _JointOnly:
    """A method that is absent where the scores are no joint, so that ``hasattr`` tells the truth."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__name__, self.__doc__ = method.__name__, method.__doc__

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self._method
        if not estimator.is_joint:
            raise NotAJointError(f"{owner.__name__} has no {self._method.__name__}: {estimator.not_joint_reason}.")
        return self._method.__get__(estimator, owner)


def of_a_joint(method: F) -> F:
    """Mark a method that needs p(x, c); asking another estimator for it raises `NotAJointError`."""
    return cast(F, _JointOnly(method))
