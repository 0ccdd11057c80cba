"""The sets of texts for the benchmarks of quality, each with its split."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDS = 3
"""How many parts a set without a published split is cut into, each of which is the test part once."""


class Segmented:
    """Cuts Chinese by jieba; what was cut once is kept, since a search asks for the same texts again and again."""

    def __init__(self) -> None:
        self._kept: dict[str, list[str]] = {}

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text."""
        import jieba

        if text not in self._kept:
            jieba.setLogLevel(60)
            self._kept[text] = jieba.lcut(text)
        return self._kept[text]

    def __repr__(self) -> str:
        """Return what a user of `TextNB` writes."""
        return "'jieba'"


def segmenter() -> Segmented | None:
    """Return the one segmenter, None where jieba is not installed."""
    return _SEGMENTED if importlib.util.find_spec("jieba") else None


_SEGMENTED = Segmented()


@dataclass(frozen=True)
class Texts:
    """Texts with their labels."""

    texts: list[str]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def where(self, folds: list[int], fold: int, *, there: bool) -> Texts:
        """Return the texts of one fold, or those of all others."""
        picked = [i for i, f in enumerate(folds) if (f == fold) == there]
        return Texts([self.texts[i] for i in picked], [self.labels[i] for i in picked])


@dataclass(frozen=True)
class TextSet:
    """A set of texts.

    Attributes
    ----------
    name
        The folder it was read from.
    splits
        Pairs of a training part and a test part.
    published
        Whether the split came with the set.
    """

    name: str
    splits: list[tuple[Texts, Texts]]
    published: bool

    @property
    def is_chinese(self) -> bool:
        """Whether most of the texts have a Han character."""
        texts = self.splits[0][0].texts[:1000]
        return sum(any("\u4e00" <= char <= "\u9fff" for char in text) for text in texts) * 2 > len(texts)

    @property
    def is_long(self) -> bool:
        """Whether there are more than ten megabytes of it."""
        return sum(len(text) for text in self.splits[0][0].texts) > 10_000_000


def folds_of(texts: list[str], folds: int, seed: str) -> list[int]:
    """Return the fold of each text, by a hash of it, so that copies of a text are never on both sides."""
    digests = (hashlib.sha256((seed + text).encode()).digest() for text in texts)
    return [int.from_bytes(digest[:8], "big") % folds for digest in digests]


def inner_splits(train: Texts, folds: int, *, once: bool) -> list[tuple[Texts, Texts]]:
    """Return the splits of a training part that models are chosen by: each fold held out, or the first one alone."""
    places = folds_of(train.texts, folds, "inner ")
    return [
        (train.where(places, fold, there=False), train.where(places, fold, there=True))
        for fold in range(1 if once else folds)
    ]


def text_sets(data: Path) -> Iterator[TextSet]:
    """Yield each folder with texts: one with a training and a test file, or with a single file."""
    for path in sorted({path.parent for path in data.rglob("*.jsonl.gz")}):
        if (path / "train.jsonl.gz").exists():
            yield TextSet(path.name, [(_read(path / "train.jsonl.gz"), _read(path / "test.jsonl.gz"))], True)
            continue
        whole = _read(next(iter(sorted(path.glob("*.jsonl.gz")))))
        folds = folds_of(whole.texts, FOLDS, "split ")
        splits = [(whole.where(folds, f, there=False), whole.where(folds, f, there=True)) for f in range(FOLDS)]
        yield TextSet(path.name, splits, False)


def _read(path: Path) -> Texts:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return Texts([row["text"] for row in rows], [str(row["label"]) for row in rows])
