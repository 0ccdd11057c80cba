"""Choosing again what `fit` chose from the rows."""

from __future__ import annotations

from typing import Any, Self

from tallybayes.estimators._learner import Learner


class Reselecting(Learner):
    """A classifier whose `fit` chooses something that later rows do not change: edges, or a structure."""

    def reselect(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose again what `fit` chose, from these rows, and learn them in place of what was learned before.

        The columns keep their kinds, and the classes that were declared stay known.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; without `y`, the labels are in the column that the model was trained for.
        """
        return self._learn(X, y, sample_weight, None, before=self._what_was_learned(), anew=True)
