"""Naive Bayes over dicts, one number at a time: what the library is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FLOOR = 1e-9


@dataclass(frozen=True)
class Reference:
    """The rows that were learned, and the options; every probability is computed from them when asked for."""

    rows: Sequence[Mapping[str, object]]
    labels: Sequence[str | None]
    weights: Sequence[float] | None
    kinds: Mapping[str, str]
    smoothing: float = 1.0
    prior_smoothing: float = 0.0
    ddof: float = 0.0
    missing: str = "marginalize"

    def learned(self) -> list[tuple[Mapping[str, object], str, float]]:
        weights = [1.0] * len(self.rows) if self.weights is None else self.weights
        triples = zip(self.rows, self.labels, weights, strict=True)
        return [(row, label, weight) for row, label, weight in triples if label is not None and weight > 0]

    def classes(self) -> list[str]:
        return sorted({label for _, label, _ in self.learned()})

    def log_joint(self, row: Mapping[str, object]) -> dict[str, float]:
        return {
            c: self.log_prior(c) + math.fsum(self.log_prob(name, row[name], c) for name in self.kinds)
            if all(self.log_prob(name, row[name], c) > -math.inf for name in self.kinds)
            else -math.inf
            for c in self.classes()
        }

    def log_prior(self, c: str) -> float:
        total = math.fsum(w for _, _, w in self.learned())
        own = math.fsum(w for _, label, w in self.learned() if label == c)
        classes = self.classes()
        return math.log((own + self.prior_smoothing) / (total + len(classes) * self.prior_smoothing))

    def log_prob(self, name: str, value: object, c: str) -> float:
        kind = self.kinds[name]
        seen = [(row[name], label, w) for row, label, w in self.learned()]
        if kind == "categorical":
            return self._categorical(seen, value, c)
        present = self._presence(seen, value, c) if self.missing == "category" else 0.0
        if value is None:
            return present
        there = [(x, label, w) for x, label, w in seen if x is not None]
        if not there:
            return present  # a column that no row has says nothing
        return present + getattr(self, f"_{kind}")(there, value, c)

    def _categorical(self, seen: list, value: object, c: str) -> float:
        if self.missing != "category":
            if value is None:
                return 0.0
            seen = [(x, label, w) for x, label, w in seen if x is not None]
        values = {x for x, _, _ in seen}
        if not values - {None}:
            # Nothing is known of the column; with missing as a value, that is the only one.
            return 0.0 if not values or value is None else _log(self.smoothing / self._total(seen, c, values))
        own = [(x, w) for x, label, w in seen if label == c]
        total = math.fsum(w for _, w in own) + self.smoothing * len(values)
        if total == 0:  # an unsmoothed class that never has the column: as all classes together
            own, total = [(x, w) for x, _, w in seen], math.fsum(w for _, _, w in seen)
        return _log((math.fsum(w for x, w in own if x == value) + self.smoothing) / total)

    def _total(self, seen: list, c: str, values: set) -> float:
        return math.fsum(w for _, label, w in seen if label == c) + self.smoothing * len(values)

    def _presence(self, seen: list, value: object, c: str) -> float:
        rows = math.fsum(w for _, label, w in seen if label == c)
        gone = math.fsum(w for x, label, w in seen if label == c and x is None)
        count = gone if value is None else rows - gone
        return _log((count + self.smoothing) / (rows + 2 * self.smoothing))

    def _boolean(self, there: list, value: object, c: str) -> float:
        own = [(x, w) for x, label, w in there if label == c]
        total = math.fsum(w for _, w in own) + 2 * self.smoothing
        if total == 0:
            own, total = [(x, w) for x, _, w in there], math.fsum(w for _, _, w in there)
        return _log((math.fsum(w for x, w in own if x == value) + self.smoothing) / total)

    def _count(self, there: list, value: int, c: str) -> float:
        total, rows = math.fsum(w * x for x, _, w in there), math.fsum(w for _, _, w in there)
        mean = total / rows if total > 0 else self.smoothing / (rows + self.smoothing)
        own = [(x, w) for x, label, w in there if label == c]
        denominator = math.fsum(w for _, w in own) + self.smoothing
        if denominator == 0:
            rate = mean
        else:
            rate = (math.fsum(w * x for x, w in own) + self.smoothing * mean) / denominator
        power = 0.0 if value == 0 else value * _log(rate)
        return power - rate - math.lgamma(value + 1)

    def _numeric(self, there: list, value: float, c: str) -> float:
        mean, spread, weight = _moments([(x, w) for x, _, w in there])
        own = [(x, w) for x, label, w in there if label == c]
        unbiased = spread / (weight - self.ddof) if weight > self.ddof else 0.0
        overall = spread / weight
        scale = overall or (mean**2 or 1.0)
        if own:
            mean, spread, weight = _moments(own)
            variance = spread / (weight - self.ddof) if weight > self.ddof else unbiased
        else:
            variance = unbiased
        variance = max(variance, FLOOR * scale)
        return -0.5 * math.log(2 * math.pi * variance) - (value - mean) ** 2 / (2 * variance)


def _moments(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the mean, the sum of squared deviations and the weight, in exact arithmetic."""
    from fractions import Fraction

    exact = [(Fraction(x), Fraction(w)) for x, w in pairs]
    weight = sum(w for _, w in exact)
    mean = sum(w * x for x, w in exact) / weight
    return float(mean), float(sum(w * (x - mean) ** 2 for x, w in exact)), float(weight)


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
