"""The terms that say most for each class of a model of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes._types import Counts, Floats, Value
from tallybayes.decision.showing import as_text, json_value, printable, slim_table
from tallybayes.schema.values import Values
from tallybayes.tallies.terms import TermTally

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Group


@dataclass(frozen=True, eq=False, repr=False)
class TellingTerms:
    """The terms of some classes, those that say most first; each attribute has an entry for each class.

    Attributes
    ----------
    labels : tuple of Value
        The classes.
    terms : tuple of tuple of str
        The terms.
    log_odds : tuple of ndarray
        log P(term|class) / P(term|other classes), the others together in proportion to their priors.
    texts, others : tuple of ndarray of int64
        How many texts of the class, and how many of all other classes, have the term.
    """

    labels: tuple[Value, ...]
    terms: tuple[tuple[str, ...], ...]
    log_odds: tuple[Floats, ...]
    texts: tuple[Counts, ...]
    others: tuple[Counts, ...]

    @cached_property
    def table(self) -> pa.Table:
        """The terms in lines: ``label``, ``term``, ``log_odds``, ``texts`` and ``others``."""
        import pyarrow as pa

        sizes = [len(terms) for terms in self.terms]
        labels = pa.array(Values(self.labels).to_array().tolist())
        codes = np.repeat([Values(self.labels).index[label] for label in self.labels], sizes)
        terms = [term.encode("utf-8", "replace").decode() for part in self.terms for term in part]
        return pa.table(
            {
                "label": labels.take(pa.array(codes, pa.int64())),
                "term": pa.array(terms, pa.string()),
                "log_odds": pa.array(np.concatenate(self.log_odds), pa.float64()),
                "texts": pa.array(np.concatenate(self.texts), pa.int64()),
                "others": pa.array(np.concatenate(self.others), pa.int64()),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the terms as strict JSON has it; infinite log odds are strings."""
        parts = zip(self.labels, self.terms, self.log_odds, self.texts, self.others, strict=True)
        return {
            "classes": [
                {
                    "label": json_value(label),
                    "terms": [
                        {"term": term, "log_odds": json_value(odds), "texts": n, "others": m}
                        for term, odds, n, m in zip(
                            terms, log_odds.tolist(), texts.tolist(), others.tolist(), strict=True
                        )
                    ],
                }
                for label, terms, log_odds, texts, others in parts
            ]
        }

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        from tallybayes.explain.evidence_page import odds_in_words

        page: list[Any] = []
        for c, label in enumerate(self.labels):
            table = slim_table()
            table.add_column(Text(printable(label), style="bold"), no_wrap=True, overflow="ellipsis", max_width=40)
            for heading in ("log odds", "odds", "texts", "others"):
                table.add_column(heading, justify="right", no_wrap=True)
            for t, term in enumerate(self.terms[c]):
                odds = float(self.log_odds[c][t])
                numbers = (f"{odds:+.2f}", odds_in_words(odds), f"{self.texts[c][t]:,}", f"{self.others[c][t]:,}")
                table.add_row(Text(printable(term)), *numbers)
            page += [""] * bool(page) + [table]
        return Group(*page)

    def __str__(self) -> str:
        return as_text(self.__rich__())

    def __repr__(self) -> str:
        return f"<TellingTerms of {len(self.labels)} classes>"


def telling_terms(
    tally: TermTally,
    log_prob: Floats,
    classes: Values,
    log_prior: Floats,
    codes: Sequence[int],
    top: int,
) -> TellingTerms:
    """Return the terms that say most for some classes.

    Parameters
    ----------
    tally
        The terms, and the texts that have them.
    log_prob : array of shape (terms, classes)
        log P(term|c), NaN where a term is passed over.
    classes, log_prior
        The classes, and log P(c).
    codes
        The classes that are asked about.
    top
        How many terms of each class.
    """
    rows = tally.rows_of(classes)
    kept = np.flatnonzero(~np.isnan(log_prob[:, 0]))
    found = [_of_class(tally, kept, log_prob[kept], rows[kept], log_prior, c, top) for c in codes]
    columns: list[Any] = list(zip(*found, strict=True))
    return TellingTerms(tuple(classes[c] for c in codes), *map(tuple, columns))


def _of_class(
    tally: TermTally, kept: Counts, log_prob: Floats, rows: Counts, log_prior: Floats, c: int, top: int
) -> tuple[tuple[str, ...], Floats, Counts, Counts]:
    """Return the terms of one class, their log odds, and the texts with them in the class and elsewhere."""
    odds = _log_odds(log_prob, log_prior, c)
    texts, others = rows[:, c], rows.sum(axis=1) - rows[:, c]
    if len(odds) > top:  # with all that are as telling as the last, so that the terms themselves break ties
        chosen = np.flatnonzero(odds >= np.partition(odds, -top)[-top])
    else:
        chosen = np.arange(len(odds))
    lines = [(-odds[t], -texts[t], tally.term(int(kept[t])), int(t)) for t in chosen]
    best = [line[-1] for line in sorted(lines)[:top]]
    terms = tuple(tally.term(int(kept[t])) for t in best)
    return terms, odds[best], texts[best], others[best]


def _log_odds(log_prob: Floats, log_prior: Floats, c: int) -> Floats:
    """Return log P(term|c) - log P(term|not c)."""
    rest = np.delete(np.arange(len(log_prior)), c)
    if not len(rest):
        return np.zeros(len(log_prob))
    prior = log_prior[rest] if np.isfinite(log_prior[rest]).any() else np.zeros(len(rest))
    with np.errstate(divide="ignore", invalid="ignore"):
        theirs = np.logaddexp.reduce(log_prob[:, rest] + prior, axis=1) - np.logaddexp.reduce(prior)
        odds: Floats = np.where(log_prob[:, c] == theirs, 0.0, log_prob[:, c] - theirs)
    return odds
