"""What averaged estimators say by their definition, in loops over rows and values that share nothing with the code."""

from __future__ import annotations

import math
from itertools import combinations, product


class Reference:
    """The rows that were learned, as tuples of values or None, with labels and weights.

    `values` and `classes` are those of all rows, which are held where a row is taken out.
    """

    def __init__(
        self,
        rows,
        labels,
        weights=None,
        *,
        smoothing=1.0,
        order=1,
        min_count=0,
        weighted=False,
        limit=None,
        prior="joint",
    ):
        weights = [1.0] * len(rows) if weights is None else list(weights)
        self.rows = [(tuple(x), c, w) for x, c, w in zip(rows, labels, weights, strict=True) if w > 0]
        self.p = len(self.rows[0][0])
        self.values = [sorted({x[j] for x, _, _ in self.rows} - {None}) for j in range(self.p)]
        self.classes = sorted({c for _, c, _ in self.rows})
        self.l, self.order, self.min_count = smoothing, order, min_count
        self.weighted, self.limit, self.prior = weighted, limit, prior

    def without(self, i):
        """Return the same without one row."""
        other = object.__new__(Reference)
        other.__dict__ = {**self.__dict__, "rows": self.rows[:i] + self.rows[i + 1 :]}
        return other

    def weight(self, where, c=None):
        """Return the weight of the rows that have some values, of a class; a value ... is any but a missing one."""
        return sum(w for x, k, w in self.rows if (c is None or k == c) and self._has(x, where))

    def count(self, where):
        """Return the number of these rows."""
        return sum(self._has(x, where) for x, _, _ in self.rows)

    @staticmethod
    def _has(x, where):
        return all(x[j] is not None if v is ... else x[j] == v for j, v in where.items())

    def head(self, c, where):
        """Return P(c, state)."""
        states = math.prod(len(self.values[j]) for j in where)
        present = dict.fromkeys(where, ...)
        if self.prior != "joint":
            bottom = self.weight(present, c) + self.l * states
            return self.class_share(c) * ((self.weight(where, c) + self.l) / bottom if bottom else 1 / states)
        bottom = self.weight(present) + self.l * len(self.classes) * states
        return (self.weight(where, c) + self.l) / bottom if bottom else 1 / (len(self.classes) * states)

    def class_share(self, c):
        """Return P(c)."""
        bottom = self.weight({}) + self.l * len(self.classes)
        if self.prior == "uniform" or not bottom:
            return 1 / len(self.classes)
        return (self.weight({}, c) + self.l) / bottom

    def share(self, c, where, j, value):
        """Return P(x_j | c, state)."""
        bottom = self.weight({**where, j: ...}, c) + self.l * len(self.values[j])
        if not self.values[j]:
            return 1.0
        part = self.weight({**where, j: value}, c) if value in self.values[j] else 0.0
        return (part + self.l) / bottom if bottom else 1 / len(self.values[j])

    def information(self, group):
        """Return I(group; C)."""
        present = dict.fromkeys(group, ...)
        n = self.weight(present)
        total = 0.0
        for state in product(*(self.values[j] for j in group)):
            where = dict(zip(group, state, strict=True))
            for c in self.classes:
                both = self.weight(where, c)
                if both:
                    total += both / n * math.log(both * n / (self.weight(where) * self.weight(present, c)))
        return total if total > 1e-12 else 0.0

    def passed_over(self, x):
        """Return the columns whose value another one implies."""
        gone = set()
        for j in range(self.p):
            for i in range(self.p):
                if i == j or i in gone or x[i] not in self.values[i] or x[j] not in self.values[j]:
                    continue
                both = self.count({i: x[i], j: x[j]})
                implied = both == self.count({i: x[i], j: ...}) and both >= self.limit
                back = both == self.count({j: x[j], i: ...})
                if implied and not (back and j < i):
                    gone.add(j)
                    break
        return gone

    def scores(self, x):
        """Return the scores of a row by class."""
        gone = self.passed_over(x) if self.limit else set()
        for order in range(min(self.order, self.p), 0, -1):
            found = {}
            for group in combinations(range(self.p), order):
                if gone & set(group) or any(x[j] is not None and x[j] not in self.values[j] for j in group):
                    continue
                ranges = [self.values[j] if x[j] is None else [x[j]] for j in group]
                states = [dict(zip(group, s, strict=True)) for s in product(*ranges)]
                used = [s for s in states if self.count(s) >= self.min_count]
                if used:
                    children = [j for j in range(self.p) if j not in group and j not in gone and x[j] is not None]
                    found[group] = [
                        sum(self.head(c, s) * math.prod(self.share(c, s, j, x[j]) for j in children) for s in used)
                        for c in self.classes
                    ]
            if found:
                weights = {g: self.information(g) if self.weighted else 1.0 for g in found}
                if not any(weights.values()):
                    weights = dict.fromkeys(found, 1.0)
                whole = sum(weights.values())
                return [sum(weights[g] * found[g][k] for g in found) / whole for k in range(len(self.classes))]
        prior = [self.class_share(c) for c in self.classes]
        here = [j for j in range(self.p) if x[j] is not None]
        return [
            p * math.prod(self.share(c, {}, j, x[j]) for j in here) for p, c in zip(prior, self.classes, strict=True)
        ]
