"""The words that decided one text: each with its place, and what it adds to the log odds of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tallybayes._types import AnyArray, Bools, Counts, Floats, Value
from tallybayes.decision.showing import as_text, json_value
from tallybayes.explain.evidence import Evidence, evidence
from tallybayes.factors.term_weights import TextConditional
from tallybayes.schema.values import Values
from tallybayes.text.places import locate

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

ABSENT = "(absent terms)"
"""The line of what the terms add that a text does not have, in a model of coins."""


@dataclass(frozen=True, eq=False, repr=False)
class Highlight:
    """A text with the terms in it that speak for one class or the other.

    The prior, what absent terms say, and the contributions of all terms that stand in the text add up to the log odds
    of the two classes, as in `tallybayes.explain.evidence.Evidence`, which `evidence` has by distinct terms. Where a
    term counts once or by its logarithm, its places have equal shares.

    Attributes
    ----------
    text : str
        The text.
    terms : tuple of str
        The terms in the order in which they begin; a term that stands at two places is there twice.
    begins, ends : ndarray of int64
        Where each begins and ends, so that it is ``text[begin:end]`` as it was written; -1 for terms that an analyzer
        of one's own has made and that do not stand in the text.
    contributions : ndarray
        What each adds to the log odds of `label` against `against`.
    evidence : Evidence
        The same by distinct terms, with the prior.
    """

    text: str
    terms: tuple[str, ...]
    begins: Counts
    ends: Counts
    contributions: Floats
    evidence: Evidence

    @property
    def label(self) -> Value:
        """The class that is explained."""
        label: Value = self.evidence.label.tolist()[0]
        return label

    @property
    def against(self) -> Value | None:
        """The class that it is weighed against; None where the model knows no other."""
        against: Value | None = self.evidence.against.tolist()[0]
        return against

    @property
    def log_odds(self) -> float:
        """The log of P(label|text) / P(against|text)."""
        return float(self.evidence.log_odds[0])

    @cached_property
    def strength(self) -> Floats:
        """What all terms that cover a character of the text add, one number a character."""
        finite = np.clip(np.nan_to_num(self.contributions), -1e300, 1e300)
        steps = np.zeros(len(self.text) + 1)
        there = self.begins >= 0
        np.add.at(steps, self.begins[there], finite[there])
        np.add.at(steps, self.ends[there], -finite[there])
        covered = np.zeros(len(self.text) + 1, np.int64)
        np.add.at(covered, self.begins[there], 1)
        np.add.at(covered, self.ends[there], -1)
        strength: Floats = np.where(np.cumsum(covered) > 0, np.cumsum(steps), 0.0)[:-1]
        return strength

    @cached_property
    def table(self) -> pa.Table:
        """The terms in lines: ``term``, ``begin``, ``end`` and ``contribution``, adding up to the log odds.

        The first line is that of the prior; what absent terms add follows, where it is anything. Both have no place.
        """
        import pyarrow as pa

        from tallybayes.explain.table import PRIOR

        extra = [(PRIOR, float(self.evidence.prior[0]))]
        if ABSENT in self.evidence.names:
            extra.append((ABSENT, float(self.evidence.contributions[0, self.evidence.names.index(ABSENT)])))
        terms = [name for name, _ in extra] + [term.encode("utf-8", "replace").decode() for term in self.terms]
        nowhere = [None] * len(extra)

        def places(numbers: Counts) -> pa.Array:
            return pa.array(nowhere + [None if place < 0 else place for place in numbers.tolist()], pa.int64())

        return pa.table(
            {
                "term": pa.array(terms, pa.string()),
                "begin": places(self.begins),
                "end": places(self.ends),
                "contribution": pa.array(
                    np.concatenate([[number for _, number in extra], self.contributions]), pa.float64()
                ),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the highlight as strict JSON has it; infinite numbers are strings."""
        (row,) = self.evidence.to_dict()["rows"]
        columns = zip(self.terms, self.begins.tolist(), self.ends.tolist(), self.contributions.tolist(), strict=True)
        return {
            "text": self.text,
            **{
                key: row[key] for key in ("label", "against", "probability", "probability_against", "log_odds", "prior")
            },
            "terms": [
                {"term": term, "begin": begin, "end": end, "contribution": json_value(number)}
                for term, begin, end, number in columns
            ],
        }

    def html(self) -> str:
        """Return the text as HTML that stands by itself: green speaks for the class, red against it."""
        from tallybayes.explain.highlight_page import html

        return html(self)

    def __rich__(self) -> RenderableType:
        from tallybayes.explain.highlight_page import page

        return page(self)

    def __str__(self) -> str:
        return as_text(self.__rich__())

    def __repr__(self) -> str:
        return f"<Highlight of {len(self.terms)} terms, {self.label!r} against {self.against!r}>"


