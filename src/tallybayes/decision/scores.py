"""The sums that an evaluation is made of. They add, so rows may come in any number of batches."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.decision.labels import ClassIndex, is_missing, plain
from tallybayes.errors import MergeError, TargetError, WeightError
from tallybayes.schema.coded import Labels

BINS = 15
"""How many bins of the top probability the calibration error has; bin i is (i/15, (i + 1)/15]."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows to evaluate: what a model says of them, and the truth.

    Attributes
    ----------
    truth : Labels or array-like
        The true labels. One that is no class of the model is a wrong decision and has probability 0; a row
        without one takes no part.
    posterior : ndarray of shape (n, n_classes), optional
        P(c|x), where the model has one.
    log_posterior : ndarray of shape (n, n_classes), optional
        log P(c|x), where it is at hand: it tells a probability that has rounded to 0 from one that is 0.
    decided : ndarray of int64, optional
        The decisions as positions among the classes, -1 for a rejected row; by default the arg max
        of the posterior.
    weights : ndarray, optional
        One weight a row, finite and not negative; rows of weight 0 take no part.
    """

    truth: Labels | Any
    posterior: Floats | None = None
    log_posterior: Floats | None = None
    decided: Counts | None = None
    weights: Floats | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """Sums over rows with a true label, a decision and, where the model has one, a posterior.

    Attributes
    ----------
    classes : tuple
        The classes of the model.
    rows, unlabelled, rejected, impossible : int
        How many rows took part; had no label, and so did not; were rejected; had a true label of posterior
        probability 0.
    unknown : frozenset
        True labels that are no class of the model.
    counts : ndarray of shape (n_classes + 1, n_classes + 1)
        The weight of each true class (row) and decision (column). The last row is for unknown labels,
        the last column for rejections.
    possible : float
        The weight of the rows whose true label the posterior gives a chance.
    log_loss, brier : float
        Weighted sums: of -log P(truth|x) over the possible rows, of sum_c (P(c|x) - [c = truth])^2 over all.
        NaN without a posterior.
    bins : ndarray of shape (2, BINS)
        By top probability, the sum of the top probabilities and the weight of the right ones.
    """

    classes: tuple[Any, ...]
    rows: int
    unlabelled: int
    rejected: int
    impossible: int
    unknown: frozenset[Any]
    counts: Floats
    possible: float
    log_loss: float
    brier: float
    bins: Floats

    @classmethod
    def empty(cls, index: ClassIndex) -> Self:
        """Return the sums over no rows."""
        size = len(index) + 1
        none, bins = np.zeros((size, size)), np.zeros((2, BINS))
        return cls(index.classes, 0, 0, 0, 0, frozenset(), none, 0.0, 0.0, 0.0, bins)

    @classmethod
    def of(cls, index: ClassIndex, piece: Piece, *, probabilities: bool = True) -> Self:
        """Return the sums over some rows, for a model of these classes.

        Without `probabilities`, the posterior stands for decisions alone.
        """
        codes, values = _coded(piece.truth)
        n = len(codes)
        posterior, decided = piece.posterior, piece.decided
        if decided is None:
            if posterior is None:
                raise TypeError("a piece without a posterior needs decisions")
            decided = posterior.argmax(axis=1)
        if len(decided) != n or (posterior is not None and len(posterior) != n):
            raise TargetError(f"There are {n} labels for {len(decided)} rows; give one for each row.")
        weight = np.ones(n) if piece.weights is None else piece.weights
        part = np.flatnonzero((codes >= 0) & (weight > 0))
        unlabelled = int(((codes < 0) & (weight > 0)).sum())
        codes, decided, weight = codes[part], decided[part], weight[part]
        place = index.positions(values)[codes]
        size = len(index) + 1
        # Position -1 is unknown in the one and rejected in the other: the last row, the last column.
        counts = np.bincount((place % size) * size + decided % size, weight, size * size)
        unknown = frozenset(values[code] for code in np.unique(codes[place < 0]))

        possible = log_loss = brier = np.nan
        impossible, bins = 0, np.full((2, BINS), np.nan)
        if posterior is not None and probabilities:
            posterior = posterior[part]
            own = _log_own(posterior, None if piece.log_posterior is None else piece.log_posterior[part], place)
            chance = own > -np.inf
            impossible = int((~chance).sum())
            possible = float(weight[chance].sum())
            log_loss = 0.0 - float((weight[chance] * own[chance]).sum())
            brier = float((weight * _brier(posterior, place)).sum())
            bins = _bins(posterior, place, weight)
        return cls(
            index.classes,
            rows=len(part),
            unlabelled=unlabelled,
            rejected=int((decided < 0).sum()),
            impossible=impossible,
            unknown=unknown,
            counts=counts.reshape(size, size).astype(np.float64),
            possible=possible,
            log_loss=log_loss,
            brier=brier,
            bins=bins,
        )

    def __add__(self, other: Scores) -> Self:
        if not isinstance(other, Scores):
            return NotImplemented
        if self.classes != other.classes:
            raise MergeError(
                f"Evaluations over different classes do not add: {list(self.classes)} and "
                f"{list(other.classes)}. Evaluate every batch with the same model."
            )
        sums = [field.name for field in fields(self) if field.name not in ("classes", "unknown")]
        return replace(
            self,
            unknown=self.unknown | other.unknown,
            **{name: getattr(self, name) + getattr(other, name) for name in sums},
        )


def checked_weights(weights: Any, rows: int) -> Floats | None:
    """Return the weights of rows in memory as floats, None where there are none."""
    if weights is None:
        return None
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise WeightError("sample_weight holds no numbers; give each row one of 0 or more.") from None
    if checked.shape != (rows,):
        raise WeightError(f"sample_weight has the shape {checked.shape} for {rows} rows; give each row one number.")
    wrong = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if len(wrong):
        raise WeightError(
            f"sample_weight is {checked[wrong[0]]} in row {wrong[0] + 1}; give each row a finite number of 0 or more."
        )
    return checked


def _coded(truth: Any) -> tuple[Counts, list[Any]]:
    """Return each row's place among the distinct labels, -1 where it has none, and these labels."""
    if isinstance(truth, Labels):
        return truth.codes, list(truth.values)
    seen: dict[Any, int] = {}
    try:
        codes = [-1 if is_missing(label) else seen.setdefault(label, len(seen)) for label in plain(truth)]
    except TypeError:
        raise TargetError("A label is no plain value; give texts, numbers or truth values.") from None
    return np.array(codes, dtype=np.int64), list(seen)


