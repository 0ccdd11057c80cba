r"""ARPA files: language models as text, as SRILM, KenLM and others read and write them.

A file has the number of n-grams of each length, and then each n-gram on a line with log10 P(last unit | units before)
before it and, where longer ones begin with it, the log10 of what others have to be multiplied by after it. ``<s>`` and
``</s>`` are the beginning and the end of a text, ``<unk>`` is an unknown unit.

Units stand between blanks there. So white space in a unit, and a unit that is written like one of the three names, are
written as bytes in hexadecimal: a blank is ``%20``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from tallybayes._types import AnyArray, Floats
from tallybayes.errors import OptionError, SourceError
from tallybayes.kernels.arpa import (
    DONE,
    TOO_MANY,
    Names,
    Page,
    put_grams,
    read_grams,
    read_singles,
    write_grams,
)
from tallybayes.kernels.language import EDGE, HALF, LOG_PROB, LOG_REST, SUFFIX, Rule, put_suffixes
from tallybayes.models.arpa_lines import ArpaLines
from tallybayes.models.language import Language, empty_trie
from tallybayes.models.names import BEGIN, END, NAMES, UNKNOWN, escaped, unescaped
from tallybayes.tallies.grams import slots_for
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Numbering
from tallybayes.text.read import cut_texts

_WRITTEN = 1 << 22
"""How many bytes are written at a time."""

_PAGE = 1 << 14
"""How many n-grams are written or read at a time."""


def arpa_bytes(language: Language) -> Iterator[bytes]:
    """Yield a file, some lines at a time."""
    if not language.open:
        raise OptionError(
            "An ARPA file holds models that go on to shorter contexts by a share: smoothing='kneser-ney', "
            "'witten-bell' or 'absolute'. Choose one of these; no refit is needed."
        )
    trie = language.trie
    encoded = [name.encode("utf-8", "surrogatepass") for name in (*map(escaped, language.units), END, BEGIN, UNKNOWN)]
    names = Names(np.cumsum([0, *map(len, encoded)]), np.frombuffer(b"".join(encoded), np.uint8))
    order = language.rule.order
    begins = np.searchsorted(trie.depth, np.arange(1, order + 2)).tolist()
    lacks_unknown = trie.first[-1] < 0
    sizes = [begins[k] - begins[k - 1] + (k == 1 and lacks_unknown) for k in range(1, order + 1)]
    yield "".join(["\\data\\\n", *(f"ngram {k}={size}\n" for k, size in enumerate(sizes, 1))]).encode()
    path = np.empty((order + 1, _PAGE), np.int32)
    out = np.empty(max(_WRITTEN, order * (max(map(len, encoded)) + 64)), np.uint8)
    for k in range(1, order + 1):
        yield f"\n\\{k}-grams:\n".encode()
        if k == 1 and lacks_unknown:
            yield f"{language.rule.log_unknown / np.log(10.0):.9g}\t{UNKNOWN}\n".encode()
        node = begins[k - 1]
        while node < begins[k]:
            node, filled = write_grams(trie, names, node, begins[k], k, k == order, path, out)
            yield out[:filled].tobytes()
    yield b"\n\\end\\\n"


def read_arpa(file: BinaryIO, size: int, analyzer: Analyzer, label: str) -> Language:
    """Return the model of a file.

    Parameters
    ----------
    file
        The file, at its beginning.
    size
        How many bytes it has.
    analyzer
        How texts become the units of the file.
    label
        What messages call the file.
    """
    lines = ArpaLines(file, label)
    sizes = lines.sizes(size)
    order, total = len(sizes), sum(sizes)
    known = slots_for(sizes[0])
    words, logs = _singles(lines, sizes[0], known, longest=order == 1)
    plain = [n for n, word in enumerate(words) if word not in NAMES]
    texts = [unescaped(words[n]) for n in plain]
    keys = unit_keys(texts, analyzer)
    _check_keys(texts, keys, label)
    places = dict(zip(words, range(1, total + 1), strict=False))
    units = np.empty(len(words), np.int32)
    units[plain] = np.arange(len(plain))
    for k, name in enumerate((END, BEGIN, UNKNOWN)):
        if name in places:
            units[places[name] - 1] = len(plain) + k

    trie = empty_trie(len(plain), len(words), total - len(words))
    singles = slice(1, len(words) + 1)
    trie.first[units] = np.arange(1, len(words) + 1)
    trie.nodes[singles, EDGE] = units
    trie.nodes[singles, SUFFIX] = np.uint64(1) << HALF
    trie.logs[singles, LOG_PROB], trie.logs[singles, LOG_REST] = logs.T
    for k, many in enumerate(sizes[1:], 2):
        begin = 1 + sum(sizes[: k - 1])
        page = new_page(k, min(many, _PAGE))

        def read(
            data: AnyArray, at: int, stop: int, filled: int, page: Page = page, begin: int = begin, many: int = many
        ) -> tuple[int, int, int]:
            at, why, found = read_grams(data, at, stop, page.units.shape[0] == order, known, units, page)
            right, wrong = put_grams(page, min(found, many - filled), trie, begin + filled)
            if wrong == DONE and filled + found > many:
                wrong = TOO_MANY
            return (int(page.starts[right]), wrong, filled + right) if wrong != DONE else (at, why, filled + found)

        for _ in lines.section(k, many, read):
            pass
    lines.end()
    put_suffixes(trie, len(words) + 1)
    place = int(trie.first[-1])
    unknown = float(trie.log_prob[place]) if place >= 0 else -np.inf
    rule = Rule(order, 1 + total - sizes[-1], True, False, 0.0, unknown)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    at = np.cumsum([0, *map(len, encoded)])
    data = np.frombuffer(b"".join(encoded), np.uint8)
    return Language(analyzer, np.array(keys, np.uint64), at, data, trie, rule, END in places, True)


def _singles(lines: ArpaLines, size: int, known: AnyArray, *, longest: bool) -> tuple[list[str], Floats]:
    """Return the words of the first section and their logarithms; `known` takes them by the hashes of their bytes."""
    places, logs = np.empty((size, 2), np.int64), np.empty((size, 2))
    words: list[str] = []

    def read(data: AnyArray, at: int, stop: int, filled: int) -> tuple[int, int, int]:
        found: tuple[int, int, int] = read_singles(data, at, stop, longest, known, places, logs, filled)
        return found

    for data, filled in lines.section(1, size, read):
        page = data.tobytes()
        words += [page[a:b].decode("utf-8", "surrogateescape") for a, b in places[len(words) : filled].tolist()]
    return words, logs


def new_page(size: int, n: int) -> Page:
    """Return room for n n-grams of so many units."""
    return Page(
        np.empty(n + 1, np.int64), np.empty((size, n + 1), np.int32), np.empty((n + 1, 2)), np.empty(n + 1, np.int32)
    )


def unit_keys(texts: list[str], analyzer: Analyzer) -> list[int]:
    """Return the key of each text that is one unit, as `Analyzer.key` does, all at once."""
    given = analyzer.analyzer == "jieba" or callable(analyzer.analyzer)
    numbering = Numbering(analyzer, single=True)
    keys = np.zeros(len(texts), np.uint64)
    for block in numbering.blocks(cut_texts(texts, lambda text: [text]) if given else analyzer.read(texts)):
        single = np.flatnonzero(np.diff(block.bounds) == 1)
        keys[block.first + single] = numbering.known.keys[block.numbers[block.bounds[single]]]
    return [key or analyzer.key(text) for key, text in zip(keys.tolist(), texts, strict=True)]


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
