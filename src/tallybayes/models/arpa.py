r"""ARPA files: language models as text, as SRILM, KenLM and others read and write them.

A file has the number of n-grams of each length, and then each n-gram on a line with log10 P(last unit | units before)
before it and, where longer ones begin with it, the log10 of what others have to be multiplied by after it. ``<s>`` and
``</s>`` are the beginning and the end of a text, ``<unk>`` is an unknown unit.

Units stand between blanks there. So white space in a unit, and a unit that is written like one of the three names, are
written as bytes in hexadecimal: a blank is ``%20``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.errors import OptionError, SourceError
from tallybayes.kernels.language import Rule
from tallybayes.kernels.sequences import BEGIN as BEGIN_KEY
from tallybayes.kernels.sequences import END as END_KEY
from tallybayes.kernels.sequences import join_all
from tallybayes.models.language import Language, make_trie
from tallybayes.models.names import BEGIN, END, NAMES, UNKNOWN, escaped, unescaped
from tallybayes.tallies.grams import places_of
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Numbering
from tallybayes.text.read import cut_texts

NEVER = -99.0
"""What stands for the logarithm of 0."""

UNKNOWN_KEY = 3
"""The key of an unknown unit, which stands in n-grams of some programs."""

_LN10 = math.log(10.0)
_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d+)\s*")


def arpa_lines(language: Language) -> Iterator[str]:
    """Yield the lines of a file."""
    if not language.open:
        raise OptionError(
            "An ARPA file holds models that go on to shorter contexts by a share: smoothing='kneser-ney', "
            "'witten-bell' or 'absolute'. Choose one of these; no refit is needed."
        )
    trie = language.trie
    parents, units, texts = trie.parent, trie.unit, language.units
    names = [*map(escaped, texts), END, BEGIN, UNKNOWN]
    order = language.rule.order
    levels = [np.flatnonzero(trie.depth == k) for k in range(1, order + 1)]
    has_unknown = trie.first[len(texts) + 2] >= 0
    yield "\\data\\\n"
    for k, nodes in enumerate(levels, 1):
        yield f"ngram {k}={len(nodes) + (k == 1 and not has_unknown)}\n"
    written: dict[int, str] = {}
    for k, nodes in enumerate(levels, 1):
        yield f"\n\\{k}-grams:\n"
        if k == 1 and not has_unknown:
            yield f"{_log10(language.rule.log_unknown)}\t{UNKNOWN}\n"
        words = [names[unit] for unit in units[nodes].tolist()]
        if k > 1:
            words = [f"{written[parent]} {word}" for parent, word in zip(parents[nodes].tolist(), words, strict=True)]
        logs, rests, more = trie.log_prob[nodes], trie.log_rest[nodes], trie.follows[nodes]
        for log, gram, rest, followed in zip(logs.tolist(), words, rests.tolist(), more.tolist(), strict=True):
            yield f"{_log10(log)}\t{gram}\t{_log10(rest)}\n" if followed and k < order else f"{_log10(log)}\t{gram}\n"
        written = dict(zip(nodes.tolist(), words, strict=True))
    yield "\n\\end\\\n"


def _log10(log: float) -> str:
    return f"{log / _LN10:.9g}" if log > NEVER * _LN10 else f"{NEVER:g}"


def read_arpa(lines: Iterable[str], analyzer: Analyzer, label: str) -> Language:
    """Return the model of a file.

    Parameters
    ----------
    lines
        The lines.
    analyzer
        How texts become the units of the file.
    label
        What messages call the file.
    """
    reader = _Reader(lines, label)
    sizes = reader.sizes()
    sections = [reader.section(k, size, k == len(sizes)) for k, size in enumerate(sizes, 1)]
    reader.end()
    singles = sections[0].words
    words = [word for word in singles if word not in NAMES]
    texts = [unescaped(word) for word in words]
    keys = unit_keys(texts, analyzer)
    _check_keys(texts, keys, label)
    by_key = np.argsort(np.array(keys, np.uint64))
    every = np.concatenate([np.array(keys, np.uint64)[by_key], np.array([END_KEY, BEGIN_KEY, UNKNOWN_KEY], np.uint64)])
    units = {words[i]: n for n, i in enumerate(by_key.tolist())}
    units |= {name: len(words) + n for n, name in enumerate((END, BEGIN, UNKNOWN)) if name in singles}

    begin = np.cumsum([1, *sizes])
    total = int(begin[-1])
    parent, unit, suffix, depth = (np.zeros(total, np.int64) for _ in range(4))
    log_prob, log_rest, follows = np.zeros(total), np.zeros(total), np.zeros(total, bool)
    known: list[AnyArray] = []
    for k, section in enumerate(sections, 1):
        here = slice(begin[k - 1], begin[k])
        grams = np.fromiter((units.get(word, -1) for word in section.words), np.int64).reshape(-1, k)
        whole = (grams >= 0).all(axis=1)
        if k > 1:
            places = places_of(_keys(every[grams[:, :-1]]), known[k - 2])
            parent[here], whole = begin[k - 2] + places, whole & (places >= 0)
        if not whole.all():
            shown = section.shown(int(np.argmin(whole)), k)
            raise reader.wrong(f"the n-gram {shown!r} is there, and a part of it is not")
        known.append(_keys(every[grams]))
        order = np.argsort(known[-1], kind="stable")
        twice = order[1:][known[-1][order[1:]] == known[-1][order[:-1]]]
        if len(twice):
            raise reader.wrong(f"the n-gram {section.shown(int(twice[0]), k)!r} stands there twice")
        for shorter in range(1, k):  # the longest that is there stays
            places = places_of(_keys(every[grams[:, k - shorter :]]), known[shorter - 1])
            suffix[here] = np.where(places >= 0, begin[shorter - 1] + places, suffix[here])
        unit[here], depth[here], follows[parent[here]] = grams[:, -1], k, True
        log_prob[here], log_rest[here] = section.logs, np.array(section.rests) * _LN10
    log_prob = np.where(log_prob > NEVER, log_prob * _LN10, -np.inf)
    first = np.full(len(words) + 3, -1, np.int32)
    first[unit[1 : begin[1]]] = np.arange(1, begin[1])
    depths, suffixes = depth.astype(np.uint8), suffix.astype(np.int32)
    trie = make_trie(first, parent, unit, suffixes, depths, log_prob, log_rest, follows)
    place = int(first[len(words) + 2])
    unknown = float(log_prob[place]) if place >= 0 else -np.inf
    rule = Rule(len(sizes), int(begin[-2]), True, False, 0.0, unknown)
    encoded = [texts[i].encode("utf-8", "surrogatepass") for i in by_key.tolist()]
    at = np.cumsum([0, *map(len, encoded)])
    data = np.frombuffer(b"".join(encoded), np.uint8)
    return Language(analyzer, every[:-3], at, data, trie, rule, END in units, True)


def unit_keys(texts: list[str], analyzer: Analyzer) -> list[int]:
    """Return the key of each text that is one unit, as `Analyzer.key` does, all at once."""
    given = analyzer.analyzer == "jieba" or callable(analyzer.analyzer)
    numbering = Numbering(analyzer, single=True)
    keys = np.zeros(len(texts), np.uint64)
    for block in numbering.blocks(cut_texts(texts, lambda text: [text]) if given else analyzer.read(texts)):
        single = np.flatnonzero(np.diff(block.bounds) == 1)
        keys[block.first + single] = numbering.known.keys[block.numbers[block.bounds[single]]]
    return [key or analyzer.key(text) for key, text in zip(keys.tolist(), texts, strict=True)]


def _keys(units: AnyArray) -> AnyArray:
    """Return the keys of n-grams, whose units are the columns."""
    keys = units[:, 0].copy()
    for column in range(1, units.shape[1]):
        longer = np.empty_like(keys)
        join_all(keys, units[:, column].copy(), longer)
        keys = longer
    return keys


def _check_keys(texts: list[str], keys: list[int], label: str) -> None:
    seen: dict[int, str] = {}
    for text, key in zip(texts, keys, strict=True):
        if key == 0 or key in seen:
            same = f"the same unit as {seen[key]!r}" if key else "no unit"
            raise SourceError(
                f"{label} has {text!r}, which is {same} as texts are read here. Read the file with "
                "analyzer=str.split, and cut texts into the units of the file beforehand."
            )
        seen[key] = text


class _Section(NamedTuple):
    """The n-grams of one length: all their words, and of each its logarithm and that of its rest."""

    words: list[str]
    logs: list[float]
    rests: list[float]

    def shown(self, gram: int, k: int) -> str:
        return " ".join(self.words[gram * k : gram * k + k])


class _Reader:
    """Reads a file from top to bottom, and knows the line for messages."""

    def __init__(self, lines: Iterable[str], label: str) -> None:
        self._lines = enumerate(lines, 1)
        self._label, self._number = label, 0

    def wrong(self, what: str) -> SourceError:
        return SourceError(
            f"{self._label} is no ARPA file that can be read: {what} (line {self._number}). Write it again with the "
            "program that it comes from."
        )

    def _next(self) -> str:
        """Return the next line that is not blank."""
        for number, line in self._lines:
            self._number = number
            if line := line.strip():
                return line
        raise self.wrong("it ends too soon")

    def sizes(self) -> list[int]:
        while self._next() != "\\data\\":
            pass
        sizes: list[int] = []
        while found := _COUNT.fullmatch(line := self._next()):
            if int(found[1]) != len(sizes) + 1:
                raise self.wrong("the lengths do not stand in order")
            sizes.append(int(found[2]))
        self._ahead = line
        if not sizes:
            raise self.wrong("it does not say how many n-grams it has")
        return sizes

    def section(self, k: int, size: int, longest: bool) -> _Section:
        if self._ahead != f"\\{k}-grams:":
            raise self.wrong(f"the n-grams of length {k} are not there, but {self._ahead[:40]!r}")
        found = _Section([], [], [])
        while True:
            line = self._next()
            parts = line.split()
            if len(parts) == 1 and line[0] == "\\":
                break
            try:
                log, rest = float(parts[0]), float(parts[k + 1]) if len(parts) > k + 1 else 0.0
            except ValueError:
                raise self.wrong(f"{line[:40]!r} has no numbers") from None
            if len(parts) not in (k + 1, k + 2 - longest) or not (log <= 0 and rest == rest):
                raise self.wrong(f"{line[:40]!r} is no n-gram of length {k} with its logarithm")
            found.words.extend(parts[1 : k + 1])
            found.logs.append(log)
            found.rests.append(rest)
        if len(found.logs) != size:
            raise self.wrong(f"there are {len(found.logs)} n-grams of length {k}, and there should be {size}")
        self._ahead = line
        return found

    def end(self) -> None:
        if self._ahead != "\\end\\":
            raise self.wrong(f"there is more, {self._ahead[:40]!r}")
