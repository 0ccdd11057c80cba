"""Which two classes are weighed against each other."""

from __future__ import annotations

import numpy as np

from tallybayes._types import Counts, Floats, Value
from tallybayes.decision.labels import ClassIndex
from tallybayes.decision.posterior import first_choice
from tallybayes.errors import OptionError
from tallybayes.schema.values import Values


def contrasted(
    classes: Values,
    log_joint: Floats,
    log_posterior: Floats,
    log_prior: Floats,
    label: Value | None,
    against: Value | None,
) -> tuple[Counts, Counts]:
    """Return the codes of the two classes of each row, which differ wherever there are two."""
    index = ClassIndex(classes)
    our, their = (None if asked is None else index.require(asked) for asked in (label, against))
    if our is not None and our == their:
        raise OptionError(f"label and against are both {label!r}; name two different classes.")
    if our is not None:
        ours = np.full(len(log_joint), our)
    else:
        ours, _ = first_choice(log_joint.copy(), log_prior)
    if their is None:
        return ours, _likeliest_besides(ours, log_posterior, log_prior)
    theirs = np.full(len(log_joint), their)
    return np.where(ours == theirs, _likeliest_besides(theirs, log_posterior, log_prior), ours), theirs


def _likeliest_besides(places: Counts, log_posterior: Floats, log_prior: Floats) -> Counts:
    """Return each row's most probable class other than one; the prior decides between equal ones."""
    if len(log_prior) == 1:
        return places
    order = np.argsort(-log_prior, kind="stable")
    others = log_posterior[:, order]
    others[order == places[:, np.newaxis]] = -np.inf
    best = order[others.argmax(axis=1)]
    # Where all are -inf the first is found, which may be the very class that is left out.
    besides: Counts = np.where(best == places, order[1], best)
    return besides
