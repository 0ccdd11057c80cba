"""A language model without counts, one that was read from an ARPA file, as plain data for a model file, and back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels.language import (
    EDGE,
    FOLLOWED,
    HALF,
    LOG_PROB,
    LOG_REST,
    SUFFIX,
    Rule,
    Trie,
    put_children,
    put_suffixes,
)
from tallybayes.models.language import Language, empty_trie
from tallybayes.tallies.base import State
from tallybayes.tallies.grams import texts_of
from tallybayes.tallies.layout import damaged
from tallybayes.tallies.sequences import MOST_UNITS
from tallybayes.tallies.stored_terms import stored_array
from tallybayes.text.analyzer import Analyzer


def stored_language(language: Language) -> State:
    """Return a model that goes on to shorter contexts as plain data.

    What follows from the n-grams is left out: the suffixes, and what is followed by what.
    """
    trie = language.trie
    arrays = {
        "sizes": np.bincount(trie.depth, minlength=language.rule.order + 1)[1:].astype(np.int64),
        "edges": trie.nodes[1:, EDGE].copy(),
        "log_prob": trie.log_prob[1:].copy(),
        "log_rest": trie.log_rest[1:].copy(),
        "keys": language.keys,
        "text_at": np.asarray(language.text_at, np.int64),
        "text": language.text,
    }
    return State({"analyzer": language.analyzer.to_dict(), "boundaries": language.boundaries}, arrays)


def language_from(state: State) -> Language:
    """Return the model of plain data; `ModelFileError` where there can be no such model."""
    keys, text = stored_array(state, "keys", np.uint64), stored_array(state, "text", np.uint8)
    at, sizes = stored_array(state, "text_at", np.int64), stored_array(state, "sizes", np.int64)
    edges = stored_array(state, "edges", np.uint64)
    logs = [stored_array(state, name, np.float64) for name in ("log_prob", "log_rest")]
    boundaries = state.header.get("boundaries")
    if type(boundaries) is not bool or not 1 <= len(sizes) <= MOST_UNITS:
        raise damaged("a language model does not say what it is of")
    if len(np.unique(keys)) != len(keys) or (keys == 0).any() or not _are_texts(text, at, len(keys)):
        raise damaged("units have texts or keys that no units have")
    if any(len(column) != len(edges) or np.isnan(column).any() for column in logs) or (logs[0] > 0).any():
        raise damaged("n-grams have probabilities that there cannot be")
    if (sizes < 0).any() or (sizes > len(edges)).any() or sizes.sum() != len(edges):
        raise damaged("there are other n-grams than it says")
    trie = _trie(sizes, edges, len(keys))
    trie.logs[1:, LOG_PROB], trie.logs[1:, LOG_REST] = logs
    put_suffixes(trie, 1 + int(sizes[0]))
    if boundaries != bool(trie.first[len(keys)] >= 0):
        raise damaged("a language model has an end of texts, or none, against what it says")
    place = int(trie.first[-1])
    rule = Rule(
        len(sizes),
        1 + len(edges) - int(sizes[-1]),
        True,
        False,
        0.0,
        float(trie.log_prob[place]) if place >= 0 else -np.inf,
    )
    analyzer = Analyzer.from_dict(state.header.get("analyzer"))
    # Copies that can be written to, so that the kernels need compiling only for such.
    return Language(analyzer, keys.copy(), at.copy(), text.copy(), trie, rule, boundaries, True)


def _are_texts(text: AnyArray, at: AnyArray, n: int) -> bool:
    """Whether bytes are so many texts between places."""
    if len(at) != n + 1 or at[0] != 0 or at[-1] != len(text) or (np.diff(at) < 0).any():
        return False
    try:
        texts_of(text, at)
    except UnicodeDecodeError:
        return False
    return True


def _trie(sizes: AnyArray, edges: AnyArray, units: int) -> Trie:
    """Return the nodes with their edges, and what follows from these; refuse those that are no trie."""
    singles = int(sizes[0])
    trie = empty_trie(units, singles, len(edges) - singles)
    parents, last = edges >> HALF, edges & np.uint64(0xFFFF_FFFF)
    bounds = [1, *(1 + np.cumsum(sizes)).tolist()]
    shorter = (0, 1)
    for k, (begin, end) in enumerate(pairwise(bounds), 1):
        own = parents[begin - 1 : end - 1]
        if ((own < shorter[0]) | (own >= shorter[1])).any():
            raise damaged("n-grams are there without their parts")
        trie.nodes[begin:end, SUFFIX] = np.uint64(k) << HALF
        shorter = (begin, end)
    if (last >= units + 3).any() or len(np.unique(edges)) != len(edges):
        raise damaged("n-grams have units that there are not, or stand there twice")
    trie.nodes[1:, EDGE] = edges
    trie.nodes[parents[singles:].astype(np.int64), SUFFIX] |= FOLLOWED
    trie.first[last[:singles].astype(np.int64)] = np.arange(1, 1 + singles)
    put_children(trie, 1 + singles)
    return trie
