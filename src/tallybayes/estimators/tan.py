"""Tree-augmented naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallybayes._types import Name
from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._dependent import Dependent, Missing, NumericKind, check_coded, own_prior
from tallybayes.estimators._options import check_amount
from tallybayes.models.ladders import HIERARCHICAL, Smoothing
from tallybayes.models.prior import PriorSpec
from tallybayes.models.tan import TreeModel
from tallybayes.schema.field import Overrides, Schema
from tallybayes.structure.cuts import Discretize
from tallybayes.tallies.group_plan import MOST_BYTES


class TAN(Dependent, TallyClassifier):
    """Tree-augmented naive Bayes: each column depends on the class and on at most one other column.

    p(x, c) = P(c) prod_j P(x_j | c, x_parent(j)). The parents are those of the heaviest tree over all columns, an edge
    weighing what its columns say of one another given the class, I(X; Y | C), from counts as they are (Friedman, Geiger
    and Goldszmidt 1997). The tree follows from the counts, and is derived again after every update.

    Parameters
    ----------
    root : str or int, optional
        The column without a parent; by default the first. Which one it is changes no more than the smoothing does.
    columns : dict, optional
        What columns mean, where the inferred kind is not it: ``{"zip": "categorical"}``, or the values of a
        categorical one, ``{"size": ["S", "M", "L"]}``. Columns of arrays are named by position.
    numeric : {"bins", "gaussian"}
        Columns of numbers and of counts are cut into bins; or are normally distributed given the class, and have no
        part in the tree.
    discretize : {"mdlp", "quantile", "width"} or dict
        How they are cut, all of them or each, ``{"age": [18, 65], "pay": "quantile"}``: by Fayyad and Irani's rule,
        into bins of equal weight or of equal width, or at edges. Bins are closed on the left. `fit` chooses the edges,
        and what adds rows or takes them out keeps them.
    max_bins : int, optional
        How many bins a column has at the most; of equal weight or width it has 10 by default.
    max_values : int, optional
        How many values a categorical column has at the most; the rarer ones are then one.
    smoothing : float or "hierarchical"
        Added to every count: 1 is Laplace's rule. With 0, where nothing was counted all values are alike. With
        "hierarchical" P(x | c, parent) leans on P(x | c) instead, and that on the uniform distribution, by how much is
        chosen from the counts.
    prior : {"empirical", "uniform"}, dict or array
        P(c), as for `NaiveBayes`.
    prior_smoothing : float, optional
        Added to the count of every class in the empirical prior; by default as much as to the others.
    missing : {"marginalize", "category", "error"}
        A missing cell is summed out, which is exact also where other columns depend on it; or is a value of its own; or
        is refused.
    memory_limit : float
        How many bytes the tables of counts may take; more is refused before it is taken.

    Attributes
    ----------
    classes_ : array
        The classes seen, sorted.
    schema_ : Schema
        What the columns mean, and why.
    tallies_ : dict
        What was counted; parameters are computed from it when they are first needed.
    tree_weight_ : float
        What the tree weighs, in nats.

    Examples
    --------
    >>> from tallybayes import TAN
    >>> skies, winds = ["blue", "grey", "blue", "grey"], ["calm", "gale", "gale", "calm"]
    >>> rows = [{"sky": sky, "wind": wind} for sky, wind in zip(skies, winds)]
    >>> model = TAN().fit(rows, ["sail", "sail", "stay", "stay"])
    >>> model.predict([{"sky": "grey", "wind": "calm"}]).tolist()
    ['stay']
    >>> print(model.network())
    class
    └── sky
        └── wind
    """

    leans = True

    def __init__(
        self,
        *,
        root: Name | None = None,
        columns: Overrides | None = None,
        numeric: NumericKind = "bins",
        discretize: Discretize = "mdlp",
        max_bins: int | None = None,
        max_values: int | None = 250,
        smoothing: Smoothing = 1.0,
        prior: PriorSpec = "empirical",
        prior_smoothing: float | None = None,
        missing: Missing = "marginalize",
        memory_limit: float = MOST_BYTES,
    ) -> None:
        self.root = root
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
    def tree_weight_(self) -> float:
        """The sum of I(X; Y | C) over the edges of the tree, in nats."""
        joint: Any = self._joint()
        return float(getattr(joint, "core", joint).weight)

    def _check_options(self) -> None:
        super()._check_options()
        if self.prior_smoothing is not None:
            check_amount("prior_smoothing", self.prior_smoothing)

    def _core(
        self, names: tuple[Name, ...], common: Mapping[str, Any], chosen: Mapping[str, Any], schema: Schema
    ) -> TreeModel:
        root = None if self.root is None else check_coded("root", self.root, names, schema)
        return TreeModel(
            own_prior(self.prior, self.prior_smoothing, self.smoothing),
            names,
            root=root,
            leans=self.smoothing == HIERARCHICAL,
            **common,
        )
