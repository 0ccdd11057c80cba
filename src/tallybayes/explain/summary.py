"""A model as a plain summary: its classes, what its columns mean, and how they are distributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tallybayes._types import Counts, Floats, Name
from tallybayes.decision.showing import as_text, json_value
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.values import Values

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Digest: TypeAlias = Mapping[str, Any]
"""The parameters of one column by name: a number for all classes together, or a list of one for each class.

A table of values has two entries of its own: ``values``, a list of pairs of a value and its probability in
each class, the likeliest values only, and ``distinct``, how many values there are. None stands for no number.
"""


@dataclass(frozen=True, eq=False)
class Summary:
    """What is in a model.

    Attributes
    ----------
    model : str
        The estimator and its options, as code.
    schema : Schema
        What the columns mean.
    classes : Values
        The classes.
    rows, weights : ndarray of shape (classes,)
        How many rows of each class were learned, and what they weigh.
    log_prior : ndarray of shape (classes,)
        log P(c).
    digests : sequence of (str, mapping)
        For each block of columns the name of its distribution, and the digest of each column. A column may
        stand in several.

    Examples
    --------
    >>> from tallybayes.schema.field import Field
    >>> summary = Summary(
    ...     "GaussianNB()", Schema((Field("密度", "numeric", "number"),), named=True), Values(["否", "是"]),
    ...     np.array([9, 8]), np.array([9.0, 8.0]), np.log([9 / 17, 8 / 17]),
    ...     [("gaussian", {"密度": {"mean": [0.496, 0.574], "deviation": [0.195, 0.129]}})],
    ... )
    >>> print(summary)
    GaussianNB()
    17 rows, 2 classes, 1 column
    <BLANKLINE>
    class  rows  prior
    ──────────────────
    否        9  52.9%
    是        8  47.1%
    <BLANKLINE>
    column  distribution                否     是
    ─────────────────────────────────────────────
    密度    gaussian      mean       0.496  0.574
                          deviation  0.195  0.129
    """

    model: str
    schema: Schema
    classes: Values
    rows: Counts
    weights: Floats
    log_prior: Floats
    digests: Sequence[tuple[str, Mapping[Name, Digest]]]

    def digests_of(self, name: Name) -> list[tuple[str, Digest]]:
        """Return the distributions that a column has, each with its parameters; bins in their order, as intervals."""
        field = self.schema[name]
        found = [(factor, columns[name]) for factor, columns in self.digests if name in columns]
        if field.edges is None:
            return found
        return [(factor, _in_order(digest, field) if "values" in digest else digest) for factor, digest in found]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as strict JSON has it."""
        return {
            "model": self.model,
            "rows": int(self.rows.sum()),
            "weight": float(self.weights.sum()),
            "classes": [
                {"label": json_value(label), "rows": rows, "weight": weight, "prior": prior}
                for label, rows, weight, prior in zip(
                    self.classes,
                    self.rows.tolist(),
                    self.weights.tolist(),
                    np.exp(self.log_prior).tolist(),
                    strict=True,
                )
            ],
            "columns": [
                {
                    **field,
                    "factors": [
                        {"factor": factor, **_plain(digest)} for factor, digest in self.digests_of(field["name"])
                    ],
                }
                for field in self.schema.to_dict()["fields"]
            ],
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from tallybayes.explain.summary_page import page

        yield from page(self, console, options)

    def __str__(self) -> str:
        return as_text(self)


def _in_order(digest: Digest, field: Field) -> Digest:
    """Return the table of a column that is cut with its bins in their order."""
    bins = sorted(digest["values"], key=lambda pair: int(pair[0]))
    return {**digest, "values": [[field.shown(code), probability] for code, probability in bins]}


def _plain(content: Any) -> Any:
    """Return a digest, or a part of one, as strict JSON has it."""
    if isinstance(content, Mapping):
        return {key: _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    return json_value(content)
