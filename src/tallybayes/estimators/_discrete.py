"""What the drop-ins for scikit-learn's classifiers of counts share: ``alpha``, the prior, its attributes."""

from __future__ import annotations

from typing import Any, Self

from tallybayes._types import Floats
from tallybayes.estimators._base import TallyClassifier, read_only
from tallybayes.estimators._options import check_alpha, check_flag, warn_small
from tallybayes.learn.learned import Learned
from tallybayes.models.base import class_tally
from tallybayes.models.prior import check_prior
from tallybayes.schema.field import Kind, Schema
from tallybayes.schema.infer import fixed
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values


class DiscreteClassifier(TallyClassifier):
    """A classifier of columns that are all of one kind, smoothed by ``alpha``."""

    alpha: float | Floats
    force_alpha: bool
    fit_prior: bool
    class_prior: Any

    classes_grow = False
    kind: Kind = "count"

    def _check_options(self) -> None:
        check_alpha(self.alpha)
        check_flag("force_alpha", self.force_alpha)
        check_flag("fit_prior", self.fit_prior)
        if self.class_prior is not None:
            check_prior(self.class_prior)

    def _learn(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        declared: Values | None,
        *,
        before: Learned | None,
        anew: bool = False,
    ) -> Self:
        super()._learn(X, y, sample_weight, declared, before=before, anew=anew)
        if not self.force_alpha:
            warn_small(self.alpha)
        return self

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        return fixed(first.names, self.kind, named)

    @property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        counted = class_tally(self.tallies_)
        return read_only(counted.aligned(self._learned.classes)[1])

    @property
    def class_log_prior_(self) -> Floats:
        """The log P(c)."""
        return read_only(self._joint().log_prior)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # As scikit-learn says of its own: on measured data, where counts are expected, they do badly.
        tags.classifier_tags.poor_score = True
        return tags
