"""A look at the first rows of each column, from which its kind is inferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes._types import AnyArray, Counts
from tallybayes.kernels.ranges import few_values, small_integers
from tallybayes.schema.arrow import cell_type, distinct, is_string, time_sort, to_days
from tallybayes.schema.field import CellType, Field, TimeSort
from tallybayes.schema.matrices import ranges
from tallybayes.schema.reading import Reading
from tallybayes.schema.rows import Rows
from tallybayes.schema.strangers import Stranger, stranger
from tallybayes.schema.texts import all_dates, days_of, numbers_of, sniff, with_commas

if TYPE_CHECKING:
    from scipy import sparse

FEW = 10
"""Numbers with more distinct values than this have many, and nobody counts them to the end."""

MANY = FEW + 1

SOME = 1000
"""In how many texts words are counted."""

_DENSE = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_PIECE = rf"[{_DENSE}]|[^\s{_DENSE}]+"

_WORDS: dict[CellType, str] = {
    "integer": "integers",
    "number": "numbers",
    "boolean": "true or false",
    "time": "dates, as days since 1970-01-01",
}

_TIMES: dict[TimeSort, str] = {
    "dates": "dates, as days since 1970-01-01",
    "durations": "durations, in days",
    "times of day": "times of day, as parts of a day",
}
"""What times are, and what number stands for each."""


@dataclass(frozen=True)
class Profile:
    """What was seen of a column.

    Attributes
    ----------
    type
        How its cells are read; None for cells that no column may hold.
    words
        What its cells are, for people.
    present
        How many rows have a value.
    distinct
        How many values there are; of numbers `MANY` at most, and of floats and times 2.
    length, pieces
        The mean number of characters of its texts, and of words in the first of them; see `pieces_of`.
    listed
        Whether the source itself calls the column one of categories.
    commas
        Whether its texts are numbers but for their commas.
    stranger
        The first of its texts that is no number, or no date, where most are.
    time
        Which times its cells are, where they are times.
    """

    type: CellType | None
    words: str
    present: int
    distinct: int
    length: float = 0.0
    pieces: float = 0.0
    listed: bool = False
    commas: bool = False
    stranger: Stranger | None = None
    time: TimeSort | None = None


def profile(rows: Rows) -> list[Profile]:
    """Return the profile of each column of some rows."""
    cells = rows.cells
    if isinstance(cells, pa.RecordBatch):
        return [_column(column, rows) for column in cells.columns]
    if not isinstance(cells, np.ndarray):
        return _sparse(cells)
    if cells.dtype.kind == "f":
        return [_floats(k, len(cells)) for k in distinct_values(cells, 1).tolist()]
    if cells.dtype.kind == "b":
        return [Profile("boolean", "true or false", len(cells), k) for k in distinct_integers(cells.view(np.uint8))]
    return [Profile("integer", "integers", len(cells), k) for k in distinct_integers(cells)]


def distinct_values(matrix: AnyArray, most: int = FEW) -> Counts:
    """Return how many values each column has besides NaN, counted to one more than `most`."""
    distinct = np.zeros(matrix.shape[1], dtype=np.int64)
    few_values(matrix, np.empty((matrix.shape[1], most), dtype=matrix.dtype), distinct)
    return distinct


def distinct_integers(matrix: AnyArray) -> list[int]:
    """Do so for integers, all of them at once where they lie close together."""
    if not matrix.size:
        return [0] * matrix.shape[1]
    low, high = ranges(matrix)
    # Differences of wrapped unsigned numbers are right even where those of signed ones overflow.
    close = high.astype(np.uint64) - low.astype(np.uint64) < 64
    distinct = np.full(matrix.shape[1], MANY)
    if close.any():
        masks = np.zeros(matrix.shape[1], dtype=np.int64)
        small_integers(matrix.view(np.int64) if matrix.dtype == np.uint64 else matrix, low.astype(np.int64), masks)
        distinct = np.bitwise_count(masks.view(np.uint64)).astype(np.int64)
    for j in np.flatnonzero(~close).tolist():
        distinct[j] = distinct_values(matrix[:, j : j + 1])[0]
    return np.minimum(distinct, MANY).tolist()  # type: ignore[no-any-return]


def _floats(distinct: int, rows: int) -> Profile:
    return Profile("number", "numbers", rows if distinct else 0, distinct)


def _column(column: pa.Array, rows: Rows) -> Profile:
    read_as = cell_type(column.type)
    if read_as is None or pa.types.is_null(column.type):
        return Profile(read_as, str(column.type), 0, 0)
    if pa.types.is_dictionary(column.type):
        return _listed(column)
    if is_string(column.type):
        return _texts(column, rows)
    present = len(column) - column.null_count
    sort = time_sort(column.type)
    if sort is not None:
        count = int(distinct_values(to_days(column)[:, None], 1)[0])
        return Profile("time", _TIMES[sort], present, count, time=sort)
    if read_as == "boolean":
        return Profile("boolean", "true or false", present, pc.count_distinct(column).as_py())
    cells: AnyArray = column.drop_null().to_numpy(zero_copy_only=False)
    if read_as == "number":
        return _floats(int(distinct_values(cells[:, None], 1)[0]), present)
    return Profile("integer", "integers", present, distinct_integers(cells[:, None])[0])


def _listed(column: pa.DictionaryArray) -> Profile:
    places, values = distinct(column)
    known = np.append(values.is_valid().to_numpy(zero_copy_only=False), False)  # the last entry is for -1, missing
    present, count = np.count_nonzero(known[places]), np.count_nonzero(known)
    return Profile(
        cell_type(values.type), "categories", int(present), int(count), listed=True, time=time_sort(values.type)
    )


def _texts(texts: pa.Array, rows: Rows) -> Profile:
    read_as: CellType = sniff(texts) if rows.text else "time" if rows.dated and all_dates(texts) else "string"
    if read_as in _WORDS:
        reading = Reading(Field("", "numeric", read_as), text=rows.text)
        numbers = days_of(texts, reading) if read_as == "time" else numbers_of(texts, reading)
        present = int(np.count_nonzero(~np.isnan(numbers)))
        count = int(distinct_values(numbers[:, None], FEW if read_as == "integer" else 1)[0])
        return Profile(read_as, _WORDS[read_as], present, count, time="dates" if read_as == "time" else None)
    present = 0 if read_as == "unknown" else len(texts) - texts.null_count
    count = pc.count_distinct(texts).as_py() if present else 0
    length = pc.mean(pc.utf8_length(texts)).as_py() or 0.0
    commas = rows.text and read_as == "string" and with_commas(texts)
    odd = stranger(texts, rows.text) if (rows.text or rows.dated) and present else None
    pieces = pieces_of(texts) if read_as == "string" else 0.0
    return Profile(read_as, "texts", present, count, length=length, pieces=pieces, commas=commas, stranger=odd)


def pieces_of(texts: pa.Array) -> float:
    """Return how many words the first `SOME` texts have on average.

    A word is what stands between blanks; a letter of a script that has none, as of Chinese or Thai, is one by itself.

    Examples
    --------
    >>> pieces_of(pa.array(["see you at noon", None, "明天 10:00 见"]))
    4.0
    """
    found = pc.mean(pc.count_substring_regex(texts.drop_null()[:SOME], _PIECE)).as_py()
    return float(found or 0.0)


def _sparse(matrix: sparse.csr_array) -> list[Profile]:
    """Tell columns of counts from others, and those of no value or of one from those of more."""
    rows, columns = matrix.shape
    data, indices = matrix.data, matrix.indices
    odd, varied = np.zeros(columns, dtype=bool), np.zeros(columns, dtype=bool)
    stored = np.bincount(indices, minlength=columns)
    missing = np.zeros(columns, dtype=np.int64)
    if data.dtype.kind == "f":
        gone = np.isnan(data)
        if gone.any():
            missing = np.bincount(indices[gone], minlength=columns)
            data, indices = data[~gone], indices[~gone]
    if data.dtype.kind not in "bu":
        odd[indices[~((data >= 0) & (np.floor(data) == data) & np.isfinite(data))]] = True
    one = np.zeros(columns, dtype=data.dtype)
    one[indices] = data  # some stored value of each column, with which the others are compared
    varied[indices[data != one[indices]]] = True
    varied |= (stored < rows) & (one != 0)  # an absent entry is 0
    found = zip(odd.tolist(), (rows - missing).tolist(), varied.tolist(), strict=True)
    alike: dict[tuple[bool, int, bool], Profile] = {}
    for other, present, more in (keys := list(found)):
        if (other, present, more) not in alike:
            distinct = MANY if more else min(present, 1)
            counts = Profile("integer", "whole numbers, 0 or more", present, distinct)
            alike[other, present, more] = Profile("number", "numbers", present, distinct) if other else counts
    return [alike[key] for key in keys]
