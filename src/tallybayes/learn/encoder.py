"""How raw rows become a batch of what a model has learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from tallybayes.schema.batch import Batch
from tallybayes.schema.encode import encode
from tallybayes.schema.field import CellType, Schema
from tallybayes.schema.refusals import refuse_missing
from tallybayes.schema.rows import Rows


@final
@dataclass(frozen=True)
class Encoder:
    """Reads rows by a schema; a plain value, which an engine may send to another machine.

    Attributes
    ----------
    schema
        What the columns mean.
    target_type
        How labels are read.
    refuses_missing
        Whether a missing cell is an error.
    estimator
        Who asks, for messages.
    """

    schema: Schema
    target_type: CellType
    refuses_missing: bool
    estimator: str

    def __call__(self, rows: Rows) -> Batch:
        """Return the rows as a batch."""
        batch = encode(rows, self.schema, target_type=self.target_type, estimator=self.estimator)
        if self.refuses_missing:
            refuse_missing(batch, [field.name for field in self.schema.used()])
        return batch
