"""Averaged one- and two-dependence estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from tallybayes._types import Name
from tallybayes.errors import OptionError
from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._dependent import Dependent, Missing, NumericKind, check_coded, own_prior
from tallybayes.estimators._options import check_amount, check_word
from tallybayes.models.aode import AveragedModel
from tallybayes.models.averaged_joint import AveragedJoint
from tallybayes.models.prior import PriorSpec, check_prior
from tallybayes.schema.field import Overrides, Schema
from tallybayes.structure.cuts import Discretize
from tallybayes.structure.graph import Graph
from tallybayes.tallies.group_plan import MOST_BYTES

Weighting = Literal["mutual-information"]
WEIGHTINGS: tuple[Weighting, ...] = ("mutual-information",)

JOINT = "joint"

SUBSUMED = 100
"""In how many rows a value must have been seen for what it implies to be left out, unless it is said otherwise."""


class AODE(Dependent, TallyClassifier):
    """Averaged one-dependence estimators: each column in turn is the one that all others depend on.

    p(x, c) is the mean of P(c, x_i) prod_{j != i} P(x_j | c, x_i) over the columns i whose value was seen in at least
    `min_count` rows; naive Bayes answers where there is none. P(c, x_i) = (count + l) / (n + l N N_i), where n rows
    have the column i, which takes N_i values, and there are N classes; P(x_j | c, x_i) = (count + l) / (count of c and
    x_i + l N_j). Where x_i is missing, its estimator is summed over its values, those seen often enough (Webb, Boughton
    and Wang 2005).

    Parameters
    ----------
    min_count : int
        In how many rows a value must have been seen for the others to depend on it. With 0 all values count, and the
        scores are log p(x, c) of a mixture; else they are that but for a factor that all classes of a row share, and
        there is no ``score_samples``, no ``log_likelihood`` and no ``sample``.
    order : {1, 2}
        With 2, the others depend on two columns together, in all pairs (A2DE). Where no two values of a row were seen
        together in `min_count` rows, order 1 answers, and after it naive Bayes (Webb et al. 2012).
    weighting : {None, "mutual-information"}
        Columns count alike; or as much as they say of the class, I(X_i; C), from counts as they are (Jiang and Zhang
        2006). Two columns together have what they say together.
    subsumption : bool or int
        Whether a value that another value of its row implies is passed over: all rows that have that one have it too.
        That one must have been seen in so many rows, True being 100 (Zheng and Webb 2006).
    columns, numeric, discretize, max_bins, max_values, smoothing, missing, memory_limit
        As for `TAN`.
    prior : {"joint", "empirical", "uniform"}, dict or array
        P(c): "joint" for what P(c, x_i) above comes to; else as for `NaiveBayes`, and then P(c, x_i) is
        P(c) P(x_i | c).
    prior_smoothing : float, optional
        Added to the count of every class in the empirical prior; by default as much as to the others.

    Attributes
    ----------
    classes_ : array
        The classes seen, sorted.
    schema_ : Schema
        What the columns mean, and why.
    tallies_ : dict
        What was counted; parameters are computed from it when they are first needed.

    Examples
    --------
    >>> from tallybayes import AODE
    >>> skies, winds = ["blue", "grey", "blue", "grey"], ["calm", "gale", "gale", "calm"]
    >>> rows = [{"sky": sky, "wind": wind} for sky, wind in zip(skies, winds)]
    >>> model = AODE(min_count=1).fit(rows, ["sail", "sail", "stay", "stay"])
    >>> model.predict([{"sky": "grey", "wind": "calm"}]).tolist()
    ['stay']
    >>> model.predict_proba([{"sky": "grey", "wind": None}]).round(9).tolist()
    [[0.5, 0.5]]
    """

    def __init__(
        self,
        *,
        min_count: int = 30,
        order: Literal[1, 2] = 1,
        weighting: Weighting | None = None,
        subsumption: bool | int = False,
        columns: Overrides | None = None,
        numeric: NumericKind = "bins",
        discretize: Discretize = "mdlp",
        max_bins: int | None = None,
        max_values: int | None = 250,
        smoothing: float = 1.0,
        prior: PriorSpec | Literal["joint"] = "joint",
        prior_smoothing: float | None = None,
        missing: Missing = "marginalize",
        memory_limit: float = MOST_BYTES,
    ) -> None:
        self.min_count = min_count
        self.order = order
        self.weighting = weighting
        self.subsumption = subsumption
        self.columns = columns
        self.numeric = numeric
        self.discretize = discretize
        self.max_bins = max_bins
        self.max_values = max_values
        self.smoothing = smoothing
        self.prior = prior
        self.prior_smoothing = prior_smoothing
        self.missing = missing
        self.memory_limit = memory_limit

    @property
    def is_density(self) -> bool:  # type: ignore[override]
        """Whether the scores are log p(x, c) itself: where all values are super-parents, and none is passed over."""
        return not self.not_density_reason

    @property
    def not_density_reason(self) -> str:  # type: ignore[override]
        """Why not, where they are not."""
        if self.min_count != 0:
            return (
                f"with min_count={self.min_count!r} which columns are averaged depends on the row, and the averages do "
                "not sum to 1; min_count=0 makes a distribution of them"
            )
        if self.subsumption is not False:
            return "with subsumption= which columns count depends on the row, and what is averaged does not sum to 1"
        return ""

    def network(self, superparent: Name | tuple[Name, Name] | None = None) -> Graph:
        """Return which column depends on which in one of the estimators that are averaged.

        Parameters
        ----------
        superparent : str or int, or a pair of them with order 2, optional
            The column that the others depend on; by default the one that says most of the class.
        """
        if superparent is None:
            return super().network()
        joint: Any = self._joint()
        core: AveragedJoint = getattr(joint, "core", joint)
        given = superparent if isinstance(superparent, tuple) else (superparent,)
        for name in given:
            check_coded("superparent", name, core.names, self.schema_)
        found = next((known for known in core.superparents if set(known) == set(given)), None)
        if found is None:
            count = "one column" if core.averages.parents.order == 1 else "two columns"
            raise OptionError(f"superparent={superparent!r} is none: here, super-parents are {count} that have values.")
        root = super().network().root
        return Graph.of_columns(root, joint.names, core.edges_of(found))

    def _check_options(self) -> None:
        super()._check_options()
        if not _is_count(self.min_count):
            raise OptionError(f"min_count={self.min_count!r} should be a number of rows, 0 or more.")
        if not _is_count(self.order) or int(self.order) not in (1, 2):
            raise OptionError(
                f"order={self.order!r} should be 1 or 2, the number of columns that the others depend on."
            )
        if self.weighting is not None:
            check_word("weighting", self.weighting, WEIGHTINGS)
        if not isinstance(self.subsumption, bool) and not (_is_count(self.subsumption) and self.subsumption > 0):
            raise OptionError(
                f"subsumption={self.subsumption!r} should be True, False, or the number of rows that a value must have "
                "been seen in, 1 or more."
            )
        if self.prior_smoothing is not None:
            check_amount("prior_smoothing", self.prior_smoothing)

    def _check_prior(self) -> None:
        if isinstance(self.prior, str):
            check_word("prior", self.prior, (JOINT, "empirical", "uniform"))
        else:
            check_prior(self.prior)

    def _core(
        self, names: tuple[Name, ...], common: Mapping[str, Any], chosen: Mapping[str, Any], schema: Schema
    ) -> AveragedModel:
        joint = isinstance(self.prior, str) and self.prior == JOINT
        spec: Any = "empirical" if joint else self.prior
        subsumed = SUBSUMED if self.subsumption is True else int(self.subsumption) or None
        return AveragedModel(
            own_prior(spec, self.prior_smoothing, self.smoothing), names, order=int(self.order),
            min_count=int(self.min_count), weighted=self.weighting is not None, subsumed=subsumed, own_prior=not joint,
            **common,
        )  # fmt: skip


def _is_count(value: Any) -> bool:
    """Return whether something is a whole number of 0 or more."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 0
