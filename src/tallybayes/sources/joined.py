"""A table with its target and its weights beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, cast, final

import numpy as np
import pyarrow as pa

from tallybayes._types import Floats, Name
from tallybayes.errors import (
    ColumnError,
    DataError,
    EmptyDataError,
    TallyBayesError,
    TargetError,
    WeightError,
    did_you_mean,
    warn,
)
from tallybayes.schema.field import listed
from tallybayes.schema.match import refuse_repeated
from tallybayes.schema.rows import Cells, Rows
from tallybayes.sources.base import Source, Table
from tallybayes.sources.beside import Vector, as_target, as_weights, weights_of
from tallybayes.sources.plain import rechunk, steady


@final
class TableSource(Source):
    """The rows of a table; the target and the weights are columns of it, or arrays of the same length.

    Parameters
    ----------
    table : Table
        The columns.
    y, sample_weight : str or array-like, optional
        The name of a column of a named table, which is then no feature, or one entry a row.
    only : collection of str, optional
        The columns that are wanted, by name; the others are not read. Positions are not chosen from, because
        columns without names are matched by their number.
    """

    def __init__(
        self, table: Table, y: Any = None, sample_weight: Any = None, *, only: Collection[Name] | None = None
    ) -> None:
        refuse_repeated((*table.names, *table.hidden), table.label)
        if table.note and only is None:  # whoever knows the columns has been told
            warn(table.note)
        y = table.target if y is None else y
        sample_weight = table.sample_weight if sample_weight is None else sample_weight
        self.label, self.named, self.n_rows = table.label, table.named, table.n_rows
        self.once = table.once
        self._table = table
        self.target = self._column(y, "y")
        self._weight = self._column(sample_weight, "sample_weight")
        self._parts = tuple(dict.fromkeys(name for name in (self.target, self._weight) if name is not None))
        known = tuple(name for name in table.names if name not in self._parts)
        if self.n_rows == 0 or not known:
            raise _empty(table, len(known))
        self.names = self._chosen(known, only)
        chosen = set(self.names)
        self.extra = tuple(name for name in known if name not in chosen)
        self._y = None if y is None or self.target is not None else as_target(y)
        self._w = (
            None
            if sample_weight is None or self._weight is not None
            else as_weights(sample_weight, self.n_rows if self._y is None else len(self._y))
        )
        if self.n_rows is not None:
            self._check_length(self.n_rows)

    def _column(self, given: Any, what: str) -> Name | None:
        """Return the name of the column that `given` names, None where it names none."""
        if not isinstance(given, str):
            return None
        table = self._table
        if not table.named:
            raise ColumnError(
                f"{what}={given!r} names a column, but the columns of {table.label} have no names; "
                f"give {what} as an array of one entry a row."
            )
        names = (*table.names, *table.hidden)
        if given not in names:
            there = f"Its columns are {listed(names)}." if names else "It has no columns at all."
            raise ColumnError(
                f"{table.label} has no column {given!r} to take {what} from.{did_you_mean(given, names)} {there}"
            )
        return given

    def _chosen(self, known: tuple[Name, ...], only: Collection[Name] | None) -> tuple[Name, ...]:
        if not only or not self.named or not all(isinstance(name, str) for name in only):
            return known
        there = {*known, *self._table.hidden} - {*self._parts}
        if not there.issuperset(only):
            return known  # whoever matches the columns says what is missing, and what there is instead
        wanted = set(only)
        return tuple(name for name in (*known, *self._table.hidden) if name in wanted)

    def rows(self) -> Iterator[Rows]:
        """Yield the rows in order; lengths that were not known beforehand are checked on the way."""
        columns = (*self.names, *self._parts)
        unreadable: dict[Name, TallyBayesError] = {}
        first = 0
        for cells in self._cells(columns, unreadable):
            unreadable |= self._table.unreadable
            stop = first + (cells.num_rows if isinstance(cells, pa.RecordBatch) else cells.shape[0])
            if self.n_rows is None:
                self._check_length(stop, more=True)
            if self.target in unreadable:
                raise TargetError(f"Unknown label type: {unreadable[self.target]}")
            if self._weight in unreadable:
                raise WeightError(f"Weights are numbers of 0 or more: {unreadable[self._weight]}")
            target = self._target_of(cells, columns, first, stop)
            weights = self._weights_of(cells, columns, first, stop)
            if self._parts:
                cells = cast(pa.RecordBatch, cells).select(list(range(len(self.names))))
            table = self._table
            said = table.text, table.dated, table.prose
            yield Rows(cells, self.names, target, weights, first, *said, dict(unreadable))
            first = stop
        if first == 0:
            raise _empty(self._table, len(self.names), rows=0)
        self._check_length(first)

    def _cells(self, columns: tuple[Name, ...], unreadable: dict[Name, TallyBayesError]) -> Iterator[Cells]:
        """Return the pieces of the table; batches plain and of even length."""
        most = self._table.most_rows(len(self.names))
        pieces = self._table.pieces(columns, most)
        if self._table.matrix:
            return pieces
        return rechunk(steady(cast("Iterator[pa.RecordBatch]", pieces), self.label, unreadable), most)

    def _target_of(self, cells: Cells, columns: tuple[Name, ...], start: int, stop: int) -> Vector | None:
        if self.target is not None:
            return _named(cells, columns, self.target)
        return None if self._y is None else self._y[start:stop]

    def _weights_of(self, cells: Cells, columns: tuple[Name, ...], start: int, stop: int) -> Floats | None:
        if self._weight is not None:
            return weights_of(_named(cells, columns, self._weight), str(self._weight), start)
        if self._w is None or isinstance(self._w, np.ndarray):
            return None if self._w is None else self._w[start:stop]
        return np.full(stop - start, self._w)

    def _check_length(self, rows: int, *, more: bool = False) -> None:
        """Refuse a target or weights of another length than the `rows` rows of the table, or `more`."""
        for what, values in (("y", self._y), ("sample_weight", self._w)):
            if values is None or isinstance(values, float):
                continue
            if len(values) < rows or (len(values) > rows and not more):
                at_least = "at least " if more else ""
                raise DataError(
                    f"Found input variables with inconsistent numbers of samples: {[rows, len(values)]}. "
                    f"{self.label} has {at_least}{rows} rows and {what} has {len(values)}; "
                    f"give {what} one entry for each row."
                )


def _named(cells: Cells, columns: tuple[Name, ...], name: Name) -> pa.Array:
    """Return a column by its name; only tables have names."""
    return cast(pa.RecordBatch, cells).column(columns.index(name))


def _empty(table: Table, features: int, rows: int | None = None) -> EmptyDataError:
    """Return the error of a table without rows, or without features."""
    rows = table.n_rows if rows is None else rows
    if rows == 0:
        return EmptyDataError(
            f"Found array with 0 sample(s) (shape=(0, {features})) while a minimum of 1 is required. "
            f"{table.label} has no rows; give it at least one."
        )
    shape = f"({'n' if rows is None else rows}, 0)"
    besides = "besides the target " if table.names else ""
    return EmptyDataError(
        f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required. "
        f"{table.label} has no column {besides}to learn from; give it at least one."
    )
