"""Batches of numbers, for the tests of what reads numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tallybayes.schema.batch import Batch
from tallybayes.schema.encode import encode
from tallybayes.schema.infer import fixed
from tallybayes.schema.rows import Rows


def numeric(x, labels=None, weights=None, *, names=None, first=0) -> Batch:
    """Return rows of numbers, all of class 0 where no labels are given."""
    x = np.asarray(x, dtype=np.float64)
    x = x[:, None] if x.ndim == 1 else x
    labels = np.zeros(len(x), np.int64) if labels is None else np.asarray(labels)
    labels = pa.array(labels) if labels.dtype.kind == "U" else labels
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    names = tuple(range(x.shape[1])) if names is None else tuple(names)
    named = isinstance(names[0], str)
    return encode(Rows(x, names, labels, weights, first=first), fixed(names, "numeric", named))
