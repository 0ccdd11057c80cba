"""One message through ``tallybayes filter``, with a large model: how long it takes, and in how much memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tallybayes import TextNB

MODEL_BYTES = 50_000_000
"""How large the model file is to be."""

_BYTES_OF_A_TERM = 55
"""About what a term takes in a model file of two classes."""

RUNS = 7


@dataclass(frozen=True)
class Line:
    """One line of the report.

    Attributes
    ----------
    task
        What was done.
    used
        What it took.
    goal
        What it may take, or nothing.
    kept
        Whether it did not take more.
    """

    task: str
    used: str
    goal: str = ""
    kept: bool = True


@dataclass(frozen=True)
class Run:
    """What a process took."""

    seconds: float
    cpu: float
    megabytes: float
    code: int


def run(scale: float) -> Iterator[Line]:
    """Yield the lines of the report."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "mail.tally")
        words = _save_model(model, round(scale * MODEL_BYTES / _BYTES_OF_A_TERM))
        yield Line("model file", f"{model.stat().st_size / 1e6:.1f} MB, {len(words):,} words, 2 classes")
        short = b"From: a@example.org\nSubject: hello\n\n" + " ".join(words[::100][:250]).encode() + b"\n"
        long = short + " ".join(words[:20_000]).encode() + b"\n"
        for name, message in (("a message", short), ("a message", long)):
            runs = [filtered(model, message) for _ in range(RUNS + 1)][1:]  # the first one finds cold files
            best, cpu = min(one.seconds for one in runs), min(one.cpu for one in runs)
            most = max(one.megabytes for one in runs)
            task = f"filter: {name} of {len(message) / 1e3:.1f} kB"
            is_short = message is short
            goals = ("under 1 s", "under 200 MB") if is_short else ("", "")
            yield Line(f"{task}, best of {RUNS}", f"{best:.2f} s", goals[0], best < 1 or not is_short)
            yield Line(f"{task}, time of the processor", f"{cpu:.2f} s")
            yield Line(f"{task}, peak memory", f"{most:.0f} MB", goals[1], most < 200 or not is_short)
        nothing = min(measured([sys.executable, "-c", "pass"], b"").seconds for _ in range(RUNS))
        numpy = min(measured([sys.executable, "-c", "import numpy"], b"").seconds for _ in range(RUNS))
        yield Line("for comparison: Python alone; Python that imports NumPy", f"{nothing:.2f} s; {numpy:.2f} s")


def filtered(model: Path, message: bytes) -> Run:
    """Return what it took to filter a message."""
    ended = measured([sys.executable, "-m", "tallybayes", "filter", str(model)], message)
    if ended.code not in (0, 1, 2):
        raise RuntimeError(f"the command ended with the code {ended.code}")
    return ended


_START = """
import json, os, subprocess, sys, time
begun = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
took = time.perf_counter() - begun
json.dump([took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, process.returncode], sys.stdout)
"""
"""Starts a process from a small one: the peak memory of a process counts that of the one that it was forked from."""


def measured(command: list[str], given: bytes) -> Run:
    """Return what a process took that reads some bytes and writes to nowhere."""
    ended = subprocess.run([sys.executable, "-c", _START, *command], input=given, capture_output=True, check=True)
    seconds, cpu, size, code = json.loads(ended.stdout)
    return Run(seconds, cpu, size * (1 if sys.platform == "darwin" else 1024) / 1e6, code)


def _save_model(path: Path, n_words: int) -> list[str]:
    """Save a model of made-up words, each of which is in a message or a few; return the words."""
    rng = np.random.default_rng(3)
    letters = rng.integers(ord("a"), ord("z") + 1, (n_words, 12), dtype=np.uint8)
    lengths = rng.integers(4, 13, n_words)
    words = list({bytes(word[:length]).decode() for word, length in zip(letters, lengths, strict=True)})
    words.sort()
    order = rng.permutation(len(words))
    texts = [
        " ".join([words[k] for k in order[first : first + 100]] + [words[k] for k in rng.zipf(1.3, 100) % len(words)])
        for first in range(0, len(words), 100)
    ]
    TextNB(html="skip", urls="mark").fit(texts, [("spam", "ham")[k % 2] for k in range(len(texts))]).save(path)
    return words
