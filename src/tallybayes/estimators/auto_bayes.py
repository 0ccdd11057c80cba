"""The model that predicts best, chosen among many that are counted together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from numbers import Integral
from typing import Any

import numpy as np

from tallybayes.decision.costs import Costs, cost_matrix
from tallybayes.errors import OptionError
from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._candidates import (
    DEFAULT,
    SHARED,
    Candidate,
    CandidateName,
    candidates_of,
    check_candidates,
    cutting_of,
    numbers_of,
    own_options,
)
from tallybayes.estimators._dependent import MISSING, Missing, check_limit
from tallybayes.estimators._options import check_amount, check_word
from tallybayes.estimators._race import Entry, Race, counting_model, line_of, too_large
from tallybayes.estimators._registry import estimator
from tallybayes.estimators._reselect import Reselecting
from tallybayes.factors.named import meant_by
from tallybayes.learn.candidates import Together
from tallybayes.learn.cut import cut
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.leaderboard import CRITERIA, Criterion, Leaderboard, Line, ranked
from tallybayes.learn.learned import Learned
from tallybayes.learn.passes import Passes
from tallybayes.models.base import JointModel, class_tally
from tallybayes.models.prior import Prior, PriorSpec, check_prior
from tallybayes.schema.field import CellType, Overrides, Schema
from tallybayes.schema.infer import infer
from tallybayes.schema.rows import Rows
from tallybayes.schema.said import check_given
from tallybayes.storage.plain import from_plain, to_plain
from tallybayes.structure.cuts import Discretize
from tallybayes.structure.graph import Graph
from tallybayes.tallies.group_plan import MOST_BYTES

LEADERS = 16
"""How many kinds of models are learned again in folds, the best of each."""


MOST_TEXTS = 10_000
"""How many rows are predicted at most where a column is of texts: those rows are kept in memory."""


class AutoBayes(Reselecting, TallyClassifier):
    """The model that predicts best, chosen among many that are counted together.

    Everything that the candidates need is counted once. Then each row is taken out of the counts of every candidate,
    and predicted by what is left: exactly what learning all other rows would give, with structure, edges and values
    held. The leaders of this comparison are learned again in folds, with everything chosen anew in each of them, and
    the one that predicts the folds best is the model; so no edges and no structure help to predict rows that they were
    chosen by. What `fit` has chosen, `partial_fit`, ``+`` and `forget` keep; `reselect` chooses again.

    Parameters
    ----------
    candidates : "default" or list
        Names out of "naive" (each distribution of numbers), "spode" (each super-parent), "tan", "aode", "kdb" (by
        parents, by columns, and by how much tables lean on those of fewer parents) and "a2de", each with several
        smoothings; and estimators with options of their own: `NaiveBayes`, `SPODE`, `TAN`, `AODE`, `KDB`. The simpler
        ones come first: of equals the first is chosen.
    criterion : {"log-loss", "accuracy", "cost"}
        What "best" is: the least mean of -log P(y | x), the most rows whose label is the most probable class, or the
        least mean cost of the decisions of least risk.
    costs : as for `BayesDecision`, optional
        What decisions cost, for the criterion "cost". The model answers with the most probable class all the same; wrap
        it in `BayesDecision` for decisions by costs.
    folds : int
        In how many folds the leaders are learned again; with 0 in none, and the exact scores of all rows decide.
    most_rows : int
        How many rows are predicted at most, and kept in memory for that; chance takes them where there are more. All
        rows are learned. With a column of texts it is 10,000 at most.
    columns, discretize, max_bins, max_values, missing, memory_limit
        As for `TAN`, for all candidates. What would not fit into the memory is left out, and the leaderboard says so.
    prior : {"empirical", "uniform"}, dict or array
        P(c); "empirical" is as each candidate counts it.
    random_state : int
        What chance goes by where rows are put into folds.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        The candidates, the best first, with standard errors, memory, and passes over the rows.
    best_ : estimator
        The one that was chosen, as it is fitted.
    classes_ : array
        The classes seen, sorted.
    schema_ : Schema
        What the columns mean, and why.
    tallies_ : dict
        What was counted for the model that was chosen.

    Examples
    --------
    >>> from tallybayes import AutoBayes
    >>> rows = [{"a": a, "b": b, "c": c} for a in (0, 1) for b in (0, 1) for c in (0, 1) for _ in range(9)]
    >>> model = AutoBayes(columns=dict.fromkeys("abc", "categorical")).fit(rows, [r["a"] != r["b"] for r in rows])
    >>> model.predict([{"a": 1, "b": 0, "c": 0}]).tolist()
    [True]
    """

    def __init__(
        self,
        *,
        candidates: str | Sequence[CandidateName | Any] = DEFAULT,
        criterion: Criterion = "log-loss",
        costs: Costs = None,
        folds: int = 5,
        most_rows: int = 100_000,
        columns: Overrides | None = None,
        discretize: Discretize = "mdlp",
        max_bins: int | None = None,
        max_values: int | None = 250,
        prior: PriorSpec = "empirical",
        missing: Missing = "marginalize",
        memory_limit: float = MOST_BYTES,
        random_state: int = 0,
    ) -> None:
        self.candidates = candidates
        self.criterion = criterion
        self.costs = costs
        self.folds = folds
        self.most_rows = most_rows
        self.columns = columns
        self.discretize = discretize
        self.max_bins = max_bins
        self.max_values = max_values
        self.prior = prior
        self.missing = missing
        self.memory_limit = memory_limit
        self.random_state = random_state

    # What was chosen ------------------------------------------------------------------------------------

    @property
    def leaderboard_(self) -> Leaderboard:
        """The candidates, the best first."""
        return Leaderboard.from_dict(self._what_was_learned().found["leaderboard"])

    @property
    def best_(self) -> Any:
        """The model that was chosen, as it is fitted."""
        learned = self._what_was_learned()
        best = self._made(learned.chosen)
        best._adopt(replace(learned, chosen=learned.chosen["of"], found={}))
        return best

    def network(self) -> Graph:
        """Return which column depends on which; in naive Bayes none does."""
        best = self.best_
        if hasattr(best, "network"):
            graph: Graph = best.network()
            return graph
        joint = self._joint()
        target = self.target_ if isinstance(self.target_, str) else "class"
        return Graph.of_columns(target if target not in joint.names else f"({target})", joint.names, joint.edges)

    @property
    def is_density(self) -> bool:  # type: ignore[override]
        """Whether the scores are log p(x, c) itself, in the model that was chosen."""
        return not self.not_density_reason

    @property
    def not_density_reason(self) -> str:  # type: ignore[override]
        """Why not, where they are not."""
        if not self.__sklearn_is_fitted__():
            return ""
        reason: str = self._made(self._learned.chosen).not_density_reason
        return reason

    # What the learner asks ------------------------------------------------------------------------------

    def _check_options(self) -> None:
        check_candidates(self.candidates)
        check_word("criterion", self.criterion, CRITERIA)
        for name, least in (("folds", 0), ("most_rows", 2), ("random_state", 0)):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise OptionError(f"{name}={value!r} should be a whole number, {least} or more.")
        if self.folds == 1:
            raise OptionError("folds=1 leaves no row to learn from; give 2 or more, or 0 for none.")
        check_word("missing", self.missing, MISSING)
        check_limit("max_bins", self.max_bins)
        check_limit("max_values", self.max_values)
        check_amount("memory_limit", self.memory_limit)
        check_prior(self.prior)
        cutting_of(self.discretize, self.max_bins)

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        schema, given = infer(first, self.columns, named), cutting_of(self.discretize, self.max_bins).given
        return Schema(tuple(meant_by(field, "bins" if field.name in given else None) for field in schema), named)

    def _refuses_missing(self) -> bool:
        return self.missing == "error"

    def _rereads(self, schema: Schema) -> bool:
        return True

    def _prepared(self, schema: Schema, passes: Passes, target_type: CellType) -> tuple[Schema, Mapping[str, Any]]:
        """Choose edges, and see which candidates there is room for."""
        cutting = cutting_of(self.discretize, self.max_bins)
        cutting.check_names(numbers_of(schema))
        candidates = self._candidates(schema)
        encoder = Encoder(schema, target_type, self._refuses_missing(), self._name)
        names = numbers_of(schema) if any(one.cuts for one in candidates) else list(cutting.given)
        schema = cut(passes, encoder, names, cutting, max_values=self.max_values)
        first = Encoder(schema, target_type, self._refuses_missing(), self._name)(passes.first)
        left_out = too_large(candidates, schema, first)
        if len(left_out) == len(candidates):
            reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
            raise OptionError(f"None of the candidates can be learned. {reasons} Add 'naive' to candidates=.")
        return schema, {"left_out": left_out}

    def _selected(self, learned: Learned, passes: Passes) -> Learned:
        """Choose the candidate that predicts the rows best."""
        left_out = dict(learned.chosen["left_out"])
        candidates = self._counted(learned.schema, left_out)
        costs = cost_matrix(self.costs, learned.classes.to_array())
        most = min(int(self.most_rows), MOST_TEXTS) if learned.schema.of_kind("text") else int(self.most_rows)
        race = Race(
            candidates, replace(learned, chosen={}), self._encoder(learned), passes, costs, most=most,
            seed=int(self.random_state),
        )  # fmt: skip
        n = class_tally(learned.tallies).n_rows
        if len(learned.classes) > 1 and n > 1:
            best, board = self._compared(race, n)
        else:
            best = race.entries[0]
            nothing = dict.fromkeys(
                ("log_loss", "log_loss_error", "zero_one_loss", "zero_one_loss_error", "cost", "cost_error"), nan
            )
            line = Line(best.name, best.candidate.family, passes=best.passes, bytes=best.bytes, **nothing)
            board = Leaderboard((line,), 0, (), self.criterion, n, 0, 0)
        board = replace(board, left_out=tuple((left_out | race.left_out).items()))
        model = best.model
        chosen = {
            "model": type(model).__name__,
            "options": to_plain(own_options(model), "the options of the best candidate"),
            "of": dict(best.learned.chosen),
        }
        return replace(best.learned, chosen=chosen, found={"leaderboard": board.to_dict()})

    def _compared(self, race: Race, n: int) -> tuple[Entry, Leaderboard]:
        """Return the best candidate, and what is said of all."""
        scores = _best_superparents(race.scores(), self.criterion)
        lines = [line_of(entry, losses) for entry, losses in scores]
        order = ranked(lines, self.criterion)
        entries, lines = [scores[place][0] for place in order], [lines[place] for place in order]
        families = [line.family for line in lines]
        leaders = [place for place, family in enumerate(families) if families.index(family) == place][:LEADERS]
        folds, winner = min(int(self.folds), n), 0
        if folds > 1 and len(leaders) > 1:
            cutting = cutting_of(self.discretize, self.max_bins)
            in_folds = race.in_folds([entries[place] for place in leaders], folds, cutting, self.max_values)
            for place, losses in zip(leaders, in_folds, strict=True):
                lines[place] = line_of(entries[place], scores[order[place]][1], losses)
            simple = sorted((place for place in leaders), key=lambda place: order[place])
            found = [lines[place].loss(self.criterion, folds=True) for place in simple]
            if not np.isnan(found).all():
                winner = simple[int(np.nanargmin(np.round(found, 12)))]
        else:
            folds = 0
        scored = scores[0][1].rows
        return entries[winner], Leaderboard(tuple(lines), winner, (), self.criterion, n, scored, folds)

    def _model(self, schema: Schema) -> JointModel:
        return self._chosen_model(schema, {"left_out": {}})

    def _chosen_model(self, schema: Schema, chosen: Mapping[str, Any]) -> JointModel:
        check_given(self.columns, schema)
        if "model" in chosen:
            model: JointModel = self._made(chosen)._chosen_model(schema, chosen["of"])
            return model
        counted = self._counted(schema, chosen["left_out"])
        return Together(Prior(self.prior), tuple(counting_model(one, schema) for one in counted))

    # Candidates -----------------------------------------------------------------------------------------

    def _candidates(self, schema: Schema) -> list[Candidate]:
        return candidates_of(self.candidates, schema, self._shared())

    def _counted(self, schema: Schema, left_out: Mapping[str, str]) -> list[Candidate]:
        return [one for one in self._candidates(schema) if one.name not in left_out]

    def _shared(self) -> dict[str, Any]:
        """Return the options that all candidates have."""
        shared = {name: getattr(self, name) for name in SHARED}
        if not (isinstance(self.prior, str) and self.prior == "empirical"):
            shared["prior"] = self.prior
        return shared

    def _made(self, chosen: Mapping[str, Any]) -> Any:
        """Return the model that was chosen, unfitted."""
        kind = estimator(chosen["model"])
        options = kind().get_params(deep=False)
        own = from_plain(chosen["options"])
        shared = {name: value for name, value in self._shared().items() if name in options}
        return kind(**own | shared)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


def _best_superparents(scores: list[tuple[Entry, Any]], criterion: Criterion) -> list[tuple[Entry, Any]]:
    """Return of each candidate with several super-parents the best, and all others."""
    found: dict[Any, list[tuple[Entry, Any]]] = {}
    for entry, losses in scores:
        key = id(entry.candidate) if "superparent" in entry.learned.chosen else id(entry)
        found.setdefault(key, []).append((entry, losses))
    return [group[ranked([line_of(*one) for one in group], criterion)[0]] for group in found.values()]
