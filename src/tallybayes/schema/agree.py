"""Whether later rows, or another model, mean by their columns what a schema says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tallybayes._types import Floats
from tallybayes.errors import KindError, MergeError
from tallybayes.schema.arrow import distinct
from tallybayes.schema.bins import cut_in_words
from tallybayes.schema.encode import encode
from tallybayes.schema.field import CellType, Field, Kind, Schema, listed
from tallybayes.schema.infer import ENOUGH, few_valued, inferred
from tallybayes.schema.profile import FEW, Profile, distinct_values, profile
from tallybayes.schema.rows import Rows
from tallybayes.schema.texts import sniff


def refuse_other_kinds(schema: Schema, first: Rows) -> None:
    """Refuse later rows some of whose columns are definitely of another kind than the schema froze.

    What can be read as the frozen kind passes: a column without a value, whole floats where integers were, few
    integers where many numbers were, 0 and 1 where truth values were, and every column whose kind the user gave.

    Parameters
    ----------
    schema : Schema
        The schema that an earlier batch froze.
    first : Rows
        The first rows of the later batch.

    Raises
    ------
    KindError
        One or more columns are of another kind; the message names all of them and the remedy.
    """
    if all(field.seen is None for field in schema):
        return
    # What is no truth value is for the message below, which names all columns, and not for the reader.
    lax = [replace(field, type="number") if field.type == "boolean" else field for field in schema]
    batch = encode(first, Schema(tuple(lax), schema.named))
    looks = profile(first)
    found: list[tuple[Field, str, Kind]] = []
    for field, place in zip(schema, batch.places.tolist(), strict=True):
        if place < 0 or field.seen is None:
            continue
        now = looks[place]
        unread = first.names[place] in first.unreadable or now.type in (None, "unknown")
        if unread or now.present == 0:
            continue
        if field.kind == "ignored":
            kind = _no_longer_ignored(field, now, first)
            found += [] if kind is None else [(field, now.words, kind)]
            continue
        if first.text and _may_be_read(field, now, first, place):
            continue
        other = _other_kind(field, now, lambda name=field.name: batch.numbers([name]))  # type: ignore[misc]
        if other is not None:
            found.append((field, *other))
    if found:
        parts = "; ".join(f"{f.name!r} was {f.kind} ({f.reason}) and now holds {what}" for f, what, _ in found)
        said = ", ".join(f"{field.name!r}: {kind!r}" for field, _, kind in found)
        raise KindError(
            f"The first rows froze the kind of each column, and these rows are of other kinds: {parts}. Make "
            f"both alike, or say beforehand what the columns mean, for example columns={{{said}}}."
        )


def _no_longer_ignored(field: Field, now: Profile, rows: Rows) -> Kind | None:
    """Return the kind that a column would have that was set aside for what the first rows had; None for the same.

    Some texts that look like no ids are not enough: they have to occur twice on average, as categories do.
    """
    kind = inferred(field.name, now, len(rows), not isinstance(rows.cells, pa.RecordBatch))[0].kind
    if kind == "ignored":
        return None
    if field.type == "unknown":
        return "ignored" if now.type == "time" else kind
    if now.type == "string":
        return kind if now.present >= ENOUGH and 2 * now.distinct <= now.present else None
    return None if rows.text else "ignored"


def _may_be_read(field: Field, now: Profile, rows: Rows, place: int) -> bool:
    """Return whether cells of a text file may go into a column; what does not is named when it is read.

    Every cell goes into a column of texts; elsewhere a few texts among numbers are mistakes, not a kind.
    """
    if field.type == "string":
        return True
    if now.type != "string":
        return False
    texts = distinct(rows.cells.column(place))[1].drop_null()  # type: ignore[union-attr]
    return any(sniff(texts[k : k + 1]) != "string" for k in range(min(len(texts), ENOUGH)))


def _other_kind(field: Field, now: Profile, numbers: Callable[[], Floats]) -> tuple[str, Kind] | None:
    """Return what a column holds for which its field has no place, and a kind that has one for both."""
    if now.type != field.type and "string" in (now.type, field.type):
        return now.words, "categorical"
    if now.type != field.type and "time" in (now.type, field.type):
        return now.words, "ignored"
    if now.time != field.time and None not in (now.time, field.time):
        return now.words, "ignored"
    if now.type == "boolean" and field.type != "boolean":
        return now.words, field.kind
    if now.listed and field.kind != "categorical":
        return now.words, "numeric" if field.type == "boolean" and now.type != "boolean" else "categorical"
    if field.kind == "numeric":
        # Too few rows had been seen to tell numbers from categories; now there are enough.
        told = field.seen is not None and field.seen >= 2 * FEW
        few = now.type == "integer" and few_valued(now) and now.present >= ENOUGH and now.distinct > 1
        if field.type == "integer" and few and not told:
            return f"integers, {now.distinct} distinct values in {now.present} rows", "categorical"
        return None
    if field.type not in ("integer", "boolean") or now.listed or now.type == field.type == "boolean":
        return None
    return _misfit(field, now, numbers)


def _misfit(field: Field, now: Profile, numbers: Callable[[], Floats]) -> tuple[str, Kind] | None:
    """Return what of some numbers does not fit few integers, truth values or counts."""
    if now.type == "integer" and field.kind != "boolean":
        many = field.kind == "categorical" and now.distinct > FEW
        return (f"integers, more than {FEW} distinct values", "numeric") if many else None
    if field.kind == "count" and now.distinct > FEW:  # of a sparse matrix, whose profile tells counts from others
        return now.words, "numeric"
    cells = numbers()
    known = cells[~np.isnan(cells)]
    if field.kind == "boolean":
        return (f"{now.words} besides 0 and 1", "numeric") if ((known != 0) & (known != 1)).any() else None
    if (np.floor(known) != known).any():
        return "numbers with fractions", "numeric"
    if field.kind == "categorical" and distinct_values(known[:, None])[0] > FEW:
        return f"whole numbers, more than {FEW} distinct values", "numeric"
    return None


def united(a: Schema, b: Schema) -> Schema:
    """Return the schema of two models that are added: the columns of both, in the order of `a`.

    Raises
    ------
    MergeError
        The models have different columns, different kinds of columns or other edges; the message names all of them.

    Examples
    --------
    >>> one = Schema((Field("x", "numeric", "number"), Field("y", "boolean", "boolean")), named=True)
    >>> other = Schema((Field("y", "boolean", "boolean"), Field("x", "numeric", "integer")), named=True)
    >>> [field.name for field in united(one, other)]
    ['x', 'y']
    """
    if set(a.names) != set(b.names):
        ours = tuple(name for name in a.names if name not in b.index)
        theirs = tuple(name for name in b.names if name not in a.index)
        parts = [f"only the {who} has {listed(n)}" for who, n in (("first", ours), ("second", theirs)) if n]
        raise MergeError(f"The two models have different columns: {' and '.join(parts)}. Fit both on the same columns.")
    both = [(field, b[field.name], _united(field, b[field.name])) for field in a]
    differing = [(one, other) for one, other, field in both if field is None]
    if differing:
        parts = [f"{one.name!r} is {_meant(one)} in the first and {_meant(two)}" for one, two in differing]
        said = ", ".join(f"{one.name!r}: {_kind_for_both(one, two)!r}" for one, two in differing)
        raise MergeError(
            f"The two models differ in what their columns mean: {'; '.join(parts)} in the second. Fit both on cells "
            f"of one type and with the same kinds, for example columns={{{said}}}."
        )
    coarse = [(one, other) for one, other, _ in both if (one.edges, one.kept) != (other.edges, other.kept)]
    if coarse:
        parts = [f"{one.name!r} has {_coarse(one)} in the first and {_coarse(other)}" for one, other in coarse]
        raise MergeError(
            f"The two models cut their columns differently: {'; '.join(parts)} in the second. What two models have "
            "counted adds where both have the same edges and values: give the edges by discretize=, or let the second "
            "go on from a copy of the first with partial_fit."
        )
    return Schema(tuple(field for _, _, field in both if field is not None), a.named)


def _coarse(field: Field) -> str:
    if field.edges is not None:
        return cut_in_words(field.edges, dates=field.time == "dates")
    if field.kept is None:
        return "no edges"
    shown = ", ".join(map(repr, field.kept.items[:6]))
    return f"{len(field.kept)} values kept, {shown}{' and so on' if len(field.kept) > 6 else ''}"


def _kind_for_both(a: Field, b: Field) -> Kind:
    """Return a kind with which two models that differ in a column can be fitted again and then be added."""
    types = {a.type, b.type} - {"unknown"}
    aside = any(field.kind == "ignored" and field.seen is None for field in (a, b))
    if aside or not types or (len(types) > 1 and types & {"string", "time"}):
        return "ignored"
    if "time" in types:  # of one sort, or of none
        return "numeric" if a.time == b.time else "ignored"
    if "unknown" in (a.type, b.type):
        return b.kind if a.type == "unknown" else a.kind
    if types == {"string"} and "text" in (a.kind, b.kind):
        return "text"
    return "categorical" if types == {"string"} else "boolean" if types == {"boolean"} else "numeric"


def _meant(field: Field) -> str:
    return f"{field.kind}, read as {field.type}" + (f" ({field.reason})" if field.reason else "")


def _united(a: Field, b: Field) -> Field | None:
    """Return one field for a column of two models; None where its kind, or the type of its cells, differs."""
    read_as: CellType = b.type if a.type == "unknown" else a.type
    if a.kind != b.kind:
        return None
    if a.kind != "ignored" and a.time != b.time and None not in (a.time, b.time):
        return None
    if read_as != b.type and b.type != "unknown" and a.kind != "ignored":
        alike = {"integer", "number"} if a.kind == "categorical" else {"integer", "number", "boolean"}
        if not {read_as, b.type} <= alike:
            return None
        read_as = "number"
    values = a.values if b.values is None else b.values if a.values is None else a.values.union(b.values)[0]
    seen = None if a.seen is None or b.seen is None else a.seen + b.seen
    return replace(a, type=read_as, values=values, seen=seen)
