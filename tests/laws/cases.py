"""Every estimator with the rows that it is for, and what an independent reference says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

import tallybayes as tb
from tests.laws.reference import Reference
from tests.laws.tables import COLOURS, SIZES, TYPES, Table, random_table

KINDS = {"colour": "categorical", "size": "numeric", "far": "numeric", "eggs": "count", "tame": "boolean"}
ALL = ["a", "b", "c"]


@dataclass(frozen=True)
class Case:
    """An estimator, the columns of a random table that it reads, and the options of the reference."""

    make: Callable[[], Any]
    columns: Sequence[str]
    reference: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    as_array: bool = False
    holes: bool = True
    tolerance: float = 1e-9
    told: bool = False
    """Whether all classes are declared beforehand, as the drop-ins want."""

    def rows(self, n: int, seed: int, *, weighted: bool) -> Table:
        """Return random rows; array columns are three of the same sort, by their positions."""
        if not self.as_array:
            table = random_table(n, seed, weighted=weighted)
            if self.holes:
                return table
            rng = np.random.default_rng(seed)
            whole = {
                "colour": rng.choice(COLOURS, n).tolist(),
                "size": rng.choice(SIZES, n).tolist(),
                "far": (1e9 + rng.standard_normal(n)).tolist(),
                "eggs": rng.poisson(1.5, n).tolist(),
                "tame": (rng.random(n) < 0.4).tolist(),
            }
            return Table(whole, table.labels, table.weights)
        parts = [random_table(n, (seed + 7919 * j) % 2**32, weighted=weighted) for j in range(len(self.columns))]
        columns = {j: part.columns[name] for j, (name, part) in enumerate(zip(self.columns, parts, strict=True))}
        return Table(columns, parts[0].labels, parts[0].weights)

    def data(self, table: Table) -> Any:
        if self.as_array:
            cells = [[np.nan if x is None else float(x) for x in column] for column in table.columns.values()]
            return np.array(cells, dtype=np.float64).T.reshape(len(table), len(table.columns))
        return pa.table({name: pa.array(table.columns[name], TYPES[name]) for name in self.columns})

    def learn(self, table: Table, model: Any = None) -> Any:
        """Fit, or go on with a model that is given."""
        y = np.array(table.labels, dtype=object)
        weights = None if table.weights is None else np.array(table.weights)
        if model is None and not self.told:
            return self.make().fit(self.data(table), y, sample_weight=weights)
        options = {"classes": ALL} if model is None else {}
        return (model or self.make()).partial_fit(self.data(table), y, sample_weight=weights, **options)

    def forget(self, model: Any, table: Table) -> Any:
        weights = None if table.weights is None else np.array(table.weights)
        return model.forget(self.data(table), np.array(table.labels, dtype=object), sample_weight=weights)

    def reference_for(self, table: Table) -> Reference:
        names = list(table.columns) if self.as_array else list(self.columns)
        rows = [{name: table.columns[name][i] for name in names} for i in range(len(table))]
        kinds = {n: self.kinds.get(c, KINDS[c]) for n, c in zip(names, self.columns, strict=True)}
        told = ALL if self.told else ()
        return Reference(rows, table.labels, table.weights, kinds, told=told, **self.reference)


def worth(table: Table) -> bool:
    """Whether some row takes part."""
    weights = table.weights or [1.0] * len(table)
    return any(label is not None and w > 0 for label, w in zip(table.labels, weights, strict=True))


def naive(names: Sequence[str] = tuple(KINDS), **options: Any) -> Callable[[], Any]:
    return lambda: tb.NaiveBayes(columns={name: KINDS[name] for name in names}, **options)


def mixed(make: Callable[[], Any], **rest: Any) -> Case:
    return Case(make, tuple(KINDS), **rest)


def array(make: Callable[[], Any], column: str, kind: str, **rest: Any) -> Case:
    return Case(make, (column,) * 3, kinds={column: kind}, as_array=True, told=True, **rest)


NEAR = 1e-3  # what a kernel density from bins promises
NEARBY = ("colour", "size", "eggs", "tame")  # a histogram at a billion is cut to 2**-22, which the reference is not
EDGES = {"size": (0.0, 0.5, 2.0), "far": (1e9 - 0.25, 1e9 + 1.0), "eggs": (1.0, 2.0, 5.0)}
BINS = dict.fromkeys(EDGES, "bins")
CASES = {
    "naive": mixed(naive()),
    "naive, unsmoothed": mixed(naive(smoothing=0, ddof=1), reference={"smoothing": 0.0, "ddof": 1.0}),
    "naive, missing is a category": mixed(naive(missing="category"), reference={"missing": "category"}),
    "naive, missing is a category, unsmoothed": mixed(
        naive(missing="category", smoothing=0), reference={"missing": "category", "smoothing": 0.0}
    ),
    "naive, missing is an error": mixed(naive(missing="error"), holes=False),
    "naive, kernel": mixed(naive(numeric="kernel"), kinds={"size": "kernel", "far": "kernel"}, tolerance=NEAR),
    "naive, histogram": Case(naive(NEARBY, numeric="histogram"), NEARBY, kinds={"size": "histogram"}),
    "naive, histogram, unsmoothed": Case(
        naive(NEARBY, numeric="histogram", smoothing=0, missing="category", factors={"eggs": "histogram"}),
        NEARBY,
        kinds={"size": "histogram", "eggs": "histogram"},
        reference={"smoothing": 0.0, "missing": "category"},
    ),
    "naive, factors by name": mixed(
        naive(factors={"size": "histogram", "far": "kernel", "eggs": "gaussian", "tame": "categorical"}),
        kinds={"size": "histogram", "far": "kernel", "eggs": "numeric", "tame": "categorical"},
        tolerance=NEAR,
    ),
    "naive, more factors by name": mixed(
        naive(factors={"eggs": "multinomial", "tame": "multinomial", "far": "categorical"}, smoothing=0.25),
        kinds={"eggs": "multinomial", "tame": "multinomial", "far": "categorical"},
        reference={"smoothing": 0.25},
    ),
    "naive, counts as presences": mixed(naive(factors={"eggs": "bernoulli"}), kinds={"eggs": "boolean"}),
    "naive, bins": mixed(
        naive(numeric="bins", factors={"eggs": "bins"}, discretize=EDGES), kinds=BINS, reference={"edges": EDGES}
    ),
    "naive, bins, missing is a category, unsmoothed": mixed(
        naive(factors=BINS, discretize=EDGES, missing="category", smoothing=0),
        kinds=BINS,
        reference={"edges": EDGES, "missing": "category", "smoothing": 0.0},
    ),
    "naive, uniform prior": mixed(naive(prior="uniform"), reference={"prior": "uniform"}),
    "naive, smoothed prior": mixed(naive(prior_smoothing=0.5), reference={"prior_smoothing": 0.5}),
    "gaussian": array(
        tb.GaussianNB, "size", "numeric", reference={"smoothing": 0.0, "floor": 0.0, "var_smoothing": 1e-9}
    ),
    "gaussian far from zero": array(
        lambda: tb.GaussianNB(var_smoothing=0.125),
        "far",
        "numeric",
        reference={"smoothing": 0.0, "floor": 0.0, "var_smoothing": 0.125},
    ),
    "bernoulli": array(tb.BernoulliNB, "eggs", "boolean"),
    "bernoulli, unsmoothed, above 1": array(
        lambda: tb.BernoulliNB(alpha=0, binarize=1.0),
        "eggs",
        "boolean",
        reference={"smoothing": 0.0, "threshold": 1.0},
    ),
    "bernoulli, sparse": array(
        lambda: tb.BernoulliNB(alpha=0.5, smoothing="sparse", prior_smoothing=2.0),
        "eggs",
        "sparse",
        reference={"smoothing": 0.5, "prior_smoothing": 2.0},
    ),
    "multinomial": array(tb.MultinomialNB, "eggs", "multinomial"),
    "multinomial, unsmoothed": array(
        lambda: tb.MultinomialNB(alpha=0, fit_prior=False),
        "eggs",
        "multinomial",
        reference={"smoothing": 0.0, "prior": "uniform"},
    ),
    "complement": array(tb.ComplementNB, "eggs", "complement"),
    "complement, normalised": array(lambda: tb.ComplementNB(alpha=0.5, norm=True), "eggs", "complement"),
    "categorical": array(tb.CategoricalNB, "eggs", "codes"),
    "categorical, unsmoothed": array(
        lambda: tb.CategoricalNB(alpha=0, min_categories=3),
        "eggs",
        "codes",
        reference={"smoothing": 0.0, "least": 3},
    ),
    "kernel": Case(tb.KernelNB, ("size", "far"), kinds={"size": "kernel", "far": "kernel"}, tolerance=NEAR),
    "kernel, scott": Case(
        lambda: tb.KernelNB(bandwidth="scott", prior_smoothing=1.0),
        ("far", "size"),
        kinds={"size": "kernel", "far": "kernel"},
        reference={"bandwidth": "scott", "prior_smoothing": 1.0},
        tolerance=NEAR,
    ),
    "kernel of a fixed width": Case(
        lambda: tb.KernelNB(bandwidth=0.5),
        ("size",) * 1,
        kinds={"size": "kernel"},
        reference={"bandwidth": 0.5},
        tolerance=NEAR,
    ),
}
EDGES = {"size": [0.0, 0.1, 1.0], "far": [1e9], "eggs": [1, 2, 4]}


def dependent(make: Callable[..., Any], **options: Any) -> Case:
    """Return a model whose columns depend on one another, with edges that do not depend on the rows."""
    return mixed(lambda: make(columns=KINDS, discretize=EDGES, **options), holes=options.get("missing") != "error")


class Held(tb.KDB):
    """KDB with a graph that does not depend on the rows, as that of a model is that goes on learning."""

    def _dependences(self, schema: Any, pairs: Any, classes: Any) -> dict[str, Any]:
        order = ["eggs", "colour", "size", "tame", "far"]
        chosen = super()._dependences(schema, pairs, classes)
        return {**chosen, "order": order, "parents": [order[:j][::-1][: self.k] for j in range(len(order))]}


DEPENDENT = {
    "kdb": dependent(Held, select=False),
    "kdb, missing is a category": dependent(Held, select=False, missing="category", smoothing=0.5, k=1),
    "kdb, missing is an error": dependent(Held, select=False, missing="error", prior="uniform", k=3),
    "tan, tables that lean": dependent(tb.TAN, smoothing="hierarchical"),
    "spode, tables that lean": dependent(tb.SPODE, superparent="tame", smoothing="hierarchical", missing="category"),
    "the best of one": dependent(tb.AutoBayes, candidates=[tb.TAN(smoothing=0.5)], folds=0),
    "the best of one, missing is a category": dependent(
        tb.AutoBayes, candidates=[tb.AODE(min_count=0, order=2)], folds=0, missing="category"
    ),
    "aode": dependent(tb.AODE, min_count=0),
    "aode, by information": dependent(
        tb.AODE, min_count=0, weighting="mutual-information", missing="category", smoothing=0.5
    ),
    "a2de": dependent(tb.AODE, min_count=0, order=2),
    "a2de, unsmoothed": dependent(tb.AODE, min_count=0, order=2, smoothing=0, missing="error"),
    "tan": dependent(tb.TAN),
    "tan, unsmoothed, another root": dependent(tb.TAN, smoothing=0, root="eggs"),
    "tan, missing is a category": dependent(tb.TAN, missing="category", prior="uniform"),
    "tan, missing is an error": dependent(tb.TAN, missing="error", prior_smoothing=0),
    "tan, numbers beside": mixed(lambda: tb.TAN(columns=KINDS, numeric="gaussian", discretize={"eggs": [1, 2, 4]})),
    "spode, numbers given it": mixed(
        lambda: tb.SPODE(superparent="colour", columns=KINDS, numeric="gaussian", discretize={"eggs": [1, 2, 4]})
    ),
    "spode, numbers given it, missing is a category": mixed(
        lambda: tb.SPODE(superparent="tame", columns=KINDS, numeric="gaussian", missing="category", smoothing=0.5)
    ),
    "spode": dependent(tb.SPODE, superparent="eggs"),
    "spode, missing is a category": dependent(tb.SPODE, superparent="colour", missing="category", smoothing=0.5),
    "spode, prior of its own": dependent(tb.SPODE, superparent="tame", prior="empirical", prior_smoothing=2.0),
}
"""Models that the reference does not know; `tests.models` compares them with sums over everything."""

SCORES = {
    "aode, of values seen": dependent(tb.AODE, min_count=1, prior="empirical", subsumption=1),
    "a2de, of values seen": dependent(tb.AODE, min_count=1, order=2),
}
"""Models whose scores are log p(x, c) but for a factor of the row."""

JOINTS = {name: case for name, case in CASES.items() if not name.startswith("complement")}
