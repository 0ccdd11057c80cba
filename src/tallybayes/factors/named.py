"""Factors by name: which distribution a word stands for, and which one a kind of column gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from tallybayes._types import Name
from tallybayes.errors import ColumnError, KindError, OptionError, did_you_mean
from tallybayes.factors.base import Factor
from tallybayes.factors.bernoulli import BernoulliFactor
from tallybayes.factors.categorical import CategoricalFactor
from tallybayes.factors.gaussian import GaussianFactor
from tallybayes.factors.histogram import HistogramFactor
from tallybayes.factors.kernel import KernelFactor
from tallybayes.factors.multinomial import MultinomialFactor
from tallybayes.factors.poisson import PoissonFactor
from tallybayes.factors.text import TextFactor
from tallybayes.schema.field import Field, Kind, Schema, listed

FactorName = Literal[
    "categorical", "bernoulli", "multinomial", "poisson", "gaussian", "kernel", "histogram", "bins", "text"
]
NumericName = Literal["gaussian", "kernel", "histogram", "bins"]

FACTOR_NAMES: tuple[FactorName, ...] = get_args(FactorName)
NUMERIC_NAMES: tuple[NumericName, ...] = get_args(NumericName)

_BY_KIND: Mapping[Kind, FactorName] = {
    "categorical": "categorical",
    "boolean": "bernoulli",
    "count": "poisson",
    "text": "text",
}

Builder = Callable[[tuple[Name, ...]], Factor[Any]]


def name_for(field: Field, numeric: NumericName) -> FactorName:
    """Return the distribution of a column that nobody chose one for."""
    return _BY_KIND.get(field.kind, numeric)


def meant_by(field: Field, word: str | None) -> Field:
    """Return a column as it is meant where a distribution was chosen for it.

    Few-valued integers are taken for categories; who gives them a distribution of numbers or of counts says that
    they are not, and that there may be more of them.
    """
    if word is None or field.seen is None or (field.kind, field.type) != ("categorical", "integer"):
        return field
    kind: Kind | None = "numeric" if word in NUMERIC_NAMES else "count" if word in ("poisson", "multinomial") else None
    said = "by discretize= or factors=" if word == "bins" else "by factors="
    return field if kind is None else replace(field, kind=kind, reason=said, seen=None)


def check_factor(name: Name, word: str, schema: Schema) -> None:
    """Refuse a distribution that nobody knows, or that a column cannot have."""
    if word not in FACTOR_NAMES:
        raise OptionError(
            f"factors={{{name!r}: {word!r}}} is not one of {list(FACTOR_NAMES)}.{did_you_mean(word, FACTOR_NAMES)}"
        )
    if name not in schema.index:
        raise ColumnError(
            f"factors= names {name!r}, which is no column.{did_you_mean(name, schema.names)} "
            f"The columns are {listed(schema.names)}."
        )
    field = schema[name]
    if field.kind == "ignored":
        raise OptionError(
            f"factors= names the column {name!r}, which is ignored ({field.reason}). Give it a kind with "
            f"columns={{{name!r}: 'categorical'}} or the like, or leave it out of factors=."
        )
    if (word == "text") != (field.kind == "text"):
        raise KindError(
            f"factors={{{name!r}: {word!r}}} and the column {name!r}, which is {field.kind}, do not go together. Say "
            f"columns={{{name!r}: 'text'}} for a column of texts, and leave it out of factors=."
        )
    if word == "bins" and field.kind not in ("numeric", "count"):
        raise KindError(
            f"factors={{{name!r}: 'bins'}} cuts numbers, and column {name!r} is {field.kind} ({field.reason}). Use "
            f"'categorical' for it, or say columns={{{name!r}: 'numeric'}}."
        )
    if word != "categorical" and word != "text" and field.type == "string":
        raise KindError(
            f"factors={{{name!r}: {word!r}}} needs numbers, and column {name!r} holds texts. Use "
            "'categorical' for it, or make numbers of the texts."
        )


def builders(schema: Schema, *, smoothing: float, ddof: float, missing_is_value: bool) -> Mapping[FactorName, Builder]:
    """Return what makes each named factor for a block of columns, given the options of an estimator."""

    def categorical(names: tuple[Name, ...]) -> Factor[Any]:
        declared = {name: values for name in names if (values := schema[name].declared) is not None}
        return CategoricalFactor(names, smoothing, declared, missing_is_value)

    return {
        "categorical": categorical,
        "bernoulli": lambda names: BernoulliFactor(names, smoothing),
        "multinomial": lambda names: MultinomialFactor(names, smoothing),
        "poisson": lambda names: PoissonFactor(names, smoothing),
        "gaussian": lambda names: GaussianFactor(names, ddof),
        "kernel": KernelFactor,
        "histogram": lambda names: HistogramFactor(names, smoothing=smoothing),
        "bins": categorical,  # of the bins that the schema cuts the columns into
        "text": lambda names: TextFactor(names, smoothing=smoothing),
    }
