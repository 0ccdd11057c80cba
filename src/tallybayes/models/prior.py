"""P(c): how probable each class is before anything is known of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats, Value
from tallybayes.errors import OptionError, did_you_mean, warn
from tallybayes.factors.base import logarithm, quotient
from tallybayes.factors.left_out import less, never_learned, own_rows, too_much
from tallybayes.schema.batch import Batch
from tallybayes.schema.labelled import labels_along
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally

PriorSpec = Literal["empirical", "uniform"] | Mapping[Value, float] | Sequence[float] | AnyArray
"""The words, ``{label: probability}``, such a Series, or one probability a class in the order of the sorted classes."""


@dataclass(frozen=True)
class Prior:
    """P(c) = (rows of c + smoothing) / (rows + classes * smoothing), uniform, or as given.

    Attributes
    ----------
    spec
        "empirical", "uniform", a mapping, a Series with the classes as its index, or an array in the order of the
        classes.
    smoothing
        Lambda of the empirical prior, at least 0.
    proper
        Whether given probabilities must add up to 1.
    by_position
        Whether the index of a Series is passed over, as scikit-learn does; where it says otherwise there is a
        warning.
    """

    spec: PriorSpec = "empirical"
    smoothing: float = 0.0
    proper: bool = True
    by_position: bool = False

    def check(self, classes: Values) -> None:
        """Refuse a prior that does not fit the classes."""
        check_prior(self.spec)
        if isinstance(self.spec, str):
            return
        self._given(classes)
        labels = labels_along(self.spec, "index") if self.by_position else None
        if labels is not None and labels != list(classes):
            warn(
                f"A prior by position was given as a Series labelled {labels}, and its labels are "
                f"passed over, as in scikit-learn: the classes are {list(classes)}. Give the "
                "probabilities in that order, or a dict by label."
            )

    def estimate(self, tally: ClassTally, classes: Values) -> Floats:
        """Return log P(c)."""
        if not isinstance(self.spec, str):
            return logarithm(self._given(classes))
        self.check(classes)
        if self.spec == "uniform":
            return logarithm(np.full(len(classes), 1.0 / len(classes)))
        rows, weights = tally.aligned(classes)
        return self._logs(weights, rows)

    def left_out(self, tally: ClassTally, classes: Values, batch: Batch, log_prior: Floats) -> Floats:
        """Return log P(c) without each labelled row of a batch, shape (rows, classes).

        Parameters
        ----------
        tally, classes
            What was counted, and the order of the classes.
        batch
            Rows, labels and weights as they were learned.
        log_prior
            What `estimate` gave, which is that of rows that were not learned, and all there is to say where the
            probabilities are given or uniform. With one row alone, every class is as probable without it.
        """
        out: Floats = np.tile(log_prior, (len(batch), 1))
        own = own_rows(batch, classes)
        rows, weights = tally.aligned(classes)
        odd = too_much(weights[own.classes], own.weights, rows[own.classes])
        if odd.any():
            label = classes[int(own.classes[odd][0])]
            raise never_learned(f"class {label!r} has fewer rows, or none of that weight")
        if not isinstance(self.spec, str) or self.spec == "uniform":
            return out
        if own.even:  # then there are as many outcomes as classes
            known = rows > 0
            table = np.tile(weights, (len(rows), 1))
            np.fill_diagonal(table, less(weights, np.ones(len(rows)), rows))
            out[own.rows] = self._logs(table, np.tile(rows, (len(rows), 1)) - np.diag(known))[own.classes]
            return out
        left, counted = np.tile(weights, (len(own.rows), 1)), np.tile(rows, (len(own.rows), 1))
        at = np.arange(len(own.rows)), own.classes
        left[at] = less(left[at], own.weights, counted[at])
        counted[at] -= 1
        out[own.rows] = self._logs(left, counted)
        return out

    def _logs(self, weights: Floats, rows: Counts) -> Floats:
        """Return log P(c) from weights and rows, shape (..., classes)."""
        # Weights that rounding took, beside others that were far greater and are forgotten, leave the rows to count.
        smoothed = np.where(weights.any(axis=-1, keepdims=True), weights, rows) + self.smoothing
        return logarithm(quotient(smoothed, smoothed.sum(axis=-1, keepdims=True), 1.0 / max(rows.shape[-1], 1)))

    def _given(self, classes: Values) -> Floats:
        spec: Any = self.spec
        labels = None if self.by_position else labels_along(spec, "index")
        if labels is not None:
            spec = _by_label(labels, spec)
        return given_prior(spec, classes, proper=self.proper)


def _by_label(labels: list[Any], spec: Any) -> Mapping[Value, float]:
    """Return a Series as a mapping, refusing one that names a class twice."""
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise OptionError(f"prior= has two probabilities for the class {twice[0]!r}; give one for each class.")
    return dict(zip(labels, np.asarray(spec).tolist(), strict=True))


def given_prior(spec: Mapping[Value, float] | Sequence[float] | AnyArray, classes: Values, *, proper: bool) -> Floats:
    """Return the probabilities that a user gave, in the order of the classes."""
    if isinstance(spec, Mapping):
        for label in spec:
            if label not in classes:
                raise OptionError(
                    f"prior= names {label!r}, which is not a class.{did_you_mean(label, classes)} "
                    f"The classes are {list(classes)}."
                )
        absent = [label for label in classes if label not in spec]
        if absent:
            raise OptionError(f"prior= has no probability for the class {absent[0]!r}; give one for each class.")
        spec = [spec[label] for label in classes]
    probability = _numbers(spec)
    if len(probability) != len(classes):
        raise OptionError(
            f"Number of priors must match number of classes: prior= has {probability.size} of them, "
            f"the classes are {list(classes)}."
        )
    if proper and not np.isclose(probability.sum(), 1.0):
        raise OptionError(f"The sum of the priors should be 1; prior= adds up to {probability.sum():g}.")
    return probability


def check_prior(spec: Any) -> None:
    """Refuse what is no prior whatever the classes are."""
    if isinstance(spec, str):
        if spec not in ("uniform", "empirical"):
            raise OptionError(f"prior={spec!r} is neither 'empirical' nor 'uniform' nor probabilities.")
    else:
        _numbers(list(spec.values()) if isinstance(spec, Mapping) else spec)


def _numbers(spec: Any) -> Floats:
    """Return probabilities, one after the other, as an array."""
    try:
        probability = np.array(spec, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"prior={spec!r} holds something else than numbers, one for each class.") from None
    if probability.ndim != 1:
        raise OptionError(
            f"Number of priors must match number of classes: prior= has {probability.size} of them in a table of the "
            f"shape {probability.shape}; give one number for each class, one after the other."
        )
    if not np.isfinite(probability).all() or (probability < 0).any():
        raise OptionError("Priors must be non-negative: prior= has a negative or infinite probability.")
    return probability