def _log_own(posterior: Floats, log_posterior: Floats | None, place: Counts) -> Floats:
    """Return log P(truth|x), -inf for an unknown label."""
    rows = np.arange(len(place))
    if log_posterior is None:
        with np.errstate(divide="ignore"):
            log_own = np.log(posterior[rows, place])
    else:
        log_own = log_posterior[rows, place]
    own: Floats = np.where(place >= 0, log_own, -np.inf)
    return own


def _brier(posterior: Floats, place: Counts) -> Floats:
    """Return sum_c (P(c|x) - [c = truth])^2."""
    # By the differences themselves: sum_c P(c|x)^2 - 2 P(truth|x) + 1 would cancel for a sure posterior.
    known = place >= 0
    error = posterior.copy()
    error[known, place[known]] -= 1.0
    brier: Floats = np.square(error).sum(axis=1) + ~known
    return brier


def _bins(posterior: Floats, place: Counts, weight: Floats) -> AnyArray:
    """Return, by top probability, the sum of the top probabilities and the weight of the right ones."""
    top = posterior.argmax(axis=1)
    sure = np.take_along_axis(posterior, top[:, np.newaxis], axis=1)[:, 0]
    bin_ = np.clip(np.ceil(sure * BINS).astype(np.int64) - 1, 0, BINS - 1)
    return np.array([np.bincount(bin_, w, BINS) for w in (weight * sure, weight * (top == place))])
