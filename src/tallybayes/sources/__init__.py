"""Anything with rows, read in chunks: arrays, frames, whatever speaks Arrow, and files."""

from tallybayes.sources.base import CHUNK_ROWS, Source, Table
from tallybayes.sources.delimited import CsvSource
from tallybayes.sources.open import open_source, open_stream
from tallybayes.sources.write import TableWriter, write_table

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
