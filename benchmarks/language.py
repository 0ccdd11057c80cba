"""Language models: training, scoring, perplexity and memory, beside KenLM and nltk.lm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import tallybayes
from benchmarks.corpus import corpus
from benchmarks.measure import Result, seconds, side_by_side
from benchmarks.memory import Memory, child

SIZE = 30_000_000
"""Bytes of text at the scale 1."""

ORDER = 3
PUBLISHED = 4.4
"""Seconds that KenLM's lmplz takes for as much text and the same order, where it is not at hand."""

NLTK_TRAINS, NLTK_SMOOTHS, NLTK_ASKED = 40_000, 2_000, 20
"""How many texts nltk is given: to count, to smooth by Kneser and Ney, which takes it seconds a word, and to score."""

_WORDS = re.compile(r"[a-z0-9]+")

_FIT = """
with open(sys.argv[1], encoding="utf-8") as file:
    texts = file.read().splitlines()
model = tallybayes.LanguageModel().fit(texts[:5000])
model.log_probs(texts[:10])
before = peak()
model.fit(texts)
model.log_probs(texts[:10])
print(json.dumps({"extra": peak() - before, "peak": peak()}))
"""

_FILE = """
model = tallybayes.LanguageModel(text="text").fit(sys.argv[1])
model.log_prob("a text")
grams = sum(len(table.keys) for table in model.tallies_["text"].grams[0])
print(json.dumps({"peak": peak(), "grams": grams}))
"""


@dataclass(frozen=True)
class Sentences:
    """Lines of words with blanks between them, as every library here takes them."""

    name: str
    texts: list[str]
    asked: list[str]

    @cached_property
    def size(self) -> int:
        """The bytes of the texts to train on, with the ends of lines."""
        return sum(len(text) + 1 for text in self.texts)

    @cached_property
    def tokens(self) -> int:
        """How many words there are to train on, with the ends of texts."""
        return tokens(self.texts)


@dataclass(frozen=True)
class Perplexity:
    """One line of the report on quality."""

    model: str
    trained: str
    perplexity: float


def tokens(texts: list[str]) -> int:
    """Return how many words there are, with the end of each text."""
    return sum(text.count(" ") + 2 for text in texts)


def sentences(data: Path | None, scale: float) -> Sentences:
    """Return the lines of texts; every tenth text is held out."""
    found = corpus(data, int(1.2 * SIZE * scale))
    texts: list[str] = []
    asked: list[str] = []
    size = 0
    for k, text in enumerate(found.texts):
        lines = [" ".join(words) for line in text.splitlines() if (words := _WORDS.findall(line.lower()))]
        if k % 10 == 9:
            asked += lines
        elif size < SIZE * scale:
            texts += lines
            size += sum(len(line) + 1 for line in lines)
    return Sentences(found.name, texts, asked)


def run(given: Sentences) -> Iterator[Result | str]:
    """Yield what is measured side by side, and why something is left out."""
    model = tallybayes.LanguageModel(order=ORDER)
    what = f"{given.name}, {len(given.texts):,} lines, {given.size / 1e6:.0f} MB"
    with tempfile.TemporaryDirectory() as folder:
        lines, ours, theirs = (Path(folder, name) for name in ("lines.txt", "ours.arpa", "theirs.arpa"))
        lines.write_text("\n".join(given.texts) + "\n", encoding="utf-8")
        model.fit(given.texts).to_arpa(ours)
        yield from _beside_lmplz(model, given, what, lines, ours, theirs)
        yield from _beside_kenlm(model, given, ours)
    yield from _beside_nltk(given)


def _beside_lmplz(
    model: tallybayes.LanguageModel, given: Sentences, what: str, lines: Path, ours: Path, theirs: Path
) -> Iterator[Result | str]:
    def fit() -> None:
        model.fit(given.texts).log_prob(given.asked[0])

    if shutil.which("lmplz") is None:
        yield "KenLM's lmplz is left out: no program of this name is on the PATH, and its Python module has none."
        published = PUBLISHED * given.size / SIZE
        fit()
        yield Result(
            f"train, {what}", "lmplz as published", seconds(fit), published, 1, "another machine, with an ARPA file"
        )
        return

    def both() -> None:
        model.fit(given.texts).to_arpa(ours)

    a, b = side_by_side(both, lambda: lmplz(lines, theirs), times=3)
    yield Result(f"train and write an ARPA file, {what}", "lmplz", a, b, 1, f"{a:.1f} s beside {b:.1f} s")
    a, _ = side_by_side(fit, lambda: None, times=3)
    yield Result(f"train and answer, {what}", "lmplz, an ARPA file", a, b, 1, _rate(given.tokens, a))


