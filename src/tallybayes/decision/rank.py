"""Rows in the order of the posterior of one class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes._types import Counts, Floats, Value
from tallybayes.decision.admission import log_posterior, require_posterior
from tallybayes.decision.labels import ClassIndex
from tallybayes.decision.posterior import log_evidence
from tallybayes.decision.showing import as_text, json_value, printable, slim_table
from tallybayes.errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

SHOWN = 50
"""How many rows a person is shown; all are in the arrays."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Rows from the likeliest to the least likely of one class; iterating gives ``(row, probability)``.

    Attributes
    ----------
    label : Value
        The class.
    rows : ndarray of int64
        The positions of the rows, counted from 0, the likeliest first.
    probability : ndarray
        P(label|x) of those rows.
    log_odds : ndarray
        log P(label|x) / (1 - P(label|x)) of those rows, which still tells rows apart where the posterior
        has rounded to 1.
    """

    label: Value
    rows: Counts
    probability: Floats
    log_odds: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.rows.tolist(), self.probability.tolist(), strict=True)

    def to_table(self) -> pa.Table:
        """Return the ranking as an Arrow table with the columns ``row``, ``probability`` and ``log_odds``."""
        import pyarrow as pa

        return pa.table({"row": self.rows, "probability": self.probability, "log_odds": self.log_odds})

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as strict JSON has it; infinite log odds are strings."""
        return {
            "label": json_value(self.label),
            "rows": self.rows.tolist(),
            "probability": self.probability.tolist(),
            "log_odds": [json_value(odds) for odds in self.log_odds],
        }

    def __rich__(self) -> Table:
        from rich.text import Text

        table = slim_table()
        for column in ("rank", "row", Text(f"P({printable(self.label)})"), "log odds"):
            table.add_column(column, justify="right")
        for i, (row, probability) in enumerate(self):
            if i == SHOWN:
                table.caption = f"... and {len(self) - SHOWN:,} more rows"
                break
            table.add_row(f"{i + 1}", f"{row}", f"{probability:.4g}", f"{self.log_odds[i]:+.4g}")
        return table

    def __str__(self) -> str:
        return as_text(self.__rich__())

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} rows by P({printable(self.label)})>"


def rank(model: Any, X: Any, label: Value, top: int | None = None) -> Ranking:
    """Order rows by the normalised posterior of a class, the largest first.

    The order is that of the log odds P/(1 - P), computed from log probabilities: posteriors that all print as
    1.0 are still told apart. Equal rows keep their order.

    Parameters
    ----------
    model
        A fitted classifier with ``predict_log_proba`` or ``predict_proba``.
    X
        The rows, in any form that the model takes.
    label
        The class.
    top
        How many rows to return; None for all.

    Raises
    ------
    OptionError
        When `label` is no class of the model, or `top` is less than one.
    NotAJointError
        When the model gives scores and no posterior.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> rank(model, [[1.0], [9.0], [4.0]], "high").rows
    array([1, 2, 0])
    """
    require_posterior(model)
    if top is not None and (isinstance(top, bool) or not isinstance(top, Integral) or top < 1):
        raise OptionError(f"top={top!r} is no number of rows; give 1 or more, or None for all rows.")
    table = log_posterior(model, X)  # before the label is looked up, so that an unfitted model says so
    index = ClassIndex(model.classes_)
    place = index.require(label)
    own = table[:, place]
    log_odds = own - log_evidence(np.delete(table, place, axis=1))
    rows = np.argsort(-log_odds, kind="stable")[:top]
    return Ranking(index.classes[place], rows, np.exp(own[rows]), log_odds[rows])
