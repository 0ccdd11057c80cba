"""Documents as the kernels read them: the bytes of an Arrow column where they lie, or texts that a callable cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from tallybayes._types import AnyArray, Counts
from tallybayes.errors import DataError, UnsupportedDataError
from tallybayes.kernels.texts import Texts

Cells: TypeAlias = pa.Array | pa.ChunkedArray | Sequence[Any]
"""Documents: an Arrow column, or a sequence of strings, bytes and None."""

_NO_CUTS = np.empty(0, np.int64)


def read_texts(cells: Cells) -> Texts:
    """Return documents for the kernels; the bytes of an Arrow column are not copied.

    A missing document has no terms. Bytes need not be UTF-8.

    Examples
    --------
    >>> texts = read_texts(pa.array(["one", None, "two"]))
    >>> texts.begins.tolist(), texts.ends.tolist()
    ([0, 0, 3], [3, 0, 6])
    """
    if isinstance(cells, pa.Array | pa.ChunkedArray):
        return _from_arrow(_plain(cells))
    if isinstance(cells, str | bytes) or not isinstance(cells, Sequence | np.ndarray):
        raise UnsupportedDataError(
            f"Texts come as a list of strings or an Arrow column of them, not as {type(cells).__name__}. "
            "Put a single text into a list."
        )
    encoded = [_encode(cell, row) for row, cell in enumerate(cells)]
    data, bounds = _together([cell or b"" for cell in encoded])
    return Texts(data, bounds[:-1], bounds[1:], _NO_CUTS)


def cut_texts(cells: Cells, cut: Callable[[str], Iterable[str]]) -> Texts:
    """Return documents as the texts that a callable cuts each of them into.

    Examples
    --------
    >>> texts = cut_texts(["one two", None, "three"], str.split)
    >>> texts.begins.tolist(), texts.ends.tolist(), texts.cuts.tolist()
    ([0, 2, 2], [2, 2, 3], [0, 3, 6, 11])
    """
    whole = read_texts(cells)
    pieces: list[list[bytes]] = []
    for begin, end in zip(whole.begins.tolist(), whole.ends.tolist(), strict=True):
        text = whole.data[begin:end].tobytes().decode("utf-8", "replace")
        pieces.append(list(_pieces(cut(text), len(pieces))) if text else [])
    data, cuts = _together(list(chain.from_iterable(pieces)))
    bounds = _bounds([len(found) for found in pieces])
    return Texts(data, bounds[:-1], bounds[1:], cuts)


def _pieces(found: object, row: int) -> Iterator[bytes]:
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise DataError(
            f"The analyzer returned {type(found).__name__} for text {row + 1}; it has to return the terms as a list of "
            "strings, as str.split does."
        )
    for piece in found:
        if not isinstance(piece, str):
            raise DataError(
                f"The analyzer returned the term {piece!r} for text {row + 1}; terms have to be strings, as those of "
                "str.split are."
            )
        yield piece.encode("utf-8", "surrogatepass")


def _encode(cell: object, row: int) -> bytes | None:
    if isinstance(cell, str):
        return cell.encode("utf-8", "surrogatepass")  # half a surrogate pair is three bytes that the kernels skip
    if cell is None or isinstance(cell, bytes):
        return cell
    if isinstance(cell, float) and cell != cell:
        return None
    raise UnsupportedDataError(
        f"Text {row + 1} is {type(cell).__name__}, not a string. Convert it, or use None where it is missing."
    )


def _together(parts: list[bytes]) -> tuple[AnyArray, Counts]:
    return _bytes(b"".join(parts)), _bounds([len(part) for part in parts])


def _bounds(sizes: list[int]) -> Counts:
    bounds = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=bounds[1:])
    return bounds


def _bytes(buffer: Any) -> AnyArray:
    """Return the bytes of a buffer, always as an array that is not written to, so that kernels are compiled once."""
    data = np.frombuffer(buffer, np.uint8) if buffer is not None and len(buffer) else np.empty(0, np.uint8)
    data.flags.writeable = False
    return data


def _plain(cells: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array of strings or bytes with offsets."""
    kind = cells.type
    if pa.types.is_dictionary(kind):
        cells, kind = cells.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind):
        cells, kind = cells.cast(pa.string()), pa.string()
    wide = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind, kind)
    if wide not in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        raise UnsupportedDataError(
            f"A column of type {kind} holds no texts. Cast it to strings, or leave it out of the texts."
        )
    if isinstance(cells, pa.ChunkedArray):
        if cells.num_chunks == 1:
            cells = cells.chunk(0)
        else:  # together the chunks may be longer than 32-bit offsets reach
            wide = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(wide, wide)
            chunks = [chunk.cast(wide) for chunk in cells.chunks]
            return pa.concat_arrays(chunks) if chunks else pa.array([], wide)
    return cells if kind == wide else cells.cast(wide)


def _from_arrow(column: pa.Array) -> Texts:
    large = column.type in (pa.large_string(), pa.large_binary())
    _, offsets, values = column.buffers()
    data = _bytes(values)
    if len(column) == 0 or offsets is None:
        return Texts(data, _NO_CUTS, _NO_CUTS, _NO_CUTS)
    given = np.frombuffer(offsets, np.int64 if large else np.int32)
    bounds: Counts = given[column.offset : column.offset + len(column) + 1].astype(np.int64)
    begins, ends = bounds[:-1], bounds[1:]
    if column.null_count:
        # What lies under a missing cell is anybody's guess.
        there = column.is_valid().to_numpy(zero_copy_only=False)
        begins, ends = begins * there, ends * there
    if len(bounds) < len(column) + 1 or begins.min() < 0 or (ends < begins).any() or ends.max() > len(data):
        raise DataError(
            "The offsets of an Arrow column of texts point outside its data, so the file or the program that it "
            "comes from is broken. Read it again, or write it anew."
        )
    return Texts(data, begins, ends, _NO_CUTS)
