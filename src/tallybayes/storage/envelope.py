"""The layout of a model file.

A model file is a safetensors file: eight bytes with the length of a JSON header, the header, and the arrays'
bytes. The header's metadata has the one key "tallybayes", which holds a JSON text of its own::

    {"checksum": "<SHA-256 in hex>", "format": 1, "library": "0.1.0", "header": {...}}

The checksum covers every byte of the file, its own 64 characters counted as zeros. It stands first, so that
it has the same place in every file, whatever the format; the beginning up to it is what tells a model file
from others.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any, Final

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.errors import ModelFileError, UnsupportedDataError

FORMAT: Final = 1
"""The format that this library writes. It reads all up to it."""

LENGTH: Final = struct.Struct("<Q")
MAGIC: Final = b'{"__metadata__":{"tallybayes":"{\\"checksum\\":\\"'
BLANK: Final = b"0" * 64
CHECKSUM_AT: Final = LENGTH.size + len(MAGIC)
SHORTEST: Final = CHECKSUM_AT + len(BLANK)
LONGEST_HEADER: Final = 100_000_000
"""What safetensors itself allows."""

DTYPES: Final[dict[np.dtype[Any], str]] = {
    np.dtype(np.float64): "F64",
    np.dtype(np.int64): "I64",
    np.dtype(np.uint64): "U64",
    np.dtype(np.float32): "F32",
    np.dtype(np.int32): "I32",
    np.dtype(np.uint32): "U32",
    np.dtype(np.float16): "F16",
    np.dtype(np.int16): "I16",
    np.dtype(np.uint16): "U16",
    np.dtype(np.int8): "I8",
    np.dtype(np.uint8): "U8",
    np.dtype(np.bool_): "BOOL",
}
"""The arrays that a model file holds, by what safetensors calls their types."""


def pack(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> list[bytes | memoryview]:
    """Return the content of a model file in pieces; equal content in equal order gives equal bytes."""
    tensors = {name: _plain_array(name, array) for name, array in arrays.items()}
    # safetensors wants the widest types first, so that each array starts at a multiple of its width.
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    places: dict[str, Any] = {}
    offset = 0
    for name in order:
        array = tensors[name]
        places[name] = {
            "dtype": DTYPES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    own = {"checksum": BLANK.decode(), "format": FORMAT, "library": library_version(), "header": header}
    top = _encoded({"__metadata__": {"tallybayes": _encoded(own).decode()}, **places})
    top += b" " * (-len(top) % 8)
    if len(top) > LONGEST_HEADER:
        raise ModelFileError(
            f"The names and values of this model take {len(top):,} bytes, and safetensors allows "
            f"{LONGEST_HEADER:,}; leave out columns whose every value is its own, such as identifiers."
        )
    head = LENGTH.pack(len(top)) + top
    data = [tensors[name].reshape(-1).view(np.uint8).data for name in order if tensors[name].size]
    return [head[:CHECKSUM_AT] + checksum(head, data) + head[SHORTEST:], *data]


def checksum(head: bytes, data: Iterable[memoryview] = ()) -> bytes:
    """Return the checksum of a file whose beginning, the whole header at least, is `head`."""
    digest = hashlib.sha256(head[:CHECKSUM_AT])
    digest.update(BLANK)
    digest.update(memoryview(head)[SHORTEST:])
    for piece in data:
        digest.update(piece)
    return digest.hexdigest().encode()


def library_version() -> str:
    """Return the version of the library that writes, for people who look into the file."""
    try:
        return metadata.version("tallybayes")
    except metadata.PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"


def _plain_array(name: str, array: AnyArray) -> AnyArray:
    """Return an array as it lies in the file: in C order, its least byte first."""
    if name == "__metadata__" or not name.isprintable():
        raise UnsupportedDataError(f"{name!r} cannot name an array in a model file; use a printable text.")
    array = np.asarray(array)
    plain = array.dtype.newbyteorder("<")
    if plain not in DTYPES:
        raise UnsupportedDataError(
            f"The array {name!r} is of type {array.dtype}, which a model file does not hold; keep numbers or "
            "booleans "
            "in arrays, and strings in the header."
        )
    # Not ascontiguousarray, which makes one dimension of none.
    return np.asarray(array, dtype=plain, order="C")


def _encoded(content: Mapping[str, Any]) -> bytes:
    """Return strict JSON, refusing what it does not hold: NaN, keys that are no strings, foreign objects."""
    try:
        _require_string_keys(content)
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        try:
            return text.encode()
        except UnicodeEncodeError:  # half a surrogate pair, as in names of files that are no UTF-8
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UnsupportedDataError(
            f"The header of the model is no plain JSON ({error}); turn it into JSON with to_plain first."
        ) from error


def _require_string_keys(content: Any) -> None:
    """Refuse the keys that json would silently turn into strings."""
    if isinstance(content, Mapping):
        for key, item in content.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} is no string")
            _require_string_keys(item)
    elif isinstance(content, list | tuple):
        for item in content:
            _require_string_keys(item)
