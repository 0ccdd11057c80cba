"""How good a model's decisions and probabilities are on rows whose class is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tallybayes._types import Floats
from tallybayes.decision.scores import Scores
from tallybayes.decision.showing import as_text, json_value
from tallybayes.errors import MergeError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

MEASURES = ("accuracy", "log_loss", "log_loss_of_possible", "brier", "ece", "average_cost", "coverage")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Measures of a model on held-out rows; evaluations of two batches add with ``+``.

    A measure that nothing stands behind is NaN (None in `to_dict`): a recall without rows, a log-loss of a
    model without probabilities.

    Parameters
    ----------
    scores
        The sums over the rows.
    costs
        A row for each predicted class, a column for each true one, as from `cost_matrix`.
    reject_cost
        What a rejected row costs.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from tallybayes.decision.evaluate import evaluate
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> result = evaluate(model, [[0.5], [4.5], [4.0]], ["low", "high", "low"])
    >>> round(result.accuracy, 3), result.confusion.tolist()
    (0.667, [[1.0, 0.0], [1.0, 1.0]])
    >>> (result + result).rows
    6
    """

    scores: Scores
    costs: Floats
    reject_cost: float | None = None

    def __add__(self, other: Evaluation) -> Self:
        if not isinstance(other, Evaluation):
            return NotImplemented
        scores = self.scores + other.scores
        if not np.array_equal(self.costs, other.costs) or self.reject_cost != other.reject_cost:
            raise MergeError("Evaluations under different costs do not add; evaluate every batch with the same costs.")
        return type(self)(scores, self.costs, self.reject_cost)

    def __radd__(self, other: object) -> Self:
        """Let `sum` start from 0."""
        return self if other == 0 else NotImplemented

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes of the model."""
        return self.scores.classes

    @property
    def rows(self) -> int:
        """How many rows took part."""
        return self.scores.rows

    @property
    def rejected(self) -> int:
        """How many rows no class was decided for."""
        return self.scores.rejected

    @property
    def impossible(self) -> int:
        """How many rows had a true label of probability 0."""
        return self.scores.impossible

    @property
    def coverage(self) -> float:
        """The share of the weight that a class was decided for."""
        return _share(self._decided.sum(), self.scores.counts.sum())

    @property
    def accuracy(self) -> float:
        """The share of right decisions among the rows that a class was decided for."""
        return _share(np.trace(self.confusion), self._decided.sum())

    @property
    def log_loss(self) -> float:
        """The mean of -log P(truth|x) in nats, never clipped: infinite if a true label had probability 0."""
        return np.inf if self.impossible else self.log_loss_of_possible

    @property
    def log_loss_of_possible(self) -> float:
        """The log-loss over the rows whose true label had a probability above 0."""
        return _share(self.scores.log_loss, self.scores.possible)

    @property
    def brier(self) -> float:
        """The mean of sum_c (P(c|x) - [c = truth])^2, from 0 to 2 (Brier, Monthly Weather Review 78, 1950).

        For two classes some libraries report half of it.
        """
        return _share(self.scores.brier, self.scores.counts.sum())

    @property
    def ece(self) -> float:
        """The expected calibration error: the mean gap between the top probability and how often it is right.

        In 15 bins of equal width (Guo et al., On calibration of modern neural networks, ICML 2017).
        """
        sure, right = self.scores.bins
        return _share(np.abs(sure - right).sum(), self.scores.counts.sum())

    @property
    def average_cost(self) -> float:
        """The mean cost over the rows whose label is a class; NaN if rows are rejected at no stated cost."""
        known = self.scores.counts[:-1]
        if not known.any():
            return np.nan
        shares = known / known.sum()
        cost = float((shares[:, :-1] * self.costs.T).sum())
        if not known[:, -1].any():
            return cost
        return np.nan if self.reject_cost is None else cost + float(shares[:, -1].sum()) * self.reject_cost

    @property
    def confusion(self) -> Floats:
        """The weight of each true class (row) and decided class (column)."""
        return self.scores.counts[:-1, :-1]

    @property
    def support(self) -> Floats:
        """The weight of each true class."""
        support: Floats = self.scores.counts[:-1].sum(axis=1)
        return support

    @property
    def recall(self) -> Floats:
        """The share of each class that was decided for it; a rejected row is not."""
        return _shares(np.diag(self.confusion), self.support)

    @property
    def precision(self) -> Floats:
        """The share of the decisions for each class that were right."""
        return _shares(np.diag(self.confusion), self._decided.sum(axis=0))

    @property
    def _decided(self) -> Floats:
        return self.scores.counts[:, :-1]

    def to_dict(self) -> dict[str, Any]:
        """Return all measures as strict JSON has them: NaN as None, an infinite log-loss as "Infinity"."""
        per_class = zip(self.classes, self.support, self.recall, self.precision, strict=True)
        return {
            "rows": self.rows,
            **{name: json_value(getattr(self, name)) for name in MEASURES},
            "rejected": self.rejected,
            "impossible": self.impossible,
            "unlabelled": self.scores.unlabelled,
            "unknown_labels": sorted(map(json_value, self.scores.unknown), key=str),
            "classes": [
                dict(zip(("label", "support", "recall", "precision"), map(json_value, measures), strict=True))
                for measures in per_class
            ],
            "confusion": {
                "true_by_decided": self.confusion.tolist(),
                "rejected": self.scores.counts[:-1, -1].tolist(),
                "unknown_by_decided": self.scores.counts[-1, :-1].tolist(),
                "unknown_rejected": float(self.scores.counts[-1, -1]),
            },
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from tallybayes.decision.evaluation_page import page

        return page(self, console, options)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name):.4g}" for name in ("accuracy", "log_loss", "brier"))
        return f"<Evaluation rows={self.rows}, {shown}>"


def _share(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else float("nan")


def _shares(parts: Floats, wholes: Floats) -> Floats:
    shares: Floats = np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0)
    return shares
