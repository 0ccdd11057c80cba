"""Models of columns that depend on one another, over dicts, every sum written out: what ours are compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Reference:
    """Rows that were learned, and what each column depends on; probabilities are counted when they are asked for.

    `values` and `classes` are held where they are given, as for a row that is taken out.
    """

    rows: Sequence[Row]
    labels: Sequence[str | None]
    weights: Sequence[float]
    parents: Mapping[str, tuple[str, ...]]
    smoothing: float = 1.0
    superparent: str | None = None
    missing_is_value: bool = False
    held: Mapping[str, Sequence[Any]] | None = None
    held_classes: Sequence[str] | None = None

    @cached_property
    def learned(self) -> list[tuple[Row, str, float]]:
        triples = zip(self.rows, self.labels, self.weights, strict=True)
        return [(row, label, w) for row, label, w in triples if label is not None and w > 0]

    @cached_property
    def classes(self) -> list[str]:
        return sorted({label for _, label, _ in self.learned}) if self.held_classes is None else [*self.held_classes]

    @cached_property
    def values(self) -> Mapping[str, Sequence[Any]]:
        if self.held is not None:
            return self.held
        found = {}
        for name in self.parents:
            seen = {row[name] for row, _, _ in self.learned}
            if not self.missing_is_value:
                seen -= {None}
            found[name] = sorted(seen, key=lambda v: (v is None, v or ""))
        return found

    def joint(self, row: Row, c: str) -> float:
        """Return p(x, c), whatever is missing or was never seen summed out over all of its values."""
        known, hidden, unseen = {}, [], []
        for name in self.parents:
            value = row[name]
            if value in self.values[name]:
                known[name] = value
            else:
                hidden.append(name)
                if value is not None or self.missing_is_value:
                    unseen.append(name)
        total = 0.0
        spaces = [self.values[name] or [None] for name in hidden]
        for filled in product(*spaces):
            whole = {**known, **dict(zip(hidden, filled, strict=True))}
            p = self.prior(c)
            for name in self.parents:
                p *= self.share(name, whole[name], whole, c)
            for name in unseen:  # beside the copy that its children see
                p *= self.share(name, "never seen", whole, c)
            total += p
        return total

    def prior(self, c: str) -> float:
        rows = self.learned
        extra = self.smoothing
        if self.superparent is not None and self.values[self.superparent]:
            if not self.missing_is_value:
                rows = [(row, label, w) for row, label, w in rows if row[self.superparent] is not None]
            extra *= len(self.values[self.superparent])
        own = math.fsum(w for _, label, w in rows if label == c)
        whole = math.fsum(w for _, _, w in rows) + extra * len(self.classes)
        return (own + extra) / whole if whole else 1.0 / len(self.classes)

    def share(self, name: str, value: Any, whole: Row, c: str) -> float:
        """Return P(value | values of the parents, c)."""
        if not self.values[name]:
            return 1.0
        given = [above for above in self.parents[name] if self.values[above]]
        alike = [
            (row[name], w)
            for row, label, w in self.learned
            if label == c
            and all(row[above] == whole[above] for above in given)
            and (self.missing_is_value or row[name] is not None)
        ]
        own = math.fsum(w for v, w in alike if v == value)
        total = math.fsum(w for _, w in alike) + self.smoothing * len(self.values[name])
        return (own + self.smoothing) / total if total else 1.0 / len(self.values[name])

    def log_joint(self, row: Row) -> list[float]:
        logs = [self.joint(row, c) for c in self.classes]
        return [math.log(p) if p > 0 else -math.inf for p in logs]

    def without(self, i: int) -> Reference:
        """Return the model without one row, its structure, values and classes held."""
        rest = [k for k in range(len(self.rows)) if k != i]
        return Reference(
            [self.rows[k] for k in rest],
            [self.labels[k] for k in rest],
            [self.weights[k] for k in rest],
            self.parents,
            self.smoothing,
            self.superparent,
            self.missing_is_value,
            self.values,
            self.classes,
        )
