"""What a user says of how columns of numbers are cut into bins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, get_args

from tallybayes._types import Name
from tallybayes.errors import ColumnError, OptionError, did_you_mean
from tallybayes.schema.bins import Edges, are_edges
from tallybayes.schema.field import listed
from tallybayes.schema.said import declared_values

Method = Literal["mdlp", "quantile", "width"]
"""How edges are chosen: where the classes change, so that bins weigh alike, or so that they are equally wide."""

METHODS: tuple[Method, ...] = get_args(Method)

Discretize = Method | Mapping[Name, Method | Sequence[float]]
"""What a user says of all columns, or of single ones: how edges are chosen, or the edges themselves."""

MOST_EDGES = 4095
"""How many edges a user may give a column."""


@dataclass(frozen=True)
class Cutting:
    """How columns of numbers are cut.

    Attributes
    ----------
    method
        How the edges of columns are chosen of which nothing is said.
    given
        How those of single columns are, or the edges themselves.
    bins
        The number of bins that "quantile" and "width" make.
    most
        The most bins that "mdlp" makes; None for as many as it finds.

    Examples
    --------
    >>> cutting = Cutting.of({"year": [1990, 2000], "pay": "quantile"})
    >>> cutting.how("year"), cutting.how("pay"), cutting.how("age")
    ((1990.0, 2000.0), 'quantile', 'mdlp')
    """

    method: Method = "mdlp"
    given: Mapping[Name, Method | Edges] = field(default_factory=dict)
    bins: int = 10
    most: int | None = None

    @classmethod
    def of(cls, said: Any, *, bins: int = 10, most: int | None = None, option: str = "discretize") -> Cutting:
        """Return what a user says, checked; `option` is what messages call it."""
        if isinstance(said, str):
            return cls(_method(said, option), {}, bins, most)
        if not isinstance(said, Mapping):
            raise OptionError(
                f"{option}={said!r} is neither one of {list(METHODS)} nor a dict of columns with their edges, "
                f"such as {option}={{'age': [18, 65]}}."
            )
        given = {
            name: _method(how, f"{option} of {name!r}") if isinstance(how, str) else edges_of(how, name)
            for name, how in said.items()
        }
        return cls("mdlp", given, bins, most)

    def how(self, name: Name) -> Method | Edges:
        """Return how a column is cut: a method, or edges."""
        return self.given.get(name, self.method)

    def check_names(self, names: Collection[Name], option: str = "discretize") -> None:
        """Refuse columns that are not cut, because they are not there or hold no numbers."""
        unknown = tuple(name for name in self.given if name not in names)
        if unknown:
            raise ColumnError(
                f"{option}= names {listed(unknown)}, which is no column that is cut into bins."
                f"{did_you_mean(unknown[0], names)} Those are {listed(tuple(names)) or 'none'}."
            )


def _method(said: str, what: str) -> Method:
    if said not in METHODS:
        raise OptionError(f"{what}={said!r} is not one of {list(METHODS)}.{did_you_mean(said, METHODS)}")
    return said


def edges_of(said: Any, name: Name) -> Edges:
    """Return edges that a user gives a column, checked.

    Examples
    --------
    >>> edges_of([400, 800, 1200, 1600], "load")
    (400.0, 800.0, 1200.0, 1600.0)
    """
    items = declared_values(said)
    try:
        edges = [_number(item) for item in items] if items is not None else None
    except (TypeError, OverflowError):
        edges = None
    if edges is None or not are_edges(edges):
        raise OptionError(
            f"The edges of {name!r} are {said!r}; they should be numbers, each above the one before, such as "
            "[400, 800, 1200], which makes four bins."
        )
    if len(edges) > MOST_EDGES:
        raise OptionError(f"{name!r} has {len(edges):,} edges, and {MOST_EDGES:,} are the most; give fewer.")
    return tuple(edges)


def _number(item: Any) -> float:
    if not isinstance(item, Real) or isinstance(item, bool):
        raise TypeError
    return float(item) + 0.0  # an edge at -0.0 is one at 0.0
