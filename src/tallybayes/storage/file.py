"""Save a model as plain data, and load it without trusting the file.

Opening a file runs no code in it: it holds JSON and arrays of numbers. Nothing is allocated for what the file
only claims; sizes are compared with the file before anything is read.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from tallybayes._types import AnyArray
from tallybayes.errors import ModelFileError
from tallybayes.storage.arrays import Place, bytes_of, places_in, read_arrays, require_truth
from tallybayes.storage.atomic import replacing
from tallybayes.storage.envelope import (
    CHECKSUM_AT,
    FORMAT,
    LENGTH,
    LONGEST_HEADER,
    MAGIC,
    SHORTEST,
    checksum,
    pack,
)

_MALFORMED = (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError)
"""What plain code raises over JSON of another shape than it expects."""

_CHUNK = 1 << 18


def save_model(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    path
        Where to write; ``.tally`` by convention.
    header
        What JSON can hold: mappings with string keys, lists, strings, finite numbers, booleans, None.
        `to_plain` makes such of other parameters. A tuple comes back as a list.
    arrays
        Arrays of numbers or booleans, by name.

    Raises
    ------
    UnsupportedDataError
        When the header or an array is nothing that a model file holds.
    ModelFileError
        When the file cannot be written; what was there before is unchanged.
    """
    pieces = pack(header, arrays)
    with replacing(path) as file:
        file.writelines(pieces)


def load_model(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Read a model file, and check it to the last byte.

    Returns
    -------
    header : dict
    arrays : dict

    Raises
    ------
    ModelFileError
        When there is no such file, or it is damaged, cut short, no model file, of a newer format, or made to
        do harm.
    """
    shown = str(Path(path))
    try:
        _require_file(path, shown)
        with open(path, "rb") as file:
            return _read(file, os.fstat(file.fileno()).st_size, shown)
    except OSError as error:
        raise _unreadable(shown, error) from error
    except MemoryError as error:
        raise ModelFileError(f"{shown!r} does not fit into memory; check that it is a model file.") from error


def header_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a model file, with nothing else of it read and nothing checked but its form.

    It is good for telling what there is to do, and for nothing that a damaged or forged file could do harm by.

    Raises
    ------
    ModelFileError
        As `load_model` does, where the beginning of the file is that of no model.
    """
    shown = str(Path(path))
    try:
        _require_file(path, shown)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = _head(file, size, shown)
            return _unpack(head, size - len(head), shown)[0]
    except OSError as error:
        raise _unreadable(shown, error) from error


def _unreadable(shown: str, error: OSError) -> ModelFileError:
    return ModelFileError(f"{shown!r} cannot be read: {error.strerror or error}; check its place and permissions.")


def _head(file: BinaryIO, size: int, shown: str) -> bytes:
    """Return the beginning of a file up to the arrays."""
    start = file.read(min(size, SHORTEST))
    _check_start(start, size, shown)
    return start + file.read(max(0, LENGTH.size + LENGTH.unpack_from(start)[0] - len(start)))


def _require_file(path: str | os.PathLike[str], shown: str) -> None:
    """Refuse what is no file that one can read to its end."""
    try:
        # Looked at before it is opened: opening a pipe would wait for somebody to write.
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise ModelFileError(f"There is no file {shown!r}; check the path.") from None
    except ValueError as error:  # a null character in the name
        raise ModelFileError(f"{shown!r} is no name of a file ({error}); check the path.") from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise ModelFileError(f"{shown!r} is {what}; give the path of a model file.")


def _read(file: BinaryIO, size: int, shown: str) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the header and the arrays of a file that is as it was written."""
    head = _head(file, size, shown)
    wanted = head[CHECKSUM_AT:SHORTEST]
    if checksum(head, iter(lambda: memoryview(file.read(_CHUNK)), memoryview(b""))) != wanted:
        raise ModelFileError(
            f"{shown!r} is damaged or cut short: its content does not match its checksum; use another copy, "
            "or save the model again."
        )
    header, places = _unpack(head, size - len(head), shown)
    file.seek(len(head))
    arrays = read_arrays(file, places)
    # What was read now is what was checked before, unless somebody has written to the file in the meantime.
    if checksum(head, map(bytes_of, arrays.values())) != wanted or file.read(1):
        raise ModelFileError(f"{shown!r} changed while it was read; load it again when nobody writes it.")
    try:
        require_truth(arrays)
    except ValueError as error:
        raise _forged(shown, error) from None
    return header, arrays


def _check_start(start: bytes, size: int, shown: str) -> None:
    """Refuse a file by its first bytes and its size, before the rest of it is read."""
    if not start:
        raise ModelFileError(f"{shown!r} is empty; use a copy from before, or save the model again.")
    magic = start[LENGTH.size : CHECKSUM_AT]
    if magic != MAGIC[: len(magic)] or len(start) < LENGTH.size:
        kind = "another safetensors file" if magic.startswith(b'{"') else "another kind of file"
        raise ModelFileError(
            f"{shown!r} is no tallybayes model but {kind}, or its beginning is damaged; "
            "give a file that model.save() wrote."
        )
    length = LENGTH.unpack_from(start)[0]
    if length > LONGEST_HEADER or LENGTH.size + length > size:
        raise ModelFileError(
            f"{shown!r} is cut short or damaged: its header claims {length:,} bytes, and the file has "
            f"{size:,}; use another copy, or save the model again."
        )


def _unpack(head: bytes, size: int, shown: str) -> tuple[dict[str, Any], list[Place]]:
    """Return what the beginning of a file says: the model's header, and which arrays are in the bytes behind."""
    try:
        top = _parsed(head[LENGTH.size :])
        own = _parsed(top.pop("__metadata__")["tallybayes"])
        version = own["format"]
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise ValueError(f"the format {version!r}")
        if version > FORMAT:
            raise ModelFileError(
                f"{shown!r} has the format {version}, written by tallybayes {str(own.get('library'))[:40]}, "
                f"and this version reads up to {FORMAT}; upgrade with: pip install --upgrade tallybayes"
            )
        header = own["header"]
        if own.keys() != {"checksum", "format", "library", "header"} or not isinstance(header, dict):
            raise ValueError("parts that do not belong there")
        return header, places_in(top, size)
    except ModelFileError:
        raise
    except _MALFORMED as error:
        raise _forged(shown, error) from None


def _forged(shown: str, error: Exception) -> ModelFileError:
    # The checksum is right, so no accident has made it: somebody has, by hand.
    return ModelFileError(
        f"{shown!r} is no valid model file ({type(error).__name__}: {str(error)[:200]}); do not use it, "
        "and get the model again from where it was trained."
    )


def _parsed(text: str | bytes) -> dict[str, Any]:
    """Return a JSON object, as strict as JSON is: no repeated keys, no NaN, no number beyond all floats."""
    content = json.loads(text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
    if not isinstance(content, dict):
        raise ValueError("no JSON object")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a repeated key")
    return content


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]}")
    return number
