"""Rows of DATA on their way to a model, and the columns of them that are written beside its answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import pyarrow as pa

from tallybayes.cli.reading import Reading, progress
from tallybayes.errors import ColumnError, did_you_mean
from tallybayes.schema.field import listed
from tallybayes.sources.watched import WrappedSource

if TYPE_CHECKING:
    from tallybayes._types import AnyArray, Name
    from tallybayes.schema.field import Schema
    from tallybayes.schema.rows import Rows
    from tallybayes.sources.base import Source


@final
class KeepingSource(WrappedSource):
    """The columns of a model; those to keep are put aside, piece by piece, in the order of the rows.

    Parameters
    ----------
    source : Source
        All rows.
    schema : Schema
        What the model was trained with. Where its columns have no names, it takes all columns by position.
    keep : sequence of str
        The columns to put aside, in this order; the model may have them or not.
    label : str
        What messages call the rows.
    """

    def __init__(self, source: Source, schema: Schema, keep: Sequence[str], label: str) -> None:
        super().__init__(source)
        there = (*source.names, *source.extra)
        for name in keep:
            if name not in source.names:
                raise ColumnError(
                    f"{label} has no column {name!r} to keep.{did_you_mean(name, there)} Its columns are "
                    f"{listed(there)}."
                )
        only_kept = set(keep) - set(schema.names) if schema.named else set()
        self._places = [j for j, name in enumerate(source.names) if name not in only_kept]
        self._kept_places = [source.names.index(name) for name in keep]
        self.names: tuple[Name, ...] = tuple(source.names[j] for j in self._places)
        self._kept: deque[pa.RecordBatch] = deque()

    def rows(self) -> Iterator[Rows]:
        """Yield the rows in order."""
        for rows in self.source.rows():
            cells: Any = rows.cells
            for j in self._kept_places:
                if rows.names[j] in rows.unreadable:
                    raise rows.unreadable[rows.names[j]]
            if self._kept_places:
                self._kept.append(cells.select(self._kept_places))
            yield replace(rows, cells=cells.select(self._places), names=self.names)

    def kept(self) -> pa.RecordBatch | None:
        """Return the columns put aside of the first piece not asked for yet; None where there are none to keep."""
        return self._kept.popleft() if self._kept_places else None

    def all_kept(self) -> pa.Table:
        """Return the columns put aside of all pieces that were not asked for yet."""
        return pa.Table.from_batches(self._kept)


@contextmanager
def asking(model: Any, reading: Reading, keep: Sequence[str] | None, doing: str) -> Iterator[KeepingSource]:
    """Open DATA for a fitted model, with a bar for how far it has been read."""
    schema, keep = model.schema_, tuple(dict.fromkeys(keep or ()))
    whole = reading.open(only=[*schema.names, *keep] if schema.named else None)
    with progress(doing, whole) as watched:
        yield KeepingSource(watched, schema, keep, reading.label)


def beside(kept: pa.RecordBatch | None, columns: dict[str, Any]) -> pa.RecordBatch:
    """Return the columns that were kept, and answers to their right."""
    both = {} if kept is None else dict(zip(kept.schema.names, kept.columns, strict=True))
    for name in columns:
        if name in both:
            raise ColumnError(f"--keep {name} would stand beside an answer of the same name; rename it in DATA.")
    return pa.RecordBatch.from_pydict(both | columns)


def labels_column(classes: AnyArray, chosen: AnyArray) -> pa.Array:
    """Return classes by their positions as an Arrow column, null for -1."""
    plain = classes.tolist()
    kinds = {type(label) for label in plain}
    values = pa.array(plain if len(kinds) == 1 or kinds == {int, float} else [str(label) for label in plain])
    return values.take(pa.array(chosen, mask=chosen < 0))
