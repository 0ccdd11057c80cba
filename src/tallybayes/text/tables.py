"""What Unicode says of every code point, in the form that the kernels read.

The file beside this one is written by ``python -m tallybayes.text._generate``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels.utf8 import BLOCK, MULTIBYTE, Tables

_FILE = Path(__file__).with_name("unicode.npz")


@cache
def unicode_version() -> str:
    """Return the version of Unicode that the tables are made from."""
    with np.load(_FILE, allow_pickle=False) as file:
        return ".".join(map(str, file["version"].tolist()))


@cache
def load_tables(*, lowercase: bool, strip_accents: bool) -> Tables:
    """Return the tables for one way of folding.

    Examples
    --------
    >>> tables = load_tables(lowercase=True, strip_accents=False)
    >>> chr(tables.ascii[ord("A")] & 0xFF)
    'a'
    """
    with np.load(_FILE, allow_pickle=False) as file:
        index, classes = file["class_index"], file["classes"]
        name = {(True, False): "lower", (False, True): "strip", (True, True): "both"}.get((lowercase, strip_accents))
        if name is None:
            fold = (np.zeros_like(index), np.zeros(BLOCK, np.uint16), np.zeros(2, np.int32), np.zeros(1, np.uint8))
        else:
            fold = tuple(file[f"{name}_{part}"] for part in ("index", "places", "at", "bytes"))
    return Tables(_ascii_table(classes[index[0] * BLOCK :], lowercase), index, classes, *fold)


def _ascii_table(classes: AnyArray, lowercase: bool) -> AnyArray:
    """Return for every byte its class and what it is folded to, as one number."""
    folded = np.arange(256, dtype=np.uint16)
    if lowercase:
        folded[ord("A") : ord("Z") + 1] += ord("a") - ord("A")
    kinds = np.full(256, MULTIBYTE, np.uint16)
    kinds[:128] = classes[:128]
    return kinds << 8 | folded
