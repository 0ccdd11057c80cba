"""Why a row is given its class: what each column adds to the log odds against another class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats, Name, Value
from tallybayes.decision.posterior import normalise_rows
from tallybayes.decision.showing import as_text, json_value
from tallybayes.explain.contrast import contrasted
from tallybayes.schema.values import Values

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """The evidence of some rows for one class against another; a slice of it is the evidence of fewer rows.

    For each row, `prior`, the `contributions` of the columns and the `remainder` add up to `log_odds`, all in nats. In
    naive Bayes the remainder is 0:

        log P(label|x)/P(against|x) = log P(label)/P(against) + sum_j log p(x_j|label)/p(x_j|against).

    Where columns depend on one another, a contribution is the log odds with the column less those without it, the
    column summed out; what columns say together, each alone does not, and the remainder has the difference.

    A contribution is infinite where the value of the column has probability zero under one of the two
    classes. Where both classes have probability zero their odds are 0/0: the prior answers, and all
    contributions of the row are 0. `rules_out_label` and `rules_out_against` say which columns decide.

    Attributes
    ----------
    names : tuple of Name
        The columns.
    values : tuple of sequences
        The raw cells, a sequence for each column.
    rows : ndarray of int64
        The numbers of the rows in what was explained, the first being 0.
    label, against : ndarray
        The two classes of each row; `against` is None in each where the model has only one class.
    probability, probability_against : ndarray of shape (n,)
        P(label|x) and P(against|x).
    prior : ndarray of shape (n,)
        The log odds before any column is seen.
    contributions : ndarray of shape (n, columns)
        What each column adds.
    remainder : ndarray of shape (n,), or None
        What the columns add together, beyond what each of them does; None in a model in which that is nothing.
    rules_out_label, rules_out_against : ndarray of bool of shape (n, columns)
        Where the value of a column has probability zero under a class.
    set_aside : ndarray of bool of shape (n,)
        Where both classes have probability zero, so that the odds are those of the prior.
    """

    names: tuple[Name, ...]
    values: tuple[Sequence[Any], ...]
    rows: Counts
    label: AnyArray
    against: AnyArray
    probability: Floats
    probability_against: Floats
    prior: Floats
    contributions: Floats
    rules_out_label: Bools
    rules_out_against: Bools
    set_aside: Bools
    remainder: Floats | None = None

    @cached_property
    def log_odds(self) -> Floats:
        """The log of P(label|x) / P(against|x): the exact sum of the prior, the contributions and the remainder."""
        parts = np.column_stack([self.prior, self.contributions, *([] if self.remainder is None else [self.remainder])])
        return np.array([_exact_sum(row) for row in parts.tolist()], dtype=np.float64)

    @cached_property
    def table(self) -> pa.Table:
        """The evidence in lines, as an Arrow table: ``row``, ``column``, ``value`` and ``contribution``.

        Each row begins with a line for the prior, named ``(prior)``, and its lines add up to its log odds; where there
        is a remainder, it is in the last line, named ``(remainder)``.
        Values are texts; a missing cell is null.
        """
        from tallybayes.explain.table import evidence_table

        return evidence_table(self.names, self.values, self.rows, self.prior, self.contributions, self.remainder)

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as strict JSON has it; infinite numbers are "Infinity" and "-Infinity"."""
        by_row = {name: getattr(self, name).tolist() for name in (*self._by_row, "log_odds")}
        return {"rows": [self._row_dict(i, by_row) for i in range(len(self))]}

    def _row_dict(self, i: int, by_row: dict[str, list[Any]]) -> dict[str, Any]:
        label, against = json_value(by_row["label"][i]), json_value(by_row["against"][i])
        columns = [
            {
                "column": name,
                "value": json_value(column[i]),
                "contribution": json_value(contribution),
                "rules_out": [label] * of_label + [against] * of_against,
            }
            for name, column, contribution, of_label, of_against in zip(
                self.names,
                self.values,
                by_row["contributions"][i],
                by_row["rules_out_label"][i],
                by_row["rules_out_against"][i],
                strict=True,
            )
        ]
        found = {
            "row": by_row["rows"][i],
            "label": label,
            "against": against,
            "probability": by_row["probability"][i],
            "probability_against": by_row["probability_against"][i],
            "log_odds": json_value(by_row["log_odds"][i]),
            "prior": json_value(by_row["prior"][i]),
            "set_aside": by_row["set_aside"][i],
            "columns": columns,
        }
        return found if self.remainder is None else {**found, "remainder": json_value(by_row["remainder"][i])}

    @property
    def _by_row(self) -> tuple[str, ...]:
        """The attributes with an entry for each row."""
        return _BY_ROW if self.remainder is None else (*_BY_ROW, "remainder")

    @classmethod
    def joined(cls, parts: Sequence[Evidence]) -> Evidence:
        """Return the evidence of the rows of all parts, numbered anew; the parts are of one model."""
        stacked = {name: np.concatenate([getattr(part, name) for part in parts]) for name in parts[0]._by_row}
        stacked["rows"] = np.arange(len(stacked["rows"]))
        columns = zip(*(part.values for part in parts), strict=True)
        values = tuple([cell for piece in column for cell in piece] for column in columns)
        return cls(names=parts[0].names, values=values, **stacked)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: SupportsIndex | slice) -> Evidence:
        if not isinstance(at, slice):
            i = range(len(self))[at]  # an IndexError where there is no such row
            at = slice(i, i + 1)
        values = tuple(column[at] for column in self.values)
        return Evidence(names=self.names, values=values, **{name: getattr(self, name)[at] for name in self._by_row})

    def __repr__(self) -> str:
        return f"<Evidence rows={len(self)}, columns={len(self.names)}>"

    def __rich__(self) -> RenderableType:
        from tallybayes.explain.evidence_page import page

        return page(self)

    def __str__(self) -> str:
        return as_text(self.__rich__())


