"""What classifiers whose columns depend on one another have in common: how columns are read and counted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, cast

from tallybayes._types import Name
from tallybayes.errors import OptionError, did_you_mean
from tallybayes.estimators._options import check_amount, check_word
from tallybayes.estimators._reselect import Reselecting
from tallybayes.factors.base import Factor
from tallybayes.factors.gaussian import GaussianFactor
from tallybayes.factors.named import meant_by
from tallybayes.factors.presence import PresenceFactor
from tallybayes.factors.text import TextFactor
from tallybayes.learn.cut import cut
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.models.base import JointModel
from tallybayes.models.beside import BesideModel
from tallybayes.models.dependence import DependenceModel
from tallybayes.models.ladders import HIERARCHICAL, Smoothing
from tallybayes.models.prior import Prior, PriorSpec, check_prior
from tallybayes.schema.field import CellType, Field, Overrides, Schema, listed
from tallybayes.schema.infer import infer
from tallybayes.schema.rows import Rows
from tallybayes.schema.said import check_given
from tallybayes.schema.values import Values
from tallybayes.structure.cuts import Cutting, Discretize
from tallybayes.structure.graph import Graph

NumericKind = Literal["bins", "gaussian"]
NUMERIC_KINDS: tuple[NumericKind, ...] = ("bins", "gaussian")

Missing = Literal["marginalize", "category", "error"]
MISSING: tuple[Missing, ...] = ("marginalize", "category", "error")

BINS = 10
"""How many bins columns are cut into where neither the classes nor the user say."""

TRUTHS = Values([False, True])


class Dependent(Reselecting):
    """A classifier that counts its columns in groups; the final classes say in which."""

    leans: ClassVar[bool] = False
    """Whether tables may lean on those of fewer parents."""

    columns: Overrides | None
    numeric: NumericKind
    discretize: Discretize
    max_bins: int | None
    max_values: int | None
    smoothing: Smoothing
    prior: Any
    missing: Missing
    memory_limit: float

    @abstractmethod
    def _core(
        self, names: tuple[Name, ...], common: Mapping[str, Any], chosen: Mapping[str, Any], schema: Schema
    ) -> DependenceModel:
        """Return the model of the columns that are read as codes.

        Parameters
        ----------
        names
            These columns.
        common
            The options that all such models have.
        chosen
            What `fit` chose.
        schema
            What all columns mean.
        """

    def network(self) -> Graph:
        """Return which column depends on which.

        Every column depends on the class, whose node is named after the target. The graph can be printed, and be had as
        DOT and as SVG.
        """
        joint = self._joint()
        target = self.target_ if isinstance(self.target_, str) else "class"
        label = target if target not in joint.names else f"({target})"
        return Graph.of_columns(label, joint.names, joint.edges)

    # What the learner asks ------------------------------------------------------------------------------

    def _check_options(self) -> None:
        check_word("numeric", self.numeric, NUMERIC_KINDS)
        check_word("missing", self.missing, MISSING)
        check_smoothing(self.smoothing, self.leans)
        check_limit("max_bins", self.max_bins)
        check_limit("max_values", self.max_values)
        check_amount("memory_limit", self.memory_limit)
        self._check_prior()
        self._cutting()

    def _check_prior(self) -> None:
        check_prior(self.prior)

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        schema, cut = infer(first, self.columns, named), self._cutting().given
        # Who says where to cut a column of few integers does not take them for categories.
        return Schema(tuple(meant_by(field, "bins" if field.name in cut else None) for field in schema), named)

    def _prepared(self, schema: Schema, passes: Passes, target_type: CellType) -> tuple[Schema, Mapping[str, Any]]:
        names = self._cut_columns(schema)
        cutting = self._cutting()
        cutting.check_names([field.name for field in schema if field.kind in ("numeric", "count")])
        encoder = Encoder(schema, target_type, self._refuses_missing(), self._name)
        return cut(passes, encoder, names, cutting, max_values=self.max_values), {}

    def _model(self, schema: Schema) -> JointModel:
        return self._chosen_model(schema, {})

    def _chosen_model(self, schema: Schema, chosen: Mapping[str, Any]) -> JointModel:
        check_given(self.columns, schema)
        self._check_cut(schema)
        core = self._core(self._coded(schema), self._common(schema), chosen, schema)
        factors = self._beside(schema, core.numeric)
        return BesideModel(core.prior, core, factors) if factors else core

    def _refuses_missing(self) -> bool:
        return self.missing == "error"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.string = True
        return tags

    # Columns --------------------------------------------------------------------------------------------

    def _cutting(self) -> Cutting:
        return Cutting.of(self.discretize, bins=self.max_bins or BINS, most=self.max_bins)

    def _cut_columns(self, schema: Schema) -> list[Name]:
        """Return the columns of numbers that are cut: all of them, or those of which `discretize` speaks."""
        numbers = [field.name for field in schema if field.kind in ("numeric", "count")]
        return numbers if self.numeric == "bins" else [name for name in numbers if name in self._cutting().given]

    def _coded(self, schema: Schema) -> tuple[Name, ...]:
        return tuple(field.name for field in schema.used() if field.coded)

    def _check_cut(self, schema: Schema) -> None:
        """Refuse options by which columns would be read in another way than they were learned."""
        wanted = self._cut_columns(schema)
        for field in schema.used():
            if field.kind in ("numeric", "count") and (field.edges is not None) != (field.name in wanted):
                raise OptionError(
                    f"numeric={self.numeric!r} has changed since fit, when the column {field.name!r} was "
                    f"{'cut into bins' if field.edges is not None else 'not cut'}. Call fit again."
                )

    def _common(self, schema: Schema) -> Mapping[str, Any]:
        return {
            "smoothing": amount(self.smoothing),
            "declared": {field.name: known for field in schema.used() if (known := _declared(field)) is not None},
            "missing_is_value": self.missing == "category",
            "most": int(self.memory_limit),
        }

    def _numbers(self, schema: Schema) -> tuple[Name, ...]:
        """Return the columns of numbers that are not cut."""
        return tuple(f.name for f in schema.used() if f.kind in ("numeric", "count") and not f.coded)

    def _beside(self, schema: Schema, given: tuple[Name, ...]) -> dict[str, Factor[Any]]:
        """Return the factors of the columns that depend on the class alone; `given` are numbers that do not."""
        numbers = self._numbers(schema)
        alone = tuple(name for name in numbers if name not in given)
        factors: dict[str, Factor[Any]] = {"gaussian": GaussianFactor(alone)} if alone else {}
        if numbers and self.missing == "category":
            factors["presence"] = PresenceFactor(numbers, amount(self.smoothing))
        for name in schema.of_kind("text"):
            factors[f"text {name}"] = TextFactor((name,), smoothing=amount(self.smoothing))
        return factors


def _declared(field: Field) -> Values | None:
    return TRUTHS if field.kind == "boolean" else field.declared


def check_limit(name: str, value: Any) -> None:
    """Refuse what is neither a whole number above 1 nor None."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 2):
        raise OptionError(f"{name}={value!r} should be a whole number, 2 or more, or None for no limit.")


