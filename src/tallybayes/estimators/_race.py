"""Candidates that were counted together, scored on the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallybayes._types import Floats, Name
from tallybayes.errors import TallyBayesError, TooLargeError
from tallybayes.estimators._candidates import MOST_COLUMNS, Candidate, numbers_of
from tallybayes.estimators.aode import AODE
from tallybayes.estimators.kdb import KDB
from tallybayes.estimators.spode import SPODE
from tallybayes.estimators.tan import TAN
from tallybayes.learn.candidates import Together, size_beforehand, size_of, tallies_for
from tallybayes.learn.cut import cut
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.fold import fold
from tallybayes.learn.folds import FoldSource, fold_numbers, labels_of, losses_of
from tallybayes.learn.leaderboard import Line
from tallybayes.learn.learned import Learned
from tallybayes.learn.leave_one_out import Criterion as Loss
from tallybayes.learn.leave_one_out import Losses, left_out_losses
from tallybayes.learn.passes import Passes
from tallybayes.learn.portions import portions
from tallybayes.models.base import CLASSES, Joint, JointModel, class_tally
from tallybayes.models.dependence import TOGETHER
from tallybayes.models.prior import Prior
from tallybayes.schema.batch import Batch
from tallybayes.schema.field import Schema
from tallybayes.schema.rows import Rows
from tallybayes.structure.cuts import Cutting
from tallybayes.tallies.classes import ClassTally

ALL = 2**62
"""More rows than there are."""

FAMILIES = 16
"""The tables of a column with its parents, of which many candidates are made, take this part of the memory at most;
fewer parents are compared where they would take more."""

AT_A_TIME = 48
"""How many candidates are estimated at a time; more take more passes, and no more memory."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A candidate, or a part of one, with what it has learned."""

    candidate: Candidate
    name: str
    learned: Learned
    passes: int
    parted: Any = None

    @property
    def model(self) -> Any:
        """The estimator that the candidate is, or that a part of it is."""
        return self.candidate.model if self.parted is None else self.parted

    @property
    def bytes(self) -> int:
        """How much memory its counts take."""
        return size_of(self.learned.tallies)


# What is counted ----------------------------------------------------------------------------------------


def counting_model(candidate: Candidate, schema: Schema) -> JointModel:
    """Return the model whose counts a candidate starts from: for k dependences, all pairs."""
    model = candidate.model
    if isinstance(model, KDB):
        # What it counts at first is what a tree needs.
        names = [name for name in TAN().get_params(deep=False) if hasattr(model, name) and name != "smoothing"]
        model = TAN(**{name: getattr(model, name) for name in names})
    found: JointModel = model._chosen_model(seen_by(candidate, schema), {})
    return found


def seen_by(candidate: Candidate, schema: Schema) -> Schema:
    """Return the columns as a candidate reads them: who asks for numbers does not see where they are cut."""
    if candidate.cuts:
        return schema
    given = candidate.model.discretize
    cut = set(given) if isinstance(given, Mapping) else set()
    fields = [f if f.name in cut else replace(f, edges=None) for f in schema]
    return Schema(tuple(fields), schema.named)


def too_large(candidates: Sequence[Candidate], schema: Schema, first: Batch) -> dict[str, str]:
    """Return the candidates that would take too much memory or time, or have too few columns, each with the reason."""
    found = {}
    classes = len(first.labels.values)
    for candidate in candidates:
        reason = _too_large(candidate, schema, first, classes)
        if reason is not None:
            found[candidate.name] = reason
    return found


def _too_large(candidate: Candidate, schema: Schema, first: Batch, classes: int) -> str | None:
    from tallybayes.tallies.group_plan import in_words

    model = candidate.model
    if not hasattr(model, "memory_limit"):
        return None
    counted = counting_model(candidate, schema)
    names: list[Name] = list(dict.fromkeys(n for t in counted.needs().values() for n in t.names))
    coded = [name for name in names if seen_by(candidate, schema)[name].coded]
    double = isinstance(model, AODE) and model.order == 2
    least = 3 if double else 2
    if len(coded) < least:
        return f"it needs {least} columns of categories or bins, and there are {len(coded)}."
    if double and len(coded) > MOST_COLUMNS:
        return f"of {len(coded)} columns there are many pairs; it is compared with up to {MOST_COLUMNS} columns."
    block = first.codes(coded)
    values = {name: schema[name].declared or known for name, known in zip(coded, block.values, strict=True)}
    need, most = size_beforehand(counted, values, classes), int(model.memory_limit) // (4 if double else 1)
    if need > most:
        return f"its tables would take {in_words(need)}, and may take {in_words(most)}."
    return None


# What is compared ---------------------------------------------------------------------------------------


