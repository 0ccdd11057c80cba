"""The terms of a few texts, looked up among many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallybayes._types import AnyArray, Codes
from tallybayes.kernels.texts import Texts
from tallybayes.kernels.vocabulary import odd_number
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Block, Numbering


def looked_up(analyzer: Analyzer, keys: AnyArray, texts: Texts) -> Iterator[Block]:
    """Yield texts as the places of their terms among sorted keys.

    The numbers are those of ``Numbering(analyzer, vocabulary_of(keys))``, whose table of all keys takes longer to make
    than a few texts take to read.

    Examples
    --------
    >>> analyzer = Analyzer()
    >>> keys = np.sort(np.array([analyzer.key(word) for word in ("a", "rose", "is")], np.uint64))
    >>> [block] = looked_up(analyzer, keys, analyzer.read(["a rose is not a dog"]))
    >>> (block.numbers >= 0).tolist()
    [True, True, True, False, True, False]
    """
    numbering = Numbering(analyzer)
    places: Codes = np.empty(0, np.int32)
    for block in numbering.blocks(texts):
        met = numbering.known.keys[len(places) : len(numbering)]
        places = np.concatenate([places, _places(keys, met, analyzer.plan.bits)])
        yield block._replace(numbers=places[block.numbers])


def _places(keys: AnyArray, met: AnyArray, bits: int) -> Codes:
    """Return the places of keys; what `number_terms` writes for those that are not there."""
    places = np.searchsorted(keys, met)
    there = places < len(keys)
    there[there] = keys[places[there]] == met[there]
    places[~there] = [odd_number(key, bits) for key in met[~there]]
    return places.astype(np.int32)
