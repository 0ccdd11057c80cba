"""Naive Bayes over dicts, one number at a time: what the library is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

Cells = Sequence[tuple[Any, str, float]]
"""A column: the cell, the label and the weight of each row."""


@dataclass(frozen=True)
class Reference:
    """The rows that were learned, and the options; every probability is computed from them when asked for."""

    rows: Sequence[Mapping[Any, Any]]
    labels: Sequence[str | None]
    weights: Sequence[float] | None
    kinds: Mapping[Any, str]
    smoothing: float = 1.0
    prior: str = "empirical"
    prior_smoothing: float = 0.0
    ddof: float = 0.0
    floor: float = 1e-9
    var_smoothing: float = 0.0
    missing: str = "marginalize"
    threshold: float = 0.0
    least: int = 0
    bandwidth: str | float = "silverman"
    told: Sequence[str] = ()
    edges: Mapping[Any, Sequence[float]] = field(default_factory=dict)

    def learned(self) -> list[tuple[Mapping[Any, Any], str, float]]:
        weights = [1.0] * len(self.rows) if self.weights is None else self.weights
        triples = zip(self.rows, self.labels, weights, strict=True)
        return [(row, label, weight) for row, label, weight in triples if label is not None and weight > 0]

    def column(self, name: Any) -> Cells:
        return [(row[name], label, w) for row, label, w in self.learned()]

    def classes(self) -> list[str]:
        return sorted({label for _, label, _ in self.learned()} | set(self.told))

    def log_joint(self, row: Mapping[Any, Any]) -> list[float]:
        """Return log p(x, c) of each class in their order."""
        return [_sum([self.log_prior(c), *self.log_probs(row, c).values()]) for c in self.classes()]

    def log_prior(self, c: str) -> float:
        classes = self.classes()
        if self.prior == "uniform":
            return -math.log(len(classes))
        total = math.fsum(w for _, _, w in self.learned())
        own = math.fsum(w for _, label, w in self.learned() if label == c)
        return _log((own + self.prior_smoothing) / (total + len(classes) * self.prior_smoothing))

    def log_probs(self, row: Mapping[Any, Any], c: str) -> dict[Any, float]:
        """Return what each column adds."""
        return {name: self.log_prob(name, row[name], c) for name in self.kinds}

    def log_prob(self, name: Any, value: Any, c: str) -> float:
        kind, cells = self.kinds[name], self.column(name)
        if kind == "categorical":
            return self._categorical(cells, value, c)
        if kind == "bins":
            return self._bins(cells, value, c, self.edges[name])
        present = self._presence(cells, value, c) if self.missing == "category" else 0.0
        if value is None:
            return present
        if kind == "multinomial":
            return _sum([present, self._multinomial(name, value, c)])
        there = [(x, label, w) for x, label, w in cells if x is not None]
        if not there:
            return present  # a column that no row has says nothing
        return _sum([present, getattr(self, f"_{kind}")(there, value, c)])

    def _presence(self, cells: Cells, value: Any, c: str) -> float:
        own = [(x, w) for x, label, w in cells if label == c]
        if not own and self.smoothing == 0:  # a class of which nothing is known: as all classes together
            own = [(x, w) for x, _, w in cells]
        alike = math.fsum(w for x, w in own if (x is None) == (value is None))
        return _log((alike + self.smoothing) / (math.fsum(w for _, w in own) + 2 * self.smoothing))

    # Counts ---------------------------------------------------------------------------------------------

    def _categorical(self, cells: Cells, value: Any, c: str) -> float:
        if self.missing != "category":
            if value is None:
                return 0.0
            cells = [cell for cell in cells if cell[0] is not None]
        return self._share(cells, value, c, len({x for x, _, _ in cells})) if cells else 0.0

    def _bins(self, cells: Cells, value: Any, c: str, edges: Sequence[float]) -> float:
        def at(x: Any) -> Any:
            return None if x is None else sum(edge <= x for edge in edges)

        if self.missing != "category":
            if value is None:
                return 0.0
            cells = [cell for cell in cells if cell[0] is not None]
        if not cells and self.smoothing == 0:
            return 0.0
        binned = [(at(x), label, w) for x, label, w in cells]
        return self._share(binned, at(value), c, len(edges) + 1 + any(x is None for x, _, _ in binned))

    def _codes(self, there: Cells, value: Any, c: str) -> float:
        return self._share(there, value, c, max(self.least, 1 + max(x for x, _, _ in there)))

    def _boolean(self, there: Cells, value: Any, c: str) -> float:
        return self._share([(x > self.threshold, k, w) for x, k, w in there], value > self.threshold, c, 2)

    def _share(self, cells: Cells, value: Any, c: str, values: int) -> float:
        own = [(x, w) for x, label, w in cells if label == c]
        total = math.fsum(w for _, w in own) + self.smoothing * values
        if total == 0:  # an unsmoothed class that never has the column: as all classes together
            own, total = [(x, w) for x, _, w in cells], math.fsum(w for _, _, w in cells)
        return _log((math.fsum(w for x, w in own if x == value) + self.smoothing) / total)

    def _sparse(self, there: Cells, value: Any, c: str) -> float:
        everything = [(row, w) for row, _, w in self.learned()]
        ones = math.fsum(w for row, w in everything for x in row.values() if x is not None and x > 0)
        if ones == 0:  # no row has any term, so that a term has no probability at all
            return -math.inf if value > 0 else 0.0
        mean = ones / math.fsum(w for _, w in everything)
        own = [(x > 0, w) for x, label, w in there if label == c]
        extra = self.smoothing * len(self.kinds) / mean
        p = (math.fsum(w for x, w in own if x) + self.smoothing) / (math.fsum(w for _, w in own) + extra)
        return _log(p if value > 0 else 1 - p)

    def _multinomial(self, name: Any, value: Any, c: str) -> float:
        block = [n for n, kind in self.kinds.items() if kind == "multinomial"]

        def totals(classes: Sequence[str], extra: float) -> dict[Any, float]:
            return {
                n: math.fsum(w * x for x, label, w in self.column(n) if x is not None and label in classes) + extra
                for n in block
            }

        own = totals([c], self.smoothing)
        if math.fsum(own.values()) == 0:
            own = totals(self.classes(), 0.0)
        whole = math.fsum(own.values())
        return 0.0 if value == 0 else value * _log(own[name] / whole if whole else 0.0)

    def _count(self, there: Cells, value: int, c: str) -> float:
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

    # Densities ------------------------------------------------------------------------------------------

    def _numeric(self, there: Cells, value: float, c: str) -> float:
        mean, spread, weight = _moments(there)
        own = [cell for cell in there if cell[1] == c]
        unbiased = spread / (weight - self.ddof) if weight > self.ddof else 0.0
        scale = spread / weight or (mean**2 or 1.0)
        variance = unbiased
        if own:
            mean, spread, weight = _moments(own)
            lone = self.floor > 0 and weight <= 1 and spread == 0
            variance = spread / (weight - self.ddof) if weight > self.ddof and not lone else unbiased
        if self.var_smoothing:
            variance += self.var_smoothing * max(self._variance_of(name) for name in self.kinds)
        variance = max(variance, self.floor * scale) or 1e-9 * scale
        return -0.5 * math.log(2 * math.pi * variance) - (value - mean) ** 2 / (2 * variance)

    def _variance_of(self, name: Any) -> float:
        there = [cell for cell in self.column(name) if cell[0] is not None]
        if not there:
            return 0.0
        _, spread, weight = _moments(there)
        return spread / weight

    def _kernel(self, there: Cells, value: float, c: str) -> float:
        own = [cell for cell in there if cell[1] == c] or there
        h = self._bandwidth(there, own)
        exponents = [math.log(w) - 0.5 * ((value - x) / h) ** 2 for x, _, w in own]
        top = max(exponents)
        if top == -math.inf:
            return -math.inf
        total = math.log(math.fsum(math.exp(e - top) for e in exponents)) + top
        return total - math.log(math.fsum(w for _, _, w in own)) - math.log(h) - 0.5 * math.log(2 * math.pi)

    def _bandwidth(self, there: Cells, own: Cells) -> float:
        if not isinstance(self.bandwidth, str):
            return self.bandwidth
        mean, _, _ = _moments(there)
        overall, (_, _, weight) = _deviation(there), _moments(own)
        deviation = _deviation(own) if weight > 1 else overall
        if deviation == 0:
            return math.sqrt(1e-9) * (overall or abs(mean) or 1.0)
        return deviation * (weight if self.bandwidth == "scott" else 0.75 * weight) ** -0.2

    def _histogram(self, there: Cells, value: float, c: str) -> float:
        edges = _edges(there)
        bins = len(edges) - 1

        def at(x: float) -> int:
            return sum(edge <= x for edge in edges) - 1

        own = [cell for cell in there if cell[1] == c]
        total = math.fsum(w for _, _, w in own) + self.smoothing * bins
        if total == 0:
            own, total = there, math.fsum(w for _, _, w in there)
        inside = math.fsum(w for x, _, w in own if at(x) == at(value)) if 0 <= at(value) < bins else 0.0
        nearest = min(max(at(value), 0), bins - 1)
        return _log((inside + self.smoothing) / total) - math.log(edges[nearest + 1] - edges[nearest])


def complement(
    rows: Sequence[Sequence[float]], labels: Sequence[str], weights: Sequence[float], alpha: float, norm: bool
) -> tuple[list[str], list[list[float]]]:
    """Return the classes and the weights of complement naive Bayes, as Rennie and others write them down."""
    classes, tables = ["a", "b", "c"], []
    for c in classes:
        others = [(row, w) for row, label, w in zip(rows, labels, weights, strict=True) if label != c]
        counts = [alpha + math.fsum(w * row[j] for row, w in others if row[j] == row[j]) for j in range(len(rows[0]))]
        logs = [_log(count / math.fsum(counts)) for count in counts]
        tables.append([x / math.fsum(logs) for x in logs] if norm else [-x for x in logs])
    return classes, tables


def _edges(there: Cells) -> list[float]:
    """Return where a histogram of equal shares is cut: between the numbers whose count is nearest to a share."""
    masses: dict[float, Fraction] = {}
    for x, _, w in there:
        masses[float(x) + 0.0] = masses.get(float(x) + 0.0, Fraction(0)) + Fraction(w)
    numbers, total = sorted(masses), sum(masses.values())
    if len(numbers) == 1:
        half = 0.5 * (abs(numbers[0]) or 1.0)
        return [numbers[0] - half, numbers[0] + half]
    bins = math.ceil((2 * float(total)) ** (1 / 3) - 1e-9)
    below = [sum((masses[x] for x in numbers[:i]), Fraction(0)) for i in range(len(numbers) + 1)]
    cuts = set()
    for b in range(1, bins):
        share = total * b / bins
        cuts.add(min(range(len(below)), key=lambda i: (abs(below[i] - share), i)))
    halves = [0.5 * (numbers[i - 1] + numbers[i]) for i in sorted(cuts) if 0 < i < len(numbers)]
    gaps = [b - a for a, b in pairwise(numbers)]
    return [numbers[0] - 0.5 * gaps[0], *halves, numbers[-1] + 0.5 * gaps[-1]]


def _moments(cells: Cells) -> tuple[float, float, float]:
    """Return the mean, the sum of squared deviations and the weight, in exact arithmetic."""
    exact = [(Fraction(x), Fraction(w)) for x, _, w in cells]
    weight = sum(w for _, w in exact)
    mean = sum(w * x for x, w in exact) / weight
    return float(mean), float(sum(w * (x - mean) ** 2 for x, w in exact)), float(weight)


def _deviation(cells: Cells) -> float:
    _, spread, weight = _moments(cells)
    return math.sqrt(spread / max(weight - 1, 0.5 * weight))


def _sum(terms: Sequence[float]) -> float:
    return -math.inf if -math.inf in terms else math.fsum(terms)


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
