"""Texts for the benchmarks: 20 Newsgroups where it is at hand, otherwise made-up ones."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path

import numpy as np

NEWSGROUPS = "20newsgroups_bydate"


@dataclass(frozen=True)
class Corpus:
    """Texts of 20 classes."""

    name: str
    texts: list[str]
    labels: list[str]

    @cached_property
    def size(self) -> int:
        """The bytes of all texts as UTF-8."""
        return sum(len(text.encode()) for text in self.texts)

    def of(self, size: int) -> Corpus:
        """Return so many bytes of the texts, repeated where they are fewer."""
        texts, labels, total = [], [], 0
        for text, label in cycle(zip(self.texts, self.labels, strict=True)):
            if total >= size:
                break
            texts.append(text)
            labels.append(label)
            total += len(text.encode())
        return Corpus(self.name, texts, labels)


def corpus(data: Path | None, size: int) -> Corpus:
    """Return about so many bytes of text.

    `data` is a folder with ``train.jsonl.gz`` and ``test.jsonl.gz``, each line an object with ``text`` and ``label``,
    or one that holds such a folder of 20 Newsgroups.
    """
    found = [] if data is None else sorted(path.parent for path in data.rglob("train.jsonl.gz"))
    if not found:
        return made_up(size)
    folder = next((path for path in found if path.name == NEWSGROUPS), found[0])
    texts, labels = [], []
    for name in ("train.jsonl.gz", "test.jsonl.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                texts.append(row["text"])
                labels.append(str(row["label"]))
    # A prefix of them should have all classes.
    order = np.random.default_rng(0).permutation(len(texts)).tolist()
    return Corpus(folder.name, [texts[i] for i in order], [labels[i] for i in order]).of(size)


def made_up(size: int, *, classes: int = 20, words: int = 100_000) -> Corpus:
    """Return texts of words whose frequencies follow Zipf's law, a twentieth of them the class's own."""
    rng = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    lengths = np.minimum(2 + rng.geometric(0.2, words), 18)
    spelt = np.array(["".join(letters[np.minimum(rng.geometric(0.12, n) - 1, 25)]) for n in lengths.tolist()])
    texts, labels, total = [], [], 0
    while total < size:
        label = int(rng.integers(classes))
        n = int(rng.lognormal(5.2, 0.9)) + 5
        place = np.minimum(rng.zipf(1.15, n), words) - 1
        own = rng.random(n) < 0.05
        place[own] = (place[own] * classes + label) % words
        text = " ".join(spelt[place])
        texts.append(text)
        labels.append(f"class {label}")
        total += len(text)
    return Corpus("made-up texts", texts, labels)


def mixed(size: int) -> str:
    """Return text of which about half the bytes are beyond ASCII: English, French, Russian and Chinese in turn."""
    rng = np.random.default_rng(2)
    alphabets = ("etaoinshrdlucmfwyp", "eaisnrtoélàuèdç", "оеаинтсрвлкмдпуя", "的一是不了人我在有他这中大来上国")
    parts, total = [], 0
    while total < size:
        for alphabet in alphabets:
            chars = np.array(list(alphabet))
            sizes = rng.integers(2, 9, 2000).tolist()
            line = " ".join("".join(rng.choice(chars, n)) for n in sizes)
            parts.append(line)
            total += len(line.encode())
    return "\n".join(parts)
