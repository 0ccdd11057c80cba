"""Graphs of columns whose tables lean on those of fewer parents, every sum written out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.models.dependence_reference import Reference, Row


@dataclass(frozen=True)
class Leaning(Reference):
    """P = (n + s P') / (N + s), from one parent to the next; by column the strengths that are held."""

    strengths: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def share(self, name: str, value: Any, whole: Row, c: str) -> float:
        if not self.values[name]:
            return 1.0
        given = [above for above in self.parents[name] if self.values[above]]
        share = 1.0 / len(self.values[name])
        for d in range(len(given) + 1):
            alike = [
                (row[name], w)
                for row, label, w in self.learned
                if label == c
                and all(row[above] == whole[above] for above in given[:d])
                and (self.missing_is_value or row[name] is not None)
            ]
            own = math.fsum(w for v, w in alike if v == value)
            s = self.strengths[name][d]
            share = (own + s * share) / (math.fsum(w for _, w in alike) + s)
        return share

    def without(self, i: int) -> Leaning:
        less = super().without(i)
        return replace(self, rows=less.rows, labels=less.labels, weights=less.weights, held=self.values,
                       held_classes=self.classes)  # fmt: skip


def losses(posterior: Sequence[float], own: int) -> list[float]:
    """Return what a row costs: its log-loss, whether it is wrong, and the square of what its class lacks."""
    p = posterior[own]
    wrong = any(q > p for q in posterior) or any(q == p for q in posterior[:own])
    return [-math.log(p) if p > 0 else math.inf, float(wrong), (1.0 - p) ** 2]


def posterior_of(joint: Sequence[float], prior: Sequence[float]) -> list[float]:
    """Return joint probabilities normalised; the prior where all are zero."""
    whole = math.fsum(joint)
    return [p / whole for p in joint] if whole else list(prior)
