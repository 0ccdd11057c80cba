"""Blocks of codes with those of their values alone that occur."""

from __future__ import annotations

import numpy as np

from tallybayes._types import Codes
from tallybayes.schema.coded import CodedBlock, Labels


def occurring(block: CodedBlock, labels: Labels) -> CodedBlock:
    """Return a block with those of its values alone that some row has; a matrix says only how far they reach."""
    used = labels.codes >= 0
    codes: Codes = np.empty(block.codes.shape, np.int32, order="F")
    values = []
    for j, known in enumerate(block.values):
        slots = np.maximum(block.codes[:, j] - block.low[j] + 1, 0)
        seen = np.bincount(slots[used], minlength=len(known) + 1) > 0
        seen[0] = True
        codes[:, j] = (np.cumsum(seen) - 1)[slots] - 1  # whatever it is for rows that take no part
        values.append(known.keep(seen[1:]))
    return CodedBlock(codes, np.zeros(len(values), np.int64), tuple(values))
