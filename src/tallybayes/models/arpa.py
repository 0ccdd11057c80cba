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

import numpy as np

from tallybayes.errors import OptionError, SourceError
from tallybayes.kernels.language import Rule
from tallybayes.models.language import Language, make_trie
from tallybayes.models.names import BEGIN, END, NAMES, UNKNOWN, escaped, unescaped
from tallybayes.text.analyzer import Analyzer

NEVER = -99.0
"""What stands for the logarithm of 0."""

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
    singles = [gram[0] for gram, _, _ in sections[0]]
    words = [word for word in singles if word not in NAMES]
    texts = [unescaped(word) for word in words]
    keys = [analyzer.key(text) for text in texts]
    _check_keys(texts, keys, label)
    by_key = np.argsort(np.array(keys, np.uint64))
    texts = [texts[i] for i in by_key.tolist()]
    units = {words[i]: n for n, i in enumerate(by_key.tolist())}
    units |= {name: len(words) + n for n, name in enumerate((END, BEGIN, UNKNOWN))}

    nodes: dict[tuple[str, ...], int] = {(): 0}
    for section in sections:
        for gram, _, _ in section:
            if len(nodes) != nodes.setdefault(gram, len(nodes)):
                raise reader.wrong(f"the n-gram {' '.join(gram)!r} stands there twice")
    total = len(nodes)
    parent, unit, suffix = (np.zeros(total, np.int32) for _ in range(3))
    depth, follows = np.zeros(total, np.uint8), np.zeros(total, bool)
    log_prob, log_rest = np.zeros(total), np.zeros(total)
    first = np.full(len(words) + 3, -1, np.int32)
    node = 0
    for section in sections:
        for gram, log, rest in section:
            node += 1
            if gram[:-1] not in nodes or gram[-1] not in units:
                raise reader.wrong(f"the n-gram {' '.join(gram)!r} is there, and a part of it is not")
            parent[node], unit[node], depth[node] = nodes[gram[:-1]], units[gram[-1]], len(gram)
            log_prob[node], log_rest[node] = log * _LN10 if log > NEVER else -np.inf, rest * _LN10
            suffix[node] = next(nodes[gram[k:]] for k in range(1, len(gram) + 1) if gram[k:] in nodes)
            follows[parent[node]] = True
    first[unit[depth == 1]] = np.flatnonzero(depth == 1)
    trie = make_trie(first, parent, unit, suffix, depth, log_prob, log_rest, follows)
    unknown = float(log_prob[nodes[(UNKNOWN,)]]) if (UNKNOWN,) in nodes else -np.inf
    longest = int((depth < len(sizes)).sum())
    rule = Rule(len(sizes), longest, True, False, 0.0, unknown)
    boundaries = (END,) in nodes
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    at = np.cumsum([0, *map(len, encoded)])
    data = np.frombuffer(b"".join(encoded), np.uint8)
    return Language(analyzer, np.array(keys, np.uint64)[by_key], at, data, trie, rule, boundaries, True)


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


Gram = tuple[tuple[str, ...], float, float]


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

    def section(self, k: int, size: int, longest: bool) -> list[Gram]:
        if self._ahead != f"\\{k}-grams:":
            raise self.wrong(f"the n-grams of length {k} are not there, but {self._ahead[:40]!r}")
        grams: list[Gram] = []
        while not (line := self._next()).startswith("\\") or "\t" in line or " " in line:
            parts = line.split()
            try:
                log, rest = float(parts[0]), float(parts[k + 1]) if len(parts) == k + 2 else 0.0
            except (ValueError, IndexError):
                raise self.wrong(f"{line[:40]!r} has no numbers") from None
            if (
                len(parts) not in (k + 1, k + 2)
                or math.isnan(log + rest)
                or log > 0
                or (longest and len(parts) > k + 1)
            ):
                raise self.wrong(f"{line[:40]!r} is no n-gram of length {k} with its logarithm")
            grams.append((tuple(parts[1 : k + 1]), log, rest))
        if len(grams) != size:
            raise self.wrong(f"there are {len(grams)} n-grams of length {k}, and there should be {size}")
        self._ahead = line
        return grams

    def end(self) -> None:
        if self._ahead != "\\end\\":
            raise self.wrong(f"there is more, {self._ahead[:40]!r}")
