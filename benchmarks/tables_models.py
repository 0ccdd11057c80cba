"""The models of the quality benchmark on tables: ours, and those of others with what has to be done before them.

Ours read the table as it is: texts, numbers and missing cells. For the others nominal cells are numbered by the values
that the set declares, a missing cell being one more; what they do with numbers is said with each.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import tallybayes as tb
from benchmarks.tables_sets import TableSet

Ask = Callable[[Any], Any]
"""What a learned model answers: P(c | x) of rows, and their classes are those of the set."""


def ours(make: Callable[[dict[str, str]], Any]) -> Callable[[TableSet, Any], Ask]:
    """Return what learns one of our models."""

    def learn(some: TableSet, train: Any) -> Ask:
        model = make(some.kinds).fit(some.table.take(pa.array(train)), some.y[train])
        return lambda rows: (model.predict_proba(some.table.take(pa.array(rows))), model.classes_)

    return learn


def codes(some: TableSet, *, fill: bool) -> tuple[Any, list[int], list[int]]:
    """Return the table as numbers, and the places of the nominal and of the numeric columns.

    Missing cells of numeric columns stay NaN; with `fill`, whoever learns fills them.
    """
    columns, nominal, numeric = [], [], []
    for j, (name, values) in enumerate(some.values.items()):
        cells = some.table[name].to_pylist()
        if values is None:
            numeric.append(j)
            columns.append(np.array([np.nan if cell is None else cell for cell in cells], np.float64))
        else:
            nominal.append(j)
            place = {value: i for i, value in enumerate(values)}
            extra = {cell for cell in cells if cell is not None} - place.keys()
            place |= {value: len(values) + i for i, value in enumerate(sorted(extra))}
            last = len(place)
            columns.append(np.array([last if cell is None else place[cell] for cell in cells], np.float64))
    return np.column_stack(columns), nominal, numeric


def theirs(make: Callable[[list[int], list[int], list[int]], Any]) -> Callable[[TableSet, Any], Ask]:
    """Return what learns a model of others, made from the nominal and numeric columns and the sizes of the former."""

    def learn(some: TableSet, train: Any) -> Ask:
        X, nominal, numeric = codes(some, fill=False)
        sizes = [int(X[:, j].max()) + 1 for j in nominal]
        model = make(nominal, numeric, sizes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X[train], some.y[train])
        return lambda rows: (model.predict_proba(X[rows]), model.classes_)

    return learn


def _columns(nominal: Any, numeric: Any) -> Any:
    """Return what prepares nominal and numeric columns, the nominal ones first."""
    from sklearn.compose import ColumnTransformer

    parts = [("nominal", *nominal), ("numeric", *numeric)]
    return ColumnTransformer([(name, how, places) for name, how, places in parts if places], sparse_threshold=0)


def _median() -> Any:
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median", keep_empty_features=True)


def sklearn_naive(nominal: list[int], numeric: list[int], sizes: list[int]) -> Any:
    """Return GaussianNB where all columns are numeric, else CategoricalNB, with numbers in ten bins of equal weight."""
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer

    if not nominal:
        return make_pipeline(_median(), GaussianNB())
    bins = make_pipeline(
        _median(), KBinsDiscretizer(10, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    )
    prepared = _columns(("passthrough", nominal), (bins, numeric))
    return make_pipeline(prepared, CategoricalNB(min_categories=[*sizes, *[10] * len(numeric)]))


def logistic(nominal: list[int], numeric: list[int], sizes: list[int]) -> Any:
    """Return logistic regression on indicators of nominal values and on standardised numbers, medians where missing."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(_median(), StandardScaler())
    prepared = _columns((OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal), (numbers, numeric))
    return make_pipeline(prepared, LogisticRegression(max_iter=1000))


def forest(nominal: list[int], numeric: list[int], sizes: list[int]) -> Any:
    """Return a random forest as it is by default, on numbered values and numbers, medians where missing."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(
        _columns(("passthrough", nominal), (_median(), numeric)), RandomForestClassifier(random_state=0)
    )


def boosting(nominal: list[int], numeric: list[int], sizes: list[int]) -> Any:
    """Return histogram gradient boosting as it is by default, which takes nominal columns and missing numbers."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    few = [j for j, size in zip(nominal, sizes, strict=True) if size <= 255]
    return HistGradientBoostingClassifier(categorical_features=few or None, random_state=0)


def skbn(name: str, **options: Any) -> Callable[[list[int], list[int], list[int]], Any]:
    """Return a classifier of scikit-bayes, told which columns are nominal; medians where numbers are missing."""

    def make(nominal: list[int], numeric: list[int], sizes: list[int]) -> Any:
        import skbn as library
        from sklearn.pipeline import make_pipeline

        places = list(range(len(nominal) + len(numeric)))
        kinds = {
            "categorical_features": places[: len(nominal)],
            "gaussian_features": places[len(nominal) :],
            "bernoulli_features": [],
        }
        prepared = _columns(("passthrough", nominal), (_median(), numeric))
        return make_pipeline(prepared, getattr(library, name)(**kinds, **options))

    return make


def naive(kinds: dict[str, str], **options: Any) -> Any:
    """Return our naive Bayes."""
    return tb.NaiveBayes(columns=kinds, **options)


MODELS: dict[str, Callable[[TableSet, Any], Ask]] = {
    "NaiveBayes, normal": ours(naive),
    "NaiveBayes, bins": ours(lambda kinds: naive(kinds, numeric="bins")),
    "AODE": ours(lambda kinds: tb.AODE(columns=kinds)),
    "A2DE": ours(lambda kinds: tb.AODE(columns=kinds, order=2)),
    "TAN": ours(lambda kinds: tb.TAN(columns=kinds)),
    "TAN, hierarchical": ours(lambda kinds: tb.TAN(columns=kinds, smoothing="hierarchical")),
    "KDB, k = 2": ours(lambda kinds: tb.KDB(columns=kinds, k=2, select=False)),
    "KDB, selected": ours(lambda kinds: tb.KDB(columns=kinds, k=3)),
    "AutoBayes": ours(lambda kinds: tb.AutoBayes(columns=kinds)),
    "scikit-bayes MixedNB": theirs(skbn("MixedNB")),
    "scikit-bayes AnDE": theirs(skbn("AnDE")),
    "scikit-bayes ALR": theirs(skbn("ALR")),
    "scikit-learn naive Bayes": theirs(sklearn_naive),
    "logistic regression": theirs(logistic),
    "random forest": theirs(forest),
    "gradient boosting": theirs(boosting),
}
"""What is compared, by name."""
