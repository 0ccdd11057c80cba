"""Candidates that are counted together: one tally for each thing that any of them needs, in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from tallybayes._types import Floats, Name
from tallybayes.errors import MergeError, OptionError
from tallybayes.models.base import CLASSES, Joint, JointModel, Tallies
from tallybayes.models.class_prior import ClassPrior
from tallybayes.models.naive import NaiveJoint
from tallybayes.models.prior import Prior
from tallybayes.schema.values import Values
from tallybayes.tallies.base import Tally
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.group_plan import bytes_for
from tallybayes.tallies.groups import GroupTally
from tallybayes.tallies.reduced import reduced


@dataclass(frozen=True)
class Together(JointModel):
    """Several models as one that counts what all of them need, and no more.

    Attributes
    ----------
    prior
        P(c), for the checks that all models have.
    models
        The models.

    Examples
    --------
    >>> from tallybayes.factors.gaussian import GaussianFactor
    >>> from tallybayes.models.naive import NaiveModel
    >>> one = NaiveModel(Prior(), {"gaussian": GaussianFactor(("age",))})
    >>> same = NaiveModel(Prior("uniform"), {"normal": GaussianFactor(("age",))})
    >>> list(Together(Prior(), (one, same)).needs())
    ['classes', '0 gaussian']
    """

    prior: Prior
    models: tuple[JointModel, ...]

    def needs(self) -> Tallies:
        needs: dict[str, Tally] = {CLASSES: ClassTally.empty()}
        for i, model in enumerate(self.models):
            for key, empty in model.needs().items():
                if all(_alike(known, empty) is None for known in needs.values()):
                    needs[f"{i} {key}"] = empty
        return needs

    def estimate(self, tallies: Tallies, classes: Values) -> Joint:
        """Return P(c) alone; which of the models answers has to be chosen."""
        counted = cast(ClassTally, tallies[CLASSES])
        log_prior: Floats = ClassPrior(self.prior, counted, classes).log()
        return NaiveJoint(classes, log_prior, {}, self.prior, counted)


def tallies_for(counted: Tallies, model: JointModel) -> dict[str, Tally]:
    """Return of all that was counted what one model needs, under its own names.

    A table of few columns may be a sum over one of more. `OptionError` where something was not counted.
    """
    return {key: _found(counted, empty) for key, empty in model.needs().items()}


def size_of(tallies: Mapping[str, Tally]) -> int:
    """Return how many bytes the arrays of some tallies take."""
    return sum(np.asarray(array).nbytes for tally in tallies.values() for array in tally.state().arrays.values())


def size_beforehand(model: JointModel, values: Mapping[Name, Values], classes: int) -> int:
    """Return how many bytes the tables of a model take that are known before rows are counted: those of its groups.

    Parameters
    ----------
    model
        The model.
    values
        The values of each column that are known so far.
    classes
        How many classes are.
    """
    groups = [tally for tally in model.needs().values() if isinstance(tally, GroupTally)]
    return sum(bytes_for(tally.groups, [values[name] for name in tally.names], classes) for tally in groups)


def _found(counted: Tallies, empty: Tally) -> Tally:
    for tally in counted.values():
        found = _alike(tally, empty)
        if found is not None:
            return found
    if isinstance(empty, GroupTally):
        members = _members(empty.names, empty.groups)
        for tally in counted.values():
            if isinstance(tally, GroupTally):
                have = set(_members(tally.names, tally.groups))
                if all(want in have or any(want <= one for one in have) for want in members):
                    return _part(tally, empty)
    raise OptionError(f"The {type(empty).__name__} of {list(empty.names)} was not counted. Call fit again.")


def _part(tally: GroupTally, empty: GroupTally) -> GroupTally:
    """Return some of the groups of a tally, or sums over some of its tables."""
    if tally.names == empty.names and set(empty.groups) <= set(tally.groups):
        return tally.restricted(empty.groups)
    return reduced(tally, empty.names, empty.groups)


def _members(names: Sequence[Name], groups: Sequence[Sequence[int]]) -> list[frozenset[Name]]:
    return [frozenset(names[j] for j in group) for group in groups]


def _alike(tally: Tally, empty: Tally) -> Tally | None:
    """Return a tally as another wants it, None where that one counts other things."""
    try:
        return tally.like(empty)
    except MergeError:
        return None
