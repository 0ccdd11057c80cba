"""Methods that only a classifier with a joint distribution has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tallybayes.errors import NotAJointError

F = TypeVar("F", bound=Callable[..., Any])


class _Only:
    """A method that is absent where the scores are no joint, so that ``hasattr`` tells the truth."""

    def __init__(self, method: Callable[..., Any], *, density: bool) -> None:
        self._method = method
        self._density = density
        self.__name__, self.__doc__ = method.__name__, method.__doc__

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self._method
        reason = ""
        if not estimator.is_joint:
            reason = estimator.not_joint_reason
        elif self._density and not estimator.is_density:
            reason = estimator.not_density_reason
        if reason:
            raise NotAJointError(f"{owner.__name__} has no {self._method.__name__}: {reason}.")
        return self._method.__get__(estimator, owner)


def of_a_joint(method: F) -> F:
    """Mark a method that needs P(c | x) of a distribution; asking another estimator for it raises `NotAJointError`."""
    return cast(F, _Only(method, density=False))


def of_a_density(method: F) -> F:
    """Mark a method that needs p(x, c) itself, and not but for a factor that all classes of a row have in common."""
    return cast(F, _Only(method, density=True))
