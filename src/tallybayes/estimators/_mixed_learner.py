"""What naive Bayes for mixed tables learns and answers, without scikit-learn's face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from tallybayes._types import Name
from tallybayes.errors import OptionError
from tallybayes.estimators._options import check_amount, check_bins, check_word
from tallybayes.estimators._reselect import Reselecting
from tallybayes.factors.base import Factor
from tallybayes.factors.named import (
    NUMERIC_NAMES,
    FactorName,
    NumericName,
    builders,
    check_factor,
    meant_by,
    name_for,
)
from tallybayes.factors.presence import PresenceFactor
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior, PriorSpec, check_prior
from tallybayes.schema.field import CellType, Field, Overrides, Schema
from tallybayes.schema.infer import infer
from tallybayes.schema.rows import Rows
from tallybayes.schema.said import check_given
from tallybayes.structure.cuts import Cutting, Discretize

Missing = Literal["marginalize", "category", "error"]
MISSING: tuple[Missing, ...] = ("marginalize", "category", "error")


class MixedLearner(Reselecting):
    """Naive Bayes with a factor for each column; `tallybayes.NaiveBayes` says what its options are."""

    def __init__(
        self,
        *,
        columns: Overrides | None = None,
        factors: Mapping[Name, FactorName] | None = None,
        numeric: NumericName = "gaussian",
        smoothing: float = 1.0,
        prior: PriorSpec = "empirical",
        prior_smoothing: float = 0.0,
        missing: Missing = "marginalize",
        ddof: float = 0,
        discretize: Discretize = "mdlp",
        max_bins: int | None = None,
    ) -> None:
        self.columns = columns
        self.factors = factors
        self.numeric = numeric
        self.smoothing = smoothing
        self.prior = prior
        self.prior_smoothing = prior_smoothing
        self.missing = missing
        self.ddof = ddof
        self.discretize = discretize
        self.max_bins = max_bins

    def _check_options(self) -> None:
        check_word("numeric", self.numeric, NUMERIC_NAMES)
        check_word("missing", self.missing, MISSING)
        check_amount("smoothing", self.smoothing)
        check_amount("prior_smoothing", self.prior_smoothing)
        check_amount("ddof", self.ddof)
        check_prior(self.prior)
        Cutting.of(self.discretize)
        check_bins("max_bins", self.max_bins)
        if not isinstance(self.factors, Mapping | None):
            raise OptionError(f"factors={self.factors!r} should be a dict such as {{'age': 'kernel'}}.")

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        schema = infer(first, self.columns, named)
        return Schema(tuple(meant_by(field, self._asked_word(field.name)) for field in schema), named)

    def _prepared(self, schema: Schema, passes: Passes, target_type: CellType) -> tuple[Schema, Mapping[str, Any]]:
        names = [field.name for field in schema.used() if self._word(field) == "bins"]
        for name in names:
            check_factor(name, "bins", schema)
        cutting = Cutting.of(self.discretize, bins=self.max_bins or 10, most=self.max_bins)
        cutting.check_names(names)
        if not names:
            return schema, {}
        from tallybayes.learn.cut import cut  # which a model that goes on with its edges never needs

        encoder = Encoder(schema, target_type, self._refuses_missing(), self._name)
        return cut(passes, encoder, names, cutting), {}

    def _word(self, field: Field) -> FactorName:
        """Return the name of a column's distribution."""
        return self._asked_word(field.name) or name_for(field, self.numeric)

    def _asked_word(self, name: Name) -> FactorName | None:
        """Return the distribution that was chosen for a column; who says where to cut it means bins."""
        cut = isinstance(self.discretize, Mapping) and name in self.discretize
        return (self.factors or {}).get(name, "bins" if cut else None)

    def _model(self, schema: Schema) -> NaiveModel:
        check_given(self.columns, schema)
        asked = self.factors or {}
        for name, word in asked.items():
            check_factor(name, word, schema)
        blocks: dict[FactorName, list[Name]] = {}
        for field in schema.used():
            word = self._word(field)
            if word == "bins" and field.edges is None:
                raise OptionError(
                    f"Column {field.name!r} is to be read as bins, but was learned without edges. Call fit again."
                )
            blocks.setdefault(word, []).append(field.name)
        missing_is_value = self.missing == "category"
        make = builders(schema, smoothing=self.smoothing, ddof=self.ddof, missing_is_value=missing_is_value)
        texts = blocks.pop("text", [])
        factors: dict[str, Factor[Any]] = {word: make[word](tuple(names)) for word, names in blocks.items()}
        factors |= {f"text {name}": make["text"]((name,)) for name in texts}  # each has terms of its own
        holes = tuple(n for word, names in blocks.items() if word not in ("categorical", "bins") for n in names)
        if missing_is_value and holes:
            factors["presence"] = PresenceFactor(holes, self.smoothing)
        return NaiveModel(Prior(self.prior, self.prior_smoothing), factors)

    def _refuses_missing(self) -> bool:
        return self.missing == "error"