def _beside_kenlm(model: tallybayes.LanguageModel, given: Sentences, ours: Path) -> Iterator[Result | str]:
    kenlm = _module("kenlm")
    if isinstance(kenlm, str):
        yield kenlm
        return
    with _silence():
        theirs = kenlm.Model(str(ours))
    with _one_thread():
        for name, texts in (("the texts trained on", given.texts), ("held-out texts", given.asked)):
            n = tokens(texts)
            a, b = side_by_side(
                lambda texts=texts: model.log_probs(texts),
                lambda texts=texts: [theirs.score(text) for text in texts],
                times=3,
            )
            note = f"{_rate(n, a)} beside {_rate(n, b)}"
            yield Result(f"score {name}, a list, one thread", "kenlm, a text at a time", a, b, 1, note)
    arpa = str(ours)

    def read() -> None:
        tallybayes.LanguageModel.from_arpa(arpa)

    def read_theirs() -> None:
        with _silence():
            kenlm.Model(arpa)

    a, b = side_by_side(read, read_theirs, times=2)
    yield Result(f"read an ARPA file of {ours.stat().st_size / 1e6:.0f} MB", "kenlm", a, b)


def _beside_nltk(given: Sentences) -> Iterator[Result | str]:
    lm = _module("nltk.lm")
    if isinstance(lm, str):
        yield lm
        return
    texts = given.texts[:NLTK_TRAINS]
    for name, smoothing in (("MLE", "mle"), ("Laplace", "lidstone")):
        ours = tallybayes.LanguageModel(order=ORDER, smoothing=smoothing)
        a, b = side_by_side(
            lambda ours=ours: ours.fit(texts).log_prob(given.asked[0]),
            lambda name=name: nltk_model(lm, name, texts),
            times=3,
            their_times=1,
        )
        yield Result(f"train {smoothing}, {len(texts):,} lines", f"nltk.lm {name}", a, b)
    texts = given.texts[:NLTK_SMOOTHS]
    theirs = nltk_model(lm, "KneserNeyInterpolated", texts)
    model = tallybayes.LanguageModel(order=ORDER).fit(texts)
    known = set(model.vocabulary_)
    asked = [text for text in given.asked if known.issuperset(text.split())][:NLTK_ASKED]
    many = asked * 1000
    a, b = side_by_side(
        lambda: model.log_probs(many), lambda: [nltk_score(theirs, text) for text in asked], times=3, their_times=1
    )
    n = tokens(asked)
    note = f"{_rate(1000 * n, a)} beside {n / b:.0f} tokens/s; nltk scores {len(asked)} texts, and we them 1,000 times"
    yield Result(f"score by Kneser-Ney of {NLTK_SMOOTHS:,} lines", "nltk.lm", a / 1000, b, None, note)


def perplexities(given: Sentences) -> Iterator[Perplexity]:
    """Yield perplexities of the held-out texts, and of a few texts by what is trained on little."""
    trained = f"{given.size / 1e6:.0f} MB"
    model = tallybayes.LanguageModel(order=ORDER).fit(given.texts)
    for smoothing in ("kneser-ney", "witten-bell", "absolute", "lidstone"):
        model.set_params(smoothing=smoothing)
        yield Perplexity(smoothing, trained, model.perplexity(given.asked))
    model.set_params(smoothing="lidstone", amount=0.001)
    yield Perplexity("lidstone, amount=0.001", trained, model.perplexity(given.asked))
    model.set_params(smoothing="kneser-ney", amount=1.0)
    kenlm = _module("kenlm")
    if not isinstance(kenlm, str):
        with tempfile.TemporaryDirectory() as folder:
            lines, path = Path(folder, "lines.txt"), Path(folder, "m.arpa")
            model.to_arpa(path)
            yield Perplexity("kenlm, our ARPA file", trained, _kenlm_perplexity(kenlm, path, given.asked))
            if shutil.which("lmplz") is not None:
                lines.write_text("\n".join(given.texts) + "\n", encoding="utf-8")
                lmplz(lines, path)
                yield Perplexity("kenlm, lmplz's ARPA file", trained, _kenlm_perplexity(kenlm, path, given.asked))
    lm = _module("nltk.lm")
    if isinstance(lm, str):
        return
    texts = given.texts[:NLTK_SMOOTHS]
    ours = tallybayes.LanguageModel(order=ORDER).fit(texts)
    known = set(ours.vocabulary_)
    asked = [text for text in given.asked if known.issuperset(text.split())][:NLTK_ASKED]
    few = f"{NLTK_SMOOTHS:,} lines, {len(asked)} asked"
    yield Perplexity("kneser-ney", few, ours.perplexity(asked))
    theirs = nltk_model(lm, "KneserNeyInterpolated", texts)
    total = sum(nltk_score(theirs, text) for text in asked)
    yield Perplexity("nltk.lm KneserNeyInterpolated", few, float(np.exp2(-total / tokens(asked))))


