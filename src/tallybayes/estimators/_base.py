"""The scikit-learn face of every classifier."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin, clone

from tallybayes._types import Floats
from tallybayes.errors import MergeError
from tallybayes.estimators._learner import Learner
from tallybayes.estimators._memo import same_options


class TallyClassifier(Learner, ClassifierMixin, BaseEstimator):
    """A classifier with the parameters, tags and clones that scikit-learn asks for."""

    def _options(self) -> Mapping[str, Any]:
        options: Mapping[str, Any] = self.get_params(deep=False)
        return options

    def __add__(self, other: Self) -> Self:
        """Return the model that learned the rows of both, with the options of the first."""
        if type(other) is not type(self):
            raise MergeError(
                f"A {type(self).__name__} and a {type(other).__name__} do not add; add models of one class."
            )
        ours, theirs = self._what_was_learned(), other._what_was_learned()
        same_options(self, other)
        learned = ours + theirs
        self._check_learned(learned)
        both: Self = clone(self)
        both._adopt(learned)
        return both

    def __radd__(self, other: Any) -> Self:
        """Let `sum` start from 0."""
        return copy(self) if isinstance(other, int) and other == 0 else NotImplemented

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._refuses_missing()
        tags.input_tags.sparse = True
        return tags


def read_only(array: Floats) -> Floats:
    """Return what was learned or estimated for a user to look at; who writes into it is told, and changes nothing."""
    view = array.view()
    view.flags.writeable = False
    return view
