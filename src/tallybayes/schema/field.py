"""What one column means, and what all of them mean together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, get_args

from tallybayes._types import AnyArray, Name, Value
from tallybayes.errors import ColumnError, ModelFileError, did_you_mean
from tallybayes.schema.bins import Edges, are_edges, cut_in_words, interval
from tallybayes.schema.values import Values

if TYPE_CHECKING:
    from rich.table import Table

Kind = Literal["categorical", "boolean", "numeric", "count", "text", "ignored"]
"""What a column means to a model."""

CellType = Literal["string", "integer", "number", "boolean", "time", "unknown"]
"""How the cells of a column are read; `time` cells are dates, times and durations, read as days."""

TimeSort = Literal["dates", "durations", "times of day"]
"""What times a column has: days since 1970, the lengths of something, or parts of a day do not mix."""

KINDS: tuple[Kind, ...] = get_args(Kind)
CELL_TYPES: tuple[CellType, ...] = get_args(CellType)
TIME_SORTS: tuple[TimeSort, ...] = get_args(TimeSort)

Override = Kind | Sequence[Value] | AnyArray
"""What a user says of a column in ``columns=``: its kind, or the values of a categorical one."""

Overrides = Mapping[Name, Override]

OTHER = "(other)"
"""What stands for all values of a column that are not among those that are kept."""


@dataclass(frozen=True)
class Field:
    """One column: its name, what it means, how its cells are read and why that was chosen.

    Attributes
    ----------
    name, kind, type, reason
        The column, what it means, how its cells are read, and why, in words.
    values
        The values that were declared: they belong to the event space whether or not a row has them.
    seen
        How many cells the kind was inferred from; None where it was given.
    time
        Which times they are, where they are times and that is known.
    edges
        Where a numeric column or one of counts is cut into bins, which are then its values: their numbers from 0 on.
    kept
        The values of a categorical column that are told apart; all others are one, `OTHER`.
    """

    name: Name
    kind: Kind
    type: CellType
    reason: str = ""
    values: Values | None = None
    seen: int | None = None
    time: TimeSort | None = None
    edges: Edges | None = None
    kept: Values | None = None

    @property
    def coded(self) -> bool:
        """Whether its cells are read as codes: categories, truth values and bins."""
        return self.kind in ("categorical", "boolean") or self.edges is not None

    @cached_property
    def declared(self) -> Values | None:
        """The values that belong to the event space whether or not a row has them, None where none are known."""
        if self.edges is not None:
            return Values(range(len(self.edges) + 1))
        return self.values if self.kept is None else Values((*self.kept, OTHER))

    def shown(self, value: Value) -> str:
        """Return what people call a value: of a bin, its interval."""
        if self.edges is None:
            return str(value)
        return interval(self.edges, int(value), dates=self.time == "dates")

    @property
    def why(self) -> str:
        """What is known of the column, in words."""
        parts = [self.reason] if self.reason else []
        if self.edges is not None:
            parts.append(cut_in_words(self.edges, dates=self.time == "dates"))
        if self.kept is not None:
            parts.append(f"the {len(self.kept)} most frequent values kept, the others one")
        return "; ".join(parts)


@dataclass(frozen=True)
class Schema:
    """The columns of a model in their order; `named` says whether they go by header or by position.

    Examples
    --------
    >>> schema = Schema((Field("色泽", "categorical", "string", "texts, 3 distinct values"),), named=True)
    >>> print(schema)
    色泽  categorical  texts, 3 distinct values
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    fields: tuple[Field, ...]
    named: bool

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names of all columns, ignored ones included."""
        return tuple(field.name for field in self.fields)

    @cached_property
    def index(self) -> dict[Name, int]:
        """The position of each column."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def times(self) -> frozenset[Name]:
        """The columns whose cells are dates, times or durations."""
        return frozenset(field.name for field in self.fields if field.type == "time")

    @cached_property
    def truths(self) -> frozenset[Name]:
        """The columns that mean truth values, and whose cells are read as such."""
        return frozenset(field.name for field in self.fields if field.type == field.kind == "boolean")

    def uncut(self) -> Schema:
        """Return the columns without the edges and the kept values that were chosen for them."""
        return Schema(tuple(replace(field, edges=None, kept=None) for field in self.fields), self.named)

    def used(self) -> tuple[Field, ...]:
        """Return the columns that take part."""
        return tuple(field for field in self.fields if field.kind != "ignored")

    def of_kind(self, *kinds: Kind) -> tuple[Name, ...]:
        """Return the names of the columns of some kinds."""
        return tuple(field.name for field in self.fields if field.kind in kinds)

    def __getitem__(self, name: Name) -> Field:
        try:
            return self.fields[self.index[name]]
        except KeyError:
            hint = did_you_mean(name, self.index)
            raise ColumnError(f"There is no column {name!r}.{hint} The columns are {listed(self.names)}.") from None

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        from rich.cells import cell_len  # a Chinese character is two columns wide

        rows = self._shown()
        wide, kinds = (max((cell_len(row[i]) for row in rows), default=0) for i in range(2))
        lines = (f"{name}{' ' * (wide - cell_len(name))}  {kind:<{kinds}}  {why}" for name, kind, why in rows)
        return "\n".join(line.rstrip() for line in lines)

    def __rich__(self) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(
            "column", "kind", "why", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0)
        )
        for row in self._shown():
            table.add_row(*(Text(cell) for cell in row))  # a name in brackets is no markup
        return table

    def _shown(self) -> list[tuple[str, str, str]]:
        """Return name, kind and what is known of each column; columns without names that are alike share a row."""
        rows = []
        alike = groupby(self.fields, key=lambda f: (f.kind, f.why, f.name if self.named else ""))
        for (kind, why, _), fields in alike:
            names = [str(field.name) for field in fields]
            rows.append((names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", kind, why))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as plain JSON."""
        return {"named": self.named, "fields": [_to_dict(field) for field in self.fields]}

    @classmethod
    def from_dict(cls, data: object) -> Schema:
        """Return the schema that `to_dict` gave, from a file that nobody vouches for.

        Raises
        ------
        ModelFileError
            The data are not of that form.
        """
        if (
            not isinstance(data, dict)
            or type(data.get("named")) is not bool
            or not isinstance(data.get("fields"), list)
        ):
            raise _damaged("they are no table of columns")
        schema = cls(tuple(_from_dict(field) for field in data["fields"]), data["named"])
        if len(schema.index) < len(schema):
            raise _damaged("two of them have one name")
        if not schema.named and schema.names != tuple(range(len(schema))):
            raise _damaged("their positions are not 0, 1, 2 and so on")
        if schema.named and not all(isinstance(name, str) for name in schema.names):
            raise _damaged("some have no name")
        return schema


def _to_dict(field: Field) -> dict[str, Any]:
    plain = {"name": field.name, "kind": field.kind, "type": field.type, "reason": field.reason}
    lists = {"values": field.values, "edges": field.edges, "kept": field.kept}
    more: dict[str, Any] = {key: None if items is None else list(items) for key, items in lists.items()}
    more |= {"seen": field.seen, "time": field.time}
    return plain | {key: value for key, value in more.items() if value is not None}


def _from_dict(data: object) -> Field:
    if not isinstance(data, dict) or type(data.get("name")) not in (str, int):
        raise _damaged("one has no name")
    name: Name = data["name"]
    kind, type_, reason = (data.get(key) for key in ("kind", "type", "reason"))
    if kind not in KINDS or type_ not in CELL_TYPES or not isinstance(reason, str):
        raise _damaged(f"of {name!r}, kind, type or reason are none that there are")
    seen = data.get("seen")
    if seen is not None and not (type(seen) is int and seen >= 0):
        raise _damaged(f"of {name!r}, the number of cells it was inferred from is {seen!r}")
    declared, kept = (_values(name, data.get(key)) for key in ("values", "kept"))
    edges = data.get("edges")
    if edges is not None and not (isinstance(edges, list) and kind in ("numeric", "count") and are_edges(edges)):
        raise _damaged(f"the edges of {name!r} are not ascending numbers, or it has no numbers")
    if kept is not None and (kind != "categorical" or OTHER in kept):
        raise _damaged(f"{name!r} cannot have values that are kept")
    sort = data.get("time")
    if sort is not None and (sort not in TIME_SORTS or type_ != "time"):
        raise _damaged(f"the times of {name!r} are {sort!r}")
    cut = None if edges is None else tuple(map(float, edges))
    return Field(name, kind, type_, reason, declared, seen, sort, cut, kept)


def _values(name: Name, items: Any) -> Values | None:
    if items is None:
        return None
    if not isinstance(items, list) or not all(_is_value(item) for item in items):
        raise _damaged(f"the values of {name!r} are no list of texts, numbers or truth values")
    values = Values(items)
    if list(map(repr, values)) != list(map(repr, items)):
        raise _damaged(f"the values of {name!r} are not sorted or not distinct")
    return values


def _is_value(value: object) -> bool:
    return type(value) in (str, int, bool) or (type(value) is float and isfinite(value))


def _damaged(what: str) -> ModelFileError:
    return ModelFileError(
        f"The model file is damaged: of its columns, {what}. Train the model again or fetch an intact copy."
    )


def listed(names: tuple[Name, ...], most: int = 12) -> str:
    """Return the names in words, cut off where there are too many."""
    shown = ", ".join(repr(n) for n in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
