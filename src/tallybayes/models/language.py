"""P(text): language models of n-grams, estimated from a tally or read from a file, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from tallybayes._types import AnyArray, Counts, Floats
from tallybayes.kernels.drawing import Children, draw_texts, put_followers
from tallybayes.kernels.language import (
    EDGE,
    LOG_PROB,
    LOG_REST,
    LOW,
    Rule,
    Trie,
    depth_of,
    is_followed,
    put_children,
    put_level,
    score_texts,
    step,
    suffix_of,
)
from tallybayes.kernels.texts import Texts
from tallybayes.kernels.vocabulary import Vocabulary
from tallybayes.models.names import END as END_NAME
from tallybayes.models.names import NAMES, escaped
from tallybayes.models.names import UNKNOWN as UNKNOWN_NAME
from tallybayes.models.smoothing import INTERPOLATED, STUPID, Level, Smoothing, estimate
from tallybayes.tallies.grams import texts_of
from tallybayes.tallies.sequences import SequenceTally
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Block, Numbering, vocabulary_of

_PLACES = 1 << 12
"""How many units are scored side by side: few enough that what is found of them stays in the cache."""


_DRAWN = 1 << 16
"""How many units are drawn at a time."""


@dataclass(frozen=True, eq=False)
class Language:
    """An estimated language model over a vocabulary of units.

    Attributes
    ----------
    analyzer
        How texts become units.
    keys
        The keys of the units of the vocabulary; unit n is ``keys[n]``, the end of a text is unit ``len(keys)``.
    text_at, text
        The text of unit n is ``text[text_at[n]:text_at[n + 1]]``.
    trie, rule
        What is known, and what happens where nothing is; see `tallybayes.kernels.language`.
    boundaries
        Whether texts have a beginning and an end.
    open
        Whether the probabilities of the vocabulary leave a share for unknown units, so that ``<unk>`` is one of it.
    """

    analyzer: Analyzer
    keys: AnyArray
    text_at: Counts
    text: AnyArray
    trie: Trie
    rule: Rule
    boundaries: bool
    open: bool

    @cached_property
    def known(self) -> Vocabulary:
        """The units by their keys."""
        return vocabulary_of(self.keys)

    @cached_property
    def units(self) -> list[str]:
        """The texts of the units."""
        return texts_of(self.text, self.text_at)

    def name(self, unit: int) -> str:
        """Return the text of a unit; what is written like the end or an unknown one, as ARPA files have it."""
        if 0 <= unit < len(self.keys):
            text = self.units[unit]
            return escaped(text) if text in NAMES else text
        return END_NAME if unit == len(self.keys) else UNKNOWN_NAME

    def blocks(self, texts: Texts) -> Iterator[Block]:
        """Yield the numbers of the units of texts, negative ones for what is unknown."""
        return Numbering(self.analyzer, self.known, single=True).blocks(texts)

    def add(self, block: Block, out: Floats, each: Floats | None = None) -> None:
        """Add the log probability of each text of a block to that of the text, and write that of every unit."""
        here = out[block.first : block.first + len(block.bounds) - 1]
        each = np.zeros(0) if each is None else each
        room = np.empty((self.rule.order + 1, max(_PLACES, int(np.diff(block.bounds).max(initial=0)) + 2)), np.int32)
        score_texts(block.numbers, block.bounds, self.trie, self.rule, self.boundaries, room, here, each)

    def score(self, texts: Texts) -> tuple[Floats, Counts]:
        """Return the log probability of each text, and how many units it has with its end."""
        out, sizes = np.zeros(len(texts.begins)), np.zeros(len(texts.begins), np.int64)
        for block in self.blocks(texts):
            self.add(block, out)
            sizes[block.first : block.first + len(block.bounds) - 1] = np.diff(block.bounds) + self.boundaries
        return out, sizes

    def each(self, text: str) -> tuple[list[int], Floats]:
        """Return the units of a text, and the log probability of each and of the end."""
        (block,) = self.blocks(self.analyzer.read([text]))
        each = np.empty(len(block.numbers) + self.boundaries)
        self.add(block, np.zeros(1), each)
        return block.numbers.tolist(), each

    def state(self, text: str) -> tuple[int, int]:
        """Return the node of the longest known n-gram that a text ends with, and how many units came before."""
        (block,) = self.blocks(self.analyzer.read([text]))
        return self.walk(self.begin, block.numbers.tolist())

    @property
    def begin(self) -> tuple[int, int]:
        """The state in which a text begins."""
        node = int(self.trie.first[len(self.keys) + 1]) if self.boundaries and self.rule.order > 1 else -1
        return max(node, 0), int(self.boundaries)

    def walk(self, state: tuple[int, int], units: list[int]) -> tuple[int, int]:
        """Return the state after some more units."""
        node, before = state
        for unit in units:
            node = step(self.trie, self.rule, node, unit if unit >= 0 else len(self.keys) + 2)
            before += 1
        return node, before

    @cached_property
    def children(self) -> Children:
        """What follows each n-gram."""
        nodes = len(self.trie.nodes)
        found = Children(np.zeros(nodes + 1, np.int64), np.empty(nodes - 1, np.int32), np.empty(nodes - 1))
        put_followers(self.trie, found)
        return found

    def log_next(self, state: tuple[int, int]) -> Floats:
        """Return the log probability of every unit of the vocabulary, of the end, and of an unknown one, in a state."""
        node, before = state
        trie, rule = self.trie, self.rule
        units = len(self.keys)
        missing = min(before, rule.order - 1) - int(depth_of(trie, node))
        path = [node]
        while path[-1] > 0:
            path.append(int(suffix_of(trie, path[-1])))
        logs = np.full(units + 3, rule.log_unknown)
        if rule.backs_off:
            for at in reversed(path):
                logs += trie.logs[at, LOG_REST] if at > 0 else 0.0
                self._put(at, logs)
            logs += missing * rule.log_short
        elif rule.shortens or missing == 0:
            at = next((at for at in path if at == 0 or is_followed(trie, at)), 0) if rule.shortens else node
            logs[:] = trie.logs[at, LOG_REST]
            self._put(at, logs)
        logs[units + 1] = -np.inf
        if not self.boundaries:
            logs[units] = -np.inf
        return np.delete(logs, units + 1)

    def _put(self, node: int, logs: Floats) -> None:
        begin, end = self.children.at[node : node + 2].tolist()
        children = self.children.nodes[begin:end]
        logs[(self.trie.nodes[children, EDGE] & LOW).astype(np.int64)] = self.trie.logs[children, LOG_PROB]

    def draw(self, n: int, state: tuple[int, int], most: int, rng: np.random.Generator) -> Iterator[list[int]]:
        """Yield n texts, as units, that begin in a state and have so many units at the most."""
        random = rng.integers(1 << 64, size=1, dtype=np.uint64)
        path = np.empty(self.rule.order + 1, np.int32)
        out = np.empty(_DRAWN, np.int32)
        while n > 0:
            ends = np.zeros(n, np.int64)
            done = draw_texts(
                self.trie, self.rule, self.children, self.boundaries, *state, most, random, path, ends, out
            )
            for begin, end in pairwise([0, *ends[:done].tolist()]):
                yield out[begin:end].tolist()
            n -= done
            if not done:
                out = np.empty(4 * len(out), np.int32)


def language_of(
    tally: SequenceTally, code: int, smoothing: Smoothing, *, amount: float = 1.0, analyzer: Analyzer | None = None
) -> Language:
    """Return the language model of one class of a tally.

    The vocabulary is that of all its classes, so that the models of several are over the same units.

    Parameters
    ----------
    tally
        What was counted.
    code
        The place of the class, -1 for one that has no texts.
    smoothing, amount
        See `tallybayes.models.smoothing`.
    analyzer
        What equals the analyzer of the tally, and is there where that of the tally is not: a model file holds no
        callable.
    """
    keys = tally.units.keys
    units = len(keys)
    links = tally.links(code)
    levels = [Level(link.counts, link.context, link.suffix) for link in links]
    found = estimate(levels, smoothing, vocabulary=units + tally.boundaries, amount=amount, boundaries=tally.boundaries)
    sizes = [len(level.counts) for level in levels]
    begin = np.cumsum([1, *sizes])
    trie = empty_trie(units, sizes[0], int(begin[-1] - begin[1]))
    trie.first[links[0].units] = np.arange(1, 1 + sizes[0])
    for k in range(len(sizes)):
        # What is written is let go, since all of it together is as large as the trie.
        level, link, log_prob = levels.pop(0), links.pop(0), found.log_prob.pop(0)
        below = int(begin[k - 1]) if k else 0
        trie.logs[below : begin[k], LOG_REST] = found.log_rest.pop(0)
        put_level(trie, int(begin[k]), below, k + 1, level.counts, level.context, level.suffix, link.units, log_prob)
    del level, link, log_prob
    put_children(trie, 1 + sizes[0])
    backs_off = smoothing in INTERPOLATED or smoothing == "stupid-backoff"
    log_short = float(np.log(STUPID)) if smoothing == "stupid-backoff" else 0.0
    shortens = smoothing == "mle" or (smoothing == "lidstone" and amount == 0)
    longest = int(begin[tally.order - 1 if len(sizes) == tally.order else -1])
    rule = Rule(tally.order, longest, backs_off, shortens, log_short, found.log_unknown)
    return Language(
        analyzer or tally.analyzer,
        keys,
        tally.units.text_at,
        tally.units.text,
        trie,
        rule,
        tally.boundaries,
        smoothing in INTERPOLATED,
    )


def empty_trie(units: int, singles: int, longer: int) -> Trie:
    """Return a trie with room for so many n-grams of one unit, of so many, and for so many longer ones."""
    nodes = np.zeros((1 + singles + longer, 4), np.uint64)
    slots = np.zeros(longer + longer // 2 + 2, np.uint64)
    return Trie(np.full(units + 3, -1, np.int32), nodes, nodes.view(np.float64), slots)
