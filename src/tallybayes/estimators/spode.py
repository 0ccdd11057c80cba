"""The super-parent one-dependence estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from tallybayes._types import Name
from tallybayes.errors import OptionError
from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._dependent import Dependent, Missing, NumericKind, check_coded, own_prior
from tallybayes.estimators._options import check_amount, check_word
from tallybayes.learn.learned import Learned
from tallybayes.learn.leave_one_out import Criterion as Loss
from tallybayes.learn.leave_one_out import left_out_losses
from tallybayes.learn.passes import Passes
from tallybayes.learn.portions import portions
from tallybayes.models.base import JointModel, Tallies
from tallybayes.models.ladders import HIERARCHICAL, Smoothing
from tallybayes.models.prior import PriorSpec, check_prior
from tallybayes.models.spode import SuperParentModel
from tallybayes.schema.field import Overrides, Schema, listed
from tallybayes.structure.cuts import Discretize
from tallybayes.tallies.group_plan import MOST_BYTES
from tallybayes.tallies.groups import GroupTally

Criterion = Literal["log-loss", "accuracy"]
CRITERIA: tuple[Criterion, ...] = ("log-loss", "accuracy")

AUTO, JOINT = "auto", "joint"

_TOGETHER = 32
"""How many candidates are estimated at a time; more take more passes, and no more memory."""


class SPODE(Dependent, TallyClassifier):
    """The super-parent one-dependence estimator: all columns depend on the class and on one of them.

    p(x, c) = P(c, x_i) prod_{j != i} P(x_j | c, x_i), with P(c, x_i) = (count + l) / (n + l N N_i), where n rows have
    the super-parent x_i, which takes N_i values, and there are N classes; and P(x_j | c, x_i) = (count + l) / (count of
    c and x_i + l N_j).

    Parameters
    ----------
    superparent : str or int
        The column that the others depend on; or "auto" for the one with which the rows are predicted best, each by the
        model without that row. Then `fit` chooses it, and what adds rows or takes them out keeps it.
    criterion : {"log-loss", "accuracy"}
        What "best" is: the least mean of -log P(y | x), or the most rows whose label is the most probable class.
    numeric : {"bins", "gaussian"}
        Columns of numbers and of counts are cut into bins; or are normally distributed given the class and the
        super-parent, and none of them is the super-parent.
    columns, discretize, max_bins, max_values, smoothing, missing, memory_limit
        As for `TAN`. Means and variances are smoothed, too: by as many rows of the class, and those of the class by as
        many of all classes.
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
    superparent_ : str or int
        The super-parent; None in a model without columns.

    Examples
    --------
    >>> from tallybayes import SPODE
    >>> skies, winds = ["blue", "grey", "blue", "grey"], ["calm", "gale", "gale", "calm"]
    >>> rows = [{"sky": sky, "wind": wind} for sky, wind in zip(skies, winds)]
    >>> model = SPODE(superparent="sky").fit(rows, ["sail", "sail", "stay", "stay"])
    >>> model.predict([{"sky": "grey", "wind": "calm"}]).tolist()
    ['stay']
    """

    leans = True

    def __init__(
        self,
        *,
        superparent: Name = AUTO,
        criterion: Criterion = "log-loss",
        columns: Overrides | None = None,
        numeric: NumericKind = "bins",
        discretize: Discretize = "mdlp",
        max_bins: int | None = None,
        max_values: int | None = 250,
        smoothing: Smoothing = 1.0,
        prior: PriorSpec | Literal["joint"] = "joint",
        prior_smoothing: float | None = None,
        missing: Missing = "marginalize",
        memory_limit: float = MOST_BYTES,
    ) -> None:
        self.superparent = superparent
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
    def superparent_(self) -> Name | None:
        """The column that the others depend on."""
        learned = self._what_was_learned()
        if self.superparent != AUTO:
            return self.superparent
        found: Name | None = learned.chosen.get("superparent")
        return found

    def _check_options(self) -> None:
        super()._check_options()
        check_word("criterion", self.criterion, CRITERIA)
        if self.prior_smoothing is not None:
            check_amount("prior_smoothing", self.prior_smoothing)

    def _check_prior(self) -> None:
        if isinstance(self.prior, str):
            check_word("prior", self.prior, (JOINT, "empirical", "uniform"))
        else:
            check_prior(self.prior)

    def _core(
        self, names: tuple[Name, ...], common: Mapping[str, Any], chosen: Mapping[str, Any], schema: Schema
    ) -> SuperParentModel:
        joint = isinstance(self.prior, str) and self.prior == JOINT
        spec: Any = "empirical" if joint else self.prior
        prior = own_prior(spec, self.prior_smoothing, self.smoothing)
        auto = isinstance(self.superparent, str) and self.superparent == AUTO
        wanted = chosen.get("superparent") if auto else self.superparent
        found = None if wanted is None or (auto and not names) else check_coded("superparent", wanted, names, schema)
        leans, numbers = self.smoothing == HIERARCHICAL, self._numbers(schema) if names else ()
        if leans and numbers:
            raise OptionError(
                f"smoothing='hierarchical' is for tables of counts, and with numeric='gaussian' {listed(numbers)} are "
                "none. Cut them with numeric='bins' or discretize=, or give smoothing= a number."
            )
        return SuperParentModel(
            prior,
            names,
            superparent=found,
            own_prior=not joint,
            all_pairs=auto and wanted is None,
            numbers=numbers,
            leans=leans,
            **common,
        )

    def _rereads(self, schema: Schema) -> bool:
        return self.superparent == AUTO or super()._rereads(schema)

    def _selected(self, learned: Learned, passes: Passes) -> Learned:
        """Choose the super-parent that predicts the rows best, each without itself."""
        names = self._coded(learned.schema)
        if self.superparent != AUTO or not names:
            return learned
        encoder, sums = self._encoder(learned), {}
        for begin in range(0, len(names), _TOGETHER):
            joints = {}
            for name in names[begin : begin + _TOGETHER]:
                model = self._chosen_model(learned.schema, {"superparent": name})
                joints[name] = model.estimate(counted(learned, model), learned.classes)
            sums.update(left_out_losses(joints, portions(passes.rows(), encoder), encoder))
        by: Loss = "log-loss" if self.criterion == "log-loss" else "0-1 loss"
        best = min(names, key=lambda name: sums[name].mean(by))  # the first of equally good ones
        chosen = {**learned.chosen, "superparent": best}
        kept = counted(learned, self._chosen_model(learned.schema, chosen))
        return replace(learned, tallies=kept, chosen=chosen)


def counted(learned: Learned, model: JointModel) -> Tallies:
    """Return of all that was counted what a model with one super-parent needs."""
    tallies = {}
    for name, empty in model.needs().items():
        found = learned.tallies[name]
        if isinstance(found, GroupTally) and isinstance(empty, GroupTally):
            found = found.restricted(empty.groups)
        tallies[name] = found
    return tallies
