"""Texts: raw strings in, model out, beside scikit-learn's CountVectorizer and MultinomialNB."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import tallybayes
from benchmarks.corpus import Corpus, corpus, mixed
from benchmarks.measure import Rate, Result, seconds, side_by_side
from benchmarks.memory import Memory, child
from tallybayes.kernels.terms import terms_of
from tallybayes.kernels.texts import make_room
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Numbering

SIZE = 60_000_000
FILE = 2_000_000_000
"""Bytes of text in memory and in a file, at the scale 1."""

_PEAK = """
def afresh():
    # From here on the peak is that of what follows, as far as the system lets us say so.
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
    except OSError:
        pass
    return peak()
"""

_LOAD = """
def load(path):
    texts, labels = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            texts.append(row["text"])
            labels.append(row["label"])
    return texts, labels
"""

_OURS = """
texts, labels = load(sys.argv[1])
model = tallybayes.TextNB().fit(texts[:500], labels[:500])
model.predict(texts[:500])
before = afresh()
model.fit(texts, labels).predict(texts)
print(json.dumps({"extra": peak() - before}))
"""

_THEIRS = """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
texts, labels = load(sys.argv[1])
model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts[:500], labels[:500])
model.predict(texts[:500])
before = afresh()
model.fit(texts, labels).predict(texts)
print(json.dumps({"extra": peak() - before}))
"""

_FILE = """
model = tallybayes.TextNB(text="text").fit(sys.argv[1], y="label")
print(json.dumps({"terms": len(model.tallies_["text"]), "peak": peak()}))
"""


def run(scale: float = 1.0, data: Path | None = None) -> Iterator[Result]:
    """Yield what is measured side by side."""
    texts = corpus(data, int(SIZE * scale))
    what = f"{texts.name}, {len(texts.texts):,} texts, {texts.size / 1e6:.0f} MB"
    ours, theirs = tallybayes.TextNB(), make_pipeline(CountVectorizer(), MultinomialNB())
    asked = texts.texts
    for name, column in (("a list", asked), ("an Arrow column", pa.array(asked, pa.large_string()))):
        a, b = side_by_side(
            lambda column=column: ours.fit(column, texts.labels),
            lambda: theirs.fit(asked, texts.labels),
            times=3,
            their_times=1,
        )
        yield Result(f"TextNB fit, {what}, {name}", "scikit-learn", a, b, 15, _rates(texts, a, b))
        a, b = side_by_side(
            lambda column=column: ours.predict(column), lambda: theirs.predict(asked), times=3, their_times=1
        )
        yield Result(f"TextNB predict, {what}, {name}", "scikit-learn", a, b, 10, _rates(texts, a, b))


def rates(scale: float = 1.0, data: Path | None = None) -> Iterator[Rate]:
    """Yield how fast one core cuts texts into words and hashes them, and how fast it also finds their numbers."""
    size = max(int(SIZE * scale) // 2, 100_000)
    texts = [text for text in corpus(data, 2 * size).texts if text.isascii()]
    for name, long, goal in (
        ("ASCII", "\n".join(texts)[:size], 150.0),
        ("mixed UTF-8", mixed(size), 80.0),
    ):
        # Pieces of the length of a letter or two, so that what is made for each does not count.
        pieces = [long[at : at + 50_000] for at in range(0, len(long), 50_000)]
        column = pa.array(pieces, pa.large_string())
        total = sum(len(piece.encode()) for piece in pieces)
        analyzer = Analyzer()
        read = analyzer.read(column)

        def cut(read: object = read, analyzer: Analyzer = analyzer, n: int = len(pieces)) -> None:
            room = make_room(1 << 15, 1 << 15)
            for i in range(n):
                _, room = terms_of(read, i, analyzer.plan, room)

        def number(read: object = read, analyzer: Analyzer = analyzer) -> None:
            for _ in Numbering(analyzer).blocks(read):
                pass

        for task, call, least in ((f"words of {name}", cut, goal), (f"numbered words of {name}", number, None)):
            call()
            best = min(seconds(call) for _ in range(5))
            yield Rate(f"{task}, one core", total / best / 1e6, least)


def memory(scale: float = 1.0, data: Path | None = None) -> Iterator[Memory]:
    """Yield peak memory beyond the texts, beside scikit-learn, and the peak of a long file."""
    texts = corpus(data, int(SIZE * scale))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.jsonl")
        write_lines(path, texts, texts.size)
        ours, theirs = (child(_PEAK + _LOAD + code, str(path)) for code in (_OURS, _THEIRS))
        share = ours["extra"] / max(theirs["extra"], 1.0)
        yield Memory(
            f"TextNB fit and predict, {texts.size / 1e6:.0f} MB of {texts.name}, beyond the texts",
            f"{ours['extra'] / 2**20:.0f} MB, {share:.0%} of scikit-learn's {theirs['extra'] / 2**20:.0f} MB",
            "20%",
            share < 0.2,
        )
        write_lines(path, texts, int(FILE * scale))
        size = path.stat().st_size
        found = child(_FILE, str(path))
        yield Memory(
            f"TextNB fit from a JSON lines file of {size / 1e9:.2f} GB, {found['terms']:,} terms",
            f"{found['peak'] / 2**20:.0f} MB resident",
            "bounded",
            True,
        )


def write_lines(path: Path, texts: Corpus, size: int) -> None:
    """Write texts as JSON lines, over and over until so many bytes are written."""
    lines = [
        json.dumps({"text": text, "label": label}, ensure_ascii=False) + "\n"
        for text, label in zip(texts.texts, texts.labels, strict=True)
    ]
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for line in lines:
                written += len(line.encode())
                file.write(line)
                if written >= size:
                    break


def _rates(texts: Corpus, ours: float, theirs: float) -> str:
    return f"{texts.size / ours / 1e6:.0f} MB/s beside {texts.size / theirs / 1e6:.1f} MB/s"