def highlight(
    text: str,
    conditional: TextConditional,
    classes: Values,
    log_prior: Floats,
    *,
    label: Value | None = None,
    against: Value | None = None,
    log_joint: Floats | None = None,
) -> Highlight:
    """Return what each term of a text says for a class against another.

    Parameters
    ----------
    text
        The text.
    conditional, classes, log_prior
        The estimated model.
    label, against
        The two classes, as for `tallybayes.explain.evidence.evidence`.
    log_joint : array of shape (1, classes), optional
        log p(text, c) as the model gives it, so that a tie is broken alike.
    """
    found = locate(text, conditional.analyzer)
    keys, codes = np.unique(found.keys, return_inverse=True)
    often = np.bincount(codes, minlength=len(keys))
    logs, kept = _by_class(conditional, keys, often)
    order = np.full(len(keys), -1)  # distinct terms in the order in which they come first, without what is passed over
    first = {int(code): place for place, code in reversed([*enumerate(codes.tolist())])}
    used = sorted((code for code in range(len(keys)) if kept[code]), key=first.__getitem__)
    order[used] = np.arange(len(used))
    alike: dict[int, dict[str, None]] = {}  # hashed terms may share a key
    for term, code in zip(found.terms, codes.tolist(), strict=True):
        alike.setdefault(code, {})[term] = None
    names = [" / ".join(alike[code]) for code in used]
    values: list[list[Any]] = [[f"{often[code]} times" if often[code] > 1 else ""] for code in used]
    logs = logs[used]
    if conditional.event == "bernoulli":
        names, values = [*names, ABSENT], [*values, [""]]
        logs = np.vstack([logs, _absent(conditional, keys)])
    evident = evidence(
        classes, log_prior, logs[np.newaxis], names, values, label=label, against=against, log_joint=log_joint
    )
    shown = np.flatnonzero(kept[codes])
    share = evident.contributions[0, order[codes[shown]]] / often[codes[shown]]
    terms = tuple(found.terms[place] for place in shown.tolist())
    return Highlight(text, terms, found.begins[shown], found.ends[shown], share, evident)


def _by_class(conditional: TextConditional, keys: AnyArray, often: Counts) -> tuple[Floats, Bools]:
    """Return what each distinct term adds for each class, shape (terms, classes), and which are not passed over."""
    at = np.searchsorted(conditional.keys, keys)
    known = at < len(conditional.keys)
    known[known] = conditional.keys[at[known]] == keys[known]
    logs = np.tile(conditional.unknown, (len(keys), 1))
    logs[known] = conditional.term_log_prob(at[known])
    kept = ~np.isnan(logs[:, 0])
    logs[~kept] = 0.0
    amounts = conditional.amounts(often)[:, np.newaxis]
    return logs * amounts, kept


def _absent(conditional: TextConditional, keys: AnyArray) -> Floats:
    """Return what the terms of the dictionary that a text does not have add for each class."""
    there = np.isin(conditional.keys, keys)
    absent: Floats = conditional.base - np.nansum(conditional.absent_log_prob(np.flatnonzero(there)), axis=0)
    if conditional.certain is not None:
        absent[conditional.are_certain(~there).any(axis=0)] = -np.inf
    return absent
