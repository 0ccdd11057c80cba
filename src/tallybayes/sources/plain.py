"""Arrow columns made plain: the many ways in which a producer may write a column, brought to a few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallybayes._types import Name
from tallybayes.errors import KindError, TallyBayesError
from tallybayes.schema.arrow import cell_type
from tallybayes.schema.reading import nested
from tallybayes.sources.base import CHUNK_BYTES

_WORDS = {
    "integer": "numbers",
    "number": "numbers",
    "string": "texts",
    "boolean": "truth values",
}


_INTERVAL = np.dtype([("months", "i4"), ("days", "i4"), ("nanoseconds", "i8")])
_LONG_TEXTS = CHUNK_BYTES // 4
"""What the cells of a piece may take beyond eight bytes each."""

_LONGEST = 100_000_000
"""The days that 64 bits of microseconds hold, nearly."""


def plain_array(column: pa.Array) -> pa.Array:
    """Return a column as texts, numbers, truth values or times that every reader knows.

    Views of strings and bytes in UTF-8 become strings, decimals integers or floats, half floats floats, intervals
    durations; run lengths are written out, extension types show what they store, and lists and records stay as
    they are.
    """
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return plain_array(column.storage)
    if pa.types.is_dictionary(kind):
        values = plain_array(column.dictionary)
        same = values.type == kind.value_type
        return column if same else pa.DictionaryArray.from_arrays(column.indices, values, ordered=kind.ordered)
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return column.cast(pa.large_binary()).cast(pa.large_string())
    if pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.binary()).cast(pa.string())
    if pa.types.is_decimal(kind):
        return _whole(column) if kind.scale <= 0 else column.cast(pa.float64())
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_interval(kind):
        return _durations(column)
    if pa.types.is_run_end_encoded(kind):
        return plain_array(pc.run_end_decode(column))
    return column


def _whole(column: pa.Array) -> pa.Array:
    """Return decimals without a fraction as integers, as floats where they are too large."""
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column.cast(pa.float64())


def _durations(column: pa.Array) -> pa.Array:
    """Return intervals of months, days and nanoseconds as durations; `ArrowInvalid` where one has no fixed length."""
    parts = np.frombuffer(column.buffers()[1], _INTERVAL, len(column), column.offset * _INTERVAL.itemsize)
    gone = column.is_null().to_numpy(zero_copy_only=False)
    if (parts["months"][~gone] != 0).any():
        raise pa.ArrowInvalid("it has months, which have no fixed length; in DuckDB, epoch() makes seconds of it")
    days = parts["days"].astype(np.int64)
    if (np.abs(days[~gone]) > _LONGEST).any():
        raise pa.ArrowInvalid(f"it has durations of more than {_LONGEST:,} days")
    ticks = days * 86_400_000_000 + parts["nanoseconds"] // 1000
    return pa.array(ticks, mask=gone).cast(pa.duration("us"))


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column, whether it came in one piece or in several, as one plain array."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([plain_array(chunk) for chunk in column.chunks] or [pa.nulls(0)])
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # of a type that Arrow does not concatenate at any length
            column = pa.concat_arrays(column.chunks)
    return plain_array(column)


def _family(kind: pa.DataType) -> str:
    """Return what cells of a type are, in a word; nothing for cells that may be anything."""
    if pa.types.is_dictionary(kind):
        return _family(kind.value_type)
    if pa.types.is_temporal(kind):
        return "durations" if pa.types.is_duration(kind) else "times of day" if pa.types.is_time(kind) else "dates"
    return _WORDS.get(cell_type(kind) or "", "")


def steady(
    batches: Iterable[pa.RecordBatch], label: str, unreadable: dict[Name, TallyBayesError]
) -> Iterator[pa.RecordBatch]:
    """Yield batches with plain columns, none of which turns from texts into numbers or the like on the way.

    A column that does, or that cannot be read, is null from there on, and its error is in `unreadable`: it
    does not matter where nobody uses the column. So is one of lists, records or the like.
    """
    seen: dict[str, str] = {}
    first = 0
    for batch in batches:
        columns = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                column = plain_array(column)
            except pa.ArrowException as reason:
                unreadable[name] = KindError(
                    f"Column {name!r} of {label} is of type {column.type} and cannot be read: {reason}. Cast "
                    f"it to texts or numbers first, or leave it out with columns={{{name!r}: 'ignored'}}."
                )
            if cell_type(column.type) is None:
                unreadable.setdefault(name, nested(name, column.type))
            now = _family(column.type)
            if now and seen.setdefault(name, now) != now:
                unreadable[name] = KindError(
                    f"Column {name!r} of {label} mixes types: {seen[name]} before row {first + 1}, {now} in "
                    f"the rows from {first + 1} to {first + batch.num_rows}. Make it all texts or all "
                    f"numbers, or leave it out with columns={{{name!r}: 'ignored'}}."
                )
            columns.append(pa.nulls(len(column)) if name in unreadable else column)
        first += batch.num_rows
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def rechunk(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of `most` rows, so that the producer's lengths make no difference.

    Only where the cells are very long, for example whole texts, is a batch shorter.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            held.append(batch.slice(start, most - rows))
            start += held[-1].num_rows
            rows += held[-1].num_rows
            # What cells take beyond a number: pieces of long texts are held several at a time, here and by the threads.
            size += max(0, held[-1].nbytes - 8 * held[-1].num_rows * held[-1].num_columns)
            if rows == most or size > _LONG_TEXTS:
                yield one_batch(held)
                held, rows, size = [], 0, 0
    if held:
        yield one_batch(held)


def one_batch(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return batches that follow one another as one."""
    if len(batches) == 1:
        return batches[0]
    names = batches[0].schema.names
    columns = [one_array(pa.chunked_array(_alike([b.column(i) for b in batches]))) for i in range(len(names))]
    return pa.RecordBatch.from_arrays(columns, names=names)


def _alike(chunks: list[pa.Array]) -> list[pa.Array]:
    """Return the chunks of a steady column in one type.

    A block of JSON may have integers, or nulls only, where another has floats, and of several files one may
    have dates or a dictionary where another has instants or plain values.
    """
    kinds = {chunk.type for chunk in chunks if not pa.types.is_null(chunk.type)}
    if len(kinds) < 2 and not any(pa.types.is_null(chunk.type) for chunk in chunks):
        return chunks
    if any(map(pa.types.is_dictionary, kinds)) and not all(map(pa.types.is_dictionary, kinds)):
        return _alike([c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in chunks])
    if kinds and all(pa.types.is_date(kind) or pa.types.is_timestamp(kind) for kind in kinds):
        return [chunk.cast(pa.timestamp("us"), safe=False) for chunk in chunks]  # in UTC
    tables = [pa.table({"column": chunk}) for chunk in chunks]
    try:
        return pa.concat_tables(tables, promote_options="permissive").column(0).chunks  # type: ignore[no-any-return]
    except pa.ArrowInvalid:  # integers of 64 bits, with and without a sign
        return [chunk.cast(pa.float64(), safe=False) for chunk in chunks]
