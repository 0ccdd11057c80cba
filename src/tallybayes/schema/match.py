"""Which column of some rows is which column of a schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tallybayes import errors
from tallybayes._types import Counts, Name
from tallybayes.errors import ColumnError, did_you_mean
from tallybayes.schema.field import Schema, listed


def positional(names: tuple[Name, ...]) -> bool:
    """Return whether columns go by their positions, having no headers."""
    return bool(names) and names[0] == 0 and names == tuple(range(len(names)))


def match(names: tuple[Name, ...], schema: Schema, *, warn: bool, estimator: str = "this model") -> Counts:
    """Return where each column of the schema stands among `names`, -1 for an ignored one that is absent.

    Columns are found by name, in any order; where the rows or the schema have no names, by position. An
    absent column is an error; columns that the schema does not have are left out.

    Parameters
    ----------
    names
        The columns of the rows.
    schema
        The columns of the model.
    warn
        Whether columns that are left out deserve a `DataWarning`.
    estimator
        Who asks, for messages.
    """
    ours = schema.names
    if names == ours:
        return np.arange(len(ours))
    if positional(names) or not schema.named:
        if len(names) != len(ours):
            raise ColumnError(
                f"X has {len(names)} features, but {estimator} is expecting {len(ours)} features as input. "
                "Columns without names go by their positions: pass as many, in the same order."
            )
        return np.arange(len(ours))
    where = {name: i for i, name in enumerate(names)}
    if len(where) < len(names):
        refuse_repeated([name for name in names if name in schema.index], "X")
    absent = tuple(field.name for field in schema.used() if field.name not in where)
    if absent:
        raise ColumnError(
            f"X has no column {listed(absent)}, which {estimator} was fitted "
            f"with.{did_you_mean(absent[0], [n for n in names if n not in schema.index])} It has the columns "
            f"{listed(names)}. Add what is missing, with empty cells where nothing is known."
        )
    extra = tuple(name for name in names if name not in schema.index)
    if extra and warn:
        errors.warn(
            f"{estimator} was fitted without the column{'s' * (len(extra) > 1)} {listed(extra)}, which will be ignored."
        )
    return np.array([where.get(name, -1) for name in ours], dtype=np.int64)


def refuse_repeated(names: Sequence[Name], label: str) -> None:
    """Refuse columns that are there more than once; `label` is what messages call the rows."""
    twice = tuple(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ColumnError(
            f"{label} has more than one column called {listed(twice)}. Columns are matched by name: give "
            "each a name of its own."
        )
