"""Rows as bins: what a transformer answers that knows where columns are cut."""

from __future__ import annotations

import sys
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin

from tallybayes._types import AnyArray, Name
from tallybayes.decision.unfitted import unfitted
from tallybayes.engines.threads import in_order
from tallybayes.errors import ColumnError, OptionError, warn
from tallybayes.learn.encoder import Encoder
from tallybayes.schema.batch import Batch
from tallybayes.schema.bins import Edges, outer
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.match import match
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import Source, some_rows
from tallybayes.sources.frames import is_pandas
from tallybayes.sources.open import open_source

MissingBin = Literal["own", "keep", "error"]
MISSING_BIN: tuple[MissingBin, ...] = ("own", "keep", "error")


class Binned(TransformerMixin, BaseEstimator):
    """The answers; the final class says what the columns mean, edges included, in ``schema_``."""

    missing: MissingBin
    schema_: Schema

    @property
    def edges_(self) -> dict[Name, Edges]:
        """The edges of each column that is cut."""
        return {field.name: field.edges for field in self._fitted() if field.edges is not None}

    @property
    def bins_(self) -> dict[Name, list[str]]:
        """What people call the bins of each column that is cut."""
        cut = [field for field in self._fitted() if field.edges is not None]
        return {field.name: [field.shown(code) for code in field.declared or ()] for field in cut}

    # Answering ------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Return the bins of rows.

        Parameters
        ----------
        X
            The rows; columns are found by their names.

        Returns
        -------
        array of shape (rows, columns)
            Integers, or floats where missing cells are kept or numbers pass; objects where other columns pass.
        """
        schema = self._fitted()
        fields = schema.used()
        cut = [field for field in fields if field.edges is not None]
        encoder = Encoder(schema, "unknown", self.missing == "error", type(self).__name__)
        blocks = some_rows(self._open(X))
        if len(cut) == len(fields):
            return np.concatenate(list(in_order(lambda rows: self._numbered(encoder(rows), cut), blocks)))
        place = {field.name: j for j, field in enumerate(cut)}

        def answer(rows: Rows) -> list[Any]:
            batch = encoder(rows)
            bins = self._numbered(batch, cut)
            return [bins[:, place[f.name]] if f.name in place else _as_it_is(batch, f) for f in fields]

        parts = list(in_order(answer, blocks))
        return self._mixed([np.concatenate(column) for column in zip(*parts, strict=True)], X)

    def inverse_transform(self, X: Any) -> AnyArray:
        """Return a number of each bin: its middle, where an outer bin is taken to be as wide as the one beside it.

        Parameters
        ----------
        X : array of shape (rows, columns)
            Bins, as `transform` gave them; what is the bin of missing cells becomes NaN.
        """
        fields = self._fitted().used()
        bins = np.asarray(X)
        if bins.ndim != 2 or bins.shape[1] != len(fields):
            raise ColumnError(
                f"X has the shape {bins.shape}, and bins of {len(fields)} columns are needed; give what transform gave."
            )
        columns: list[AnyArray] = []
        for j, field in enumerate(fields):
            if field.edges is None:
                columns.append(bins[:, j])
                continue
            codes = bins[:, j].astype(np.float64)
            bounds = outer(field.edges)
            halfway = bounds[:-1] / 2 + bounds[1:] / 2
            # Between neighbours among floats there is none, and the lower bound is the one that belongs to the bin.
            middles = np.append(np.where(halfway < bounds[1:], halfway, bounds[:-1]), np.nan)
            count = len(field.edges) + 1
            missing = np.isnan(codes) | (codes == count)
            places = np.where(missing, count, codes).astype(np.int64)
            if (places != np.where(missing, count, codes)).any() or (places < 0).any() or (places > count).any():
                raise OptionError(
                    f"Column {field.name!r} has bins from 0 to {count - 1}, and X has others; give what transform gave."
                )
            columns.append(middles[places])
        if any(column.dtype == object for column in columns):
            return np.column_stack([column.astype(object) for column in columns])
        return np.column_stack(columns)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the names of the columns that `transform` gives; those without a name are x0, x1 and so on."""
        schema = self._fitted()
        names = [str(name) if schema.named else f"x{name}" for name in schema.names]
        if input_features is not None:
            given = list(map(str, input_features))
            if len(given) != len(names):
                raise ColumnError(
                    f"input_features should have length equal to number of features ({len(names)}), got {len(given)}; "
                    "leave it out to have the names that were fitted."
                )
            if schema.named and given != names:
                raise ColumnError("input_features is not equal to feature_names_in_; leave it out.")
            names = given
        used = [name for name, field in zip(names, schema, strict=True) if field.kind != "ignored"]
        return np.array(used, dtype=object)

    def _fitted(self) -> Schema:
        if not hasattr(self, "schema_"):
            raise unfitted(self)
        return self.schema_

    def _numbered(self, batch: Batch, cut: list[Field]) -> AnyArray:
        """Return the bins of columns that are cut, with those of missing cells as they are asked for."""
        codes = batch.codes([field.name for field in cut]).codes
        missing = codes < 0 if codes.min(initial=0) < 0 else None
        bins: AnyArray = codes.astype(np.float64 if self.missing == "keep" else np.int64, order="C")
        if missing is not None:
            own = np.nan if self.missing == "keep" else [len(field.edges or ()) + 1 for field in cut]
            np.copyto(bins, own, where=missing)
        return bins

    def _mixed(self, columns: list[AnyArray], X: Any) -> Any:
        """Return columns of several sorts: as a frame of their own types where one is wanted, or as objects."""
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform", get_config()["transform_output"])
        if wanted in ("pandas", "polars"):
            names = self.get_feature_names_out().tolist()
            table = pa.table([pa.array(column, from_pandas=True) for column in columns], names=names)
            if wanted == "pandas":
                frame = table.to_pandas()
                return frame.set_axis(X.index, axis=0) if is_pandas(X, "DataFrame") else frame
            return sys.modules["polars"].from_arrow(table)  # which whoever wants one has imported
        if all(column.dtype != object for column in columns):
            return np.column_stack(columns)
        whole = np.empty((len(columns[0]), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            whole[:, j] = column.tolist()
        return whole

    def _open(self, X: Any, y: Any = None, sample_weight: Any = None) -> Source:
        """Open rows for columns that are known, and say what does not fit."""
        schema, name = self._fitted(), type(self).__name__
        source = open_source(X, y, sample_weight, only=schema.names)
        if schema.named and not source.named:
            warn(f"X does not have valid feature names, but {name} was fitted with feature names")
        if source.named and not schema.named:
            warn(f"X has feature names, but {name} was fitted without feature names")
        match((*source.names, *source.extra), schema, warn=True, estimator=name)
        return source

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "schema_")


def _as_it_is(batch: Batch, field: Field) -> AnyArray:
    """Return the cells of a column that is not cut: numbers, or objects."""
    if field.kind in ("numeric", "count") and field.type != "time":
        return batch.numbers([field.name])[:, 0]
    cells = batch.raw(field.name)
    return np.array([*cells, None], dtype=object)[:-1]
