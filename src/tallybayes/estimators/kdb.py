"""The k-dependence Bayes classifier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from tallybayes._types import Floats, Name
from tallybayes.errors import OptionError
from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._dependent import Dependent, Missing, NumericKind, own_prior
from tallybayes.estimators._options import check_amount, check_flag, check_word
from tallybayes.learn.fold import fold
from tallybayes.learn.learned import Learned
from tallybayes.learn.passes import Passes
from tallybayes.learn.portions import portions
from tallybayes.learn.select_dependence import SELECT_BY, SelectBy, Selection, select_dependence
from tallybayes.models.base import CLASSES, class_tally
from tallybayes.models.beside import BesideJoint
from tallybayes.models.counted import counted_columns
from tallybayes.models.dependence import TOGETHER
from tallybayes.models.graph_joint import GraphJoint
from tallybayes.models.kdb import KDependenceModel, require_graph
from tallybayes.models.ladders import FACTOR, HIERARCHICAL, Smoothing
from tallybayes.models.prior import PriorSpec
from tallybayes.schema.field import CellType, Overrides, Schema
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.structure.cuts import Discretize
from tallybayes.structure.dependence import by_information, k_dependence
from tallybayes.structure.information import class_information, pairwise_information
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.group_plan import MOST_BYTES, all_groups, bytes_for, require_memory
from tallybayes.tallies.groups import GroupTally
from tallybayes.tallies.reduced import reduced

FACTORS = (FACTOR, FACTOR / 2.0, FACTOR * 2.0)
"""What `select` tries to multiply the strengths by with which tables lean on others; without it, it is the first."""


class KDB(Dependent, TallyClassifier):
    """k-dependence Bayes: each column depends on the class and on up to k others that say more of the class.

    p(x, c) = P(c) prod_j P(x_j | c, parents of x_j). The columns are taken in the order of what they say of the class,
    I(X; C); the parents of one are the k of those before it with the largest I(X; Y | C) (Sahami 1996). One pass over
    the rows finds them, a second counts, and with `select` a third leaves each row out of the counts, and finds of all
    numbers of columns and of parents those that predict the rows best (Martinez, Webb, Chen and Zaidi 2016); the other
    columns are then no part of the model. What `fit` has chosen, all that adds rows or takes them out keeps.

    Parameters
    ----------
    k : int
        How many others a column depends on at most.
    select : bool
        Whether fewer columns and fewer parents are chosen where these predict the rows better.
    criterion : {"log-loss", "accuracy", "rmse"}
        What "better" is: a lower mean of -log P(y | x), more rows whose label is the most probable class, or a lower
        root of the mean of (1 - P(y | x))^2.
    smoothing : float or "hierarchical"
        A number is added to every count. With "hierarchical" a table leans on that of one parent less, P(x | c, p, q)
        on P(x | c, p), and so on down to the uniform distribution, by how much is chosen from the counts; with `select`
        by that, half or twice as much, whichever predicts the rows best.
    columns, numeric, discretize, max_bins, max_values, prior, missing, memory_limit
        As for `TAN`.
    prior_smoothing : float, optional
        Added to the count of every class in the empirical prior; by default as much as to the other counts, or 1.

    Attributes
    ----------
    classes_ : array
        The classes seen, sorted.
    schema_ : Schema
        What the columns mean, and why.
    tallies_ : dict
        What was counted; parameters are computed from it when they are first needed.
    parents_ : dict
        The columns of the model in their order, each with what it depends on, the strongest first.
    table_bytes_ : int
        How much memory the tables of counts take; `fit` has about eight times as much while it selects.
    losses_ : array of shape (parents + 1, columns + 1)
        What `select` compared when the model was fitted: the mean loss of a row without itself, by the most parents and
        by the number of columns, as smoothed as the model is.

    Examples
    --------
    >>> from tallybayes import KDB
    >>> rows = [{"a": a, "b": b, "noise": a * b % 3} for a in (0, 1) for b in (0, 1) for _ in range(5)]
    >>> model = KDB(k=1, columns={"noise": "categorical"}).fit(rows, [row["a"] != row["b"] for row in rows])
    >>> model.predict([{"a": 1, "b": 0, "noise": 0}]).tolist()
    [True]
    """

    leans = True

    def __init__(
        self,
        *,
        k: int = 2,
        select: bool = True,
        criterion: SelectBy = "log-loss",
        columns: Overrides | None = None,
        numeric: NumericKind = "bins",
        discretize: Discretize = "mdlp",
        max_bins: int | None = None,
        max_values: int | None = 250,
        smoothing: Smoothing = HIERARCHICAL,
        prior: PriorSpec = "empirical",
        prior_smoothing: float | None = None,
        missing: Missing = "marginalize",
        memory_limit: float = MOST_BYTES,
    ) -> None:
        self.k = k
        self.select = select
        self.criterion = criterion
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
    def parents_(self) -> dict[Name, tuple[Name, ...]]:
        """The columns of the model in their order, each with what it depends on."""
        chosen = self._what_was_learned().chosen
        return {name: tuple(those) for name, those in zip(chosen["order"], chosen["parents"], strict=True)}

    @property
    def losses_(self) -> Floats:
        """What rows cost without themselves, by the most parents of a column and by the number of columns."""
        found = self._what_was_learned().found
        if "losses" not in found:
            raise AttributeError(
                "Nothing was compared when this model was fitted: that is what select=True does, where there are "
                "columns that are read as categories."
            )
        return np.array(found["losses"], dtype=np.float64)

    @property
    def table_bytes_(self) -> int:
        """How much memory the tables of counts take."""
        tally: Any = self._what_was_learned().tallies[TOGETHER]
        return bytes_for(tally.groups, tally.values, len(tally.classes))

    def _check_options(self) -> None:
        super()._check_options()
        k: Any = self.k
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 0:
            raise OptionError(f"k={k!r} should be a whole number, 0 or more.")
        check_flag("select", self.select)
        check_word("criterion", self.criterion, SELECT_BY)
        if self.prior_smoothing is not None:
            check_amount("prior_smoothing", self.prior_smoothing)

    def _rereads(self, schema: Schema) -> bool:
        return True

    def _prepared(self, schema: Schema, passes: Passes, target_type: CellType) -> tuple[Schema, Mapping[str, Any]]:
        """Choose the order of the columns and their parents, from the counts of all pairs."""
        schema, _ = super()._prepared(schema, passes, target_type)
        names, common = self._coded(schema), self._common(schema)
        pairs = GroupTally.empty(names, all_groups(len(names), 2), most=common["most"])
        seen = Learned(schema, {CLASSES: ClassTally.empty(), TOGETHER: pairs}, None, target_type)
        encoder = self._encoder(seen)
        counted: Any = fold(portions(passes.rows(), encoder), encoder, seen.tallies, target=passes.source.target)
        return schema, self._dependences(schema, counted[TOGETHER], class_tally(counted).classes)

    def _dependences(self, schema: Schema, pairs: GroupTally, classes: Values) -> dict[str, Any]:
        """Return the order of the columns and their parents, from the counts of all pairs."""
        names, common = self._coded(schema), self._common(schema)
        columns = counted_columns(pairs, classes, common["declared"], 1.0, missing_is_value=common["missing_is_value"])
        order = by_information(class_information(columns.tally, columns.first))
        parents = k_dependence(order, pairwise_information(columns.tally, columns.first), int(self.k))
        chosen = {
            "order": [names[j] for j in order],
            "parents": [[names[i] for i in parents[j]] for j in order],
            "factor": FACTORS[0],
            "asked": self._asked_for(),
        }
        # So that what is too large is refused before the pass that would count it.
        model = self._graph(names, common, chosen)
        tally = columns.tally
        require_memory(names, model.groups(), tally.values, len(tally.classes), common["most"])
        return chosen

    def _selected(self, learned: Learned, passes: Passes) -> Learned:
        """Choose how many columns and how many parents predict the rows best, each without itself."""
        if not self.select or not learned.chosen["order"]:
            return learned
        candidates, selection = self._compared(learned, passes.rows())
        place, columns = selection.best()
        by_k = self._most_parents(learned) + 1
        first, k = place - place % by_k, place % by_k
        losses = selection.losses[first : first + by_k]
        kept = self._fewer(candidates[place], k, columns, candidates[place].chosen["factor"])
        return replace(kept, found={"losses": losses.tolist()})

    def _compared(self, learned: Learned, rows: Iterable[Rows]) -> tuple[list[Learned], Selection]:
        """Return the model with each number of parents and each strength, and what rows cost without themselves."""
        every = len(learned.chosen["order"])
        factors = FACTORS if self.smoothing == HIERARCHICAL else FACTORS[:1]
        by_k = self._most_parents(learned) + 1
        by_parents = [self._fewer(learned, k, every, FACTOR) for k in range(by_k)]
        candidates = [
            replace(candidate, chosen={**candidate.chosen, "factor": factor})
            for factor in factors
            for candidate in by_parents
        ]
        joints = [self._joint_of(candidate) for candidate in by_parents]
        first: list[GraphJoint] = [getattr(joint, "core", joint) for joint in joints]
        cores = [
            joint if factor == FACTOR else joint.stronger(factor / FACTOR) for factor in factors for joint in first
        ]
        beside = joints[0].beside if isinstance(joints[0], BesideJoint) else None
        encoder = self._encoder(learned)
        return candidates, select_dependence(cores, portions(rows, encoder), encoder, self.criterion, beside=beside)

    def _most_parents(self, learned: Learned) -> int:
        """Return how many parents a column has at most: k, where there are columns enough."""
        return max(map(len, learned.chosen["parents"]), default=0)

    def _core(
        self, names: tuple[Name, ...], common: Mapping[str, Any], chosen: Mapping[str, Any], schema: Schema
    ) -> KDependenceModel:
        require_graph(chosen, names)
        if chosen["asked"] != self._asked_for():
            raise OptionError(
                f"The options {chosen['asked']} that the columns and their parents were chosen by have changed since "
                f"fit to {self._asked_for()}. Call fit or reselect, or set them back."
            )
        return self._graph(names, common, chosen)

    def _graph(self, names: tuple[Name, ...], common: Mapping[str, Any], chosen: Mapping[str, Any]) -> KDependenceModel:
        kept = set(chosen["order"])
        prior = own_prior(self.prior, self.prior_smoothing, self.smoothing)
        return KDependenceModel(
            prior,
            tuple(name for name in names if name in kept),
            order=tuple(chosen["order"]),
            parents=tuple(tuple(those) for those in chosen["parents"]),
            lean=self.smoothing,
            factor=chosen["factor"],
            **common,
        )

    def _fewer(self, learned: Learned, k: int, columns: int, factor: float) -> Learned:
        """Return what was learned with fewer parents and fewer columns, the last ones left out."""
        old = learned.chosen
        order, parents = old["order"][:columns], [those[:k] for those in old["parents"][:columns]]
        chosen = {**old, "order": order, "parents": parents, "factor": factor}
        model = self._graph(self._coded(learned.schema), self._common(learned.schema), chosen)
        tally: Any = learned.tallies[TOGETHER]
        return replace(
            learned,
            tallies={**learned.tallies, TOGETHER: reduced(tally, model.names, model.groups())},
            chosen=chosen,
        )

    def _joint_of(self, learned: Learned) -> Any:
        model = self._chosen_model(learned.schema, learned.chosen)
        return model.estimate(learned.for_model(model), learned.classes)

    def _asked_for(self) -> dict[str, Any]:
        return {"k": int(self.k), "select": bool(self.select), "criterion": self.criterion}