def memory(given: Sentences, scale: float) -> Iterator[Memory]:
    """Yield peaks of memory: of texts in a list, beside lmplz, and of a file that is read in pieces."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines.txt")
        path.write_text("\n".join(given.texts) + "\n", encoding="utf-8")
        found = child(_FIT, str(path))
        goal, kept = "", True
        if shutil.which("lmplz") is not None:
            theirs = lmplz(path, Path(folder, "m.arpa"))
            goal, kept = f"lmplz's {theirs / 2**20:.0f} MB", found["extra"] <= theirs
        used = f"{found['extra'] / 2**20:.0f} MB"
        yield Memory(f"LanguageModel fit and estimate, {given.size / 1e6:.0f} MB, beyond the texts", used, goal, kept)
        table = Path(folder, "texts.csv")
        with table.open("w", encoding="utf-8") as file:
            file.write("text\n")
            while file.tell() < 1e9 * scale:
                file.writelines(f"{text}\n" for text in given.texts)
        found = child(_FILE, str(table))
        task = f"LanguageModel fit from a CSV file of {table.stat().st_size / 1e9:.2f} GB"
        yield Memory(
            f"{task}, {found['grams']:,.0f} n-grams", f"{found['peak'] / 2**20:.0f} MB resident", "bounded", True
        )


def lmplz(lines: Path, out: Path) -> int:
    """Run KenLM's trainer, and return the bytes of memory that it says it took."""
    command = [
        "lmplz",
        "-o",
        str(ORDER),
        "--skip_symbols",
        "-S",
        "2G",
        "-T",
        str(out.parent / "lmplz"),
        "--discount_fallback",
    ]
    with lines.open("rb") as source, out.open("wb") as target:
        done = subprocess.run(command, stdin=source, stdout=target, stderr=subprocess.PIPE, check=True)
    found = re.search(rb"RSSMax:(\d+) kB", done.stderr)
    return int(found[1]) * 1024 if found else 0


def nltk_model(lm: Any, name: str, texts: list[str]) -> Any:
    """Return a model of nltk that has counted some texts."""
    from nltk.lm.preprocessing import padded_everygram_pipeline

    model = getattr(lm, name)(ORDER)
    model.fit(*padded_everygram_pipeline(ORDER, [text.split() for text in texts]))
    return model


def nltk_score(model: Any, text: str) -> float:
    """Return the logarithm to the base of 2 of a text's probability."""
    padded = ["<s>"] * (ORDER - 1) + text.split() + ["</s>"]
    places = range(ORDER - 1, len(padded))
    return float(sum(model.logscore(padded[i], padded[i - ORDER + 1 : i]) for i in places))


def _kenlm_perplexity(kenlm: Any, path: Path, texts: list[str]) -> float:
    with _silence():
        model = kenlm.Model(str(path))
    return float(10 ** (-sum(map(model.score, texts)) / tokens(texts)))


def _module(name: str) -> ModuleType | str:
    """Return a module, or why it is left out."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as reason:
        return f"{name} is left out: {reason}"


def _rate(n: int, duration: float) -> str:
    return f"{n / duration / 1e6:.1f} million tokens/s"


@contextmanager
def _one_thread() -> Iterator[None]:
    before = os.environ.get("TALLYBAYES_THREADS")
    os.environ["TALLYBAYES_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["TALLYBAYES_THREADS"]
        else:
            os.environ["TALLYBAYES_THREADS"] = before


@contextmanager
def _silence() -> Iterator[None]:
    """Keep what a library in C writes of its progress from the report."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
