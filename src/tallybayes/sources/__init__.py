"""Anything with rows, read in chunks: arrays, frames, whatever speaks Arrow, and files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallybayes.sources.base import CHUNK_ROWS as CHUNK_ROWS
    from tallybayes.sources.base import Source as Source
    from tallybayes.sources.base import Table as Table
    from tallybayes.sources.delimited import CsvSource as CsvSource
    from tallybayes.sources.open import open_source as open_source
    from tallybayes.sources.open import open_stream as open_stream
    from tallybayes.sources.write import TableWriter as TableWriter
    from tallybayes.sources.write import write_table as write_table

_HOMES = {
    "CHUNK_ROWS": "base",
    "CsvSource": "delimited",
    "Source": "base",
    "Table": "base",
    "TableWriter": "write",
    "open_source": "open",
    "open_stream": "open",
    "write_table": "write",
}
"""Where each name lives; who reads a single message needs none of them."""

__all__ = [
    "CHUNK_ROWS",
    "CsvSource",
    "Source",
    "Table",
    "TableWriter",
    "open_source",
    "open_stream",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tallybayes.sources' has no attribute {name!r}")
    return getattr(import_module(f"tallybayes.sources.{_HOMES[name]}"), name)