def check_coded(option: str, name: Any, names: tuple[Name, ...], schema: Schema) -> Name:
    """Return a column that an option names; `OptionError` where it is none that other columns may depend on."""
    if name in names:
        return cast(Name, name)
    if name in schema.index and schema[name].kind != "ignored":
        raise OptionError(
            f"{option}={name!r} is a column of {schema[name].kind} cells that is not read as categories. Cut it into "
            f"bins with numeric='bins' or discretize=, or name one of {listed(names)}."
        )
    raise OptionError(
        f"{option}={name!r} is no column that the model uses.{did_you_mean(name, names)} It uses {listed(names)}."
    )


def check_smoothing(smoothing: Any, leans: bool) -> None:
    """Refuse what is neither an amount nor, where tables may lean on others, the word for that."""
    if isinstance(smoothing, str) and leans:
        check_word("smoothing", smoothing, (HIERARCHICAL,))
    else:
        check_amount("smoothing", smoothing)


def amount(smoothing: Smoothing) -> float:
    """Return what is added to counts; to those of tables that have none to lean on it is 1."""
    return 1.0 if isinstance(smoothing, str) else float(smoothing)


def own_prior(spec: PriorSpec, prior_smoothing: float | None, smoothing: Smoothing) -> Prior:
    """Return P(c) by options: counts are smoothed like those of the columns, unless it is said otherwise."""
    return Prior(spec, float(amount(smoothing) if prior_smoothing is None else prior_smoothing))