class Race:
    """Candidates beside one another.

    Parameters
    ----------
    candidates
        Those that were counted.
    learned
        What was counted for all of them.
    encoder
        How rows are read.
    passes
        The rows.
    costs
        A row for each predicted class, a column for each true one.
    most
        How many rows are predicted at most; chance takes them where there are more.
    seed
        What chance goes by.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        learned: Learned,
        encoder: Encoder,
        passes: Passes,
        costs: Floats,
        *,
        most: int,
        seed: int,
    ) -> None:
        self.candidates, self.learned, self.encoder, self.passes, self.costs = (
            candidates,
            learned,
            encoder,
            passes,
            costs,
        )
        self.left_out: dict[str, str] = {}
        n = class_tally(learned.tallies).n_rows
        self._share = min(1.0, most / max(n, 1))
        self._rng = np.random.default_rng(seed)
        self._seed = seed
        self._kept: list[Rows] | None = None
        self._families = self._dependences()
        self.entries = list(self._entries())

    # Rows -----------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[Rows]:
        """The rows that are predicted, in memory."""
        if self._kept is None:
            for _ in self._keeping():
                pass
        assert self._kept is not None
        return self._kept

    def _keeping(self) -> Iterator[Rows]:
        """Yield all rows, and keep those that are predicted."""
        from tallybayes.sources.part import rows_where

        kept = []
        for rows in self.passes.rows():
            part = rows if self._share >= 1 else rows_where(rows, self._rng.random(len(rows)) < self._share)
            if len(part):
                kept.append(part)
            yield rows
        self._kept = kept

    def _portions(self) -> Iterable[Rows]:
        return portions(iter(self.rows), self.encoder)

    # Entries --------------------------------------------------------------------------------------------

    def _dependences(self) -> dict[str, Learned]:
        """Return what the candidates of k dependences have learned, which takes one more pass."""
        wanted: dict[str, Learned] = {}
        needs: dict[str, Any] = {CLASSES: ClassTally.empty()}
        for candidate in self.candidates:
            if not isinstance(candidate.model, KDB):
                continue
            schema = seen_by(candidate, self.learned.schema)
            pairs: Any = tallies_for(self.learned.tallies, counting_model(candidate, schema))
            while True:
                part = FAMILIES if candidate.model.select else 1
                model = again(candidate.model, memory_limit=candidate.model.memory_limit / part)
                try:
                    chosen = model._dependences(schema, pairs[TOGETHER], self.learned.classes)
                    break
                except TooLargeError as reason:
                    if candidate.model.k == 0 or not candidate.model.select:
                        self.left_out[candidate.name] = str(reason)
                        chosen = None
                        break
                    candidate.model.set_params(k=candidate.model.k - 1)
            if chosen is not None:
                tallies = {key: tally for key, tally in pairs.items() if key != TOGETHER}
                model = candidate.model._chosen_model(schema, chosen)
                needs[candidate.name] = model.needs()[TOGETHER]
                wanted[candidate.name] = replace(self.learned, schema=schema, tallies=tallies, chosen=chosen)
        if not wanted:
            return {}
        rows = portions(self._keeping(), self.encoder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to say of these rows has been said
            counted = fold(rows, self.encoder, needs, target=self.learned.target)
        return {name: replace(own, tallies={**own.tallies, TOGETHER: counted[name]}) for name, own in wanted.items()}

    def _entries(self) -> Iterator[Entry]:
        for candidate in self.candidates:
            try:
                yield from self._of(candidate)
            except TallyBayesError as reason:
                self.left_out[candidate.name] = str(reason)

    def _of(self, candidate: Candidate) -> Iterator[Entry]:
        model, schema = candidate.model, seen_by(candidate, self.learned.schema)
        cut = int(candidate.cuts and bool(numbers_of(schema)))
        if isinstance(model, KDB):
            if candidate.name in self._families:
                yield from self._by_parents(candidate, self._families[candidate.name], cut)
            return
        choices: list[Mapping[str, Any]] = [{}]
        if isinstance(model, SPODE) and model.superparent == "auto":
            choices = [{"superparent": name} for name in model._coded(schema)]
        for chosen in choices:
            tallies = tallies_for(self.learned.tallies, model._chosen_model(schema, chosen))
            learned = replace(self.learned, schema=schema, tallies=tallies, chosen=chosen)
            name, passes = candidate.name, 1 + cut
            if chosen:
                name, passes = f"{name} {chosen['superparent']}", passes + 1
            yield Entry(candidate, name, learned, passes)

    def _by_parents(self, candidate: Candidate, learned: Learned, cut: int) -> Iterator[Entry]:
        """Yield the best of each number of parents: with how many columns, and how its tables lean on others."""
        model = candidate.model
        if not learned.chosen["order"]:
            return
        if not model.select:
            yield Entry(candidate, candidate.name, learned, 2 + cut)
            return
        found, selection = model._compared(learned, self.rows)
        by_k = model._most_parents(learned) + 1
        every, before = len(learned.chosen["order"]), None
        for k in range(by_k):
            losses = selection.losses[k::by_k, 1:]
            place, columns = np.unravel_index(int(np.argmin(losses)), losses.shape)
            factor = found[int(place) * by_k + k].chosen["factor"]
            own = model._fewer(learned, k, int(columns) + 1, factor)
            name = f"KDB k={k}, {int(columns) + 1} of {every} columns"
            graph = own.chosen["order"], own.chosen["parents"], factor
            if graph == before:
                continue  # no column has so many parents
            before, fewer = graph, again(model, k=k)
            own = replace(own, chosen={**own.chosen, "asked": fewer._asked_for()})
            yield Entry(replace(candidate, family=f"KDB k={k}", part=k), name, own, 3 + cut, fewer)

    # Scores ---------------------------------------------------------------------------------------------

    def scores(self) -> list[tuple[Entry, Losses]]:
        """Return what the rows cost by each candidate without themselves, in the order of the candidates."""
        found: list[tuple[Entry, Losses]] = []
        for begin in range(0, len(self.entries), AT_A_TIME):
            some, joints = self.entries[begin : begin + AT_A_TIME], {}
            for place, entry in enumerate(some):
                try:
                    joints[place] = _joint(entry)
                except TallyBayesError as reason:
                    self.left_out[entry.name] = str(reason)
            losses = left_out_losses(joints, self._portions(), self.encoder, self.costs)
            found += [(some[place], losses[place]) for place in joints]
        return found

    def in_folds(
        self, leaders: Sequence[Entry], folds: int, cutting: Cutting, limit: int | None
    ) -> list[Losses | None]:
        """Return what rows cost by some of the candidates that have learned the other folds, everything anew.

        Parameters
        ----------
        leaders
            The candidates.
        folds
            How many folds there are.
        cutting, limit
            How columns are cut, and how many values they have at most.
        """
        total: list[Losses | None] = [None] * len(leaders)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to say of these rows has been said
            codes, _ = labels_of(self._portions(), self.encoder)
            numbers = fold_numbers(codes, folds, seed=self._seed)
            for number in np.unique(numbers[numbers >= 0]).tolist():
                others, own = (
                    FoldSource(self.passes.source, self.rows, numbers, number, held_out=held_out)
                    for held_out in (False, True)
                )
                race = self._without(others, [leader.candidate for leader in leaders], cutting, limit)
                joints = race.joints_like(leaders)
                losses = losses_of(joints, portions(own.rows(), race.encoder), race.encoder, self.costs)
                for place, part in losses.items():
                    before = total[place]
                    total[place] = part if before is None else before + part
        return total

    def _without(
        self, others: FoldSource, candidates: Iterable[Candidate], cutting: Cutting, limit: int | None
    ) -> Race:
        """Return the candidates with what they have learned of some rows, with edges of these rows."""
        rows = others.rows()
        passes = Passes(others, next(rows), rows)
        encoder = replace(self.encoder, schema=self.learned.schema.uncut())
        cut_before = [field.name for field in self.learned.schema if field.edges is not None]
        schema = cut(passes, encoder, cut_before, cutting, max_values=limit)
        encoder = replace(encoder, schema=schema)
        distinct = list({one.origin: replace(one, model=again(one.model)) for one in candidates}.values())
        needs = Together(Prior(), tuple(counting_model(one, schema) for one in distinct)).needs()
        counted = fold(portions(passes.rows(), encoder), encoder, needs)
        learned = replace(self.learned, schema=schema, tallies=counted, declared=self.learned.classes)
        return Race(distinct, learned, encoder, passes, self.costs, most=ALL, seed=self._seed)

    def joints_like(self, leaders: Sequence[Entry]) -> dict[int, Joint]:
        """Return the joints of the candidates that some entries of another race are of, by the places of those."""
        found: dict[int, Joint] = {}
        for place, leader in enumerate(leaders):
            own = [entry for entry in self.entries if entry.candidate.key == leader.candidate.key]
            try:
                if len(own) > 1:  # it is chosen by leaving out each row, as `fit` does
                    joints = {i: _joint(entry) for i, entry in enumerate(own)}
                    losses = left_out_losses(joints, self._portions(), self.encoder, self.costs)
                    found[place] = joints[min(joints, key=lambda i: losses[i].mean(_chooses_by(own[i])))]
                elif own:
                    found[place] = _joint(own[0])
            except TallyBayesError as reason:
                self.left_out[leader.name] = str(reason)
        return found


def _chooses_by(entry: Entry) -> Loss:
    return "0-1 loss" if entry.candidate.model.criterion == "accuracy" else "log-loss"


def line_of(entry: Entry, losses: Losses, folds: Losses | None = None) -> Line:
    """Return what a leaderboard says of a candidate."""
    found: dict[str, float] = {}
    for prefix, own in (("", losses), ("fold_", folds)):
        if own is not None:
            for word, criterion in (("log_loss", "log-loss"), ("zero_one_loss", "0-1 loss"), ("cost", "cost")):
                found[prefix + word] = own.mean(criterion)  # type: ignore[arg-type]
                found[f"{prefix}{word}_error"] = own.error(criterion)  # type: ignore[arg-type]
    return Line(entry.name, entry.candidate.family, passes=entry.passes, bytes=entry.bytes, **found)


def again(model: Any, **options: Any) -> Any:
    """Return an estimator with some options changed, unfitted."""
    return type(model)(**model.get_params(deep=False) | options)


def _joint(entry: Entry) -> Any:
    learned, model = entry.learned, entry.model
    own = model._chosen_model(learned.schema, learned.chosen)
    return own.estimate(learned.for_model(own), learned.classes)