_BY_ROW = tuple(field.name for field in fields(Evidence) if field.name not in ("names", "values", "remainder"))


def evidence(
    classes: Values,
    log_prior: Floats,
    terms: Floats,
    names: Sequence[Name],
    values: Sequence[Sequence[Any]],
    *,
    label: Value | None = None,
    against: Value | None = None,
    log_joint: Floats | None = None,
    is_product: bool = True,
) -> Evidence:
    """Return what each column says for a class against another, row by row.

    Parameters
    ----------
    classes
        The classes of the model.
    log_prior : array of shape (classes,)
        log P(c).
    terms : array of shape (rows, columns, classes)
        log p(x_j|c), or what else a column adds to the log joint; finite or -inf.
    names, values
        The columns, and the raw cells of each.
    label : class, optional
        The class that is explained; by default the most probable one of each row, or the most probable one
        besides `against`.
    against : class, optional
        The other class; by default the most probable one besides the label, and among classes of probability
        zero the one of the greatest prior.
    log_joint : array of shape (rows, classes), optional
        log p(x, c) as the model gives it to `predict`, so that a tie is broken alike; by default the sum of
        prior and terms.
    is_product
        Whether that sum is the log joint; else there is a remainder.

    Examples
    --------
    >>> log = np.log
    >>> found = evidence(
    ...     Values(["ham", "spam"]), log([0.8, 0.2]), log([[[0.1, 0.9], [0.5, 0.5]]]), ["offer", "hour"],
    ...     [["yes"], [None]],
    ... )
    >>> found.label.tolist(), found.prior.round(2), found.contributions.round(2), found.log_odds.round(2)
    (['spam'], array([-1.39]), array([[2.2, 0. ]]), array([0.81]))
    >>> print(found)
    row 0: spam rather than ham
    P(spam) = 69.2%, P(ham) = 30.8%: 2.25 to 1
    <BLANKLINE>
                       log odds
    prior                 -1.39     ▐██████│
    offer     yes         +2.20            │██████████
    hour      missing         0  says nothing
    together              +0.81
    """
    n = len(terms)
    if log_joint is None:
        with np.errstate(over="ignore"):
            log_joint = log_prior + terms.sum(axis=1)
    log_posterior = np.array(log_joint, dtype=np.float64, order="C")
    normalise_rows(log_posterior, log_prior, "log")
    ours, theirs = contrasted(classes, log_joint, log_posterior, log_prior, label, against)
    at, posterior, natural = np.arange(n), np.exp(log_posterior), classes.to_array()
    alone = len(classes) == 1
    our_terms, their_terms = terms[at, :, ours], terms[at, :, theirs]
    contributions = _difference(our_terms, their_terms)
    set_aside = np.isneginf(log_joint[at, ours]) & np.isneginf(log_joint[at, theirs])
    contributions[set_aside] = 0.0
    remainder = None
    if not is_product:
        rest = _rest(log_joint, log_prior, terms)
        remainder = np.where(set_aside, 0.0, _difference(rest[at, ours], rest[at, theirs]))
    return Evidence(
        names=tuple(names),
        values=tuple(values),
        rows=at,
        label=natural[ours],
        against=np.full(n, None) if alone else natural[theirs],
        probability=posterior[at, ours],
        probability_against=np.zeros(n) if alone else posterior[at, theirs],
        prior=np.full(n, np.inf) if alone else _difference(log_prior[ours], log_prior[theirs]),
        contributions=contributions,
        rules_out_label=np.isneginf(our_terms),
        rules_out_against=np.isneginf(their_terms),
        set_aside=set_aside,
        remainder=remainder,
    )


def _rest(log_joint: Floats, log_prior: Floats, terms: Floats) -> Floats:
    """Return what the prior and the terms leave of the log joint: 0 where they are -inf, as it then is, too."""
    said = log_prior + terms.sum(axis=1)
    with np.errstate(invalid="ignore"):
        rest: Floats = np.where(np.isneginf(said), 0.0, log_joint - said)
    return rest


def _difference(ours: Floats, theirs: Floats) -> Floats:
    """Return the difference, 0 where both are -inf."""
    with np.errstate(invalid="ignore", over="ignore"):
        difference: Floats = np.where(ours == theirs, 0.0, ours - theirs)
    return difference


def _exact_sum(parts: list[float]) -> float:
    try:
        return math.fsum(parts)
    except OverflowError:  # finite densities of numbers beyond all reason
        return sum(parts)
