"""Numbers into bins, as a transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from tallybayes._types import Name
from tallybayes.errors import KindError, OptionError, TargetError
from tallybayes.estimators._binned import MISSING_BIN, Binned, MissingBin
from tallybayes.estimators._options import check_bins, check_word
from tallybayes.learn.cut import edges_from, look_for
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.learn.seen import ALL, Look, Seen
from tallybayes.schema.agree import refuse_other_kinds
from tallybayes.schema.bins import Edges
from tallybayes.schema.field import CellType, Kind, Overrides, Schema
from tallybayes.schema.infer import infer
from tallybayes.schema.labels import target_type
from tallybayes.schema.profile import profile
from tallybayes.schema.rows import Rows
from tallybayes.schema.said import checked_overrides
from tallybayes.sources.base import some_rows
from tallybayes.sources.open import open_source
from tallybayes.structure.cuts import Cutting, edges_of

How = Literal["mdlp", "quantile", "width", "edges"]
HOW: tuple[How, ...] = ("mdlp", "quantile", "width", "edges")


class Discretizer(Binned):
    """Cut columns of numbers into bins that are closed on the left, and number the bins from 0.

    Edges are chosen from sketches of the columns, which take bounded memory and add: a file is read in pieces, and
    `partial_fit` goes on with more rows. They are exact where a column has at most 4,096 different numbers in each
    class, and otherwise true to about a four-thousandth of its range.

    Columns that hold no numbers pass as they are.

    Parameters
    ----------
    method : {"mdlp", "quantile", "width", "edges"}
        Cut where the classes change, as long as a shorter description comes of it (Fayyad and Irani, 1993); so that
        bins weigh alike; so that they are equally wide; or at `edges` alone.
    edges : list or dict, optional
        The edges of every column, or of single ones, ``{"age": [18, 65]}``; the others are cut by the method, and not
        at all where that is "edges".
    n_bins : int
        How many bins "quantile" and "width" make.
    max_bins : int, optional
        The most that "mdlp" makes; by default as many as it finds.
    columns : dict, optional
        What columns mean, where the inferred kind is not it; an ignored one is left out.
    missing : {"own", "keep", "error"}
        A missing cell has a bin of its own, numbered after the others; stays missing, for which bins are floats and
        NaN; or is refused.

    Attributes
    ----------
    edges_ : dict
        The edges of each column that is cut, in a tuple; an empty one stands for a single bin.
    bins_ : dict
        The interval of each bin, in words.
    schema_ : Schema
        What the columns mean.

    Examples
    --------
    >>> from tallybayes import Discretizer
    >>> cutter = Discretizer(method="edges", edges=[400, 800, 1200, 1600]).fit([[890.0]])
    >>> cutter.transform([[890.0], [400.0], [None]]).ravel().tolist()
    [2, 1, 5]
    >>> cutter.bins_[0]
    ['< 400', '[400, 800)', '[800, 1200)', '[1200, 1600)', '>= 1600']
    """

    def __init__(
        self,
        *,
        method: How = "mdlp",
        edges: Sequence[float] | Mapping[Name, Sequence[float]] | None = None,
        n_bins: int = 10,
        max_bins: int | None = None,
        columns: Overrides | None = None,
        missing: MissingBin = "own",
    ) -> None:
        self.method = method
        self.edges = edges
        self.n_bins = n_bins
        self.max_bins = max_bins
        self.columns = columns
        self.missing = missing

    # Learning -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose edges from rows, forgetting what was seen before.

        Parameters
        ----------
        X : array, sparse matrix, list of rows or dicts, frame, Arrow data, or path to a file
            The rows.
        y : array-like, or the name of a column of `X`
            The labels, which "mdlp" needs and the other methods do not use.
        sample_weight : array-like or the name of a column of `X`, optional
            Weights, 0 or more.
        """
        return self._learn(X, y, sample_weight, before=None)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose edges from the rows that were seen before and more of them.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        """
        return self._learn(X, y, sample_weight, before=getattr(self, "_seen", None))

    def _learn(self, X: Any, y: Any, sample_weight: Any, *, before: Seen | None) -> Self:
        self._check_options()
        source = open_source(X, y, sample_weight) if before is None else self._open(X, y, sample_weight)
        rows = some_rows(source)
        first = next(rows)
        labelled = self.method == "mdlp"
        if labelled and first.target is None:
            raise TargetError(
                "method='mdlp' cuts where the classes change and requires y to be passed, but the target y is None. "
                "Give one label a row, or use method='quantile' or 'width'."
            )
        labels: CellType
        if before is None:
            schema = self._schema_of(first, source.named)
            labels = "unknown" if first.target is None else target_type(first.target, first.text)
        else:
            schema, labels = self.schema_.uncut(), self._target_type
            refuse_other_kinds(schema, first)
        names, cutting = self._cut_columns(schema)
        encoder = Encoder(schema, labels, self.missing == "error", type(self).__name__)
        look = look_for(encoder, names, cutting, labelled=labelled)
        seen = look.at(Passes(source, first, rows))
        if before is not None:
            seen = self._with(before, seen)
        self._adopt(schema, seen, look, names, cutting)
        self._target_type: CellType = labels
        return self

    def _with(self, before: Seen, seen: Seen) -> Seen:
        """Return what was seen before and now; `OptionError` where a change of options asks for other things."""
        same = (before.sketch.names, len(before.low)) == (seen.sketch.names, len(seen.low))
        if not same or (before.sketch.classes == ALL) != (seen.sketch.classes == ALL):
            raise OptionError(
                "The options have changed since fit in a way that needs other sums of the rows that were seen before. "
                "Call fit again; n_bins and max_bins may change without."
            )
        return before + seen

    def _check_options(self) -> None:
        check_word("method", self.method, HOW)
        check_word("missing", self.missing, MISSING_BIN)
        check_bins("max_bins", self.max_bins)
        check_bins("n_bins", self.n_bins)
        if self.n_bins is None:
            raise OptionError("n_bins=None should be a whole number of bins, such as 10.")
        if self.method == "edges" and self.edges is None:
            raise OptionError("method='edges' needs the edges, such as edges=[400, 800], or {'age': [18, 65]}.")

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        """Return what the columns mean: here, numbers are numbers, however few, and texts only pass."""
        said = dict(checked_overrides(self.columns, first.names))
        meant: dict[Name, Kind] = {}
        for name, look in zip(first.names, profile(first), strict=True):
            if look.type == "string" and not (look.stranger is not None and look.stranger.mistaken):
                meant[name] = "categorical"
            elif look.type == "integer" and not look.listed:
                meant[name] = "numeric"
            elif look.type == "boolean" and not named:
                meant[name] = "count"  # numbers that are read as such, of which a matrix has no others
        fields = infer(first, {**meant, **said}, named)
        words = {"categorical": "texts", "numeric": "integers", "count": "0 and 1"}
        told = (f if f.name in said or f.name not in meant else replace(f, reason=words[f.kind]) for f in fields)
        return Schema(tuple(told), named)

    def _cut_columns(self, schema: Schema) -> tuple[list[Name], Cutting]:
        """Return the columns that are cut, and how."""
        numbers = [field.name for field in schema if field.kind in ("numeric", "count")]
        if not numbers:
            raise KindError(
                "No column holds numbers, so there is nothing to cut. What the columns were taken for is "
                f"{', '.join(sorted({field.kind for field in schema}))}; columns= says otherwise."
            )
        given: dict[Name, Edges] = {}
        if isinstance(self.edges, Mapping):
            given = {name: edges_of(said, name) for name, said in self.edges.items()}
        elif self.edges is not None:
            given = {name: edges_of(self.edges, name) for name in numbers}
        method = "mdlp" if self.method == "edges" else self.method
        cutting = Cutting(method, given, int(self.n_bins), self.max_bins)
        cutting.check_names(numbers, "edges")
        return [name for name in numbers if self.method != "edges" or name in given], cutting

    def _adopt(self, schema: Schema, seen: Seen, look: Look, names: list[Name], cutting: Cutting) -> None:
        """Take over what was seen, all at once."""
        edges = {
            **edges_from(seen, look, cutting),
            **{n: said for n in names if isinstance(said := cutting.how(n), tuple)},
        }
        fields = [replace(field, edges=edges.get(field.name)) for field in schema]
        self._seen = seen
        self.schema_ = Schema(tuple(fields), schema.named)
        self.n_features_in_ = len(schema)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = tags.input_tags.string = True
        tags.target_tags.required = self.method == "mdlp"
        tags.transformer_tags.preserves_dtype = []
        return tags
